"""One run of a sweep, in a process of its own.

    claim it -> look again whether it is done -> go on from a checkpoint, or begin anew
             -> outcomes from its tables -> note what became of it -> send back a small summary

The run's tables stay where they were written; nothing of them travels.
"""

import gc
import json
import multiprocessing
import os
import signal
import socket
import threading
import time
import traceback
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from types import FrameType
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
from memopolis.sim.running.clearing import remove_run
from memopolis.sim.running.folder import is_owned
from memopolis.sim.running.garbage import freeze_for_good
from memopolis.sim.running.intact import check_files
from memopolis.sim.running.manifest import check_manifest, read_content, run_populations
from memopolis.sim.running.resuming import resume
from memopolis.sim.running.stopping import StopRun, signals_heard
from memopolis.sim.society import Society
from memopolis.sim.sweep.carried import Carried, unpacked
from memopolis.sim.sweep.run_ledger import RunLedger

type Ending = Literal["succeeded", "failed", "interrupted", "killed", "elsewhere", "impossible"]

_PROBE = bytes(1 << 16)
"""Written where a run failed for want of a file, to see whether anything can be written."""


@dataclass(frozen=True, slots=True)
class RunTask:
    """One run: what another process needs to make it.

    Attributes:
        run: Its name in the ledger.
        sweep: Folder in which `ledger/` and `failures/` lie.
        folder: The run's own folder.
        scenario: The society's class, as it is sent.
        settings: Its settings as JSON.
        seed: Its seed.
        outcomes: What is taken of it at its end.
        tries: How often it had been begun when this sweep looked.
    """

    run: str
    sweep: str
    folder: str
    scenario: Carried
    settings: str
    seed: int
    outcomes: tuple[Outcome, ...] = ()
    tries: int = 0


@dataclass(frozen=True, slots=True)
class RunEnding:
    """What is sent back of a run.

    Attributes:
        ending: What became of it; "elsewhere" if another process holds it, "killed" if its
            process is gone, "impossible" if no run of the sweep can be made.
        error: What it failed of, in one line.
    """

    ending: Ending
    error: str = ""


def make_run(task: RunTask) -> RunEnding:
    """Make one run, unless it is made already or by somebody else.

    Whatever goes wrong in the run itself is noted and said in what is returned.
    """
    if not Path(task.sweep, "ledger").is_dir():
        return RunEnding("impossible", _not_shared(task))
    ledger = RunLedger(task.sweep)
    try:
        _warm_up()
        scenario = unpacked(task.scenario)
        ears = _Ears()
        with signals_heard(ears.hear), ledger.claim(task.run) as mine:
            return _make_claimed(task, scenario, ledger, ears) if mine else RunEnding("elsewhere")
    except UnknownNameError as error:
        return RunEnding("impossible", str(error))
    except OSError as error:
        return RunEnding("impossible", f"{task.sweep} cannot be written: {reason_of(error)}")
    except KeyboardInterrupt:
        return RunEnding("interrupted")
    finally:
        # A model is a cycle of references; without this the next run stands beside it.
        gc.collect()
        if multiprocessing.parent_process() is not None:
            freeze_for_good()  # after the first run all is imported, compiled and read


def ignore_interrupts() -> None:
    """Between two runs, leave it to the first process to hear a ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def end_with_parent() -> None:
    """End this process when the one that started it is gone, so that nothing works on alone."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, name="end-with-parent", daemon=True).start()


@cache
def _warm_up() -> None:
    """Import what every run needs, once, and share the machine with the other workers."""
    import numba  # noqa: F401
    import pyarrow as pa
    import pyarrow.parquet

    from memopolis.sim.recording import recorder  # noqa: F401

    if multiprocessing.parent_process() is not None:
        pa.set_cpu_count(1)  # there is a worker for each core already


