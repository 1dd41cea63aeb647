"""Evacuees stay away until they recall an all-clear, or have a reason of their own to return."""

from typing import Any

import numpy as np
from tests.scenarios.remembered import read_memories

from memopolis.agents.ages import AGE_OF_REASON
from memopolis.scenarios.hurricane.blocks.return_home import (
    ALL_CLEAR,
    CAME_HOME,
    OWN_REASON,
    REUNITED,
)
from memopolis.scenarios.hurricane.lodging import ARRIVED, NAMES, OF_FRIENDS
from memopolis.scenarios.hurricane.moving import members_of, send_away, set_out
from memopolis.scenarios.hurricane.people import ADULT, Stage
from memopolis.scenarios.hurricane.scenario import Hurricane


def remembered(society: Hurricane, text: str) -> Any:
    """Return the ticks of the memories with a text, and the rows that have them."""
    start = text.partition("{")[0]
    matches = [
        (row, memory.time)
        for row, agent in enumerate(society.population("citizen").agents)
        for memory in read_memories(agent)
        if memory.text.startswith(start)
    ]
    rows, ticks = np.array(matches).T if matches else (np.empty(0, int), np.empty(0, int))
    return rows, ticks


def test_all_who_return_after_the_storm_have_heard_that_it_is_over() -> None:
    society = Hurricane(agents=150, rng=2, record={"tables": ()})
    society.run_for(society.clock.ticks_of_days(14))
    circumstances = society.circumstances
    assert circumstances.nearest is not None
    rows, ticks = remembered(society, ALL_CLEAR)
    assert len(rows)
    assert (ticks > society.clock.tick_of(circumstances.nearest)).all()
    citizens, homes = society.population("citizen"), society.population("household")
    rows, ticks = remembered(society, CAME_HOME)
    assert len(rows)
    assert (citizens["returned_at"][rows] == ticks).all()
    # The way back takes the drive beyond the region, and some time in it.
    set_off, left = remembered(society, ALL_CLEAR)
    hours = homes["travel_hours"][citizens["household"]]
    home = np.full(len(citizens), -1)
    home[rows] = ticks
    back = home[set_off] >= 0
    assert (home[set_off[back]] - left[back] >= hours[set_off[back]]).all()


def test_evacuees_remember_where_they_stayed() -> None:
    society = Hurricane(agents=150, rng=2, record={"tables": ()})
    society.run_for(society.clock.ticks_of_days(14))
    citizens = society.population("citizen")
    homes = society.population("household")
    arrived, _ = remembered(society, ARRIVED)
    away = citizens["evacuated"] & (citizens["age"] >= AGE_OF_REASON)
    cleared = homes["cleared"][citizens["household"]]
    guests = set(np.flatnonzero(away & cleared))
    assert set(arrived) <= guests
    assert len(set(arrived)) > 0.9 * len(guests) > 0
    for row in arrived[:20].tolist():
        lodging = homes["lodging"][citizens["household"][row]]
        assert lodging in {name for some in NAMES.values() for name in some} | {OF_FRIENDS}
        own = [one for one in read_memories(citizens.agents[row]) if one.actor < 0]
        texts = [one.text for one in own if one.topic == "stay" and one.template != CAME_HOME]
        assert len(texts) > 1
        assert all(lodging in text for text in texts)


def test_some_stay_behind_and_children_are_never_left_alone() -> None:
    society = Hurricane(agents=400, rng=3, record={"tables": ()})
    citizens, homes = society.population("citizen"), society.population("household")
    behind = np.zeros(len(citizens), np.bool_)
    for _ in range(society.ticks):
        society.step()
        staying = citizens["stays_behind"]
        behind |= staying
        assert not citizens["away"][staying].any()
        assert (citizens["age"][staying] >= ADULT).all()
        stage = homes["stage"][citizens["household"]]
        gone = (stage == Stage.AWAY) & ~staying
        assert citizens["away"][gone].all()
    assert behind.any()
    assert not citizens["evacuated"][behind].any()
    # The most concerned adult always leaves.
    assert (np.bincount(citizens["household"][behind]) < 3).all()
    reunited, _ = remembered(society, REUNITED)
    assert set(citizens["household"][behind]) >= set(citizens["household"][reunited])
    assert len(reunited)


def test_without_news_evacuees_return_when_they_have_heard_nothing_for_long() -> None:
    society = Hurricane(
        agents=80, rng=2, days=7, orders="none", news="none", storm="none", record={"tables": ()},
        evacuation={"quiet": 30.0},
    )  # fmt: skip
    society.run_for(10)
    homes = society.population("household")
    some = homes.cohort()
    people = members_of(some, society.population("citizen"))
    set_out(people, society.clock.tick, np.full(len(people), 1, np.uint8))
    send_away(people)
    some["stage"], some["left_at"], some["destination"] = Stage.AWAY, society.clock.tick, 1
    some["exit"] = society.roads.exits[0].removeprefix("outside ")
    society.run_for(24)
    assert (homes["stage"] == Stage.AWAY).all()
    society.run_for(24 * 4)
    assert (homes["stage"] == Stage.RETURNED).mean() > 0.9
    assert len(remembered(society, ALL_CLEAR)[0]) == 0
    assert len(remembered(society, CAME_HOME)[0])
    rows, ticks = remembered(society, OWN_REASON)
    assert len(rows)
    assert (ticks >= 10 + 30).all()
