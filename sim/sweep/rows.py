"""The rows of a sweep: status, tries, times, outcomes and error of each run that was begun.

    rows/<run>.json   replaced when the run begins and when it ends
    rows/<run>.lock   held by the process that executes the run, freed by the system if it dies

Only the process that holds the lock of a run writes its row. Any number of processes, on one or
many machines that share the folder, can therefore work on one sweep.
"""

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import BeforeValidator, TypeAdapter, ValidationError

from memopolis.sim import locks
from memopolis.sim.errors import RunFolderError, reason_of
from memopolis.sim.files import (
    links_below,
    refuse_links,
    refuse_outer_links,
    write_whole,
    writing_to,
)

ROWS = "rows"  # folder of the rows, in the folder of the sweep
FAILURES = "failures"  # folder of the tracebacks of failed runs

type Status = Literal["pending", "running", "succeeded", "failed", "interrupted"]
STATUSES: tuple[str, ...] = get_args(Status.__value__)

# JSON has no NaN, so it is written as null.
type _Number = Annotated[
    float, BeforeValidator(lambda number: math.nan if number is None else number)
]


@dataclass(frozen=True)
class RunRow:
    """Row of one run."""

    status: Status = "pending"
    tries: int = 0  # number of times a process started or resumed the run
    seconds: _Number = math.nan  # duration of the last try, NaN if it did not succeed
    step_seconds: _Number = math.nan  # time of it inside `Society.step`
    outcomes: Mapping[str, _Number] = field(default_factory=dict)  # values by name of the outcome
    error: str = ""  # error of a failed or interrupted run, in one line


_JSON = TypeAdapter(RunRow)


def make_rows(sweep: str | Path) -> None:
    """Create the folder of the rows, and check before any run that it can be written."""
    home, folder = Path(sweep), Path(sweep, ROWS)
    refuse_outer_links(home, top_only=True)
    refuse_links(*links_below(folder), *links_below(home / FAILURES))
    with writing_to(home):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise RunFolderError(f"{folder} cannot be created: a file is in its place") from None
        probe = folder / ".probe"
        probe.touch()
        probe.unlink(missing_ok=True)


def read_row(sweep: str | Path, run: str) -> RunRow:
    """Return the row of a run; pending without one, interrupted if its process was killed."""
    row = _read(sweep, run)
    if row.status == "running" and not is_claimed(sweep, run):
        row = _read(sweep, run)  # it may have ended between the two checks
        if row.status == "running":
            return replace(row, status="interrupted", error="its process was killed")
    return row


def write_row(sweep: str | Path, run: str, row: RunRow) -> None:
    """Replace the row of a run, which must be claimed; the old row is kept on an error."""
    write_whole(Path(sweep, ROWS, f"{run}.json"), _JSON.dump_json(row).decode() + "\n")


def run_names(sweep: str | Path) -> list[str]:
    """Return the names of all runs that were ever begun."""
    return sorted(path.stem for path in Path(sweep, ROWS).glob("*.json"))


@contextmanager
def claim(sweep: str | Path, run: str) -> Iterator[bool]:
    """Claim a run, so that no other process executes it; yield False if another one does."""
    path = Path(sweep, ROWS, f"{run}.lock")
    lock = locks.take(path)
    if lock is None:
        yield False
        return
    try:
        yield True
    finally:
        # A process that claims it later creates a new lock and finds the run done.
        if _read(sweep, run).status == "succeeded":
            with suppress(OSError):
                path.unlink(missing_ok=True)
        lock.release()


def is_claimed(sweep: str | Path, run: str) -> bool:
    """Whether a process has claimed a run, see `locks.is_held`."""
    return locks.is_held(Path(sweep, ROWS, f"{run}.lock"))


def _read(sweep: str | Path, run: str) -> RunRow:
    try:
        return _JSON.validate_json(Path(sweep, ROWS, f"{run}.json").read_bytes())
    except (FileNotFoundError, ValidationError):  # a damaged row is repeated like a missing one
        return RunRow()
    except OSError as error:
        raise RunFolderError(f"{sweep} cannot be read: {reason_of(error)}") from None
