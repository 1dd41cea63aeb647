"""Evacuees stay away until they recall an all-clear, or have a reason of their own to return."""

from typing import Any

import numpy as np

from memopolis.scenarios.hurricane.blocks.return_home import CAME_HOME, OWN_REASON
from memopolis.scenarios.hurricane.moving import members_of, send_away, set_out
from memopolis.scenarios.hurricane.people import Stage
from memopolis.scenarios.hurricane.scenario import Hurricane


def remembered(society: Hurricane, text: str) -> Any:
    """Return the ticks of the memories with a text, and the rows that have them."""
    start = text.partition("{")[0]
    matches = [
        (row, memory.time)
        for row, agent in enumerate(society.population("citizen").agents)
        for memory in agent.memory.observed.stream.read(range(len(agent.memory.stream)))
        if memory.text.startswith(start)
    ]
    rows, ticks = np.array(matches).T if matches else (np.empty(0, int), np.empty(0, int))
    return rows, ticks


def test_all_who_return_after_the_storm_have_heard_that_it_is_over() -> None:
    society = Hurricane(agents=150, rng=2, record={"tables": ()})
    society.run_for(society.clock.ticks_of_days(14))
    circumstances = society.circumstances
    assert circumstances.nearest is not None
    rows, ticks = remembered(society, CAME_HOME)
    assert len(rows)
    assert (ticks > society.clock.tick_of(circumstances.nearest)).all()
    citizens = society.population("citizen")
    assert (citizens["returned_at"][rows] == ticks).all()


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
    society.run_for(24)
    assert (homes["stage"] == Stage.AWAY).all()
    society.run_for(24 * 4)
    assert (homes["stage"] == Stage.RETURNED).mean() > 0.9
    assert len(remembered(society, CAME_HOME)[0]) == 0
    rows, ticks = remembered(society, OWN_REASON)
    assert len(rows)
    assert (ticks >= 10 + 30).all()
