"""JSON in a file that begins with its format and the checksum of the rest, so damage is noticed.

{"format": 3, "crc32": "9ae0daaf", "memory":
{...}}
"""

import json
import re
from pathlib import Path
from typing import Any

from memopolis.sim.checksums import FileRecord, record_of
from memopolis.sim.errors import RunFolderError
from memopolis.sim.files import synced

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
