"""Record the size and checksum of each file of a run, to detect damaged, missing or extra files.

The manifest of a run that has ended and the position in each checkpoint have an entry `files`: the
path of each file within the run's folder, its size in bytes and its CRC-32.

    {"tables/memories/part-00000.parquet": [48211, "9ae0daaf"], "memory/citizen.parquet": ...}

Sizes are compared whenever a run is read, which takes microseconds per file; checksums when a run
is continued, forked or verified. A CRC-32 detects damage but does not protect against forgery.
"""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memopolis.sim.checksums import FileRecord, record_of_file
from memopolis.sim.errors import RunFolderError, reason_of
from memopolis.sim.run_folder.manifest import MANIFEST
from memopolis.sim.state.checkpoints import checkpoints_of
from memopolis.sim.state.saving import read_plain
from memopolis.sim.state.state import State

_OF_DATA = re.compile(r"tables/[^/\\:\0]+/part-\d{5,}\.parquet|memory/[^/\\:\0]+\.parquet")
_KNOWN = re.compile(_OF_DATA.pattern + r"|timings/(timings\.json|model_calls\.parquet)")


type Records = dict[str, FileRecord]
"""Records by path within the run's folder, separated by slashes."""


@dataclass(frozen=True)
class Finding:
    """A finding about one file of a run.

    Attributes:
        path: Path within the folder of the run, or of a verified sweep, separated by slashes.
        text: Description, such as "is missing".
        is_damage: Whether the run is damaged, or the finding is only a note.
        is_extra: Whether the file was not written by the run.
    """

    path: str
    text: str
    is_damage: bool = True
    is_extra: bool = False

    def __str__(self) -> str:
        return f"{self.path} {self.text}"


def part_path(table: str, number: int) -> str:
    """Return the path of a part of a table within the run's folder."""
    return f"tables/{table}/part-{number:05d}.parquet"


def records_in(content: Mapping[str, Any], where: Path) -> Records:
    """Read the records in a manifest, or in the position of a checkpoint; `where` names it."""
    files = content.get("files")
    if not isinstance(files, dict):
        raise RunFolderError(f"{where} is broken: it lacks the sizes and checksums of its files")
    for path, record in files.items():
        match record:
            case [int(), str()] if _KNOWN.fullmatch(path) and ".." not in path.split("/"):
                continue
        raise RunFolderError(f"{where} is broken: files.{path} is not what a run writes there")
    return {path: FileRecord(*record) for path, record in files.items()}


def counts_of(records: Mapping[str, FileRecord]) -> dict[str, int]:
    """Return the number of parts of each table."""
    counts: dict[str, int] = {}
    for path in records:
        kind, name, *part = path.split("/")
        if kind == "tables" and part:
            counts[name] = counts.get(name, 0) + 1
    return counts


def size_problems(
    folder: Path, records: Mapping[str, FileRecord], *, others: bool = True
) -> Iterator[Finding]:
    """Yield tables and memories whose size differs from their record, and those without one."""
    sizes = _sizes(folder)
    for path, record in records.items():
        if not _OF_DATA.fullmatch(path):
            continue
        size = sizes.pop(path, None)
        if size is None:
            yield Finding(path, "is missing")
        elif size != record.size:
            yield Finding(path, f"has {size:,} bytes, {record.size:,} were written")
    if others:
        extra = "was not written by this run"
        yield from (Finding(path, extra, is_extra=True) for path in sorted(sizes))


def content_problem(
    folder: Path, path: str, *wanted: FileRecord, known: dict[str, FileRecord] | None = None
) -> Finding | None:
    """Compare the checksum of a file with its record; return the problem or None.

    There are several records if the file may be an older or a newer version. `known` are those of
    files that were read before; this one is added.
    """
    known = {} if known is None else known
    if not (folder / path).is_file():
        return Finding(path, "is missing")
    try:
        record = known[path] = known.get(path) or record_of_file(folder / path)
    except OSError as error:
        return Finding(path, f"cannot be read: {reason_of(error)}")
    if record in wanted:
        return None
    return Finding(path, wanted[0].problem(record))


def _sizes(folder: Path) -> dict[str, int]:
    """Return the sizes of all Parquet files in `tables/` and `memory/`; -1 for other entries."""
    sizes: dict[str, int] = {}
    tables = [f"tables/{path.name}" for path in (folder / "tables").glob("*")]
    for inner in ("memory", *tables):
        with suppress(OSError), os.scandir(folder / inner) as entries:
            for entry in entries:
                if entry.name.endswith(".parquet"):
                    size = entry.stat().st_size if entry.is_file() else -1
                    sizes[f"{inner}/{entry.name}"] = size
    return sizes


