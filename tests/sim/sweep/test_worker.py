"""A worker resumes a run, restarts it, or leaves it alone."""

from pathlib import Path

import pytest
from tests.manifests import change_manifest

from memopolis.sim.run_folder.folder import owned
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.sweep.rows import make_rows, read_row
from memopolis.sim.sweep.worker import RunTask, make_run

TOWN = f"{Path(__file__).with_name('town.py')}:Town"


@pytest.fixture
def task(tmp_path: Path) -> RunTask:
    """A run that was killed after its checkpoints."""
    make_rows(tmp_path)
    options = {"agents": 3, "days": 0.5, "record.tables": "measures", "checkpoint.every": 2}
    settings = find_scenario(TOWN).settings_class().with_changes(options)
    task = RunTask(
        "run-0", str(tmp_path), str(tmp_path / "run-0"), TOWN, settings.model_dump_json(), 0
    )
    find_scenario(TOWN)(settings, rng=0).run(task.folder)
    change_manifest(Path(task.folder), status="running")
    return task


def test_a_run_resumed_by_another_process_is_not_touched(task: RunTask) -> None:
    before = sorted(Path(task.folder).rglob("*"))
    with owned(Path(task.folder)):
        ending = make_run(task)
        assert sorted(Path(task.folder).rglob("*")) == before
    assert ending.ending == "failed"
    assert "under way" in ending.error


def test_a_run_with_changed_data_is_restarted(task: RunTask) -> None:
    change_manifest(Path(task.folder), data={"zones.csv": "another"})
    assert make_run(task).ending == "succeeded"
    assert read_row(task.sweep, "run-0").tries == 1
    manifest = (Path(task.folder) / "manifest.json").read_text()
    assert "zones.csv" not in manifest
    assert '"resumed"' not in manifest
