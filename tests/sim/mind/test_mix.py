from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memopolis.agents.blocks.cognition import Think, UpdateAttitudes
from memopolis.agents.blocks.plan import MakePlan
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.retrieval.recollection import Recalled
from memopolis.sim.mind.mind import Answer, Mind, Question, RuleMind, complete_answer
from memopolis.sim.mind.mix import Mix, Split, by_block, by_class, by_share
from memopolis.sim.population import Cohort

Village = Any


@dataclass
class Says(Mind):
    """Answers one number, for a reason of its own, and remembers whom it was asked about."""

    number: float
    asked: list[Question] = field(default_factory=list)

    def answer(self, question: Question) -> Answer:
        self.asked.append(question)
        n = len(question.cohort)
        return Answer(np.full(n, self.number, np.float32), reasons=(f"says {self.number:g}",))


def rule(question: Question) -> Answer:
    """Answers each with its own known number, and says which memories were the reason."""
    return Answer(
        question.known["own"],
        evidence=question.recalled[:, :1],
        emotion=np.full(len(question.cohort), 3, np.uint8),
        reason=(question.known["own"] > 2).astype(np.uint8),
        reasons=("few", "many"),
    )


def fixed(split: NDArray[np.intp]) -> Split:
    return lambda _: split


def question(people: Cohort, block: str = "think") -> Question:
    n = len(people)
    ids = np.arange(2 * n, dtype=np.int32).reshape(n, 2)
    recalled = Recalled(people.rows, ids, np.ones((n, 2), np.float32))
    known = {"own": np.arange(n, dtype=np.float32)}
    return Question("thought", people, "rating", rule, memories=recalled, known=known, block=block)


@pytest.fixture
def people(village: Callable[..., Village]) -> Cohort:
    cohort: Cohort = village(agents=6).citizens.cohort()
    return cohort


def test_answers_of_a_split_are_in_the_rows_of_their_agents(people: Cohort) -> None:
    split = np.array([0, 1, 0, 1, 1, 0])
    model = Says(9.0)
    mixed = complete_answer(
        question(people), Mix([RuleMind(), model], fixed(split)).answer(question(people))
    )
    assert mixed.value.tolist() == [0, 9, 2, 9, 9, 5]
    assert [mixed.reasons[place] for place in mixed.reason] == [
        "few", "says 9", "few", "says 9", "says 9", "many",
    ]  # fmt: skip
    # The rule rests on the first memory, the other mind by default on all that were recalled.
    assert mixed.evidence.tolist() == [[0, -1], [2, 3], [4, -1], [6, 7], [8, 9], [10, -1]]
    assert mixed.emotion.tolist() == [3, 0, 3, 0, 0, 3]
    assert np.isnan(mixed.intensities).all()


def test_each_mind_is_asked_once_and_about_its_own_agents_only(people: Cohort) -> None:
    model = Says(1.0)
    Mix([RuleMind(), model], fixed(np.array([0, 1, 0, 1, 1, 0]))).answer(question(people))
    (asked,) = model.asked
    assert asked.cohort.rows.tolist() == [1, 3, 4]
    assert asked.known["own"].tolist() == [1, 3, 4]
    assert asked.recalled.tolist() == [[2, 3], [6, 7], [8, 9]]


def test_a_mix_of_rule_minds_equals_the_rule_mind(people: Cohort) -> None:
    alone = complete_answer(question(people), RuleMind().answer(question(people)))
    mix = Mix([RuleMind(), RuleMind()], fixed(np.array([1, 0, 0, 1, 0, 1])))
    mixed = complete_answer(question(people), mix.answer(question(people)))
    for name in ("value", "evidence", "text", "emotion", "how"):
        np.testing.assert_array_equal(getattr(mixed, name), getattr(alone, name))
    reasons = [[d.reasons[place] for place in d.reason] for d in (mixed, alone)]
    assert reasons[0] == reasons[1]


