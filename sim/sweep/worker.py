"""One run of a sweep, in a process of its own.

    claim it -> look again whether it is done -> go on from a checkpoint, or begin anew
             -> outcomes from its tables -> note what became of it -> send back a small summary

The run's tables stay where they were written; nothing of them travels.
"""

import errno
import gc
import json
import multiprocessing
import os
import shutil
import signal
import socket
import threading
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, Literal

from memopolis.sim import outcomes
from memopolis.sim.errors import RunFolderError, UnknownNameError
from memopolis.sim.outcomes import Outcome
from memopolis.sim.running.resuming import resume
from memopolis.sim.society import Society
from memopolis.sim.sweep.carried import Carried, unpacked
from memopolis.sim.sweep.run_ledger import RunLedger

type Ending = Literal["succeeded", "failed", "interrupted", "elsewhere", "impossible"]

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM})
_PROBE = bytes(1 << 16)


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
    """

    run: str
    sweep: str
    folder: str
    scenario: Carried
    settings: str
    seed: int
    outcomes: tuple[Outcome, ...] = ()


@dataclass(frozen=True, slots=True)
class RunEnding:
    """What is sent back of a run.

    Attributes:
        ending: What became of it; "elsewhere" if another process holds it, "impossible" if no
            run of the sweep can be made.
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
        _warm_up(task.scenario)
        with _hearing_interrupts(), ledger.claim(task.run) as mine:
            return _make_claimed(task, ledger) if mine else RunEnding("elsewhere")
    except UnknownNameError as error:
        return RunEnding("impossible", str(error))
    except OSError as error:
        return RunEnding("impossible", _unwritable(task, error))
    except KeyboardInterrupt:
        return RunEnding("interrupted")
    finally:
        # A model is a cycle of references; without this the next run stands beside it.
        gc.collect()


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


def _make_claimed(task: RunTask, ledger: RunLedger) -> RunEnding:
    if ledger.entry_unclaimed(task.run).status == "succeeded":
        return RunEnding("succeeded")
    ledger.note(task.run, "running")
    started = time.perf_counter()
    try:
        step_seconds = _carried_out(task)
        found = outcomes.read(task.folder, task.outcomes)
    except KeyboardInterrupt:
        ledger.note(task.run, "interrupted", error="stopped by the user")
        raise
    except Exception as error:
        _check_disk(task, error)
        return _failed(task, ledger, error)
    ledger.note(
        task.run,
        "succeeded",
        seconds=round(time.perf_counter() - started, 4),
        step_seconds=round(step_seconds, 4),
        outcomes=found,
    )
    Path(task.sweep, "failures", f"{task.run}.txt").unlink(missing_ok=True)
    return RunEnding("succeeded")
