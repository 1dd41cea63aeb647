"""KeepDiary: diaries as a state of a society, and what they say about each step."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memopolis.agents.activities import Activity
from memopolis.agents.blocks.diary import KeepDiary
from memopolis.agents.blocks.needs import Needs
from memopolis.agents.day.time_use import SLOTS
from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.sim.errors import RunFolderError
from memopolis.sim.running.building import load_state
from memopolis.sim.state.saving import save_state

MakeVillage = Callable[..., Any]


def keep(village: MakeVillage, **changes: Any) -> tuple[Any, KeepDiary]:
    made = village(**{"agents": 100} | changes)
    made.citizens.cohort()["household"] = np.arange(len(made.citizens))
    diary = KeepDiary()
    made.give(made.citizens, Needs(), diary)
    return made, diary


def living(saved_at: int | None = None, folder: Path | None = None) -> tuple[Any, Any]:
    society: Any = Hurricane(agents=60, rng=2, days=4, storm="none")
    for hour in range(40):
        if hour == saved_at and folder is not None:
            society = load_state(save_state(society, folder))
        society.step()
    citizens = society.population("citizen")
    diary = next(block for block in citizens.blocks if isinstance(block, KeepDiary))
    return citizens, diary.days


def test_diaries_are_restored_from_a_checkpoint(tmp_path: Path) -> None:
    (citizens, days), (again, same_days) = living(), living(27, tmp_path / "state")
    assert np.array_equal(days, same_days)
    names = (
        "scheduled",
        "doing_before",
        "energy",
        "sleep_debt",
        "plan",
        "doing",
        "place",
        "follows",
    )
    for name in names:
        assert np.array_equal(citizens[name], again[name]), name


def test_a_checkpoint_with_an_unknown_activity_is_refused(tmp_path: Path) -> None:
    society = Hurricane(agents=20, rng=2, days=2)
    society.step()
    block = next(b for b in society.population("citizen").blocks if isinstance(b, KeepDiary))
    block.days[3, 7] = unknown = len(Activity)
    with pytest.raises(
        RunFolderError, match=rf"keep_diary/days contains {unknown}; at most {unknown - 1}"
    ):
        load_state(save_state(society, tmp_path / "state"))


@pytest.mark.parametrize("hour", [0, 3, 4, 11, 23])
def test_a_run_may_begin_at_any_hour(village: MakeVillage, hour: int) -> None:
    made, diary = keep(village, start=f"2026-01-06 {hour:02}:00")
    made.step()
    asleep = (made.citizens["scheduled"] == Activity.SLEEP).mean()
    assert (asleep > 0.4) == (hour != 11)
    assert (asleep > 0.85) == (hour in (3, 4))
    assert not (diary.days == Activity.IDLE).any()
    # At 23 h, people have been awake for long.
    energy = made.citizens["energy"].mean()
    assert energy < 0.55 if hour == 23 else energy > 0.4


@pytest.mark.parametrize("tick", [0.25, 0.5, 1.0, 2.0, 3.0])
def test_a_diary_is_drawn_once_a_day_for_steps_of_any_length(
    village: MakeVillage, tick: float
) -> None:
    made, diary = keep(village, agents=20, start="2026-01-05 03:00", tick=tick)
    changed, before = [], None
    for _ in range(round(49 / tick)):
        made.step()
        if before is not None and not np.array_equal(before, diary.days):
            changed.append(made.clock.now)
        before = diary.days.copy()
    assert [when.day for when in changed] == [5, 6, 7][: len(changed)]
    assert len(changed) in (2, 3)
    assert all(4 <= when.hour < 4 + max(tick, 1) for when in changed)


def test_the_schedule_is_the_half_hour_around_the_middle_of_the_step(village: MakeVillage) -> None:
    made, diary = keep(village, start="2026-01-05 04:00")
    for hour in range(24):
        # Everything is done as scheduled.
        made.citizens.cohort()["doing"] = made.citizens["scheduled"]
        made.step()
        assert np.array_equal(made.citizens["scheduled"], diary.days[:, 1 + 2 * hour])
        assert np.array_equal(made.citizens["doing_before"], diary.days[:, 2 * hour])
    last = diary.days[:, SLOTS].copy()
    made.step()
    assert np.array_equal(diary.days[:, 0], last)


def test_in_a_disaster_nothing_of_the_diary_was_done_but_sleep(village: MakeVillage) -> None:
    made, diary = keep(village, agents=3, start="2026-01-05 10:00")
    made.step()
    diary.days[:, diary.slot + 2] = Activity.REST, Activity.SLEEP, Activity.SLEEP
    made.citizens.cohort()["doing"] = Activity.AWAY, Activity.AWAY, Activity.PACK
    made.step()
    before = made.citizens["doing_before"].tolist()
    assert before == [Activity.AWAY, Activity.SLEEP, Activity.PACK]


def test_debt_grows_with_a_short_night(village: MakeVillage) -> None:
    made, diary = keep(village, agents=2, start="2026-01-05 10:00")
    made.step()
    before = made.citizens["sleep_debt"].copy()
    diary.days[0, 1:] = Activity.REST
    diary.days[1, 1:] = Activity.SLEEP
    for _ in range(19):
        made.step()
    more, less = made.citizens["sleep_debt"] - before
    assert less < 0 < more


def test_agents_that_are_added_get_diaries_and_leave_those_of_others(village: MakeVillage) -> None:
    made, diary = keep(village, start="2026-01-05 10:00")
    made.step()
    before = diary.days.copy()
    made.citizens.add(5, status={"age": 30})
    made.step()
    assert np.array_equal(diary.days[:100], before)
    assert not (diary.days[100:] == Activity.IDLE).any()
    for _ in range(20):
        made.step()
    assert diary.days.shape == (105, 1 + SLOTS)


def test_hours_until_sleep_or_work_and_what_follows(village: MakeVillage) -> None:
    made, diary = keep(village, agents=3, start="2026-01-05 04:00")
    made.step()
    day = np.repeat([Activity.SLEEP, Activity.EAT, Activity.WORK, Activity.REST], [8, 3, 16, 22])
    diary.days = np.tile(day.astype(np.uint8), (3, 1))
    rows = np.arange(3)
    assert diary.count_hours(rows).tolist() == [0, 0, 0]
    assert diary.find_next(rows).tolist() == [Activity.EAT] * 3
    assert not diary.is_last(rows, Activity.WORK).any()
    assert diary.has_work(rows).all()
    for _ in range(4):
        made.step()
    # At 8 h, a meal is around the middle of the hour, and work begins half an hour later.
    assert diary.count_hours(rows).tolist() == [1, 1, 1]
