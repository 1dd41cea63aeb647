"""Runs and citizens that are kept for the next question: a few, and never out of date."""

import json
import shutil
from functools import partial
from pathlib import Path

import pytest

from memopolis import RunFolderError
from memopolis.mcp_server.open_runs import Kept, OpenRuns
from memopolis.mcp_server.runs_folder import RunsFolder


def test_the_oldest_goes() -> None:
    kept: Kept[int] = Kept(2)
    made: list[int] = []

    def make(number: int) -> int:
        made.append(number)
        return number

    for number in (1, 2, 1, 3, 1, 2):
        assert kept.get(number, partial(make, number)) == number
    assert made == [1, 2, 3, 2]
    assert len(kept) == 2


def test_a_run_is_read_once_and_anew_when_it_went_on(storm: Path, tmp_path: Path) -> None:
    shutil.copytree(storm, tmp_path / "runs" / "storm")
    runs = OpenRuns(RunsFolder(tmp_path / "runs"), {})
    first = runs.run("storm")
    assert runs.run("storm") is first
    assert runs.run("") is first
    somebody = runs.respondent("storm", 3)
    assert runs.respondent("storm", 3) is somebody
    assert runs.respondent("storm", 3, 30) is not somebody
    assert runs.run("storm", 30).ticks == 30
    manifest = tmp_path / "runs" / "storm" / "manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"title": "Gale"}))
    assert runs.run("storm").title == "Gale"
    assert runs.respondent("storm", 3).run.title == "Gale"


def test_a_run_that_has_not_ended_is_not_read(storm: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    shutil.copytree(storm, runs / "killed")
    manifest = runs / "killed" / "manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"status": "running"}))
    with pytest.raises(RunFolderError, match="was killed"):
        OpenRuns(RunsFolder(runs), {}).run("killed")
