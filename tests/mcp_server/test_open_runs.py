"""Runs and citizens that are kept for the next question: a few, and never out of date."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from tests.manifests import change_manifest

from memopolis.errors import RunFolderError
from memopolis.mcp_server.open_runs import OpenRuns, note_of
from memopolis.mcp_server.runs_folder import RunsFolder
from memopolis.sim.run_folder.folder import owned


def test_a_run_is_cached_until_it_continues(storm: Path, tmp_path: Path) -> None:
    shutil.copytree(storm, tmp_path / "runs" / "storm")
    runs = OpenRuns(RunsFolder(tmp_path / "runs"), {})
    first = runs.run("storm")
    assert runs.run("storm") is first
    assert runs.run("") is first
    agent = runs.restored_agent("storm", 3)
    assert runs.restored_agent("storm", 3) is agent
    assert runs.restored_agent("storm", 3, 30) is not agent
    assert runs.run("storm", 30).ticks == 30
    change_manifest(tmp_path / "runs" / "storm", title="Gale")
    assert runs.run("storm").title == "Gale"
    assert runs.restored_agent("storm", 3).run.title == "Gale"


def test_an_active_run_is_read_as_of_its_latest_checkpoint(runs: Path) -> None:
    result = OpenRuns(RunsFolder(runs), {})
    whole, half = result.run("storm"), result.run("killed")
    assert (half.ticks, half.status) == (48, "running")
    text = "killed was killed (`memopolis resume` continues it): read as of step 48"
    assert note_of(half) == text
    assert note_of(whole) == ""
    with owned(half.folder):
        assert note_of(half) == "killed is running: read as of step 48"
    # Topics that only later parts name are no categories of a run that ends before them.
    pd.testing.assert_frame_equal(half.memories, whole.until(48).memories, check_categorical=False)
    assert half.until(60) is half
    assert result.run("killed", 24).ticks == 24
    with pytest.raises(RunFolderError, match="has no checkpoint yet"):
        result.run("young")


def test_an_active_run_is_reread_at_its_next_checkpoint(
    storm: Path, tmp_path: Path, stopped: Callable[..., None]
) -> None:
    runs = tmp_path / "runs"
    shutil.copytree(storm, runs / "storm")
    stopped(runs / "storm", after=48)
    result = OpenRuns(RunsFolder(runs), {})
    assert result.run("storm").ticks == 48
    assert result.run("storm") is result.run("storm")
    written = runs / "storm" / "checkpoints" / "step-00000072.writing"
    written.rename(written.with_suffix(""))
    assert result.run("storm").ticks == 72
