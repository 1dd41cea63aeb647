"""Execute the runs of a sweep on any executor.

Runs that are done are skipped. Only about two runs per worker are submitted at a time, so that
ctrl-C stops soon and this process needs little memory. All state is in the ledger: a sweep that
was killed continues where it stopped.
"""

import time
from collections import Counter, deque
from collections.abc import Sequence
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

from memopolis.sim.errors import MemopolisError, ReplicationError, RunFolderError
from memopolis.sim.executors.named import opened
from memopolis.sim.files import links_below, refuse_links, refuse_outer_links, writing_to
from memopolis.sim.progress import RunProgress
from memopolis.sim.sweep.run_ledger import RunLedger
from memopolis.sim.sweep.worker import RunEnding, RunTask, make_run

MOST_TRIES = 3  # maximum number of tries of a run whose process is killed each time

_PER_WORKER = 2  # runs submitted to the executor per worker
_RELEASE_TIME = 1.0  # maximum time in seconds until the locks of a killed process are released
_PAUSE = 0.5  # seconds between two checks of runs claimed by other processes


def execute_runs(
    tasks: Sequence[RunTask],
    *,
    executor: Executor | str = "processes",
    workers: int | None = None,
    retry_failed: bool = False,
    progress: RunProgress | None = None,
) -> None:
    """Execute all runs that are not done yet, and record their status in the ledger.

    Executor and workers are those of `opened`. With `retry_failed`, runs that failed before are
    retried. `progress` is called after each run with the numbers of runs succeeded, failed and in
    total. Raises RunFolderError if the folder cannot be written, ReplicationError if the executor
    fails, or KeyboardInterrupt if the user stopped it.
    """
    loop = _Loop(tasks, retry_failed=retry_failed, progress=progress)
    loop.report()
    if not loop.waiting:
        return
    count = min(workers, len(loop.waiting)) if workers is not None else None
    with opened(executor, count) as (opened_executor, at_once):
        loop.run(opened_executor, _PER_WORKER * at_once)


class _Loop:
    """Track the runs that wait, that were submitted, and that have ended."""

    def __init__(
        self, tasks: Sequence[RunTask], *, retry_failed: bool, progress: RunProgress | None
    ) -> None:
        self.waiting: deque[RunTask] = deque()
        self._elsewhere: list[RunTask] = []
        self._submitted: dict[Future[RunEnding], RunTask] = {}
        self._ledgers = {task.sweep: RunLedger(task.sweep) for task in tasks}
        self._deaths: Counter[str] = Counter()
        self._counts: Counter[str] = Counter()
        self._total = len(tasks)
        self._progress = progress
        for task in tasks:
            entry = self._ledgers[task.sweep].entry(task.run)
            if entry.status == "succeeded" or (entry.status == "failed" and not retry_failed):
                self._counts[entry.status] += 1
            else:
                self.waiting.append(replace(task, tries=entry.tries))

    def report(self) -> None:
        """Report the progress."""
        if self._progress is not None:
            self._progress(self._counts["succeeded"], self._counts["failed"], self._total)

    def run(self, executor: Executor, most: int) -> None:
        """Execute the waiting runs, and wait for runs that other processes execute."""
        try:
            while self.waiting or self._submitted or self._elsewhere:
                while self.waiting and len(self._submitted) < most:
                    task = self.waiting.popleft()
                    try:
                        self._submitted[executor.submit(make_run, task)] = task
                    except (BrokenExecutor, RuntimeError) as error:
                        raise ReplicationError(_describe_failure(error)) from None
                if self._submitted:
                    self._collect_finished(_PAUSE if self._elsewhere else None)
                else:
                    time.sleep(_PAUSE)
                self._take_over()
        finally:
            for future in self._submitted:
                future.cancel()

    def _collect_finished(self, timeout: float | None) -> None:
        for future in wait(self._submitted, timeout, return_when=FIRST_COMPLETED).done:
            task = self._submitted.pop(future)
            try:
                ending = future.result()
            except CancelledError as error:
                raise ReplicationError(_describe_failure(error)) from None
            except MemopolisError:
                raise
            except Exception as error:  # noqa: BLE001 - any error of an executor for a lost worker
                ending = self._handle_death(task, error)
            self._record_ending(task, ending)

    def _record_ending(self, task: RunTask, ending: RunEnding) -> None:
        match ending.ending:
            case "succeeded" | "failed":
                self._counts[ending.ending] += 1
                self.report()
            case "elsewhere":
                self._elsewhere.append(task)
            case "impossible":
                raise RunFolderError(ending.error)
            case "killed":
                self.waiting.appendleft(task)
            case "interrupted":
                raise KeyboardInterrupt

    def _handle_death(self, task: RunTask, error: Exception) -> RunEnding:
        """Handle the death of a run's process: retry the run, up to `MOST_TRIES` times."""
        self._deaths[task.folder] += 1
        tries = self._deaths[task.folder]
        reason = "its process was killed"
        if not isinstance(error, BrokenExecutor):
            reason = f"{reason} ({type(error).__name__}: {' '.join(str(error).split())})"
        ledger = self._ledgers[task.sweep]
        over = tries >= MOST_TRIES
        if over:
            reason = f"{reason} {tries} times, perhaps for lack of memory"
        # A process that ends frees its locks a moment after its pipes.
        deadline = time.monotonic() + _RELEASE_TIME
        while ledger.is_claimed(task.run) and time.monotonic() < deadline:
            time.sleep(_RELEASE_TIME / 100)
        with ledger.claim(task.run) as is_claimed:
            # Another sweep in this folder may have claimed it meanwhile.
            if not is_claimed:
                return RunEnding("elsewhere")
            # It may have been killed after the run ended, before the result was sent.
            if ledger.entry(task.run).status == "succeeded":
                return RunEnding("succeeded")
            ledger.note(task.run, "failed" if over else "interrupted", error=reason)
        return RunEnding("failed" if over else "killed", reason)

    def _take_over(self) -> None:
        """Count runs that other processes finished, and execute runs that they abandoned."""
        still = []
        for task in self._elsewhere:
            ledger = self._ledgers[task.sweep]
            entry = ledger.entry(task.run)
            if entry.status == "succeeded" or (
                entry.status == "failed" and entry.tries > task.tries
            ):
                self._counts[entry.status] += 1
                self.report()
            elif ledger.is_claimed(task.run):
                still.append(task)
            else:
                self.waiting.append(task)
        self._elsewhere = still


def make_ledger(sweep: str | Path) -> None:
    """Create the folder of a ledger, and check before any run that it can be written."""
    refuse_outer_links(Path(sweep), top_only=True)
    folder = Path(sweep, "ledger")
    refuse_links(*links_below(folder), *links_below(Path(sweep, "failures")))
    with writing_to(Path(sweep)):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise RunFolderError(f"{folder} cannot be created: a file is in its place") from None
        probe = folder / ".probe"
        probe.touch()
        probe.unlink(missing_ok=True)


def _describe_failure(error: BaseException) -> str:
    reason = " ".join(str(error).split()) or type(error).__name__
    return f"the executor failed ({reason}); finished runs are kept: repeat the call to continue"