def test_only_the_named_block_is_answered_by_its_mind(people: Cohort) -> None:
    mix = by_block({"stay_or_go": Says(9.0)}, RuleMind())
    assert mix.answer(question(people, "stay_or_go")).value.tolist() == [9.0] * 6
    assert mix.answer(question(people, "think")).value.tolist() == [0, 1, 2, 3, 4, 5]


def test_a_class_of_agents_has_a_mind_of_its_own(village: Callable[..., Village]) -> None:
    made = village(agents=6)
    mix = by_class({type(made.citizens.agents[0]): Says(9.0)}, RuleMind())
    assert mix.answer(question(made.citizens.cohort())).value.tolist() == [9.0] * 6
    assert mix.answer(question(made.firms.cohort())).value.tolist() == [0, 1, 2]


def test_a_share_contains_the_same_agents_in_every_question(
    village: Callable[..., Village],
) -> None:
    everyone: Cohort = village(agents=400).citizens.cohort()
    mix = by_share(Says(-1.0), 0.25, RuleMind(), seed=5)
    chosen = mix.answer(question(everyone)).value == -1
    assert 70 < chosen.sum() < 130
    some = everyone.at(np.arange(100, 300))
    np.testing.assert_array_equal(mix.answer(question(some)).value == -1, chosen[100:300])


def test_a_smaller_share_is_a_subset_of_a_larger_one(village: Callable[..., Village]) -> None:
    everyone: Cohort = village(agents=400).citizens.cohort()
    small, great = (
        by_share(Says(-1.0), share, RuleMind(), seed=5).answer(question(everyone)).value == -1
        for share in (0.1, 0.4)
    )
    assert (great | ~small).all()
    other = by_share(Says(-1.0), 0.1, RuleMind(), seed=6).answer(question(everyone)).value == -1
    assert (other != small).any()


@pytest.mark.parametrize(("share", "expected"), [(0.0, False), (1.0, True)])
def test_shares_of_0_and_1_are_exact(people: Cohort, share: float, *, expected: bool) -> None:
    values = by_share(Says(-1.0), share, RuleMind(), seed=1).answer(question(people)).value
    assert ((values == -1) == expected).all()


def test_mixes_can_be_nested(people: Cohort) -> None:
    inner = Mix([RuleMind(), Says(7.0)], lambda q: (q.cohort.rows % 2).astype(np.intp))
    mix = by_block({"think": Mix([inner, Says(9.0)], lambda q: q.cohort.rows // 4)}, RuleMind())
    assert mix.answer(question(people)).value.tolist() == [0, 7, 2, 7, 9, 9]


def test_a_society_with_mixed_rule_minds_equals_one_with_the_rule_mind(
    village: Callable[..., Village],
) -> None:
    paths = []
    for mind in (RuleMind(), by_share(RuleMind(), 0.5, RuleMind(), seed=3)):
        made = village(agents=40)
        made.live()
        made.mind = mind
        for _ in range(30):
            made.step()
        citizens = made.citizens
        paths.append({name: citizens[name].copy() for name in citizens.attributes})
    blocks = {type(block) for block in made.citizens.blocks}
    assert {UpdateAttitudes, Think, MakePlan} <= blocks
    for name, values in paths[0].items():
        np.testing.assert_array_equal(values, paths[1][name], err_msg=name)


def test_a_split_must_name_a_mind_for_each(people: Cohort) -> None:
    minds: list[Mind] = [RuleMind(), RuleMind()]
    for wrong in (np.zeros(5, np.intp), np.full(6, 2)):
        with pytest.raises(ParameterError, match="number of a mind, from 0 to 1"):
            Mix(minds, fixed(wrong)).answer(question(people))
    with pytest.raises(ParameterError, match="at least one mind"):
        Mix([], lambda q: q.cohort.rows)


def test_a_share_outside_0_to_1_is_refused() -> None:
    with pytest.raises(ParameterError, match="share is 5"):
        by_share(RuleMind(), 5, RuleMind(), seed=1)
