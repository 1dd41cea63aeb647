"""Size and CRC-32 of files, to detect damage; they do not protect against forgery."""

from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

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
