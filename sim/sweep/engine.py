"""Execute the runs of a sweep on any executor.

Runs whose row is finished are skipped. Only about two runs per worker are submitted at a time, so
that ctrl-C stops soon and this process needs little memory. All state is in the folder of the
sweep: a sweep that was killed continues where it stopped.
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

from memopolis.sim.errors import MemopolisError, ReplicationError, RunFolderError
from memopolis.sim.executors.named import opened
from memopolis.sim.progress import RunProgress
from memopolis.sim.sweep.rows import claim, is_claimed, read_row, write_row
from memopolis.sim.sweep.worker import Ending, RunEnding, RunTask, make_run

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
    """Execute all runs that are not done yet, and record how they ended in their rows.

    Executor and workers are those of `opened`. With `retry_failed`, runs that failed before are
    retried. `progress` is called after each run with the numbers of runs succeeded, failed and in
    total. Raises RunFolderError if the folder cannot be written, ReplicationError if the executor
    fails, or KeyboardInterrupt if the user stopped it.
    """
    counts: Counter[str] = Counter()
    waiting: deque[RunTask] = deque()
    for task in tasks:
        row = read_row(task.sweep, task.run)
        if row.status == "succeeded" or (row.status == "failed" and not retry_failed):
            counts[row.status] += 1
        else:
            waiting.append(replace(task, tries=row.tries))

    def report(*ended: str) -> None:
        counts.update(ended)
        if progress is not None:
            progress(counts["succeeded"], counts["failed"], len(tasks))

    report()
    if waiting:
        count = min(workers, len(waiting)) if workers is not None else None
        with opened(executor, count) as (opened_executor, at_once):
            _execute(waiting, opened_executor, _PER_WORKER * at_once, report)


def _execute(
    waiting: deque[RunTask], executor: Executor, most: int, report: Callable[[str], None]
) -> None:
    """Execute the waiting runs, and wait for runs that other sweeps in the folder execute."""
    submitted: dict[Future[RunEnding], RunTask] = {}
    elsewhere: list[RunTask] = []
    deaths: Counter[str] = Counter()
    try:
        while waiting or submitted or elsewhere:
            if not (waiting or submitted):
                time.sleep(_PAUSE)
                waiting.extend(elsewhere)
                elsewhere.clear()
            while waiting and len(submitted) < most:
                task = waiting.popleft()
                submitted[_submit(executor, task)] = task
            for future in wait(submitted, return_when=FIRST_COMPLETED).done:
                task = submitted.pop(future)
                ending = _ending_of(future, task, deaths)
                if ending == "elsewhere":
                    elsewhere.append(task)
                elif ending == "killed":
                    waiting.appendleft(task)
                else:
                    report(ending)
    finally:
        for future in submitted:
            future.cancel()


def _submit(executor: Executor, task: RunTask) -> Future[RunEnding]:
    try:
        return executor.submit(make_run, task)
    except (BrokenExecutor, RuntimeError) as error:
        raise _failure_of(error) from None


def _ending_of(future: Future[RunEnding], task: RunTask, deaths: Counter[str]) -> Ending:
    try:
        ending = future.result()
    except CancelledError as error:
        raise _failure_of(error) from None
    except MemopolisError:
        raise
    except Exception as error:  # noqa: BLE001 - any error of an executor for a lost worker
        deaths[task.folder] += 1
        return _handle_death(task, error, deaths[task.folder])
    if ending.ending == "impossible":
        raise RunFolderError(ending.error)
    if ending.ending == "interrupted":
        raise KeyboardInterrupt
    return ending.ending


def _handle_death(task: RunTask, error: Exception, deaths: int) -> Ending:
    """Handle the death of a run's process: retry the run, up to `MOST_TRIES` times."""
    # A process that ends frees its locks a moment after its pipes.
    deadline = time.monotonic() + _RELEASE_TIME
    while is_claimed(task.sweep, task.run) and time.monotonic() < deadline:
        time.sleep(_RELEASE_TIME / 100)
    if deaths < MOST_TRIES:
        return "killed"
    with claim(task.sweep, task.run) as is_own:
        if not is_own:
            return "elsewhere"
        row = read_row(task.sweep, task.run)
        if row.status == "succeeded":  # it was killed after its end, before it sent the result
            return "succeeded"
        reason = f"its process was killed {deaths} times, perhaps for lack of memory"
        if not isinstance(error, BrokenExecutor):
            reason = f"{reason} ({type(error).__name__}: {' '.join(str(error).split())})"
        write_row(task.sweep, task.run, replace(row, status="failed", error=reason))
    return "failed"


def _failure_of(error: BaseException) -> ReplicationError:
    reason = " ".join(str(error).split()) or type(error).__name__
    return ReplicationError(
        f"the executor failed ({reason}); finished runs are kept: repeat the call to continue"
    )
