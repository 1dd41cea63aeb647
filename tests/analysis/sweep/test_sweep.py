"""Sweeps: one row per point, also after failures, and equal results on any executor."""

import shutil
import subprocess
import sys
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from memopolis.analysis.sweep.results import SweepResults, load_sweep
from memopolis.analysis.sweep.sweep import sweep
from memopolis.sim.errors import (
    ExtraError,
    ParameterError,
    RunFolderError,
    SettingsError,
    UnknownNameError,
)
from memopolis.sim.executors import named
from memopolis.sim.sweep.design import Design
from memopolis.sim.verifying import verify

TOWN = f"{Path(__file__).parents[2] / 'sim' / 'sweep' / 'town.py'}:Town"
ROWS = ["measure", "group", "tick", "value"]


def design(**changes: Any) -> Design:
    """Four points of a town, two runs each."""
    asked: dict[str, Any] = {
        "settings": {"agents": 3, "days": 0.5},
        "factors": {"rate": [0.1, 0.2, 0.3, 0.4]},
        "replications": 2,
        "outcomes": ["social", "hunger@mean"],
    }
    return Design(TOWN, **(asked | changes))


@pytest.fixture
def here() -> Any:
    """An executor that needs no other process."""
    with ThreadPoolExecutor(1) as pool:
        yield pool


def same(one: SweepResults, other: SweepResults) -> None:
    """Fail unless two sweeps are the same but for the time they took and where they lie."""
    apart = ["seconds", "step_seconds", "folder", "tries"]
    pd.testing.assert_frame_equal(one.runs.drop(columns=apart), other.runs.drop(columns=apart))
    pd.testing.assert_frame_equal(one.points, other.points)
    pd.testing.assert_frame_equal(one.table("measures"), other.table("measures"), check_exact=True)


def test_completed_runs_are_kept(tmp_path: Path, here: Executor) -> None:
    reports: list[tuple[int, int, int]] = []
    first = sweep(design(), tmp_path, executor=here, progress=lambda *now: reports.append(now))
    assert (reports[0], reports[-1], len(reports)) == ((0, 0, 8), (8, 0, 8), 9)
    assert set(first.runs["status"]) == {"succeeded"}
    assert (first.runs["step_seconds"] < first.runs["seconds"]).all()
    assert first.points.groupby("outcome")["runs"].sum().to_dict() == {
        "social": 8,
        "hunger@mean": 8,
    }
    assert (tmp_path / "runs.csv").is_file()
    reports.clear()
    second = sweep(design(), tmp_path, executor=here, progress=lambda *now: reports.append(now))
    assert reports == [(8, 0, 8)]
    pd.testing.assert_frame_equal(first.runs, second.runs)


def test_an_edited_design_keeps_the_runs_it_still_has(tmp_path: Path, here: Executor) -> None:
    before = sweep(design(), tmp_path, executor=here)
    reports: list[tuple[int, int, int]] = []
    edited = design(factors={"rate": [0.2, 0.9]}, replications=3)
    after = sweep(edited, tmp_path, executor=here, progress=lambda *now: reports.append(now))
    assert reports[0] == (2, 0, 6)
    kept = before.runs.query("rate == 0.2")["run"].tolist()
    assert after.runs.query("rate == 0.2")["run"].tolist()[:2] == kept


def test_a_failing_point_does_not_affect_others(tmp_path: Path, here: Executor) -> None:
    spare = tmp_path / "mended"  # a folder: the content of a file would make it another run
    asked = design(
        settings={"agents": 3, "days": 0.5, "spare": str(spare)},
        factors={"mood": ["good", "failing"]},
    )
    result = sweep(asked, tmp_path / "sweep", executor=here).runs
    assert result["status"].tolist() == ["succeeded"] * 2 + ["failed"] * 2
    failed = result.iloc[2]
    assert failed["error"].startswith("ZeroDivisionError: a mistake of the user's; ")
    assert "town.py" in Path(failed["traceback"]).read_text()
    assert pd.isna(failed["social"])
    reports: list[tuple[int, int, int]] = []
    sweep(asked, tmp_path / "sweep", executor=here, progress=lambda *now: reports.append(now))
    assert reports == [(2, 2, 4)]  # failed runs are not retried by default
    spare.mkdir()
    mended = sweep(asked, tmp_path / "sweep", retry_failed=True, executor=here).runs
    assert set(mended["status"]) == {"succeeded"}
    assert (mended["traceback"] == "").all()


def test_copied_shards_equal_the_sweep(tmp_path: Path, here: Executor) -> None:
    whole = sweep(design(), tmp_path / "whole", executor=here)
    shards = [tmp_path / f"shard-{number}" for number in range(1, 5)]
    for number, shard in enumerate(shards, start=1):
        result = sweep(design(), shard, executor=here, shard=(number, 4)).runs
        assert (result["status"] == "succeeded").sum() == 2
        shutil.copytree(shard, tmp_path / "all", dirs_exist_ok=True)
    joined = sweep(design(), tmp_path / "all", executor=here)
    same(joined, whole)
    assert joined.runs["tries"].eq(1).all()  # nothing was repeated


