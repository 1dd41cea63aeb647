"""Homes lose power once in a storm, and people at home notice it and that it is back."""

from collections import Counter

import numpy as np

from memopolis.agents.activities import Activity
from memopolis.agents.ages import AGE_OF_REASON
from memopolis.scenarios.hurricane.blocks.endure_storm import POWER_BACK, POWER_OUT
from memopolis.scenarios.hurricane.scenario import Hurricane


def test_a_power_failure_is_remembered_once_and_ends() -> None:
    society = Hurricane(agents=300, rng=2, orders="none", record={"tables": ()})
    people = society.population("citizen")
    dark = np.zeros(len(people), np.bool_)
    for _ in range(society.ticks):
        society.step()
        dark |= ~people["power"]
        watching = people["doing"] == Activity.TELEVISION
        assert people["power"][watching].all()
    assert 0.1 < dark.mean() < 0.4
    house = people["household"]
    assert (np.isin(house, house[dark]) == dark).all()
    counts = {POWER_OUT: Counter[int](), POWER_BACK: Counter[int]()}
    for row in np.flatnonzero(people["age"] >= AGE_OF_REASON).tolist():
        stream = people.agents[row].memory.observed.stream
        for memory in stream.read(range(len(stream))):
            if memory.template in counts:
                counts[memory.template][row] += 1
    assert set(counts[POWER_OUT]) <= set(np.flatnonzero(dark).tolist())
    assert set(counts[POWER_BACK]) <= set(counts[POWER_OUT])
    assert len(counts[POWER_BACK]) > 0.8 * len(counts[POWER_OUT]) > 0
    assert max(counts[POWER_OUT].values()) == 1
