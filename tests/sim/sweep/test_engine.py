"""The engine: every run once, also if processes die or other sweeps share the folder."""

import os
import signal
import sys
import threading
import time
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memopolis.sim.errors import ParameterError, ReplicationError, RunFolderError
from memopolis.sim.executors.named import check_executor
from memopolis.sim.executors.processes import Processes
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.sweep.engine import execute_runs
from memopolis.sim.sweep.rows import RunRow, claim, make_rows, read_row, run_names, write_row
from memopolis.sim.sweep.worker import RunTask

TOWN = f"{Path(__file__).with_name('town.py')}:Town"


def tasks(folder: Path, count: int, **changes: Any) -> list[RunTask]:
    """Runs of a town, by seed."""
    make_rows(folder)
    options = {"agents": 3, "days": 0.5, "record.tables": "measures", **changes}
    settings = find_scenario(TOWN).settings_class().with_changes(options)
    text = settings.model_dump_json()
    return [
        RunTask(f"run-{seed}", str(folder), str(folder / "runs" / f"run-{seed}"), TOWN, text, seed)
        for seed in range(count)
    ]


def rows(folder: Path) -> dict[str, RunRow]:
    return {run: read_row(folder, run) for run in run_names(folder)}


def statuses(folder: Path) -> list[str]:
    return [row.status for row in rows(folder).values()]


def test_two_sweeps_on_one_folder_repeat_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOWN_PAUSE", "0.005")
    reports: list[tuple[int, int, int]] = []

    def go() -> None:
        with ThreadPoolExecutor(2) as pool:
            made = tasks(tmp_path, 8)
            execute_runs(made, executor=pool, workers=2, progress=lambda *now: reports.append(now))

    both = [threading.Thread(target=go) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert [(row.status, row.tries) for row in rows(tmp_path).values()] == [("succeeded", 1)] * 8
    assert reports.count((8, 0, 8)) == 2  # both saw all of them done


def test_unfinished_runs_of_another_sweep_are_taken_over(tmp_path: Path) -> None:
    made = tasks(tmp_path, 2)
    held = threading.Event()

    def hold() -> None:
        with claim(tmp_path, "run-1"):
            held.set()
            time.sleep(0.8)

    other = threading.Thread(target=hold)
    other.start()
    held.wait()
    with ThreadPoolExecutor(1) as pool:
        execute_runs(made, executor=pool, workers=1)
    other.join()
    assert statuses(tmp_path) == ["succeeded"] * 2


def test_a_dying_process_loses_only_its_own_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOWN_PAUSE", "0.01")
    deadly = tasks(tmp_path, 1, mood="deadly")
    good = [
        RunTask(f"good-{task.run}", task.sweep, f"{task.folder}-good", TOWN, task.settings, 7)
        for task in tasks(tmp_path, 4)
    ]
    execute_runs([*deadly, *good], workers=2)
    ended = rows(tmp_path)
    assert [ended[task.run].status for task in good] == ["succeeded"] * 4
    assert [ended[task.run].tries for task in good] == [1] * 4
    assert (ended["run-0"].status, ended["run-0"].tries) == ("failed", 3)
    assert "its process was killed 3 times" in ended["run-0"].error


def test_a_killed_run_continues_from_its_checkpoint(tmp_path: Path) -> None:
    spare = tmp_path / "spare"
    (task,) = tasks(tmp_path, 1, mood="deadly", spare=str(spare), checkpoint={"every": 2})

    class KilledOnce(Processes):
        """Lets the run be spared once its process has died."""

        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            future = super().submit(fn, *args, **kwargs)
            future.add_done_callback(lambda _: spare.touch())
            return future

    executor = KilledOnce(1)
    execute_runs([task], executor=executor, workers=1)
    executor.shutdown()
    row = read_row(tmp_path, "run-0")
    assert (row.status, row.tries) == ("succeeded", 2)
    assert '"resumed"' in (Path(task.folder) / "manifest.json").read_text()


def test_a_complete_run_without_a_finished_row_is_kept(tmp_path: Path) -> None:
    made = tasks(tmp_path, 1)
    with ThreadPoolExecutor(1) as pool:
        execute_runs(made, executor=pool)
        written = (tmp_path / "runs" / "run-0" / "manifest.json").stat().st_mtime_ns
        write_row(tmp_path, "run-0", RunRow("running", 1))
        assert statuses(tmp_path) == ["interrupted"]
        execute_runs(made, executor=pool)
    assert statuses(tmp_path) == ["succeeded"]
    assert (tmp_path / "runs" / "run-0" / "manifest.json").stat().st_mtime_ns == written


class KilledAfterItsLastWord(Executor):
    """Makes each run, and then says that its process is gone."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        fn(*args, **kwargs)
        future: Future[Any] = Future()
        future.set_exception(BrokenExecutor("a process was killed"))
        return future


def test_a_process_that_dies_after_reporting_has_completed_its_run(tmp_path: Path) -> None:
    reports: list[tuple[int, int, int]] = []
    made = tasks(tmp_path, 2)
    executor = KilledAfterItsLastWord()
    execute_runs(made, executor=executor, progress=lambda *now: reports.append(now))
    assert [(row.status, row.tries) for row in rows(tmp_path).values()] == [("succeeded", 1)] * 2
    assert reports[-1] == (2, 0, 2)


class Broken(Executor):
    """Gives up at once."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ARG002
        raise RuntimeError("cannot schedule new futures after shutdown")


def test_a_failing_executor_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ReplicationError, match=r"executor failed .*finished runs are kept"):
        execute_runs(tasks(tmp_path, 1), executor=Broken())


