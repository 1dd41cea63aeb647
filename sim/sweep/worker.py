"""Execute one run of a sweep in a separate process.

    claim -> check again whether it is done -> resume from a checkpoint, or start
          -> outcomes from its tables -> write its row -> return how it ended

The tables of the run stay in its folder and are not sent between processes.
"""

import errno
import json
import math
import multiprocessing
import os
import socket
import threading
import time
import traceback
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from memopolis.sim import outcomes
from memopolis.sim.error_places import described
from memopolis.sim.errors import (
    RunFolderError,
    SettingsError,
    StateError,
    TrustError,
    UnknownNameError,
    reason_of,
)
from memopolis.sim.outcomes import Outcome
from memopolis.sim.progress import StepProgress
from memopolis.sim.recording.garbage import freeze_others, freeze_permanently
from memopolis.sim.recording.stopping import StopRun, handle_signals
from memopolis.sim.run_folder.folder import is_owned, remove_run
from memopolis.sim.run_folder.integrity import check_files
from memopolis.sim.run_folder.manifest import check_manifest, read_content, run_populations
from memopolis.sim.running.resuming import resume
from memopolis.sim.society import Society
from memopolis.sim.sweep.rows import FAILURES, ROWS, RunRow, claim, read_row, write_row
from memopolis.sim.sweep.serialized import SerializedScenario, load_scenario

type Ending = Literal["succeeded", "failed", "interrupted", "killed", "elsewhere", "impossible"]

_NO_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}
"""Errors of a full or read-only disk, which would affect every run."""


@dataclass(frozen=True, slots=True)
class RunTask:
    """Everything that another process needs to execute a run."""

    run: str  # its name in the sweep
    sweep: str  # folder of `rows/` and `failures/`
    folder: str  # folder of the run
    scenario: SerializedScenario  # serialized class of the society
    settings: str  # its settings as JSON
    seed: int  # its random seed
    outcomes: tuple[Outcome, ...] = ()  # outcomes to compute at its end
    tries: int = 0  # number of earlier tries when this sweep started


@dataclass(frozen=True, slots=True)
class RunEnding:
    """Result of a run task."""

    # How it ended; "elsewhere" if another process has claimed the run, "killed" if its process
    # died, "impossible" if no run of the sweep can be executed
    ending: Ending
    error: str = ""  # error in one line


def make_run(task: RunTask) -> RunEnding:
    """Execute one run, unless it is done or claimed by another process; return its errors."""
    with freeze_others():
        ending = _make_run(task)
    if multiprocessing.parent_process() is not None:
        freeze_permanently()  # after the first run, everything is imported and compiled
    return ending


def _make_run(task: RunTask) -> RunEnding:
    if not Path(task.sweep, ROWS).is_dir():
        return RunEnding(
            "impossible",
            f"{socket.gethostname()} cannot access {task.sweep}; all machines need the folder of "
            f"the sweep under the same path, on a shared disk",
        )
    try:
        _warm_up()
        scenario = load_scenario(task.scenario)
        requested = threading.Event()

        def stop(*_: object) -> None:
            # Called after each step. The checkpoint written then makes no step repeat.
            if requested.is_set():
                raise StopRun

        with (
            handle_signals(lambda *_: requested.set()),
            claim(task.sweep, task.run) as is_claimed,
        ):
            if not is_claimed:
                return RunEnding("elsewhere")
            return _execute_claimed(task, scenario, stop)
    except UnknownNameError as error:
        return RunEnding("impossible", str(error))
    except OSError as error:
        return RunEnding("impossible", f"{task.sweep} cannot be written: {reason_of(error)}")
    except KeyboardInterrupt:
        return RunEnding("interrupted")


@cache
def _warm_up() -> None:
    """Import what threads would import at the same time and block each other; use one thread."""
    import numba  # noqa: F401
    import pyarrow as pa
    import pyarrow.parquet

    from memopolis.sim.recording import recorder  # noqa: F401

    if multiprocessing.parent_process() is not None:
        pa.set_cpu_count(1)  # there is one worker per core


def _execute_claimed(
    task: RunTask, scenario: type[Society[Any]], progress: StepProgress
) -> RunEnding:
    row = read_row(task.sweep, task.run)
    if row.status == "succeeded":
        return RunEnding("succeeded")
    if row.status == "failed" and row.tries > task.tries:
        return RunEnding("failed", row.error)  # another sweep executed it meanwhile
    tries = row.tries + 1
    write_row(task.sweep, task.run, RunRow("running", tries))
    started = time.perf_counter()
    try:
        _execute(task, scenario, progress)
        values = outcomes.read(task.folder, task.outcomes)
    except KeyboardInterrupt:
        write_row(task.sweep, task.run, RunRow("interrupted", tries, error="stopped by the user"))
        raise
    except BaseException as error:  # noqa: BLE001 - any error, or exit, is recorded
        _refuse_full_disk(error)
        return _failed(task, tries, error)
    seconds = round(time.perf_counter() - started, 4)
    row = RunRow("succeeded", tries, seconds, _step_seconds(task), values)
    write_row(task.sweep, task.run, row)
    Path(task.sweep, FAILURES, f"{task.run}.txt").unlink(missing_ok=True)
    return RunEnding("succeeded")


def _execute(task: RunTask, scenario: type[Society[Any]], progress: StepProgress) -> None:
    """Execute the run, or the rest of it."""
    folder = Path(task.folder)
    if is_owned(folder):
        raise RunFolderError(f"the run in {folder} is under way: another process resumes it")
    status = _status_of(folder)
    if status == "succeeded":
        return  # killed after its last step, before its row was written
    if status in {"running", "interrupted"} and any(folder.glob("checkpoints/*")):
        try:
            # Files and servers named in the design are trusted, others in the folder are not.
            settings = json.loads(task.settings)
            resume(folder, scenario=scenario, settings=settings, progress=progress)
        except (RunFolderError, SettingsError, StateError, TrustError) as error:
            # It starts again, for example because a data file has changed.
            _refuse_full_disk(error)
        else:
            return
    if folder.exists():
        remove_run(folder, run_populations(folder))
    settings = scenario.settings_class(**json.loads(task.settings))
    scenario(settings, rng=task.seed).run(folder, progress=progress)


def _status_of(folder: Path) -> str:
    """Return the status in a run's manifest; "" without one, or if a finished run is damaged."""
    try:
        content = read_content(folder)
        check_manifest(folder)
        if content["status"] == "succeeded":
            check_files(folder, content)
    except RunFolderError:
        return ""
    return str(content["status"])


def _step_seconds(task: RunTask) -> float:
    """Return the time inside steps of the last process, from its timings."""
    with suppress(OSError, ValueError, KeyError):
        timings = Path(task.folder, "timings", "timings.json").read_text(encoding="utf-8")
        return float(json.loads(timings)["step_seconds"])
    return math.nan


def _failed(task: RunTask, tries: int, error: BaseException) -> RunEnding:
    file = Path(task.sweep, FAILURES, f"{task.run}.txt")
    file.parent.mkdir(exist_ok=True)
    file.unlink(missing_ok=True)  # it may be a link
    file.write_text("".join(traceback.format_exception(error)), encoding="utf-8")
    message = described(error, with_type=True)
    write_row(task.sweep, task.run, RunRow("failed", tries, error=message))
    return RunEnding("failed", message)


def _refuse_full_disk(error: BaseException) -> None:
    """Raise an OSError that would affect every run; the folder of the run is kept."""
    if isinstance(error, OSError) and error.errno in _NO_DISK:
        raise OSError(error.errno, os.strerror(error.errno)) from error
