"""Hashes of the files that a run rests on, which its manifest keeps."""

import hashlib
from functools import cache
from pathlib import Path


def hash_of_file(path: str | Path) -> str:
    """SHA-256 of what a file holds."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


@cache
def hash_of_shipped(path: Path) -> str:
    """As `hash_of_file`, of a file that ships with the package: read once a process."""
    return hash_of_file(path)


@cache
def shipped_tables(folder: Path) -> tuple[Path, ...]:
    """The CSV files in a folder of the package, and below it, sorted; listed once a process."""
    return tuple(sorted(folder.rglob("*.csv")))
