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
