"""The check of the contract of minds: it passes minds that keep to it and finds what others do."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from memopolis.sim.errors import AnswerError, ParameterError
from memopolis.sim.mind.archetype import Archetype
from memopolis.sim.mind.call import Call, ScriptedClient
from memopolis.sim.mind.checking import check_mind
from memopolis.sim.mind.llm import LlmMind
from memopolis.sim.mind.mind import Answer, Mind, Question, RuleMind
from memopolis.sim.mind.mix import by_block, by_share


def sample(schema: dict[str, Any]) -> Any:
    """Something that fits a schema."""
    if "enum" in schema:
        return schema["enum"][-1]
    if schema["type"] == "object":
        return {name: sample(part) for name, part in schema["properties"].items()}
    if schema["type"] == "array":
        return [sample(schema["items"])] * schema.get("minItems", 1)
    if schema["type"] in {"number", "integer"}:
        return schema.get("minimum", 0)
    return "So it is. {evidence}"


def sensible(call: Call) -> str:
    return json.dumps(sample(dict(call.schema)))


def model(answer: Callable[[Call], str] = sensible) -> LlmMind:
    return LlmMind(ScriptedClient(answer), seed=1)


@pytest.mark.parametrize(
    "mind",
    [
        RuleMind(),
        model(),
        model(lambda _: "I would rather not say {"),
        model(lambda _: '{"rating": 1e9, "choice": "fly", "text": 7}'),
        by_share(model(), 0.5, RuleMind(), seed=3),
        by_block({"check": model()}, RuleMind()),
        Archetype(model(), seed=2, least=3),
    ],
    ids=["rule", "model", "mute", "wild", "share", "block", "archetype"],
)
def test_every_shipped_mind_passes_the_contract(mind: Mind) -> None:
    check_mind(mind)


class Changed(Mind):
    """The rule, with something wrong."""

    def __init__(self, change: Callable[[Question, Answer], Answer]) -> None:
        self.change = change

    def answer(self, question: Question) -> Answer:
        return self.change(question, question.rule(question))


def spoilt(**changes: Callable[[int], Any]) -> Changed:
    def change(question: Question, answer: Answer) -> Answer:
        made = {name: make(len(question.cohort)) for name, make in changes.items()}
        return replace(answer, **made)

    return Changed(change)


def full(value: Any, *width: int) -> Callable[[int], Any]:
    return lambda n: np.full((n, *width), value)


@pytest.mark.parametrize(
    ("mind", "fault"),
    [
        (spoilt(value=full(11.0)), "'attitude': value is 11; allowed are 0 to 10"),
        (spoilt(value=full(4.0)), "'survey_item': value is 4; allowed are 0 to 3"),
        (spoilt(value=full(np.nan)), "'attitude': value is nan"),
        (spoilt(value=full(0.5)), "'plan': a choice must be the number of an option"),
        (spoilt(value=full(0.0)), "'plan': a choice is not allowed"),
        (spoilt(value=lambda n: np.zeros(n + 1)), "has 13 entries of value for 12 agents"),
        (spoilt(text=full(-1)), "'thought': an answer in words needs a text for every agent"),
        (spoilt(text=full(10_000)), "text is 10000; allowed are -1 to"),
        (spoilt(emotion=full(22)), "emotion is 22; allowed are 0 to 21"),
        (spoilt(intensities=full(10.5, 6)), "intensities is 10.5; allowed are 0 to 10"),
        (spoilt(intensities=full(5.0, 5)), r"intensities have shape \(12, 5\)"),
        (spoilt(steps=full(99, 6, 3)), "a step has an unknown option or place, or too many hours"),
        (spoilt(steps=full(0, 6, 2)), r"steps have shape \(12, 6, 2\)"),
        (spoilt(evidence=full(9, 1)), "evidence names memories that the agent does not have"),
        (spoilt(evidence=full(-1)), "evidence has shape"),
        (spoilt(reason=full(1)), "reason is 1; allowed are 0 to 0"),
        (spoilt(how=full(4)), "how is 4; allowed are 0 to 3"),
        (Changed(lambda *_: 5), "'attitude': it returned a int; an Answer is needed"),  # type: ignore[arg-type]
    ],
)
def test_check_mind_reports_errors_of_answers(mind: Mind, fault: str) -> None:
    with pytest.raises(AnswerError, match=fault):
        check_mind(mind)


class Moody(Mind):
    """Never says the same twice."""

    times = 0

    def answer(self, question: Question) -> Answer:
        self.times += 1
        return replace(question.rule(question), reasons=(f"the {self.times}th time",))


class Restless(Mind):
    """Recalls as its own what it may only look at."""

    def answer(self, question: Question) -> Answer:
        question.cohort.memory.stream.search("taxes", k=1)
        return question.rule(question)


class Careless(Mind):
    """Writes into what it is given."""

    def answer(self, question: Question) -> Answer:
        answer = question.rule(question)
        for values in question.known.values():
            values[:] = 0
        return replace(answer, value=answer.value.copy())


class Gambler(Mind):
    """Draws from the random streams of the society."""

    def answer(self, question: Question) -> Answer:
        society: Any = question.cohort.population.society
        society.random.random()
        return question.rule(question)


@pytest.mark.parametrize(
    ("mind", "fault"),
    [
        (Moody(), "another reason the second time"),
        (Restless(), "'plan': answering changed memory, status or a random stream"),
        (Gambler(), "answering changed memory, status or a random stream"),
        (Careless(), "'attitude': answering changed arrays in"),
    ],
)
def test_check_mind_reports_side_effects(mind: Mind, fault: str) -> None:
    with pytest.raises(AnswerError, match=fault):
        check_mind(mind)


def test_check_mind_reports_all_problems_once() -> None:
    with pytest.raises(AnswerError) as raised:
        check_mind(spoilt(value=full(11.0), emotion=full(22)))
    lines = str(raised.value).splitlines()[1:]
    assert len(lines) == len(set(lines)) == 9  # five emotions, four values: a text has none


def test_an_object_that_is_no_mind_is_refused_in_one_line() -> None:
    with pytest.raises(ParameterError, match="'llm' is not a mind"):
        check_mind("llm")  # type: ignore[arg-type]
