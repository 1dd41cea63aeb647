"""Arrays that grow in place, in huge pages of the machine where Linux grants them."""

import mmap
import os

import numpy as np

from memopolis.sim.arrays import Int32

_LEAST_RESERVED = 1 << 20  # number of words from which addresses are reserved: 4 MB
# The module has a name for this flag of Linux from Python 3.13 on.
_NO_RESERVE = 0x4000


def lengthen(words: Int32, length: int, most: int) -> Int32:
    """Return an array of a greater length that begins with `words`, which are used no more.

    From 4 MB on, addresses are reserved for `most` words, and memory is used only for those that
    are written, so the array grows without a copy. Huge pages save searches, which read memories
    all over these addresses, most look-ups of physical addresses.
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
        return np.concatenate([words, np.empty(length - len(words), np.int32)])
    words.resize(length, refcheck=False)  # a copy would double the peak memory
    return words


def _reserve(least: int, most: int) -> Int32 | None:
    """Reserve addresses, for no more words than fit into memory; None if that is not possible."""
    if not hasattr(mmap, "MADV_HUGEPAGE"):
        return None
    fitting = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE
    try:
        addresses = mmap.mmap(-1, 4 * max(least, min(most, fitting)), flags=flags)
        addresses.madvise(mmap.MADV_HUGEPAGE)
    except (OSError, ValueError):
        return None
    return np.frombuffer(addresses, np.int32)
