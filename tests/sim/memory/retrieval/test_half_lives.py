"""Half-lives of recency per agent."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.retrieval.profiles import PROFILES

LIVES = np.array([6.0, 240.0, 6.0, 24.0, 240.0, 240.0])
TEXTS = ("The storm tore the roof off", "Bread was cheap at the market", "A storm at night")


def lived() -> Memory:
    memory = Memory(agents=len(LIVES))
    for hour in range(30):
        memory.now = hour
        for row in range(len(LIVES)):
            memory[row].stream.add("other", f"{TEXTS[(hour + row) % 3]}, {hour}", importance=0.3)
    memory.now = 31
    return memory


@pytest.mark.parametrize("profile", ["act", "town", "working", "lasting"])
def test_each_agent_is_searched_with_its_own_half_life(profile: str) -> None:
    memory = lived()
    many = memory.observed.stream.search(
        "storm at night", k=4, profile=profile, half_life=LIVES, explain=True
    )
    for row, life in enumerate(LIVES.tolist()):
        own = replace(PROFILES[profile], half_life=life)
        one = memory.observed[row].stream.search("storm at night", k=4, profile=own, explain=True)
        exists = many.ids[row] >= 0
        assert many.ids[row][exists].tolist() == [each.id for each in one]
        assert many.scores[row][exists].tolist() == [each.score for each in one]
        recency = [each.terms["recency"] for each in one]
        assert many.terms["recency"][row][exists].tolist() == recency
        alone = memory.observed[row].stream.search(
            "storm at night", 4, profile=profile, half_life=life
        )
        assert [each.id for each in alone] == [each.id for each in one]


def test_a_short_half_life_prefers_the_newest() -> None:
    memory = lived()
    weighty = replace(PROFILES["act"], recency=5.0)
    ages = memory.now - memory.observed.stream.column(
        "time",
        memory.observed.stream.search("storm", k=1, profile=weighty, half_life=LIVES).ids,
    )
    assert ages[LIVES == 6].max() <= 4


def test_queries_of_each_agent_stay_with_their_agent() -> None:
    memory = lived()
    queries = ["storm", "bread"] * 3
    many = memory.observed.stream.search(queries, k=2, half_life=LIVES)
    for row, query in enumerate(queries):
        one = memory.observed[row].stream.search(query, k=2, half_life=LIVES[row])
        assert many.ids[row].tolist() == [each.id for each in one]


@pytest.mark.parametrize("wrong", [[1.0, 2.0], 0.0, -1.0, [[6.0]], "6", np.nan])
def test_half_lives_that_are_none_are_refused(wrong: Any) -> None:
    with pytest.raises(ParameterError, match="half_life"):
        lived().stream.search("storm", half_life=wrong)


def test_no_agents_have_no_results() -> None:
    assert Memory(agents=0).stream.search("storm", k=2, half_life=6.0).ids.shape == (0, 2)
