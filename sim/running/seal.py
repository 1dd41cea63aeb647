"""Seal a manifest with a checksum in its last line, to detect edits and damage."""

import re
from pathlib import Path
from zlib import crc32

_SEAL = ',\n "crc32": "{}"\n}}\n'
_SEALED = re.compile(rb'(.*),\n "crc32": "([0-9a-f]{8})"\n}\n', re.DOTALL)


def sealed(text: str) -> str:
    """Append a checksum of the text before it to a JSON object, as its last entry.

    Args:
        text: A JSON object with at least one entry, whose closing brace is on its own line.
    """
    body = text.removesuffix("\n}\n")
    return body + _SEAL.format(f"{crc32(body.encode()):08x}")


def seal_problem(path: Path) -> str:
    """Describe in a few words how a sealed file was changed; "" if it was not.

    Raises:
        OSError: If the file cannot be read.
    """
    content = path.read_bytes().replace(b"\r\n", b"\n")  # Windows line ends
    match = _SEALED.fullmatch(content)
    if match is None:
        return "its last line has no checksum"
    actual = f"{crc32(match[1]):08x}"
    written = match[2].decode()
    return "" if actual == written else f"its checksum is {actual}, {written} was written"
