"""Sync files and folders to disk."""

import os
from pathlib import Path


def synced(descriptor: int) -> None:
    """Sync an open file to disk."""
    os.fsync(descriptor)


def synced_folder(folder: Path) -> None:
    """Sync the entries of a folder to disk, if the system supports that."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
