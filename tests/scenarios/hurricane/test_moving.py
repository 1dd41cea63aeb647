"""Households that prepare, leave and come home."""

from functools import cache

import numpy as np

from memopolis.agents.activities import Activity
from memopolis.agents.ages import AGE_OF_REASON
from memopolis.scenarios.hurricane.people import ADULT
from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.sim.arrays import Bools


@cache
def refuelled() -> tuple[Hurricane, Bools]:
    """Return a society after Dorian, and which citizens have refuelled, shape (citizens,)."""
    society = Hurricane(agents=400, rng=3, record={"tables": ()})
    people = society.population("citizen")
    refuels = np.zeros(len(people), np.bool_)
    stocks_up = np.zeros(len(society.population("household")), np.int64)
    before = np.zeros(len(people), np.bool_)
    for _ in range(society.ticks):
        society.step()
        refuels |= people["doing"] == Activity.FUEL
        # Children accompany their parents.
        shops = (people["doing"] == Activity.STOCK_UP) & (people["age"] >= ADULT)
        np.add.at(stocks_up, people["household"][shops & ~before], 1)
        before = shops
    assert stocks_up.max() == 1  # one member of a household, once
    return society, refuels


def test_only_people_with_a_car_refuel() -> None:
    society, refuels = refuelled()
    people = society.population("citizen")
    left_without = people["evacuated"] & ~people["vehicle"]
    assert left_without.any()
    assert refuels[people["vehicle"]].any()
    assert not refuels[~people["vehicle"]].any()


def test_children_remember_leaving_as_their_parents_do() -> None:
    people = refuelled()[0].population("citizen")
    age = people["age"]
    left = people["evacuated"] & (age >= AGE_OF_REASON)
    minors = left & (age < ADULT)
    assert minors.any()
    for rows in (minors.nonzero()[0], (left & (age >= ADULT)).nonzero()[0]):
        texts = [
            {
                event.template
                for event in people.agents[row].memory.observed.stream.read(range(9999))
            }
            for row in rows.tolist()
        ]
        leaving = ["We left {place} because of the storm." in known for known in texts]
        assert np.mean(leaving) > 0.9
