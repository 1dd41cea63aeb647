"""Daily life without a storm: what memory decides, and what it does not."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memopolis.agents.activities import Activity
from memopolis.scenarios.hurricane.scenario import Hurricane

OUTINGS = (Activity.SPORT, Activity.RELIGION, Activity.LEISURE, Activity.WORK)
COLUMNS = ("doing", "scheduled", "place", "partner", "plan", "energy")


def live(**changes: Any) -> dict[str, NDArray[Any]]:
    """Return columns of the citizens by hour of three days."""
    society = Hurricane(agents=200, rng=2, days=3, storm="none", record={"tables": ()}, **changes)
    people = society.population("citizen")
    kept: dict[str, Any] = {name: [] for name in COLUMNS}
    for _ in range(72):
        society.step()
        for name in COLUMNS:
            kept[name].append(people[name].copy())
    return {name: np.array(values) for name, values in kept.items()}


@pytest.fixture(scope="module")
def usual() -> dict[str, NDArray[Any]]:
    return live()


def test_memory_decides_where_and_with_whom_but_not_when_people_sleep(
    usual: dict[str, NDArray[Any]],
) -> None:
    without = live(recall="none")
    for name in ("scheduled", "energy"):
        assert np.array_equal(usual[name], without[name])
    for activity in (Activity.SLEEP, Activity.WORK):
        assert np.array_equal(usual["doing"] == activity, without["doing"] == activity)
    for name in ("place", "plan"):
        assert (usual[name] != without[name]).mean() > 0.01
    # Few friends are free at the same time to choose among.
    has_partner = (usual["partner"] >= 0) | (without["partner"] >= 0)
    assert (usual["partner"] != without["partner"])[has_partner].mean() > 0.05


def test_most_people_sleep_at_three_and_few_in_the_evening(usual: dict[str, NDArray[Any]]) -> None:
    asleep = (usual["doing"] == Activity.SLEEP).mean(axis=1)
    hour = (np.arange(72)) % 24
    assert asleep[hour == 3].min() > 0.85
    assert asleep[hour == 18].max() < 0.1


def test_people_do_what_is_scheduled_or_serve_a_need_in_free_time(
    usual: dict[str, NDArray[Any]],
) -> None:
    for fixed in (Activity.SLEEP, Activity.WORK):
        scheduled = usual["scheduled"] == fixed
        assert (usual["doing"][scheduled] == fixed).mean() > 0.95


def test_a_run_names_the_tables_of_its_diaries() -> None:
    files = {"time_use.csv", "time_use_of_children.csv", "opportunity.csv"}
    assert Hurricane(agents=20, days=1).data_hashes().keys() >= files


def test_plans_end_when_stores_close_and_the_wind_rises() -> None:
    society = Hurricane(agents=400, rng=3, days=9, record={"tables": ()})
    people, firms = society.population("citizen"), society.population("firm")
    outings = work = 0
    for _ in range(24 * 9):
        is_closed = ~firms["open"][people["employer"]] & (people["employer"] >= 0)
        society.step()
        doing, place = people["doing"], np.maximum(people["place"], 0)
        assert society.weather is not None
        gust = society.weather.at(society.clock.tick).gust_kt[place]
        outings += int(np.isin(doing, OUTINGS)[gust >= society.settings.daily.gust_home].sum())
        work += int((doing == Activity.WORK)[is_closed].sum())
    assert (outings, work) == (0, 0)