class IntegrityCheck:
    """Compare the files of a run, each once, with the checksums in manifest and checkpoints."""

    def __init__(self, folder: Path, manifest: Mapping[str, Any]) -> None:
        self._folder = folder
        self._manifest = manifest
        self._recorded = records_in(manifest, folder / MANIFEST)
        self._known: dict[str, FileRecord] = {}

    def problems(self) -> list[Finding]:
        """Compare all files listed in the manifest of a run that has ended, except timings."""
        recorded = {p: one for p, one in self._recorded.items() if not p.startswith("timings/")}
        wrong = [self._problem(path, record) for path, record in recorded.items()]
        extra = size_problems(self._folder, recorded)
        return [*filter(None, wrong), *(finding for finding in extra if finding.is_extra)]

    def timings_problems(self) -> list[Finding]:
        """Compare the files in `timings/`, which contain no results of the run."""
        timings = {p: one for p, one in self._recorded.items() if p.startswith("timings/")}
        return [*filter(None, (self._problem(path, one) for path, one in timings.items()))]

    def checkpoint_problems(self, plain: Mapping[str, Any]) -> list[Finding]:
        """Compare the parts of tables that a checkpoint with these plain values depends on."""
        records = _records_of(plain, self._folder)
        return [*filter(None, (self._problem(path, one) for path, one in records.items()))]

    def check(self, state: State) -> None:
        """Refuse a checkpoint of another run, or one that depends on damaged parts."""
        self.check_owner(state)
        if wrong := self.checkpoint_problems(state.plain):
            more = f" and {len(wrong) - 1:,} more" if len(wrong) > 1 else ""
            raise RunFolderError(
                f"the checkpoint of step {round(state.plain['time'])} in {self._folder} cannot be "
                f"used, since {wrong[0]}{more}"
            )

    def check_owner(self, state: State) -> None:
        """Refuse a checkpoint of a run with another seed or scenario."""
        saved, own = state.plain["seed"], self._manifest.get("seed")
        if state.plain["scenario"] != self._manifest.get("reference"):
            raise RunFolderError(
                f"the checkpoint of step {round(state.plain['time'])} in {self._folder} is of the "
                f"scenario {state.plain['scenario']!r}, not {self._manifest.get('reference')!r}"
            )
        if saved != own:
            raise RunFolderError(
                f"the checkpoint of step {round(state.plain['time'])} in {self._folder} is of a "
                f"run with the seed {saved}, not {own}"
            )

    def position(self, state: State) -> dict[str, Any]:
        """Return the position of a checked checkpoint with the current records of its files."""
        records = _records_of(state.plain, self._folder)
        return {**state.plain["position"], "files": {path: self._known[path] for path in records}}

    def _problem(self, path: str, record: FileRecord) -> Finding | None:
        # A static table such as the weather is rewritten when an order is issued or the run is
        # extended. The manifest records that before the file is replaced.
        other = self._recorded.get(path, record)
        return content_problem(self._folder, path, record, other, known=self._known)


def _records_of(plain: Mapping[str, Any], folder: Path) -> Records:
    position = plain.get("position")
    where = folder / "checkpoints"
    records = records_in(position if isinstance(position, dict) else {}, where)
    for table, count in counts_of(records).items():
        if any(part_path(table, number) not in records for number in range(count)):
            raise RunFolderError(f"{where} is broken: a part of the table {table} is not listed")
    return records


def check_files(folder: Path, manifest: Mapping[str, Any]) -> Records:
    """Refuse to read a run if the number or size of its files differs from its records.

    For a run that has not ended, the files that its newest checkpoint depends on are compared. This
    takes microseconds per file. Returns records of the files that were compared, by path.
    """
    records = records_in(manifest, folder / MANIFEST)
    if manifest.get("status") != "running":
        wrong = list(size_problems(folder, records))
    else:
        records, wrong = _of_newest(folder, records)
    if wrong:
        more = f", and {len(wrong) - 1:,} more files are damaged" if len(wrong) > 1 else ""
        raise RunFolderError(
            f"the run in {folder} is damaged: {wrong[0]}{more}. `memopolis verify {folder}` lists "
            f"everything, `memopolis resume {folder}` recreates lost parts"
        )
    return records


def _of_newest(folder: Path, recorded: Records) -> tuple[Records, list[Finding]]:
    """Return records and problems of the files that the newest checkpoint depends on."""
    checkpoints = checkpoints_of(folder)
    if not checkpoints:
        return {}, []
    try:
        records = _records_of(read_plain(checkpoints[-1].folder), folder)
    except RunFolderError:
        if checkpoints_of(folder)[-1:] == checkpoints[-1:]:
            raise
        return _of_newest(folder, recorded)  # it was replaced by a newer one meanwhile
    wrong = list(size_problems(folder, records, others=False))
    # Files rewritten since then have the size recorded in the manifest.
    again = {finding.path: recorded[finding.path] for finding in wrong if finding.path in recorded}
    still = {problem.path for problem in size_problems(folder, again, others=False)}
    return records, [
        finding for finding in wrong if finding.path not in again or finding.path in still
    ]
