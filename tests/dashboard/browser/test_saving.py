"""Files and links that a visitor takes away from the page."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from PIL import Image, ImageSequence
from tests.dashboard.server import Server, run
from tests.dashboard.visit import Visit

pytestmark = pytest.mark.extras


def choose(page: Visit, test_id: str, option: str) -> None:
    page[test_id].click()
    page.page.get_by_role("option", name=option, exact=True).click()


def test_figures_are_saved_as_pictures_and_tables(
    replayed: Server, visit: Callable[..., Visit], tmp_path: Path
) -> None:
    page = visit(replayed)
    begins = {
        "PNG picture": b"\x89PNG",
        "SVG drawing": b"<?xml",
        "CSV table of its numbers": b"agent,",
    }
    for form, begin in begins.items():
        choose(page, "save-format", form)
        with page.page.expect_download() as download:
            page.click("save")
        file = tmp_path / download.value.suggested_filename
        download.value.save_as(file)
        assert file.name.startswith("map-step-168.")
        assert file.read_bytes().startswith(begin)


def test_the_network_is_a_figure(
    replayed: Server, visit: Callable[..., Visit], tmp_path: Path
) -> None:
    page = visit(replayed)
    choose(page, "save-figure", "Network")
    for form, begin in {"SVG drawing": b"<?xml", "CSV table of its numbers": b"source,"}.items():
        choose(page, "save-format", form)
        with page.page.expect_download() as download:
            page.click("save")
        assert download.value.suggested_filename.startswith("network-step-168.")
        download.value.save_as(tmp_path / "file")
        assert (tmp_path / "file").read_bytes().startswith(begin)


def test_the_map_of_a_period_is_saved_as_an_animation(
    replayed: Server, visit: Callable[..., Visit], tmp_path: Path
) -> None:
    page = visit(replayed)
    choose(page, "save-format", "GIF animation over a period")
    # The page fills in the dates of the run, also after the field is there.
    page.wait(lambda: page["save-from"].input_value() == "2019-08-28T00:00", "no date is shown")
    page["save-from"].fill("2020-01-01T00:00")
    page.click("save")
    page.wait(lambda: "no step of the run" in page.text("save-error"), "no error is shown")
    page["save-from"].fill("2019-09-03T12:00")
    page["save-to"].fill("2019-09-03T17:00")
    with page.page.expect_download() as download:
        page.click("save")
    assert download.value.suggested_filename == "map-step-168.gif"
    download.value.save_as(tmp_path / "map.gif")
    with Image.open(tmp_path / "map.gif") as film:
        assert len([*ImageSequence.Iterator(film)]) == 6
    choose(page, "save-figure", "Network")
    page["save-from"].wait_for(state="hidden")
    assert "GIF animation over a period" not in page.options("save-format")


def test_listed_citizens_are_saved_as_a_table(
    replayed: Server, visit: Callable[..., Visit], tmp_path: Path
) -> None:
    page = visit(replayed).tab("citizens")
    page["citizens-search"].fill("1")
    choose(page, "citizens-sort", "Age")
    choose(page, "citizens-way", "highest first")
    first = page["citizens-rows"].locator("tbody tr").first

    def saved() -> pd.DataFrame:
        with page.page.expect_download() as download:
            page.click("citizens-save")
        assert download.value.suggested_filename == "citizens-step-168.csv"
        download.value.save_as(tmp_path / "citizens.csv")
        return pd.read_csv(tmp_path / "citizens.csv", index_col="agent")

    page.wait(lambda: saved()["age"].is_monotonic_decreasing, "the order is not that of the list")
    table = saved()
    assert 1 < len(table) < 60
    assert table.index.astype(str).str.contains("1").all()
    assert {"home", "evacuated"} <= {*table}
    page.wait(lambda: str(table["name"].iloc[0]) in first.inner_text(), "another one is first")


def test_a_link_opens_the_same_moment(replayed: Server, visit: Callable[..., Visit]) -> None:
    page = visit(replayed)
    page.page.get_by_role("slider").first.focus()
    page.page.keyboard.press("Home")
    page.at(0).click("step").at(1)
    page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("save-link")
    page.page.wait_for_url("**step=1")
    link = page.page.evaluate("() => navigator.clipboard.readText()")
    assert link.endswith("/?tab=map&step=1")
    page.page.goto(link)
    page.at(1)
    page.page.goto(link.replace("step=1", "step=99999999999999999999999"))
    page.at(168)


def test_the_network_is_saved_as_a_file(
    replayed: Server, runs: Path, visit: Callable[..., Visit], tmp_path: Path
) -> None:
    page = visit(replayed)
    page.page.get_by_role("slider").first.focus()
    page.page.keyboard.press("Home")
    page.at(0).steps(2).click("tab-network")
    for kind in ("graphml", "gexf"):
        with page.page.expect_download() as download:
            page.click(f"network-save-{kind}")
        step = page.step
        assert download.value.suggested_filename == f"network-step-{step}.{kind}"
        saved, exported = tmp_path / f"saved.{kind}", tmp_path / f"exported.{kind}"
        download.value.save_as(saved)
        run("export", "storm", exported, "--step", str(step), folder=runs)
        assert saved.read_bytes() == exported.read_bytes()
