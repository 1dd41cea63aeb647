"""The ledger of a sweep: the status of each run.

    ledger/<run>.jsonl   one line for each change of status, append-only
    ledger/<run>.lock    held by the process that executes the run, freed by the system if it dies

Each run has its own file, and only the process that holds its lock writes to it. Any number of
processes, on one or many machines that share the folder, can therefore work on one sweep.
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
from memopolis.sim.files import write_whole

type Status = Literal["pending", "running", "succeeded", "failed", "interrupted"]

STATUSES: tuple[str, ...] = get_args(Status.__value__)
"""Statuses of a run; a run without a line in the ledger is pending."""

NO_NUMBER = float("nan")
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT
_FLAGS |= getattr(os, "O_NOFOLLOW", 0)  # never appends to the target of a link
_FLAGS |= getattr(os, "O_BINARY", 0)  # keeps Windows from writing "\r\n"
_DAMAGED = (ValueError, TypeError, AttributeError, RecursionError)  # errors raised by damaged lines


@dataclass(frozen=True)
class RunEntry:
    """Entry of one run in the ledger."""

    status: Status = "pending"  # last status of the run
    at: str = ""  # date and time of that status, in ISO format
    tries: int = 0  # number of times a process started or resumed the run
    seconds: float = NO_NUMBER  # duration of the last try, NaN if it did not succeed
    step_seconds: float = NO_NUMBER  # time of it inside `Society.step`
    outcomes: Mapping[str, float] = field(default_factory=dict)  # values of the outcomes by name
    error: str = ""  # error of a failed run, in one line


class RunLedger:
    """Read and write the statuses of the runs of one sweep, in its folder `ledger/`."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder) / "ledger"

    def entries(self) -> dict[str, RunEntry]:
        """Return all entries by name; a running run whose lock is free was interrupted."""
        return {name: self.entry(name) for name in self.names()}

    def names(self) -> list[str]:
        """Return the names of all runs that were ever started."""
        return sorted(path.stem for path in self.folder.glob("*.jsonl"))

    def entry(self, run: str) -> RunEntry:
        """Return the entry of one run, see `entries`."""
        entry = entry_of(self.lines(run))
        if entry.status == "running" and not self.is_claimed(run):
            # The run may have ended between the two checks.
            entry = entry_of(self.lines(run))
            if entry.status == "running":
                error = "its process was killed"
                return RunEntry("interrupted", entry.at, entry.tries, error=error)
        return entry

    def lines(self, run: str) -> list[dict[str, Any]]:
        """Return all lines of a run, oldest first, without damaged ones."""
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
        """Append a new status of a run, with times in seconds and an error of one line."""
        facts: dict[str, Any] = {"seconds": seconds, "step_seconds": step_seconds, "error": error}
        if outcomes is not None:  # JSON has no NaN
            facts["outcomes"] = {n: None if math.isnan(v) else v for n, v in outcomes.items()}
        known = {name: fact for name, fact in facts.items() if fact is not None}
        at = datetime.now().astimezone().isoformat(timespec="milliseconds")
        self._add(run, {"status": status, "at": at, **known})

    def write_all(self, run: str, lines: Sequence[Mapping[str, Any]]) -> None:
        """Replace all lines of a run, which must be claimed; the old lines are kept on an error."""
        text = "".join(json.dumps(line) + "\n" for line in lines)
        write_whole(self.folder / f"{run}.jsonl", text)

    @contextmanager
    def claim(self, run: str) -> Iterator[bool]:
        """Claim a run, so that no other process executes it; yield False if another one does."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{run}.lock"
        lock = locks.take(path)
        if lock is None:
            yield False
            return
        try:
            yield True
        finally:
            # A process that claims it later creates a new lock and finds the run done.
            if entry_of(self.lines(run)).status == "succeeded":
                with suppress(OSError):
                    path.unlink(missing_ok=True)
            lock.release()

    def is_claimed(self, run: str) -> bool:
        """Whether a process has claimed a run, see `locks.is_held`."""
        return locks.is_held(self.folder / f"{run}.lock")

    def _add(self, run: str, line: Mapping[str, Any]) -> None:
        """Append a line in a single write, after a line that a killed process may have torn."""
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
    """Summarize the lines of one run: the last status, and the number of tries."""
    if not lines:
        return RunEntry()
    last = lines[-1]
    return RunEntry(
        status=last["status"],
        at=str(last.get("at", "")),
        tries=sum(line["status"] == "running" for line in lines),
        seconds=float(last.get("seconds", NO_NUMBER)),
        step_seconds=float(last.get("step_seconds", NO_NUMBER)),
        outcomes={
            name: NO_NUMBER if value is None else float(value)
            for name, value in last.get("outcomes", {}).items()
        },
        error=str(last.get("error", "")),
    )


def _read(written: bytes) -> Iterator[dict[str, Any]]:
    for line in written.split(b"\n"):
        with suppress(*_DAMAGED):
            content = json.loads(line)
            if isinstance(content, dict) and content.get("status") in STATUSES:
                entry_of([content])
                yield content
