"""The ledger of runs: what became of each run of a sweep, kept where its folders lie.

    ledger/<run>.jsonl   a line for each change of status, only ever added to
    ledger/<run>.lock    held by the process that makes the run, freed by the system if it dies

A run has a file of its own, and only who holds its lock writes there; so any number of
processes, on one machine or on many that share the folder, can work on one sweep.
"""

import errno
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, get_args

from memopolis.sim import locks
from memopolis.sim.errors import RunFolderError, reason_of
from memopolis.sim.whole_file import write_whole

type Status = Literal["pending", "running", "succeeded", "failed", "interrupted"]

STATUSES: tuple[str, ...] = get_args(Status.__value__)
"""What may become of a run; one of which nothing is written is pending."""

NO_NUMBER = float("nan")
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT
_FLAGS |= getattr(os, "O_NOFOLLOW", 0)  # a line is never added to what a link points to
_FLAGS |= getattr(os, "O_BINARY", 0)  # keeps Windows from writing two bytes for a line's end
_DAMAGED = (ValueError, TypeError, AttributeError, RecursionError)
"""What reading a line raises that was torn or written over."""


@dataclass(frozen=True)
class RunEntry:
    """What the ledger says of one run.

    Attributes:
        status: What became of it last.
        at: When that was, in ISO form.
        tries: How often a process began or went on with it.
        seconds: How long the last process took for it, NaN if it did not succeed.
        step_seconds: How much of that passed inside `Society.step`.
        outcomes: What it came to, by outcome.
        error: What it failed of, in one line.
    """

    status: Status = "pending"
    at: str = ""
    tries: int = 0
    seconds: float = NO_NUMBER
    step_seconds: float = NO_NUMBER
    outcomes: Mapping[str, float] = field(default_factory=dict)
    error: str = ""


class RunLedger:
    """What became of the runs of one sweep.

    Args:
        folder: The sweep's folder; its ledger lies in `ledger/` there.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder) / "ledger"

    def entries(self) -> dict[str, RunEntry]:
        """What is known of each run that was ever begun, by name.

        One that says that it is running though nobody holds its lock was killed: it is given
        as interrupted.
        """
        return {name: self.entry(name) for name in self.names()}

    def names(self) -> list[str]:
        """Every run that was ever begun."""
        return sorted(path.stem for path in self.folder.glob("*.jsonl"))

    def entry(self, run: str) -> RunEntry:
        """What is known of one run, see `entries`."""
        told = entry_of(self.lines(run))
        if told.status == "running" and not self.is_claimed(run):
            # Between the two looks its owner may have come to the end of it.
            told = entry_of(self.lines(run))
            if told.status == "running":
                return _interrupted(told)
        return told

    def lines(self, run: str) -> list[dict[str, Any]]:
        """All that was ever written of a run, the oldest first; what is torn is left out."""
        try:
            written = (self.folder / f"{run}.jsonl").read_bytes()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise RunFolderError(f"{self.folder} cannot be read: {reason_of(error)}") from None
        return list(_read(written))

    def note(
        self,
        run: str,
        status: Status,
        *,
        seconds: float | None = None,
        step_seconds: float | None = None,
        outcomes: Mapping[str, float] | None = None,
        error: str | None = None,
    ) -> None:
        """Write what has become of a run.

        Args:
            run: Its name.
            status: Its new status.
            seconds: How long it took.
            step_seconds: How much of that passed inside `Society.step`.
            outcomes: What it came to, by outcome.
            error: What it failed of, in one line.

        Raises:
            OSError: If it cannot be written.
        """
        facts = {
            "seconds": seconds,
            "step_seconds": step_seconds,
            "outcomes": None if outcomes is None else _plain(outcomes),
            "error": error,
        }
        told = {name: fact for name, fact in facts.items() if fact is not None}
        at = datetime.now().astimezone().isoformat(timespec="milliseconds")
        self._add(run, {"status": status, "at": at, **told})

    def write_all(self, run: str, lines: Sequence[Mapping[str, Any]]) -> None:
        """Write anew all that is known of a run, which must be claimed.

        Raises:
            OSError: If it cannot be written; what stood there stays then.
        """
        told = "".join(json.dumps(line) + "\n" for line in lines)
        write_whole(self.folder / f"{run}.jsonl", told)

    @contextmanager
    def claim(self, run: str) -> Iterator[bool]:
        """Hold a run, so that nobody else makes it at the same time.

        Yields:
            Whether it is held; not if another process holds it.

        Raises:
            OSError: If no lock can be made there.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{run}.lock"
        lock = locks.take(path)
        if lock is None:
            yield False
            return
        try:
            yield True
        finally:
            # Who comes now makes a new lock and finds that nothing is left to do.
            if entry_of(self.lines(run)).status == "succeeded":
                with suppress(OSError):
                    path.unlink(missing_ok=True)
            lock.release()

    def is_claimed(self, run: str) -> bool:
        """Whether a process holds a run now, see `locks.is_held`."""
        return locks.is_held(self.folder / f"{run}.lock")

    def _add(self, run: str, line: Mapping[str, Any]) -> None:
        """Add a line in one write, below what a writer that was killed may have torn."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{run}.jsonl"
        number = os.open(path, _FLAGS, 0o666)
        try:
            size = os.fstat(number).st_size
            os.lseek(number, max(size - 1, 0), os.SEEK_SET)
            torn = os.read(number, 1) not in {b"", b"\n"}
            added = (("\n" if torn else "") + json.dumps(line) + "\n").encode()
            if os.write(number, added) < len(added):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        finally:
            os.close(number)


def entry_of(lines: Sequence[Mapping[str, Any]]) -> RunEntry:
    """What the lines of one run come to: the last counts, tries are those that began."""
    if not lines:
        return RunEntry()
    last = lines[-1]
    return RunEntry(
        status=last["status"],
        at=str(last.get("at", "")),
        tries=sum(line["status"] == "running" for line in lines),
        seconds=float(last.get("seconds", NO_NUMBER)),
        step_seconds=float(last.get("step_seconds", NO_NUMBER)),
        outcomes={name: _number(value) for name, value in last.get("outcomes", {}).items()},
        error=str(last.get("error", "")),
    )


def _interrupted(told: RunEntry) -> RunEntry:
    return RunEntry("interrupted", told.at, told.tries, error="its process was killed")


def _plain(outcomes: Mapping[str, float]) -> dict[str, float | None]:
    """Outcomes as JSON knows them: there is no NaN."""
    return {name: None if math.isnan(value) else value for name, value in outcomes.items()}


def _number(value: float | None) -> float:
    return NO_NUMBER if value is None else float(value)


def _read(written: bytes) -> Iterator[dict[str, Any]]:
    for line in written.split(b"\n"):
        with suppress(*_DAMAGED):
            told = json.loads(line)
            if isinstance(told, dict) and told.get("status") in STATUSES:
                entry_of([told])
                yield told
