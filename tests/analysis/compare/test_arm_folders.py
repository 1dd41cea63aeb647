"""Arms are found in folders of runs, arms, comparisons and sweeps."""

import shutil
from pathlib import Path

import pytest

from memopolis import compare
from memopolis.analysis.compare.arm_folders import find_arms, shown_runs
from memopolis.sim.errors import RunFolderError

SAVERS = f"{Path(__file__).parents[1] / 'savers.py'}:Savers"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A comparison of two arms over the seeds 1 to 3."""
    folder = tmp_path_factory.mktemp("arms") / "saving"
    arms = ["thrifty", "plain"]
    compare(SAVERS, {"agents": 4}, arms=arms, seeds=[1, 2, 3], folder=folder, workers=1)
    return folder


def test_a_comparison_has_its_arms_in_order(folder: Path) -> None:
    arms = find_arms([folder])
    assert [arm.name for arm in arms] == ["thrifty", "plain"]
    assert [[run.seed for run in arm.runs] for arm in arms] == [[1, 2, 3]] * 2


def test_an_arm_or_a_run_is_an_arm(folder: Path) -> None:
    arms = find_arms([folder / "plain", folder / "thrifty" / "seed-00002"])
    assert [(arm.name, len(arm.folders)) for arm in arms] == [("plain", 3), ("seed-00002", 1)]
    assert [run.seed for run in shown_runs(arms)] == [2, 2]


def test_equal_names_become_distinct(folder: Path) -> None:
    runs = [folder / "plain" / "seed-00001", folder / "thrifty" / "seed-00001"]
    names = [arm.name for arm in find_arms([*runs, runs[0]])]
    assert len(set(names)) == 3
    assert names[1] == "thrifty/seed-00001"


def test_runs_that_failed_are_left_out(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    manifest = copy / "plain" / "seed-00001" / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"succeeded"', '"failed"'))
    arms = find_arms([copy])
    assert [len(arm.folders) for arm in arms] == [3, 2]
    assert [run.seed for run in shown_runs(arms)] == [2, 2]


def test_other_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match="contains no run, comparison or sweep"):
        find_arms([tmp_path])
    with pytest.raises(RunFolderError, match="there is no run folder"):
        find_arms([tmp_path / "missing"])
