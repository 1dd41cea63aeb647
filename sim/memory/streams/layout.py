"""The layout of a memory in the pages of a stream: its columns, their offsets, and flags."""

from itertools import accumulate
from typing import Any

import numpy as np

from memopolis.sim.arrays import Array, Int32

PAGE = 32  # memories in a page

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
