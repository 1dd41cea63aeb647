"""Start, pause, step, speed, reset and settings: the manifest matches the clicks."""

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.dashboard.server import HOST, Server, free_port, run
from tests.dashboard.visit import Visit

from memopolis import find_divergence, load_run

pytestmark = pytest.mark.extras

SMALL = ("--agents", "60", "--days", "3", "--seed", "1")


def read_manifest(run: Path) -> dict[str, Any]:
    """The manifest of a run."""
    content: dict[str, Any] = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    return content


def runs(folder: Path) -> list[str]:
    """Names of the runs that the page made where nothing else was said."""
    return sorted(path.parent.name for path in folder.glob("runs/*/manifest.json"))


def test_step_and_start_and_pause(
    serve: Callable[..., Server], visit: Callable[..., Visit], tmp_path: Path
) -> None:
    page = visit(serve("hurricane", *SMALL))
    assert page.step == 0
    first = page.picture("map-1")
    page.steps(3)
    assert page.drawn("map-1", 3) != first
    page.click("start")
    page.wait(lambda: page.step > 6, "it does not play")
    page.click("pause")
    page.wait(lambda: page.state == "Paused", "it does not pause")
    assert page.stand() < 72
    assert read_manifest(tmp_path / "runs" / "hurricane-1-1")["status"] == "running"


def test_speed(serve: Callable[..., Server], visit: Callable[..., Visit]) -> None:
    page = visit(serve("hurricane", *SMALL))
    page.choose("speed", "1 step per 2 seconds")
    began = time.monotonic()
    page.click("start")
    page.wait(lambda: page.step >= 2, "it does not play")
    slow, seconds = page.step, time.monotonic() - began
    assert slow <= 1 + seconds / 2
    page.choose("speed", "maximum speed")
    page.wait(lambda: page.state == "Ended", "as fast as it can is not fast", 120)
    assert page.step == 72


def test_a_run_on_the_page_equals_an_unwatched_run(
    serve: Callable[..., Server], visit: Callable[..., Visit], tmp_path: Path
) -> None:
    """A run that was watched, clicked at and left, then finished, equals an unwatched run."""
    # A small run's status is recorded in each step on the page, unless something else is said.
    daily = ("--set", "record.agents_every=24")
    server = serve("hurricane", *SMALL, *daily, "--out", "watched")
    page = visit(server).steps(5)
    page.life(3)["memory-query"].fill("my day")
    page["memory-query"].press("Enter")
    page["bar-relevance"].first.wait_for()
    page["question"].fill("How are you?")
    page.click("ask")
    page["answer-text"].wait_for()
    page.steps(20)
    page.page.goto("about:blank")
    assert server.stop() in {0, 143}
    assert read_manifest(tmp_path / "watched")["status"] == "interrupted"
    run("resume", "watched", "--no-report", folder=tmp_path)
    run("run", "hurricane", *SMALL, *daily, "--out", "alone", "--no-report", folder=tmp_path)
    divergence = find_divergence(tmp_path / "watched", tmp_path / "alone")
    assert divergence.same, divergence.table


def test_settings_and_seed_apply_from_reset(
    serve: Callable[..., Server], visit: Callable[..., Visit], tmp_path: Path
) -> None:
    page = visit(serve("hurricane", *SMALL)).steps(2)
    page.tab("settings")
    page["setting-agents"].fill("41")
    page["setting-seed"].fill("9")
    page.click("settings-apply").at(0)
    page.wait(lambda: len(runs(tmp_path)) == 2, "there is no second run")
    before, after = (read_manifest(tmp_path / "runs" / name) for name in runs(tmp_path))
    assert (before["settings"]["agents"], before["seed"]) == (60, 1)
    assert (after["settings"]["agents"], after["seed"]) == (41, 9)
    assert before["status"] == "interrupted"
    page.steps(1)
    page.tab("citizens")
    page.wait(lambda: "41" in page.text("citizens-count"), "the list is of the run before")


def test_reset_before_the_first_step_leaves_no_folder(
    serve: Callable[..., Server], visit: Callable[..., Visit], tmp_path: Path
) -> None:
    server = serve("hurricane", *SMALL)
    page = visit(server)
    page.picture("map-1")
    page["seed"].fill("9")
    page.click("reset")
    page.wait(lambda: runs(tmp_path) == ["hurricane-9-1"], "the first run is still there")
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["hurricane-9-1"]
    page.steps(1)
    page.drawn("map-1", 1)
    page.page.goto("about:blank")
    server.stop()
    assert read_manifest(tmp_path / "runs" / "hurricane-9-1")["status"] == "interrupted"


def test_pages_started_together_use_different_ports(tmp_path: Path) -> None:
    """Both are whole processes, with imports and end; those of other tests are forked."""
    port, servers = free_port(), []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        servers.append(Server(("hurricane", *SMALL), tmp_path / name, port))
    try:
        for server in servers:
            match = re.search(rf"Page    http://{HOST}:(\d+)", server.until("Page    "))
            assert match
            server.port = int(match[1])
            server.wait()
        assert port in {server.port for server in servers}
        assert servers[0].port != servers[1].port
    finally:
        for server in servers:
            server.stop()
    assert not list(tmp_path.glob("*/runs/*"))


def test_an_invalid_setting_is_reported_and_input_kept(
    serve: Callable[..., Server], visit: Callable[..., Visit], tmp_path: Path
) -> None:
    page = visit(serve("hurricane", *SMALL)).steps(2)
    page.tab("settings")
    page["setting-agents"].fill("-5")
    page["setting-error-agents"].wait_for()
    page.says("setting-error-agents", "-5")
    assert not page["settings-apply"].is_enabled()
    assert page["setting-agents"].input_value() == "-5"
    assert page.step == 2
    page.steps(1)
    assert len(runs(tmp_path)) == 1


def test_finish_ends_the_run_at_the_current_step(
    serve: Callable[..., Server], visit: Callable[..., Visit], tmp_path: Path
) -> None:
    page = visit(serve("hurricane", *SMALL, "--out", "short")).steps(4).click("finish")
    page.wait(lambda: read_manifest(tmp_path / "short")["status"] == "succeeded", "it goes on")
    assert load_run(tmp_path / "short").ticks == 4
