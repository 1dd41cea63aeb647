"""Homes lose power once in a storm, and people at home notice it and that it is back."""

from collections import Counter

import numpy as np

from memopolis.agents.activities import Activity
from memopolis.scenarios.hurricane.blocks.endure_storm import POWER_BACK, POWER_OUT
from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.sim.memory.memory import Added


def test_a_power_failure_is_remembered_once_and_ends() -> None:
    society = Hurricane(agents=300, rng=2, orders="none", record={"tables": ()})
    people = society.population("citizen")
    dark = np.zeros(len(people), np.bool_)
    counts = {text: Counter[int]() for text in (POWER_OUT, POWER_BACK)}

    def count(added: Added) -> None:
        for text, counter in counts.items():
            (number,) = society.texts.find_many([text])
            counter.update(added.rows[(added.text == number) & (number >= 0)].tolist())

    people.memory.stored.append(count)
    for _ in range(society.ticks):
        society.step()
        dark |= ~people["power"]
        watching = people["doing"] == Activity.TELEVISION
        assert people["power"][watching].all()
    assert 0.1 < dark.mean() < 0.4
    house = people["household"]
    assert (np.isin(house, house[dark]) == dark).all()
    assert set(counts[POWER_OUT]) <= set(np.flatnonzero(dark).tolist())
    assert set(counts[POWER_BACK]) <= set(counts[POWER_OUT])
    assert len(counts[POWER_BACK]) > 0.8 * len(counts[POWER_OUT]) > 0
    assert max(counts[POWER_OUT].values()) == 1
