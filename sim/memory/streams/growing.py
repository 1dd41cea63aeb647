"""Arrays that grow in place, in huge pages of the machine where Linux grants them."""

import mmap
import os
from pathlib import Path

import numpy as np

from memopolis.sim.arrays import Int32

_LEAST_RESERVED = 1 << 20  # number of words from which addresses are reserved: 4 MB
_NO_RESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000)  # named from Python 3.13 on
_STRICT = "2"  # mode of Linux in which addresses count as memory


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
