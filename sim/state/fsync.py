"""Waiting until the disk has what was written."""

import os
from pathlib import Path


def synced(descriptor: int) -> None:
    """Wait until the disk has what was written to an open file."""
    os.fsync(descriptor)


def synced_folder(folder: Path) -> None:
    """Wait until the disk has the names in a folder, where the system can do that."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
