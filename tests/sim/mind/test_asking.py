from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from memopolis.sim.mind.asking import answer_choices, join_answers
from memopolis.sim.mind.mind import Answer, Mind, Question, RuleMind, complete_answer
from memopolis.sim.population import Cohort


def question(people: Cohort) -> Question:
    return Question(
        "plan",
        people,
        "choice",
        lambda q: Answer(np.zeros(len(q.cohort))),
        known={"possible": np.eye(len(people), 3, dtype=np.bool_)},
        options=("a", "b", "c"),
    )


def test_a_part_with_all_agents_is_the_question_itself(village: Callable[..., Any]) -> None:
    asked = question(village(agents=4).citizens.cohort())
    assert asked.select(np.ones(4, np.bool_)) is asked


def test_a_part_contains_the_knowledge_of_its_agents(village: Callable[..., Any]) -> None:
    part = question(village(agents=4).citizens.cohort()).select(np.array([0, 1, 1, 0]) > 0)
    assert part.cohort.rows.tolist() == [1, 2]
    assert part.known["possible"].tolist() == [[False, True, False], [False, False, True]]
    assert part.memories is None


def test_more_than_256_reasons_are_kept(village: Callable[..., Any]) -> None:
    asked = question(village(agents=600).citizens.cohort())
    parts = []
    for number in (0, 1):
        mask = np.arange(600) % 2 == number
        reasons = tuple(f"reason {at} of {number}" for at in range(300))
        answer = Answer(np.zeros(300), reason=np.arange(300), reasons=reasons)
        parts.append((mask, asked.select(mask), answer))
    whole = complete_answer(asked, join_answers(asked, parts))
    assert [whole.reasons[at] for at in whole.reason[:4]] == [
        "reason 0 of 0",
        "reason 0 of 1",
        "reason 1 of 0",
        "reason 1 of 1",
    ]
    assert len(whole.reasons) == 600


def test_entries_missing_in_a_part_have_defaults(
    village: Callable[..., Any],
) -> None:
    asked = question(village(agents=2).citizens.cohort())
    first, second = np.array([True, False]), np.array([False, True])
    whole = join_answers(
        asked,
        [
            (
                first,
                asked.select(first),
                Answer(np.array([1.0]), how=np.array([1], np.uint8)),
            ),
            (
                second,
                asked.select(second),
                Answer(np.array([2.0]), intensities=np.full((1, 6), 4, np.float32)),
            ),
        ],
    )
    assert whole.how is not None
    assert whole.how.tolist() == [1, 0]
    assert whole.text is None
    assert whole.intensities is not None
    assert np.isnan(whole.intensities[0]).all()
    assert whole.intensities[1].tolist() == [4] * 6


class Records(Mind):
    """Answers by rule as a model, and records whom it was asked about."""

    def __init__(self) -> None:
        self.rows: list[list[int]] = []

    def answer(self, question: Question) -> Answer:
        self.rows.append(question.cohort.rows.tolist())
        n = len(question.cohort)
        return Answer(
            np.full(n, 2.0), how=np.ones(n, np.uint8), steps=np.zeros((n, 6, 3), np.int16)
        )


POSSIBLE = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 1], [0, 0, 0]], np.bool_)
NO_CHOICE: dict[str, tuple[dict[str, Any], list[int]]] = {
    "choice with possible options": (
        {"form": "choice", "options": ("a", "b", "c"), "known": {"possible": POSSIBLE}},
        [0, 2],
    ),
    "steps": (
        {"form": "steps", "options": ("a", "b", "c"), "known": {"possible": POSSIBLE}},
        [0, 2],
    ),
    "choice of one option": ({"form": "choice", "options": ("a",)}, []),
    "choice of several options": ({"form": "choice", "options": ("a", "b", "c")}, [0, 1, 2, 3]),
    "rating on a scale of one value": ({"form": "rating", "low": 3.0, "high": 3.0}, []),
    "rating": ({"form": "rating"}, [0, 1, 2, 3]),
    "text": ({"form": "text"}, [0, 1, 2, 3]),
}


@pytest.mark.parametrize("name", NO_CHOICE)
def test_agents_with_one_possible_answer_are_not_asked(
    village: Callable[..., Any], name: str
) -> None:
    facts, asked = NO_CHOICE[name]
    people = village(agents=4).citizens.cohort()

    def rule(q: Question) -> Answer:
        return Answer(np.ones(len(q.cohort)), reasons=("the only one",))

    question = Question("some kind", people, rule=rule, **facts)
    mind = Records()
    answer = complete_answer(question, answer_choices(mind, question))
    assert mind.rows == ([asked] if asked else [])
    for row in range(4):
        is_asked = row in asked
        assert answer.value[row] == (2 if is_asked else 1)
        assert answer.how[row] == is_asked
        assert (answer.steps[row] >= 0).all() == is_asked
        assert answer.reasons[answer.reason[row]] == ("" if is_asked else "the only one")


def test_the_rule_mind_answers_in_one_call(village: Callable[..., Any]) -> None:
    calls: list[int] = []

    def rule(q: Question) -> Answer:
        calls.append(len(q.cohort))
        return Answer(np.zeros(len(q.cohort)))

    people = village(agents=4).citizens.cohort()
    question = Question(
        "plan", people, "choice", rule, options=("a", "b", "c"), known={"possible": POSSIBLE}
    )
    answer_choices(RuleMind(), question)
    assert calls == [4]


def test_a_society_asks_its_mind_only_about_choices(village: Callable[..., Any]) -> None:
    made = village(agents=4)
    made.mind = Records()
    people = made.citizens.cohort()
    question = Question(
        "plan", people, "choice", lambda q: Answer(np.ones(len(q.cohort))),
        options=("a", "b", "c"), known={"possible": POSSIBLE},
    )  # fmt: skip
    made.questions.ask(question, block="test")
    assert made.mind.rows == [[0, 2]]
