"""Needs: they decay over time, and activities satisfy them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from memopolis.agents.activities import Activity
from memopolis.agents.blocks.needs import RELIEFS, Needs
from memopolis.agents.day.body_clock import FALLS, RISES
from memopolis.sim.errors import StateError

MakeVillage = Callable[..., Any]

NEEDS = ("hunger", "energy", "safety", "social")


def spend(
    village: MakeVillage, doing: Activity, *before: Activity, hours: float = 1, **changes: Any
) -> dict[str, float]:
    """Return the needs of a citizen of 40, all .5 before, after some hours of an activity."""
    made = village(agents=1, **changes)
    made.give(made.citizens, Needs())
    agent = made.citizens.agents[0]
    for need in NEEDS:
        setattr(agent, need, 0.5)
    agent.age = 40
    agent.doing = agent.scheduled = doing
    agent.doing_before = before[0] if before else doing
    for _ in range(round(hours / made.clock.hours)):
        made.step()
    return {need: getattr(agent, need) for need in NEEDS}


@pytest.mark.parametrize("relief", RELIEFS, ids=[f"{r.doing.name} {r.need}" for r in RELIEFS])
def test_an_activity_satisfies_its_need(village: MakeVillage, relief: Any) -> None:
    level = spend(village, relief.doing)[relief.need]
    assert level == pytest.approx(min(0.5 + relief.hourly, 1), abs=1e-6)


def test_a_step_counts_half_as_what_was_done_before(village: MakeVillage) -> None:
    eats, works, both = (
        spend(village, *of)["social"]
        for of in (
            (Activity.MEET,),
            (Activity.WORK,),
            (Activity.MEET, Activity.WORK),
        )
    )
    assert both == pytest.approx((eats + works) / 2, abs=1e-6)


def test_energy_is_1_minus_the_pressure_of_the_body_clock(village: MakeVillage) -> None:
    asleep = spend(village, Activity.SLEEP, hours=8)["energy"]
    assert asleep == pytest.approx(1 - 0.5 * np.exp(-8 / FALLS), abs=1e-4)
    awake = spend(village, Activity.WORK, hours=8)["energy"]
    assert awake == pytest.approx(0.5 * np.exp(-8 / RISES), abs=1e-4)
    nap = spend(village, Activity.WORK, Activity.SLEEP)["energy"]
    assert spend(village, Activity.WORK)["energy"] < nap < spend(village, Activity.SLEEP)["energy"]


def test_who_does_something_else_than_to_sleep_as_scheduled_does_not_rest(
    village: MakeVillage,
) -> None:
    made = village(agents=1)
    made.give(made.citizens, Needs())
    agent = made.citizens.agents[0]
    agent.energy, agent.doing, agent.scheduled = 0.5, Activity.PACK, Activity.SLEEP
    made.step()
    assert agent.energy < 0.5


def test_two_half_hour_steps_equal_one_hour(village: MakeVillage) -> None:
    halves, hour = (spend(village, Activity.HOUSEWORK, hours=2, tick=tick) for tick in (0.5, 1.0))
    assert halves == pytest.approx(hour, abs=1e-5)


def test_needs_stay_in_range_and_are_met_over_time(lived: MakeVillage) -> None:
    made = lived(24 * 4, agents=60)
    for need in NEEDS:
        level = made.citizens[need]
        assert ((level >= 0) & (level <= 1)).all()
        assert level.mean() > 0.2


@pytest.mark.parametrize("name", ["doing", "doing_before"])
def test_an_unknown_activity_is_refused(village: MakeVillage, name: str) -> None:
    made = village(agents=3)
    made.give(made.citizens, Needs())
    setattr(made.citizens.agents[1], name, 200)
    with pytest.raises(StateError, match="activity 200 is unknown"):
        made.step()
