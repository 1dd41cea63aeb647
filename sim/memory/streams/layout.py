"""The layout of memories in pages: columns, offsets and flags, and how the array of pages grows.

Arrays grow in place, in huge pages of the machine where Linux grants them.
"""

import mmap
import os
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from memopolis.sim.arrays import Array, Int32

PAGE = 32  # memories in a page
_LEAST_RESERVED = 1 << 20  # number of words from which addresses are reserved: 4 MB
_NO_RESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000)  # named from Python 3.13 on
_STRICT = "2"  # mode of Linux in which addresses count as memory

COLUMNS: dict[str, np.dtype[Any]] = {
    "text": np.dtype(np.int32),
    "accessed": np.dtype(np.int32),
    "importance": np.dtype(np.int16),
    "kind": np.dtype(np.uint8),
    "id": np.dtype(np.int32),
    "actor": np.dtype(np.int32),
    "time": np.dtype(np.int32),
    "thought": np.dtype(np.int32),
    "place": np.dtype(np.int16),
    "tags": np.dtype(np.uint16),
    "accesses": np.dtype(np.uint8),
    "valence": np.dtype(np.int8),
    "confidence": np.dtype(np.uint8),
    "topic": np.dtype(np.uint8),
    "emotion": np.dtype(np.uint8),
}
"""Columns of a memory in the order of a page: those that scoring reads come first."""

BYTES = sum(dtype.itemsize for dtype in COLUMNS.values())  # bytes of a memory
PAGE_BYTES = PAGE * BYTES
PAGE_WORDS = PAGE_BYTES // 4


_ENDS = accumulate((PAGE * dtype.itemsize for dtype in COLUMNS.values()), initial=0)
OFFSETS = dict(zip(COLUMNS, _ENDS, strict=False))  # offset of each column in a page, in bytes


def places(*names: str) -> tuple[int, ...]:
    """Return where columns begin in a page, counted in their own values."""
    return tuple(OFFSETS[name] // COLUMNS[name].itemsize for name in names)


def columns_of(words: Int32) -> dict[str, Array]:
    """Return views of all columns of some pages, each of shape (pages, PAGE)."""
    pages = words.view(np.uint8).reshape(-1, PAGE_BYTES)
    return {
        name: pages[:, OFFSETS[name] : OFFSETS[name] + PAGE * dtype.itemsize].view(dtype)
        for name, dtype in COLUMNS.items()
    }


def pages_of(memories: Array) -> Array:
    """Return the number of pages that numbers of memories need, shape of `memories`."""
    return np.asarray((memories + (PAGE - 1)) // PAGE)


CODE_OF_ONE = {"importance": 30_000, "confidence": 255, "valence": 127}
"""Code of 1 in each column of shares; it makes thirds, eighths and three decimals exact for
importance."""

CONTINUES = 128  # bit of `kind`: the memory continues the previous one, in the same interaction
THOUGHT = 1  # value of `kind` for a thought; an event is 0


def lengthen(words: Int32, length: int, most: int) -> Int32:
    """Return an array of a greater length that begins with `words`, which are used no more.

    From 4 MB on, addresses are reserved for `most` words, and memory is used only for those that
    are written, so the array grows without a copy. Searches read all over these addresses; huge
    pages reduce their TLB misses.
    """
    whole = words.base
    if whole is not None and length <= len(whole):
        return whole[:length]
    if length >= _LEAST_RESERVED:
        reserved = _reserve(length, most)
        if reserved is not None:
            reserved[: len(words)] = words
            return reserved[:length]
    if whole is not None:
        return np.concatenate([words, np.zeros(length - len(words), np.int32)])
    words.resize(length, refcheck=False)  # a copy would double the peak memory
    return words


def _reserve(least: int, most: int) -> Int32 | None:
    """Reserve addresses, for no more words than fit into memory.

    Returns None if that is not possible, or if addresses are limited.
    """
    if not hasattr(mmap, "MADV_HUGEPAGE") or _addresses_are_limited():
        return None
    fitting = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE
    try:
        addresses = mmap.mmap(-1, 4 * max(least, min(most, fitting)), flags=flags)
        addresses.madvise(mmap.MADV_HUGEPAGE)
    except (OSError, ValueError):
        return None
    return np.frombuffer(addresses, np.int32)


def _addresses_are_limited() -> bool:
    import resource

    overcommit = Path("/proc/sys/vm/overcommit_memory")
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return limit != resource.RLIM_INFINITY or (
        overcommit.is_file() and overcommit.read_text(encoding="utf-8").strip() == _STRICT
    )