def _make_claimed(
    task: RunTask, scenario: type[Society[Any]], ledger: RunLedger, ears: "_Ears"
) -> RunEnding:
    entry = ledger.entry(task.run)
    if entry.status == "succeeded":
        return RunEnding("succeeded")
    if entry.status == "failed" and entry.tries > task.tries:
        return RunEnding("failed", entry.error)  # another sweep made it meanwhile
    ledger.note(task.run, "running")
    started = time.perf_counter()
    try:
        _carry_out(task, scenario, ledger, ears)
        found = outcomes.read(task.folder, task.outcomes)
    except KeyboardInterrupt:
        ledger.note(task.run, "interrupted", error="stopped by the user")
        raise
    except BaseException as error:  # noqa: BLE001 - a run that fails, or exits, is a row
        _check_disk(task, error)
        return _failed(task, ledger, error)
    ledger.note(
        task.run,
        "succeeded",
        seconds=round(time.perf_counter() - started, 4),
        step_seconds=_step_seconds(task),
        outcomes=found,
    )
    Path(task.sweep, "failures", f"{task.run}.txt").unlink(missing_ok=True)
    return RunEnding("succeeded")


def _carry_out(
    task: RunTask, scenario: type[Society[Any]], ledger: RunLedger, ears: "_Ears"
) -> None:
    """Make the run, or what is left to do of it.

    Raises:
        RunFolderError: If somebody resumes it by hand, or it cannot be written.
    """
    folder = Path(task.folder)
    if is_owned(folder):
        raise RunFolderError(f"the run in {folder} is under way: another process resumes it")
    status = _status_of(folder)
    if status == "succeeded":
        return  # killed after its last step, before the ledger was told
    if status in {"running", "interrupted", "damaged"} and any(folder.glob("checkpoints/*")):
        try:
            # What the design names, the user named; anything else in the folder is not followed.
            settings = json.loads(task.settings)
            resume(folder, scenario=scenario, settings=settings, progress=ears.listen)
        except (RunFolderError, SettingsError, StateError, TrustError) as error:
            _check_disk(task, error)  # while nothing can be written, what is there stays
            # Such as data that is not there any more.
            ledger.note(task.run, "running", error=f"made anew: {error}")
        else:
            return
    if folder.exists():
        remove_run(folder, run_populations(folder))
    settings = scenario.settings_class(**json.loads(task.settings))
    scenario(settings, rng=task.seed).run(folder, progress=ears.listen)


def _status_of(folder: Path) -> str:
    """What a run's manifest says; "damaged" if a file is, "" where there is none that was kept."""
    try:
        content = read_content(folder)
        check_manifest(folder)
    except RunFolderError:
        return ""
    try:
        check_files(folder, content)
    except RunFolderError:
        return "damaged"
    return str(content.get("status", ""))


def _step_seconds(task: RunTask) -> float | None:
    """How long the last process stepped, as its timings say."""
    with suppress(OSError, ValueError, KeyError):
        timings = Path(task.folder, "timings", "timings.json").read_text(encoding="utf-8")
        return float(json.loads(timings)["step_seconds"])
    return None


def _failed(task: RunTask, ledger: RunLedger, error: BaseException) -> RunEnding:
    file = Path(task.sweep, "failures", f"{task.run}.txt")
    file.parent.mkdir(exist_ok=True)
    file.unlink(missing_ok=True)  # it may be a link
    file.write_text("".join(traceback.format_exception(error)), encoding="utf-8")
    told = described(error, with_type=True)
    ledger.note(task.run, "failed", error=told)
    return RunEnding("failed", told)


def _check_disk(task: RunTask, error: BaseException) -> None:
    """Tell a run that failed by itself from one that failed since nothing can be written.

    Raises:
        OSError: If nothing can be written.
    """
    if not isinstance(error, OSError):
        return
    probe = Path(task.sweep, "ledger", f"{task.run}.probe")
    try:
        probe.write_bytes(_PROBE)
    except OSError:
        with suppress(OSError):
            RunLedger(task.sweep).note(task.run, "interrupted", error=str(error))
        raise
    finally:
        with suppress(OSError):
            probe.unlink(missing_ok=True)


def _not_shared(task: RunTask) -> str:
    return (
        f"{socket.gethostname()} does not see {task.sweep}; processes of all machines need the "
        f"sweep's folder under the same name, on a disk that they share"
    )


class _Ears:
    """Hears a ctrl-C, or that the process is to end, and stops the run after its step.

    A run that is stopped between two steps keeps a checkpoint, so nothing is done again.
    """

    def __init__(self) -> None:
        self._heard = False

    def hear(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - as signal has it
        """Remember it."""
        self._heard = True

    def listen(self, done: int, total: int, date: datetime) -> None:  # noqa: ARG002 - as Progress
        """Be told by the run of a step.

        Raises:
            StopRun: If it is to stop.
        """
        if self._heard:
            raise StopRun