@pytest.mark.parametrize("name", ["cluster", "processes=3", "dask=", ""])
def test_unknown_executors_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ParameterError, match=r"executor is .*choose from processes, dask"):
        execute_runs(tasks(tmp_path, 1), executor=name)


def test_a_folder_that_workers_cannot_see_is_reported(tmp_path: Path) -> None:
    made = tasks(tmp_path / "here", 1)
    (tmp_path / "here").rename(tmp_path / "there")
    with (
        ThreadPoolExecutor(1) as pool,
        pytest.raises(RunFolderError, match=r"cannot access .*shared disk"),
    ):
        execute_runs(made, executor=pool)


def test_a_full_disk_stops_the_sweep_without_losing_runs(tmp_path: Path) -> None:
    spare = tmp_path / "spare"
    made = tasks(tmp_path, 2, mood="full", spare=str(spare), checkpoint={"every": 2})
    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(RunFolderError, match="cannot be written: No space left"):
            execute_runs(made, executor=pool)
        assert "failed" not in statuses(tmp_path)
        spare.touch()  # space was freed
        execute_runs(made, executor=pool)
    assert statuses(tmp_path) == ["succeeded"] * 2


def test_processes_finish_or_are_stopped() -> None:
    executor = Processes(1)
    assert executor.submit(os.getpid).result() != os.getpid()
    waiting = executor.submit(time.sleep, 60)
    executor._signal(signal.SIGKILL)
    assert waiting.exception(20) is not None
    assert executor.submit(os.getpid).result() != os.getpid()  # another took its place
    executor.shutdown()
    with pytest.raises(RuntimeError, match="after shutdown"):
        executor.submit(os.getpid)


def test_processes_have_the_environment_of_the_time_of_their_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for place in ("first", "second"):
        monkeypatch.setenv("MEMOPOLIS_TEST_PLACE", place)
        executor = Processes(1)
        assert executor.submit(os.getenv, "MEMOPOLIS_TEST_PLACE").result(60) == place
        executor.shutdown()


@pytest.mark.skipif(sys.platform != "linux", reason="forks on Linux only")
def test_processes_begin_with_what_their_parent_has_imported() -> None:
    executor = Processes(1)
    modules = executor.submit(eval, "sorted(__import__('sys').modules)").result(60)
    executor.shutdown()
    assert "memopolis.sim.society" in modules


def test_a_run_that_exits_affects_only_itself(tmp_path: Path) -> None:
    (leaving,) = tasks(tmp_path, 1, mood="leaving")
    good = replace(tasks(tmp_path, 2)[1], run="good", folder=str(tmp_path / "runs" / "good"))
    with ThreadPoolExecutor(1) as pool:
        execute_runs([leaving, good], executor=pool, workers=1)
    ended = rows(tmp_path)
    assert ended["run-0"].error.startswith("SystemExit: a mistake of the user's; ")
    assert ended["good"].status == "succeeded"


@pytest.mark.parametrize("wrong", [None, 3, "threads", "dask=", "processes=3"])
def test_an_invalid_executor_is_refused(wrong: Any) -> None:
    with pytest.raises(ParameterError, match=r"executor is .* dask=ADDRESS"):
        check_executor(wrong, 1)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "2"])
def test_an_invalid_number_of_workers_is_refused(wrong: Any) -> None:
    with pytest.raises(ParameterError, match="whole number of at least 1"):
        check_executor("processes", wrong)
