"""The loop that carries out the runs of a sweep, a few at a time, on any executor.

What is done is skipped. Only some two runs a worker are under way or wait at the executor, so a
ctrl-C stops soon and the memory of this process stays flat. Nothing is kept here that is not in
the ledger too: a sweep that is killed goes on where it stopped.
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    wait,
)
from dataclasses import replace
from pathlib import Path

from memopolis.sim.errors import MemopolisError, ReplicationError, RunFolderError, reason_of
from memopolis.sim.own_files import links_below, refuse_links, refuse_outer_links
from memopolis.sim.sweep.executors.named import opened
from memopolis.sim.sweep.run_ledger import RunLedger
from memopolis.sim.sweep.worker import RunEnding, RunTask, make_run

type Told = Callable[[int, int, int], None]
"""Told after each run how many succeeded, how many failed, and of how many."""

MOST_TRIES = 3
"""How often a run is begun whose process is killed each time."""

_A_WORKER = 2
"""Runs at the executor for each that it makes at once."""
_DYING = 1.0
"""Seconds that a killed process may need to be gone for good."""
_PAUSE = 0.5
"""Seconds between two looks at runs that others make."""


def carry_out(
    tasks: Sequence[RunTask],
    *,
    executor: Executor | str = "processes",
    workers: int | None = None,
    retry_failed: bool = False,
    progress: Told | None = None,
) -> None:
    """Make all runs that are not made yet; what became of each stands in its ledger.

    Args:
        tasks: The runs.
        executor: Where they are made, as `opened` takes it.
        workers: Processes; None for as many as cores.
        retry_failed: Whether runs that failed before are made again.
        progress: Told of each run.

    Raises:
        RunFolderError: If the folder cannot be written.
        ReplicationError: If the executor gives up.
        MemopolisError: If the executor cannot be opened.
        KeyboardInterrupt: If the user stopped it.
    """
    loop = _Loop(tasks, retry_failed=retry_failed, told=progress)
    loop.tell()
    if not loop.waiting:
        return
    count = min(workers, len(loop.waiting)) if workers is not None else None
    with opened(executor, count) as (opened_executor, at_once):
        loop.run(opened_executor, _A_WORKER * at_once)


class _Loop:
    """What is under way, what waits, and what has come of the rest."""

    def __init__(self, tasks: Sequence[RunTask], *, retry_failed: bool, told: Told | None) -> None:
        self.waiting: deque[RunTask] = deque()
        self._elsewhere: list[RunTask] = []
        self._flying: dict[Future[RunEnding], RunTask] = {}
        self._ledgers = {task.sweep: RunLedger(task.sweep) for task in tasks}
        self._deaths: Counter[str] = Counter()
        self._counts: Counter[str] = Counter()
        self._total = len(tasks)
        self._told = told
        for task in tasks:
            entry = self._ledgers[task.sweep].entry(task.run)
            if entry.status == "succeeded" or (entry.status == "failed" and not retry_failed):
                self._counts[entry.status] += 1
            else:
                self.waiting.append(replace(task, tries=entry.tries))

    def tell(self) -> None:
        """Say how far it is."""
        if self._told is not None:
            self._told(self._counts["succeeded"], self._counts["failed"], self._total)

    def run(self, executor: Executor, most: int) -> None:
        """Carry out what waits, and see to the end of what others carry out."""
        try:
            while self.waiting or self._flying or self._elsewhere:
                while self.waiting and len(self._flying) < most:
                    self._submit(executor, self.waiting.popleft())
                if self._flying:
                    self._settle(_PAUSE if self._elsewhere else None)
                else:
                    time.sleep(_PAUSE)
                self._take_over()
        finally:
            for future in self._flying:
                future.cancel()

    def _submit(self, executor: Executor, task: RunTask) -> None:
        try:
            self._flying[executor.submit(make_run, task)] = task
        except (BrokenExecutor, RuntimeError) as error:
            raise ReplicationError(_gave_up(error)) from None

    def _settle(self, patience: float | None) -> None:
        for future in wait(self._flying, patience, return_when=FIRST_COMPLETED).done:
            task = self._flying.pop(future)
            try:
                ending = future.result()
            except CancelledError as error:
                raise ReplicationError(_gave_up(error)) from None
            except MemopolisError:
                raise
            except Exception as error:  # noqa: BLE001 - whatever an executor says of a lost worker
                ending = self._lost(task, error)
            self._book(task, ending)

    def _book(self, task: RunTask, ending: RunEnding) -> None:
        match ending.ending:
            case "succeeded" | "failed":
                self._counts[ending.ending] += 1
                self.tell()
            case "elsewhere":
                self._elsewhere.append(task)
            case "impossible":
                raise RunFolderError(ending.error)
            case "killed":
                self.waiting.appendleft(task)
            case "interrupted":
                raise KeyboardInterrupt

    def _lost(self, task: RunTask, error: Exception) -> RunEnding:
        """Note that a run's process is gone; the run is tried again, but not for ever."""
        self._deaths[task.folder] += 1
        tries = self._deaths[task.folder]
        told = "its process was killed"
        if not isinstance(error, BrokenExecutor):
            told = f"{told} ({type(error).__name__}: {' '.join(str(error).split())})"
        ledger = self._ledgers[task.sweep]
        over = tries >= MOST_TRIES
        if over:
            told = f"{told} {tries} times, perhaps for lack of memory"
        # A process that ends frees its locks a moment after its pipes.
        deadline = time.monotonic() + _DYING
        while ledger.is_claimed(task.run) and time.monotonic() < deadline:
            time.sleep(_DYING / 100)
        with ledger.claim(task.run) as mine:
            # Another sweep on this folder may have taken it over at once.
            if not mine:
                return RunEnding("elsewhere")
            # Killed after its last word, before that was sent.
            if ledger.entry(task.run).status == "succeeded":
                return RunEnding("succeeded")
            ledger.note(task.run, "failed" if over else "interrupted", error=told)
        return RunEnding("failed" if over else "killed", told)

    def _take_over(self) -> None:
        """Look at what others make: what they finished counts, what they left is made here."""
        still = []
        for task in self._elsewhere:
            ledger = self._ledgers[task.sweep]
            entry = ledger.entry(task.run)
            if entry.status == "succeeded" or (
                entry.status == "failed" and entry.tries > task.tries
            ):
                self._counts[entry.status] += 1
                self.tell()
            elif ledger.is_claimed(task.run):
                still.append(task)
            else:
                self.waiting.append(task)
        self._elsewhere = still


def make_ledger(sweep: str | Path) -> None:
    """Make the folder of a ledger, so that what cannot be written is said before any run.

    Raises:
        RunFolderError: If it cannot be made or written, or a link is in it.
    """
    refuse_outer_links(Path(sweep), top_only=True)
    folder = Path(sweep, "ledger")
    refuse_links(*links_below(folder), *links_below(Path(sweep, "failures")))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".probe"
        probe.touch()
        probe.unlink(missing_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise RunFolderError(f"{folder} cannot be made: a file is in its way") from None
    except OSError as error:
        raise RunFolderError(f"{sweep} cannot be written: {reason_of(error)}") from None


def _gave_up(error: BaseException) -> str:
    told = " ".join(str(error).split()) or type(error).__name__
    return f"the executor gave up ({told}); what is done is kept: go on by the same call again"
