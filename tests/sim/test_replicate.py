"""Many seeds: one folder a run, what is done is kept, what is killed is named."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memopolis.agents.citizen import Citizen
from memopolis.sim.block import Block
from memopolis.sim.errors import (
    ParameterError,
    ReplicationError,
    RunFolderError,
    SettingsError,
    StateError,
)
from memopolis.sim.replicate import replicate
from memopolis.sim.run_folder.manifest import read_content, write_manifest
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.settings import Field, Settings
from memopolis.sim.society import Society

THIS = f"{Path(__file__).resolve()}:Town"


class TownSettings(Settings):
    """A town in which a seed may go wrong."""

    killed: int = Field(-1, "Seed whose process is killed")
    failing: int = Field(-1, "Seed whose run fails")


class GoWrong(Block):
    """Do nothing, or go wrong."""

    def step(self, cohort: Any) -> None:  # noqa: ARG002
        settings, seed = self.society.settings, self.society.seed
        if self.clock.tick == 5 and seed == settings.killed:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.clock.tick == 5 and seed == settings.failing:
            raise ZeroDivisionError("a mistake")


class Town(Society[TownSettings]):
    """A few citizens."""

    def build(self, settings: TownSettings) -> None:
        self.populate(Citizen, settings.agents, blocks=[GoWrong()])


SMALL = {"agents": 3, "days": 1}


def manifest(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    return content


def test_each_seed_gets_its_folder_and_finished_runs_are_kept(tmp_path: Path) -> None:
    reports: list[tuple[int, int, int]] = []
    folders = replicate(
        THIS, SMALL, seeds=[7, 2, 4], folder=tmp_path, workers=2,
        progress=lambda *numbers: reports.append(numbers),
    )  # fmt: skip
    assert [folder.name for folder in folders] == ["seed-00007", "seed-00002", "seed-00004"]
    assert [manifest(folder)["seed"] for folder in folders] == [7, 2, 4]
    assert {manifest(folder)["status"] for folder in folders} == {"succeeded"}
    assert reports == [(0, 0, 3), (1, 0, 3), (2, 0, 3), (3, 0, 3)]
    before = [(folder / "manifest.json").stat().st_mtime_ns for folder in folders]
    assert replicate(THIS, SMALL, seeds=[7, 2, 4], folder=tmp_path) == folders
    assert before == [(folder / "manifest.json").stat().st_mtime_ns for folder in folders]


def test_an_unfinished_run_is_repeated(tmp_path: Path) -> None:
    (folder,) = replicate(THIS, SMALL, seeds=[1], folder=tmp_path)
    write_manifest(folder, read_content(folder) | {"status": "interrupted"})
    replicate(THIS, SMALL, seeds=[1], folder=tmp_path)
    assert manifest(folder)["status"] == "succeeded"


def test_a_killed_process_is_named_and_the_others_are_kept(tmp_path: Path) -> None:
    wrong = {**SMALL, "killed": 2, "failing": 3}
    with pytest.raises(
        ReplicationError, match=r"2 of 4 .*seed-00002: its process was killed.*seed-00003: Z"
    ):
        replicate(THIS, wrong, seeds=range(1, 5), folder=tmp_path, workers=2)
    status = {n: manifest(tmp_path / f"seed-{n:05}")["status"] for n in range(1, 5)}
    assert status == {1: "succeeded", 2: "running", 3: "failed", 4: "succeeded"}


def test_runs_of_other_settings_are_refused(tmp_path: Path) -> None:
    replicate(THIS, SMALL, seeds=[1], folder=tmp_path)
    with pytest.raises(RunFolderError, match="other settings"):
        replicate(THIS, {**SMALL, "agents": 4}, seeds=[1], folder=tmp_path)


def test_other_content_of_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "seed-00001").mkdir()
    (tmp_path / "seed-00001" / "kept.txt").write_text("kept")
    with pytest.raises(RunFolderError, match="is not a run"):
        replicate(THIS, SMALL, seeds=[1], folder=tmp_path)
    assert (tmp_path / "seed-00001" / "kept.txt").exists()


@pytest.mark.parametrize("seeds", [[], [1, 1], [-1]])
def test_impossible_seeds_are_refused(tmp_path: Path, seeds: list[int]) -> None:
    with pytest.raises(ParameterError, match="seeds are"):
        replicate(THIS, SMALL, seeds=seeds, folder=tmp_path)


def test_settings_are_checked_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="agents"):
        replicate(THIS, {"agents": 0}, seeds=[1], folder=tmp_path)
    with pytest.raises(ParameterError, match="workers"):
        replicate(THIS, SMALL, seeds=[1], folder=tmp_path, workers=0)
    assert list(tmp_path.iterdir()) == []


def test_a_class_defined_in_a_function_is_refused(tmp_path: Path) -> None:
    class Hidden(Society[Settings]):
        pass

    with pytest.raises(StateError, match="inside a function"):
        replicate(Hidden, seeds=[1], folder=tmp_path)


def test_a_class_with_settings_equals_a_name(tmp_path: Path) -> None:
    town = find_scenario(THIS)
    settings = town.settings_class(agents=3, days=1)
    (folder,) = replicate(town, settings, seeds=[5], folder=tmp_path)
    assert manifest(folder)["settings"]["agents"] == 3


SCRIPT = """
from memopolis import Citizen, Settings, Society
from memopolis.sweeps import replicate

class Town(Society[Settings]):
    def build(self, settings):
        self.populate(Citizen, settings.agents)

if __name__ == "__main__":
    for folder in replicate(Town, {"agents": 3, "days": 1}, seeds=range(2), folder="runs"):
        print(folder.name)
"""


def test_a_class_of_a_script_can_be_replicated(tmp_path: Path) -> None:
    (tmp_path / "town.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "town.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["seed-00000", "seed-00001"], done.stderr


def test_infinite_seeds_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="more than 1,000,000 seeds"):
        replicate("hurricane", seeds=range(10**12), folder=tmp_path)


def test_a_run_is_judged_by_its_folder_and_not_by_its_row(tmp_path: Path) -> None:
    first, second = replicate(THIS, SMALL, seeds=[1, 2], folder=tmp_path)
    made = (first / "manifest.json").stat().st_mtime_ns
    (tmp_path / "rows" / "seed-00001.json").unlink()  # only the folder was copied
    shutil.rmtree(second)
    replicate(THIS, SMALL, seeds=[1, 2], folder=tmp_path, workers=1)
    assert (first / "manifest.json").stat().st_mtime_ns == made
    assert manifest(second)["status"] == "succeeded"
