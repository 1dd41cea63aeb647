"""Plans, places and partners are chosen by remembered experience."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from memopolis.agents.activities import NUMBERS, STEPS, Need
from memopolis.agents.everyday import (
    RECEIVED,
    draw_pleasantness,
    draw_quality,
    draw_rapport,
    name_friend,
    query_of,
    recall_steps,
)
from memopolis.agents.experience import Experience
from memopolis.sim.chance import Chance
from memopolis.sim.memory.retrieval.recollection import Recalled

MakeVillage = Callable[..., Any]


def experience_of(made: Any, memories: list[tuple[str, float]]) -> tuple[Any, Experience]:
    """Give the first citizen some memories, all of which are recalled."""
    cohort = made.citizens.cohort()
    for text, valence in memories:
        made.citizens.agents[0].memory.stream.add("activity", text, valence=valence, importance=0.5)
    made.citizens.memory.flush()
    ids = np.full((len(cohort), len(memories)), -1, np.int32)
    ids[0] = np.arange(len(memories))
    scores = np.ones(ids.shape, np.float32)
    return cohort, Experience(cohort, Recalled(cohort.rows, ids, scores))


def test_attitudes_to_plans_are_remembered_pleasantness(village: MakeVillage) -> None:
    meet, rest = STEPS[NUMBERS["meet"]], STEPS[NUMBERS["rest"]]
    made = village(agents=2)
    cohort, experience = experience_of(
        made, [(meet.memories[2], -0.6), (rest.memories[1], 0.4), (rest.memories[0], 0.2)]
    )
    attitudes = recall_steps(cohort, experience)[0]
    assert attitudes[0, NUMBERS["meet"]] == pytest.approx(-0.6, abs=0.02)
    assert attitudes[0, NUMBERS["rest"]] == pytest.approx(0.3, abs=0.02)
    assert attitudes[0, NUMBERS["leisure"]] == 0
    assert not attitudes[1].any()


def test_norms_are_what_others_were_heard_to_do(village: MakeVillage) -> None:
    reports = [RECEIVED + name_friend(STEPS[NUMBERS[name]].memories[0]) for name in
            ("meet", "meet", "leisure")]  # fmt: skip
    made = village(agents=2)
    cohort, experience = experience_of(made, [(text, 0.0) for text in reports])
    norms = recall_steps(cohort, experience)[1]
    assert norms[0, NUMBERS["meet"]] == pytest.approx(2 / 3)
    assert norms[0, NUMBERS["leisure"]] == pytest.approx(1 / 3)
    assert norms[0].sum() == pytest.approx(1)
    assert not norms[1].any()


def test_a_friend_who_shared_a_plan_counts_for_the_norm(village: MakeVillage) -> None:
    meet, leisure = (STEPS[NUMBERS[name]] for name in ("meet", "leisure"))
    made = village(agents=2)
    one, friend = made.citizens.agents
    stream = one.memory.stream
    stream.add("social", meet.memories[1], actor=friend, importance=0.5)
    stream.add("activity", leisure.memories[1], importance=0.5)
    made.citizens.memory.flush()
    cohort = made.citizens.cohort()
    ids = np.array([[0, 1], [-1, -1]], np.int32)
    recalled = Recalled(cohort.rows, ids, np.ones(ids.shape, np.float32))
    norms = recall_steps(cohort, Experience(cohort, recalled))[1]
    # Free time alone says nothing about others.
    assert norms[0, NUMBERS["meet"]] == 1
    assert norms[0, NUMBERS["leisure"]] == 0
    assert not norms[1].any()


def test_a_merged_memory_counts_each_of_its_occasions(village: MakeVillage) -> None:
    meet, leisure, rest = (STEPS[NUMBERS[name]] for name in ("meet", "leisure", "rest"))
    report = RECEIVED + name_friend(meet.memories[0])
    other = RECEIVED + name_friend(leisure.memories[0])
    made = village(agents=2)
    cohort, experience = experience_of(
        made, [(report, 0.0), (other, 0.0), (rest.memories[1], 0.6), (rest.memories[2], -0.6)]
    )
    streams = made.citizens.memory.streams
    slots = streams.find(np.zeros(2, np.int64), np.array([0, 2]))
    streams.put_occasions(slots, np.array([3, 5]), np.zeros(2, np.int64))
    valences, shares = recall_steps(cohort, experience)
    assert shares[0, NUMBERS["meet"]] == pytest.approx(3 / 4)
    assert valences[0, NUMBERS["rest"]] == pytest.approx(0.4, abs=0.01)
    assert experience.times[:, :2].tolist() == [[3, 1], [0, 0]]


def test_reading_memories_of_steps_creates_no_text(village: MakeVillage) -> None:
    made = village(agents=2)
    cohort, experience = experience_of(made, [(STEPS[NUMBERS["meet"]].memories[2], -0.6)])
    before = made.texts.all
    valences, _ = recall_steps(cohort, experience)
    assert made.texts.all == before
    assert np.count_nonzero(valences) == 1


def test_only_needs_with_a_choice_of_plans_or_places_recall() -> None:
    needs = np.array([Need.WORK, Need.TIRED, Need.INTERVENTION, Need.SOCIAL])
    assert (query_of(needs) >= 0).tolist() == [True, False, True, True]


def test_pleasantness_has_a_personal_taste(village: MakeVillage) -> None:
    made = village(agents=400)
    cohort = made.citizens.cohort()
    chance = Chance(1)
    n = len(cohort)

    by_zone = draw_quality(np.arange(5 * len(STEPS)), chance)

    def draw(tick: int, place: int = -1, quality: Any = by_zone) -> Any:
        return draw_pleasantness(
            cohort,
            np.full(n, NUMBERS["sport"]),
            place=np.full(n, place, np.int16),
            usual=np.zeros(n),
            quality=quality,
            chance=chance,
            tick=tick,
        )

    first, second = draw(1), draw(2)
    # The same people like it on both days: the taste is fixed, the occasion is not.
    assert 0.3 < np.corrcoef(first, second)[0, 1] < 0.95
    assert not np.array_equal(first, second)
    assert not np.array_equal(first, draw(1, place=4))
    # Without zones, the quality of a place is drawn when it is needed, and is the same.
    assert np.array_equal(draw(1, place=4), draw(1, place=4, quality=np.empty(0)))
    assert np.abs(first).max() <= 1


def test_a_pair_has_a_fixed_rapport_that_both_share() -> None:
    chance, pairs = Chance(1), 400
    first = np.arange(pairs)
    second = first + pairs

    def draw(one: Any, other: Any, tick: int) -> Any:
        return draw_rapport(
            one,
            other,
            np.full(pairs, NUMBERS["meet"]),
            place=np.full(pairs, -1, np.int16),
            usual=np.zeros(pairs),
            quality=np.empty(0),
            chance=chance,
            tick=tick,
        )

    assert np.array_equal(draw(first, second, 1), draw(second, first, 1))
    assert 0.3 < np.corrcoef(draw(first, second, 1), draw(first, second, 2))[0, 1] < 0.95
    other = np.corrcoef(draw(first, second, 1), draw(first, second[::-1], 1))[0, 1]
    assert abs(other) < 0.2
