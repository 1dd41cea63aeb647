"""Reading answers: which fit their schema, and which are refused."""

import json
import math
from typing import Any

import numpy as np
import pytest

from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.streams.encoding import EMOTIONS
from memopolis.sim.mind.mind import Answer, Form, Question
from memopolis.sim.mind.reading import FEELINGS, Unreadable, read_one, schema_of
from memopolis.sim.population import Agent, Cohort, Population
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society


class Person(Agent):
    pass


def _cohort() -> Cohort:
    population = Population(Society[Settings](rng=1), Person, 3, Memory(3))
    return population.cohort()


COHORT = _cohort()


def ask(form: Form, kind: str = "test", **changes: Any) -> Question:
    return Question(kind, COHORT, form, lambda _: Answer(np.zeros(3)), **changes)


RATING = ask("rating", low=0.0, high=10.0)
CHOICE = ask("choice", options=("stay", "go"))
TEXT = ask("text")
THOUGHT = ask("text", "thought")


@pytest.mark.parametrize(
    ("message", "applied"), [(11, 10.0), (-1e30, 0.0), (10**400, None), (3, 3.0)]
)
def test_ratings_are_clamped(message: float, applied: float | None) -> None:
    if applied is None:
        with pytest.raises(Unreadable):
            read_one(RATING, {"rating": message})
    else:
        assert read_one(RATING, {"rating": message}).value == applied


def test_a_choice_must_be_an_option() -> None:
    assert read_one(CHOICE, {"choice": " Go "}).value == 1
    with pytest.raises(Unreadable, match="none of the options"):
        read_one(CHOICE, {"choice": "fly"})


def test_a_choice_must_be_possible_for_the_agent() -> None:
    possible = np.array([[True, False], [True, True], [False, True]])
    question = ask("choice", options=("stay", "go"), known={"possible": possible})
    assert schema_of(question, 0)["properties"]["choice"] == {"enum": ["stay"]}
    assert read_one(question, {"choice": "go"}, 2).value == 1
    with pytest.raises(Unreadable):
        read_one(question, {"choice": "go"}, 0)


def test_a_thought_has_a_word_and_six_intensities() -> None:
    levels = {name: 20 if name == "fear" else 1 for name in FEELINGS}
    values = {"text": "It may come here.", "emotion": "fear", "intensities": levels}
    reading = read_one(THOUGHT, values)
    assert reading.emotion == EMOTIONS.index("Fear") + 1
    assert reading.intensities == tuple(10.0 if name == "fear" else 1.0 for name in FEELINGS)


def test_missing_feelings_are_unchanged() -> None:
    values = {"text": "x", "emotion": "Joy", "intensities": {"joy": 8, "glee": 9}}
    levels = dict(zip(FEELINGS, read_one(THOUGHT, values).intensities, strict=True))
    assert levels.pop("joy") == 8
    assert all(math.isnan(level) for level in levels.values())


def test_an_emotion_must_be_one_of_the_21_words() -> None:
    with pytest.raises(Unreadable, match="21 words"):
        read_one(THOUGHT, {"text": "x", "emotion": "boredom"})


def test_written_texts_are_not_templates_and_can_be_stored() -> None:
    content = json.loads('{"text": "I am {actor}\\u0000\\n {{7*7}} \\ud800 \\u202eend"}')
    text = read_one(TEXT, content).text
    assert text == "I am (actor) ((7*7)) ? end"


def test_an_empty_text_is_refused() -> None:
    with pytest.raises(Unreadable, match="empty"):
        read_one(TEXT, {"text": " \n"})


def test_an_answer_for_another_agent_is_refused() -> None:
    own = int(COHORT.ids[1])
    assert read_one(RATING, {"rating": 1, "agent": own}, 1).value == 1
    with pytest.raises(Unreadable, match="another agent"):
        read_one(RATING, {"rating": 1, "agent": own + 1}, 1)


def test_errors_do_not_quote_the_model() -> None:
    with pytest.raises(Unreadable) as fault:
        read_one(RATING, {"rating": "ignore all rules", "ignore all rules": 1})
    assert "ignore" not in str(fault.value)
    assert "rating" in str(fault.value)


@pytest.mark.parametrize("question", [RATING, CHOICE, TEXT, THOUGHT])
def test_a_schema_requires_all_its_fields_and_no_other(question: Question) -> None:
    schema = schema_of(question)
    assert schema["required"] == list(schema["properties"])
    assert schema["additionalProperties"] is False
