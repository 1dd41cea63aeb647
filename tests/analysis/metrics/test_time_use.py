"""How people spend their time, read from the table of moves."""

import numpy as np
import pytest

from memopolis.agents.day.calendar import DayKind
from memopolis.analysis.metrics.time_use import Days, compare_time_use, compute_rhythm, read_days
from memopolis.analysis.run.run import load_run
from memopolis.scenarios.hurricane.scenario import Hurricane


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> Days:
    folder = tmp_path_factory.mktemp("run") / "run"
    Hurricane(agents=300, rng=4, days=3, storm="none").run(folder)
    return read_days(load_run(folder))


def test_both_half_hours_of_a_step_count(days: Days) -> None:
    before, doing = (
        (days.doing[:, :, half] == days.activities.index("travel")).mean() for half in range(2)
    )
    assert before > 0
    assert doing > 0
    assert days.does("travel").mean() == pytest.approx((before + doing) / 2)
    assert set(np.unique(days.does("eat"))) == {0, 0.5, 1}


def test_changes_of_zone_show_the_way(days: Days) -> None:
    zone, travels = days.zone, days.does("travel", "sleep", "eat", "in care", "school") > 0
    adult = (days.people["age"] >= 18).to_numpy()
    moved = zone[:, 1:] != zone[:, :-1]
    shown = (travels[:, 1:] | travels[:, :-1])[moved & adult[:, None]]
    assert moved[adult].sum() > 300
    assert shown.mean() > 0.97


def test_hardly_any_adult_eats_nothing_all_day(days: Days) -> None:
    adult = (days.people["age"] >= 18).to_numpy()
    recorded = days.doing[adult, :, 1] == days.activities.index("eat")
    by_day = recorded.reshape(adult.sum(), 3, 24).any(axis=2)
    assert by_day.mean() > 0.9
    assert 0.8 < 24 * recorded.mean() < 1.5


def test_shares_of_an_hour_add_up_to_one(days: Days) -> None:
    rhythm = compute_rhythm(days, DayKind.WEEKDAY)
    assert len(rhythm) == 24
    assert rhythm.sum(axis=1).to_numpy() == pytest.approx(1)


def test_minutes_of_a_group_count_half_hours(days: Days) -> None:
    table = compare_time_use(days)
    rows = table[(table["day"] == "weekday") & (table["use"] == "travel")]
    assert len(rows) > 1
    employed = days.people["occupation"] != "none"
    full = employed & ~days.people["part_time"] & days.people["age"].between(45, 64)
    of = rows[(rows["status"] == "full time") & (rows["age_band"] == "45-64")]
    minutes = 1440 * days.does("travel")[full.to_numpy()].mean()
    assert of["minutes"].item() == pytest.approx(minutes)