def test_a_damaged_run_is_found_and_excluded(tmp_path: Path, here: Executor) -> None:
    result = sweep(design(replications=1), tmp_path / "sweep", executor=here)
    assert verify(tmp_path / "sweep") == []
    one, other = result.runs["run"].iloc[:2]
    part = f"runs/{one}/tables/measures/part-00000.parquet"
    with (tmp_path / "sweep" / part).open("ab") as file:
        file.write(b"more")
    shutil.rmtree(tmp_path / "sweep" / "runs" / other)
    damaged = {one.path for one in verify(tmp_path / "sweep") if one.is_damage}
    assert damaged == {part, f"runs/{other}"}
    with pytest.raises(RunFolderError, match="measures/part-00000"):
        load_sweep(tmp_path / "sweep").table("measures")


def test_errors_of_every_run_stop_the_sweep_at_the_start(tmp_path: Path, here: Executor) -> None:
    folder = tmp_path / "sweep"
    with pytest.raises(SettingsError, match=r"point 1 .*rate"):
        sweep(design(factors={"rate": [0.1, -1]}), folder, executor=here)
    with pytest.raises(UnknownNameError, match="no measure"):
        sweep(design(outcomes=["sociable"]), folder, executor=here)
    with pytest.raises(ParameterError, match="shard is 9/8"):
        sweep(design(), folder, executor=here, shard=(9, 8))
    with pytest.raises(ParameterError, match="workers is 0"):
        sweep(design(), folder, executor=here, workers=0)
    assert not folder.exists()


def test_a_folder_of_something_else_is_refused(tmp_path: Path, here: Executor) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(RunFolderError, match="contains files but no sweep"):
        sweep(design(), tmp_path, executor=here)
    with pytest.raises(RunFolderError, match="is a file, not a folder"):
        sweep(design(), tmp_path / "thesis.txt", executor=here)
    sweep(design(), tmp_path / "town", executor=here, shard=(1, 8))
    other = Design("ubi", factors={"agents": [20, 30]})
    with pytest.raises(RunFolderError, match="contains a sweep of Town, not of"):
        sweep(other, tmp_path / "town", executor=here)


def test_an_unwritable_folder_is_reported(
    tmp_path: Path, here: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(RunFolderError, match=r"sweep cannot be written: Permission denied"):
        sweep(design(), tmp_path / "sweep", executor=here)


def test_a_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named, "require", lambda extra, *_, what: _missing(extra, what))
    for name in ("dask", "ray=auto"):
        with pytest.raises(ExtraError, match=f"needs {name[:3]}"):
            sweep(design(), tmp_path, executor=name)


def _missing(extra: str, what: str) -> None:
    raise ExtraError(f"{what} needs {extra}")


NOTEBOOK = """
from pathlib import Path
from memopolis import Block, Citizen, Field, Measure, Settings, Society, resume
from memopolis.sweeps import Design, sweep

class HamletSettings(Settings):
    rate: float = Field(0.1, ge=0, description="How fast")

class Fade(Block):
    def step(self, cohort):
        cohort["social"] = cohort["social"] * (1 - self.society.settings.rate)

class Hamlet(Society[HamletSettings]):
    measures = (Measure("social", "social"),)
    outcomes = ("social",)

    def build(self, settings):
        self.populate(Citizen, settings.agents, blocks=[Fade()])
"""
SWEPT = """
design = Design(Hamlet, settings={"agents": 3, "days": 0.5}, factors={"rate": [0.1, 0.2]})
found = sweep(design, "hamlet", workers=1)
print(found.runs["status"].tolist(), found.points["mean"].round(4).tolist())
"""


RESUMED = """
for run in Path("hamlet", "runs").iterdir():
    resume(run, days=1, scenario=Hamlet)
"""


def typed(folder: Path, *cells: str) -> "subprocess.CompletedProcess[str]":
    """Run cells of a notebook: what is typed has no file that other processes could read."""
    command = [sys.executable, "-c", "".join(cells)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_a_society_defined_in_a_notebook_can_be_swept(tmp_path: Path) -> None:
    done = typed(tmp_path, NOTEBOOK, SWEPT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("['succeeded', 'succeeded'] [")
    again = typed(tmp_path, NOTEBOOK, RESUMED)
    assert (again.returncode, again.stderr) == (0, "")  # the same code: no warning
    changed = typed(tmp_path, NOTEBOOK.replace("(1 - ", "(2 - "), RESUMED.replace("=1", "=1.5"))
    assert changed.returncode == 0
    assert "the code of Memopolis or of Hamlet has changed" in changed.stderr


def test_a_script_without_a_main_guard_is_reported(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(NOTEBOOK + SWEPT)
    done = subprocess.run(
        [sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert 'if __name__ == "__main__"' in done.stderr.splitlines()[-1]


@pytest.mark.extras
@pytest.mark.parametrize("executor", ["dask", "ray"])
def test_every_executor_gives_the_same_tables(tmp_path: Path, executor: str) -> None:
    one = sweep(design(), tmp_path / "processes", workers=2)
    other = sweep(design(), tmp_path / executor, executor=executor, workers=2)
    assert set(other.runs["status"]) == {"succeeded"}
    same(other, one)
