"""Charts of several arms overlay them, with differences from the first and intervals."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from tests.dashboard.server import Server, run
from tests.dashboard.visit import STILL, Visit

from memopolis import load_run
from memopolis.analysis.compare.arm_folders import find_arms
from memopolis.analysis.compare.intervals import interval
from memopolis.analysis.figures.charts import ChartLines, titles

if TYPE_CHECKING:
    from playwright.sync_api import Locator

pytestmark = pytest.mark.extras

SAVERS = f"{Path(__file__).parents[2].resolve()}/analysis/savers.py:Savers"
DAYS = 6
SERIES = """e => e.chart.picture.getOption().series.map(({id, name, data, xAxisIndex, areaStyle}) =>
  ({id, name, data, half: xAxisIndex, filled: areaStyle?.opacity ?? 0}))"""


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("arms")
    small = ("--replications", "3", "--days", str(DAYS), "--workers", "1", "--out", "towns")
    run("compare", SAVERS, "--arms", "agents=4,agents=6", *small, folder=folder)
    return folder / "towns"


def series(shown: "Locator") -> dict[str, dict[str, Any]]:
    shown.scroll_into_view_if_needed()
    return {one["id"]: one for one in shown.evaluate(SERIES)}


def test_arms_are_overlaid_with_their_difference(
    comparison: Path, serve: Callable[..., Server], visit: Callable[..., Visit]
) -> None:
    page = visit(serve(comparison.name, folder=comparison.parent))
    reference, treated = find_arms([comparison])
    note = "Means over up to 3 seeds, with 95% intervals"
    page.wait(lambda: note in page.text("charts"), "nothing is said of seeds")
    page.says("charts", f"differences from {reference.name}, paired by seed")
    page.drawn("chart-1-1", DAYS)
    shown = series(page["chart-1-1"].first)
    title = titles(reference.runs[0])[0]
    control, treatment = (
        np.array([next(iter(ChartLines.of(run, title).series.values())) for run in arm.runs])
        for arm in (reference, treated)
    )
    line = shown[f"line {reference.name}"]
    assert [point[1] for point in line["data"]] == pytest.approx(list(control.mean(axis=0)))
    assert line["half"] == 0
    difference = shown[f"difference {treated.name}"]
    assert difference["half"] == 1
    assert f"difference {reference.name}" not in shown
    for day in (1, DAYS - 1):
        expected = interval(treatment[:, day] - control[:, day])
        ends = (expected.mean, expected.low, expected.high)
        assert difference["data"][day][1:] == pytest.approx(ends, abs=1e-7)
    band = shown[f"band difference {treated.name}"]
    assert band["filled"] > 0
    assert band["data"][-1][1] == pytest.approx(expected.high - expected.low, abs=1e-7)
    assert f"{treated.name} minus {reference.name}:" in (
        page["chart-1-1"].first.get_attribute("aria-label") or ""
    )


def test_charts_of_arms_follow_the_clock(
    comparison: Path, serve: Callable[..., Server], visit: Callable[..., Visit]
) -> None:
    folders = [str(arm.folders[0].relative_to(comparison)) for arm in find_arms([comparison])]
    page = visit(serve(*folders, folders[0], folder=comparison))
    note = "a difference may be chance"
    page.wait(lambda: note in page.text("charts"), "nothing is said of chance")
    page.page.get_by_role("slider").first.focus()
    page.page.keyboard.press("Home")
    page.at(0)
    page.drawn("chart-1-1", 0)
    assert all(not one["data"] for name, one in series(page["chart-1-1"].first).items() if name)
    for step in (1, 2):
        page.page.keyboard.press("ArrowRight")
        page.at(step)
        page.drawn("chart-1-1", step)
        shown = series(page["chart-1-1"].first)
        assert [len(one["data"]) for one in shown.values()] == [step] * 5
        assert not any(name.startswith("band") for name in shown)


def test_an_overlay_is_saved_as_a_figure_and_its_numbers(
    comparison: Path, serve: Callable[..., Server], visit: Callable[..., Visit], tmp_path: Path
) -> None:
    page = visit(serve(comparison.name, folder=comparison.parent))
    reference, treated = find_arms([comparison])
    title = titles(reference.runs[0])[0]
    begins = {"PNG picture": b"\x89PNG", "SVG drawing": b"<?xml", "CSV table": b"arm,minus,time"}
    files = {}
    for form, begin in begins.items():
        page.choose("save-figure", title).choose("save-format", form)
        with page.page.expect_download() as download:
            page.click("save")
        files[form] = tmp_path / download.value.suggested_filename
        download.value.save_as(files[form])
        assert files[form].read_bytes().startswith(begin)
    assert f"minus {reference.name}" in files["SVG drawing"].read_text(encoding="utf-8")
    table = pd.read_csv(files["CSV table"], keep_default_na=False, na_values={"mean": ""})
    known = [(arm.name, "") for arm in (reference, treated)] + [(treated.name, reference.name)]
    assert list(dict.fromkeys(zip(table["arm"], table["minus"], strict=True))) == known
    shown = series(page["chart-1-1"].first)[f"difference {treated.name}"]["data"]
    saved = table[table["minus"] == reference.name]
    assert saved["mean"].to_list() == pytest.approx([point[1] for point in shown], abs=1e-7)
    assert len(saved) == DAYS


def test_an_arm_without_a_group_shows_the_same_people(
    runs: Path, serve: Callable[..., Server], visit: Callable[..., Visit]
) -> None:
    page = visit(serve("calm", "storm", folder=runs))
    ordered = page.page.locator(".chart-run").filter(has_text="mandatory").first
    ordered.scroll_into_view_if_needed()
    assert "In calm: the agents of this group in storm" in ordered.inner_text()
    chart = ordered.locator(".chart")
    page.wait(lambda: chart.evaluate(STILL), "the chart is not drawn")
    shown = series(chart)
    assert {"line calm", "line storm", "difference storm"} <= shown.keys()
    # The last point is that of the same people, who are under no order in `calm`.
    calm, storm = (load_run(runs / name).people() for name in ("calm", "storm"))
    left = calm["evacuated"][(storm["order_zone"] == "mandatory").to_numpy()].mean()
    assert shown["line calm"]["data"][-1][1] == pytest.approx(left, abs=1e-7)
    assert "storm minus calm:" in (chart.get_attribute("aria-label") or "")


def test_a_chart_says_which_arm_lacks_a_group(
    runs: Path, tmp_path: Path, serve: Callable[..., Server], visit: Callable[..., Visit]
) -> None:
    calm = ("--agents", "60", "--days", "7", "--seed", "1", "--no-report", "--out", "calm")
    few = ("--set", "orders=none", "--set", "record.tables=measures")
    run("run", "hurricane", *calm, *few, folder=tmp_path)
    page = visit(serve("calm", str(runs / "storm"), folder=tmp_path))
    ordered = page.page.locator(".chart-run").filter(has_text="mandatory").first
    ordered.scroll_into_view_if_needed()
    assert "Not in calm" in ordered.inner_text()
