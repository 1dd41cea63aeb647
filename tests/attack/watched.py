"""Folders that a command must not touch: what is in them, and what was opened there."""

import ctypes
import hashlib
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_HEADER = struct.Struct("iIII")
_EVENTS = {
    0x2: "changed",
    0x20: "opened",
    0x40: "moved",
    0x80: "moved",
    0x100: "created",
    0x200: "deleted",
}
"""Events of inotify, which only Linux has, and the words for them."""


def content_of(folder: Path) -> dict[str, str]:
    """Return a hash of every file below a folder, by path; links are not followed."""
    return {path.relative_to(folder).as_posix(): _hash(path) for path in sorted(folder.rglob("*"))}


def _hash(path: Path) -> str:
    if path.is_symlink():
        return f"link to {path.readlink()}"
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"


def changes(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """Return what is different between two results of `content_of`."""
    words = []
    for path in sorted({*before, *after}):
        if path not in after:
            words.append(f"{path} was deleted")
        elif path not in before:
            words.append(f"{path} was created")
        elif before[path] != after[path]:
            words.append(f"{path} was changed")
    return words


@contextmanager
def opened_in(folder: Path) -> Iterator[list[str]]:
    """Record which files below a folder are opened, changed, created or deleted meanwhile.

    Yields:
        A list that is filled when the context ends, such as "news.csv was opened".
    """
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    if descriptor < 0:
        raise OSError(ctypes.get_errno(), "inotify_init1 failed")
    places = {
        libc.inotify_add_watch(descriptor, os.fsencode(place), sum(_EVENTS)): place
        for place in (folder, *(path for path in folder.rglob("*") if path.is_dir()))
    }
    events: list[str] = []
    try:
        yield events
        events += dict.fromkeys(_read(descriptor, places, folder))
    finally:
        os.close(descriptor)


def _read(descriptor: int, places: dict[int, Path], folder: Path) -> Iterator[str]:
    while True:
        try:
            data = os.read(descriptor, 1 << 16)
        except BlockingIOError:
            return
        while data:
            place, mask, _, length = _HEADER.unpack_from(data)
            name = data[_HEADER.size : _HEADER.size + length].rstrip(b"\0").decode()
            path = (places[place] / name).relative_to(folder)
            data = data[_HEADER.size + length :]
            for bit, word in _EVENTS.items():
                if mask & bit:
                    yield f"{path} was {word}"
