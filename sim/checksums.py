"""Size and CRC-32 of files, to detect damage; they do not protect against forgery.

A sealed JSON file begins with its format and the checksum of the rest:

{"format": 3, "crc32": "9ae0daaf", "memory":
{...}}
"""

import json
import re
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from memopolis.sim.errors import RunFolderError
from memopolis.sim.files import synced

_AT_ONCE = 1 << 20


class FileRecord(NamedTuple):
    """Size in bytes of a file when it was written, and its CRC-32 as eight hexadecimal digits."""

    size: int
    crc32: str

    def problem(self, actual: "FileRecord") -> str:
        """Return how an actual record differs, "" if it does not."""
        if actual.size != self.size:
            return f"has {actual.size:,} bytes, {self.size:,} were written"
        if actual.crc32 != self.crc32:
            return f"has the checksum {actual.crc32}, {self.crc32} was written"
        return ""


def record_of(content: Any) -> FileRecord:
    """Return the record of bytes or an Arrow buffer."""
    return FileRecord(len(content), f"{crc32(content):08x}")


def record_of_file(path: Path) -> FileRecord:
    """Return the record of a file on disk."""
    size = checksum = 0
    with path.open("rb") as file:
        while piece := file.read(_AT_ONCE):
            size, checksum = size + len(piece), crc32(piece, checksum)
    return FileRecord(size, f"{checksum:08x}")


_FORMAT = re.compile(rb'\{\s*"format": (\d{1,9}),')  # as earlier formats begin, too
_HEAD = re.compile(rb'\{"format": \d+, "crc32": "([0-9a-f]{8})", "([a-z]+)":\n')
_TAIL = b"}\n"


def write_sealed(path: Path, content: dict[str, Any], *, version: int, key: str) -> None:
    """Write plain values under a key, and sync the file to disk."""
    body = json.dumps(content).encode()
    head = f'{{"format": {version}, "crc32": "{record_of(body).crc32}", "{key}":\n'.encode()
    with path.open("wb") as file:
        file.write(head + body + _TAIL)
        file.flush()
        synced(file.fileno())


def read_sealed(path: Path, *, version: int, key: str) -> dict[str, Any]:
    """Read the plain values of `write_sealed`.

    Raises RunFolderError if the file is damaged, or has another format, or OSError.
    """
    text = path.read_bytes()
    begin, head = _FORMAT.match(text), _HEAD.match(text)
    if begin is not None and int(begin[1]) != version:
        raise RunFolderError(
            f"{path.name} has format {int(begin[1])}; this version reads {version}"
        )
    if head is None or head[2] != key.encode() or not text.endswith(_TAIL):
        raise RunFolderError(f"{path.name} is broken: it lacks its format and its checksum")
    body = text[head.end() : -len(_TAIL)]
    if problem := FileRecord(len(body), head[1].decode()).problem(record_of(body)):
        raise RunFolderError(f"{path.name} {problem}")
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise RunFolderError(f"{path.name} is broken: it is not a JSON object")
    return content
