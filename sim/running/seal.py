"""The checksum in the last line of a manifest, by which a changed or damaged one is found."""

import re
from pathlib import Path
from zlib import crc32

_SEAL = ',\n "crc32": "{}"\n}}\n'
_SEALED = re.compile(rb'(.*),\n "crc32": "([0-9a-f]{8})"\n}\n', re.DOTALL)


def sealed(text: str) -> str:
    """Add the checksum of all that comes before it to a JSON object, as its last entry.

    Args:
        text: An object with at least one entry that ends in a line of its own.
    """
    body = text.removesuffix("\n}\n")
    return body + _SEAL.format(f"{crc32(body.encode()):08x}")


def seal_problem(path: Path) -> str:
    """Say in a few words why a sealed file is not what was written; "" if it is.

    Raises:
        OSError: If it cannot be read.
    """
    content = path.read_bytes().replace(b"\r\n", b"\n")  # as Windows writes lines
    match = _SEALED.fullmatch(content)
    if match is None:
        return "its last line holds no checksum"
    found = f"{crc32(match[1]):08x}"
    written = match[2].decode()
    return "" if found == written else f"its checksum is {found}, {written} was written"
