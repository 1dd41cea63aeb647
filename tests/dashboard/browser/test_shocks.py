"""Shocks by hand stand in the manifest, and a steered run is made again without the page."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.dashboard.server import Server, run
from tests.dashboard.visit import Visit

pytestmark = pytest.mark.extras

HERE = Path(__file__).parents[1]
SMALL = ("--agents", "60", "--days", "2", "--seed", "1", "--out", "steered")


def given(folder: Path) -> list[dict[str, Any]]:
    """Shocks in the manifest of the run."""
    told = json.loads((folder / "steered" / "manifest.json").read_text(encoding="utf-8"))
    return [shock for _, shock in told["given"]["shocks"]]


def test_every_kind_stands_in_the_manifest_and_the_run_is_repeated(
    serve: Callable[..., Server], visit: Callable[..., Visit], tmp_path: Path
) -> None:
    page = visit(serve("hurricane", *SMALL)).steps(2)
    page.tab("shocks")
    send(page, "News", text="The bridge is closed.", topic="traffic")
    send(page, "Order", zones="all", status="mandatory")
    send(page, "Policy", key="shelter.open", value="true")
    send(page, "Message", to="3, 5", text="Come home, <b>now</b>.")
    page.wait(lambda: len(given(tmp_path)) == 4, "not all four are noted")
    kinds = [one["shock"] for one in given(tmp_path)]
    assert kinds == ["News", "Order", "Policy", "Message"]
    page.steps(3).click("finish")
    page.wait(lambda: page.state == "Ended", "it does not end")
    run("repeat", "steered", "--out", "again", folder=tmp_path)
    assert "the same" in run("compare", "steered", "again", folder=tmp_path)


def send(page: Visit, kind: str, **fields: str) -> None:
    raise NotImplementedError


def test_a_wrong_shock_is_told_and_stays_as_typed(
    serve: Callable[..., Server], visit: Callable[..., Visit], tmp_path: Path
) -> None:
    raise NotImplementedError
