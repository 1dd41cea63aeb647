"""Charts: order and colours of groups, scales, axes of time, units."""

from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from memopolis.analysis import Run, load_run
from memopolis.analysis.figures import charts
from memopolis.analysis.figures.lines import PARTIES, Panel, colours_of, in_order
from memopolis.analysis.figures.over_time import date_axes, time_axis
from memopolis.analysis.figures.style import COLOURS, canvas
from memopolis.analysis.labels import axis_unit
from memopolis.sim.scenario_names import find_scenario


@pytest.mark.parametrize(
    ("groups", "ordered"),
    [
        (["", "highest", "lowest", "middle"], ["lowest", "middle", "highest"]),
        (["10", "9", "-1"], ["-1", "9", "10"]),
        (["Republican", "Democrat"], ["Democrat", "Republican"]),
        (["none", "mandatory", ""], ["mandatory", "none"]),
        (["b", "a"], ["a", "b"]),
        ([""], []),
    ],
)
def test_groups_are_in_a_natural_order(groups: list[str], ordered: list[str]) -> None:
    assert in_order(groups) == ordered


def test_every_group_has_a_colour_of_its_own() -> None:
    for groups in (["a", "b"], [str(n) for n in range(12)], ["lowest", "second", "middle"]):
        assert len(set(colours_of(groups).values())) == len(groups)


def test_parties_have_their_colours() -> None:
    assert colours_of(["support", "support democrat", "support republican"]) == {
        "support": COLOURS[-1],
        "support democrat": PARTIES["Democrat"],
        "support republican": PARTIES["Republican"],
    }


def test_ranked_groups_grow_darker() -> None:
    shades = colours_of(["lowest", "second", "middle", "fourth", "highest"]).values()
    light = [sum(int(shade[i : i + 2], 16) for i in (1, 3, 5)) for shade in shades]
    assert light == sorted(light, reverse=True)


def series(*values: float) -> pd.Series:
    times = pd.date_range("2026-01-01", periods=len(values))
    return pd.Series(values, index=times, dtype=np.float64)


@pytest.mark.parametrize(
    ("values", "begins_at_0"),
    [((0.1, 1.0), True), ((6.0, 10.0), False), ((-1.0, 1.0), False), ((0.0, 0.0), True)],
)
def test_the_scale_begins_at_0_if_values_are_near_it(
    values: tuple[float, ...], *, begins_at_0: bool
) -> None:
    _, (axes,) = canvas("Lines")
    Panel({"one": series(*values)}).draw(axes)
    assert (axes.get_ylim()[0] == 0) == begins_at_0


def test_large_numbers_are_written_in_millions() -> None:
    _, (axes,) = canvas("Lines")
    Panel({"debt": series(1e6, 4e6)}, "debt", "USD").draw(axes)
    assert axes.get_ylabel() == "debt, million USD"
    assert axes.yaxis.get_major_formatter()(4e6, 0) == "4"


def test_labels_are_at_the_heights_of_their_lines() -> None:
    _, (axes,) = canvas("Lines")
    Panel({"low": series(0, 1), "high": series(0, 9)}).draw(axes)
    assert {text.get_text(): text.xy[1] for text in axes.texts} == pytest.approx(  # type: ignore[attr-defined]
        {"low": 1, "high": 9}
    )


@pytest.mark.parametrize(("days", "most"), [(1, 4), (14, 9), (60, 9), (365, 13), (3_600, 12)])
def test_a_time_axis_has_a_few_ticks(days: int, most: int) -> None:
    _, (axes,) = canvas("Time")
    first = datetime(2019, 1, 1)
    time_axis(axes, first, first + timedelta(days=days))
    assert 1 <= len(axes.get_xticks()) <= most


def test_two_months_begin_with_the_first_day() -> None:
    _, (axes,) = canvas("Time")
    time_axis(axes, datetime(2026, 1, 1), datetime(2026, 3, 2))
    written = [label.get_text().split("\n")[0] for label in axes.get_xticklabels()]
    assert written == ["01 Jan", "15 Jan", "01 Feb", "15 Feb", "01 Mar"]


def test_ten_years_are_numbered_by_year() -> None:
    _, (axes,) = canvas("Time")
    time_axis(axes, datetime(2019, 1, 1), datetime(2028, 11, 9))
    written = [label.get_text() for label in axes.get_xticklabels()]
    assert written == [str(year) for year in range(2019, 2029)]


def test_the_start_of_a_policy_is_marked(monetary: Run) -> None:
    _, (axes,) = canvas("Time")
    date_axes(monetary, axes)
    assert [text.get_text() for text in axes.texts] == ["policy starts"]


MONEY = {
    "of": "mean",
    "unit": "cents",
    "group": "",
    "where": "",
    "population": "household",
    "chart": "Money",
    "description": "GDP of all",
}


def declared(**changes: str) -> list[dict[str, str]]:
    return [{**MONEY, "name": name, **changes} for name in ("income", "spending")]


def test_a_chart_names_its_population(monetary: Run) -> None:
    households = declared()
    assert charts.subtitle(monetary, households[:1]) == "GDP of all"
    assert charts.subtitle(monetary, households) == "mean of all households"
    assert charts.subtitle(monetary, declared(population="statistics_bureau")) == ""
    assert charts.subtitle(monetary, declared(unit="0-10")) == "mean of all households, 0 to 10"
    assert charts.subtitle(monetary, declared(where="adult")) == "mean"


def test_units_are_readable(monetary: Run) -> None:
    assert axis_unit(declared(), monetary.hours) == "USD"
    assert axis_unit(declared(of="sum"), monetary.hours) == "USD a month"
    assert axis_unit([*declared(), *declared(unit="h")], monetary.hours) == ""


SAVERS = f"{Path(__file__).parents[1] / 'savers.py'}:Savers"


def test_cents_are_drawn_as_money_and_groups_as_lines(tmp_path: Path) -> None:
    run = load_run(find_scenario(SAVERS)(rng=1).run(tmp_path / "run"))
    (axes,) = charts.chart(run, "Savings").axes
    assert np.asarray(axes.lines[0].get_ydata()) == pytest.approx(0.01 * run.measure("saved"))
    assert axes.get_ylabel() == "USD a day"
    (axes,) = charts.chart(run, "Wealth").axes
    assert sorted(text.get_text() for text in axes.texts) == ["north", "south"]
