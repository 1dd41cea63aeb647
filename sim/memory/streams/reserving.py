"""Memory that grows in place, in huge pages: reserved addresses that are used when written to."""

import mmap
import os

import numpy as np

from memopolis.sim.arrays import Int32

# Linux only; the module has a name for this flag from Python 3.13 on.
_NO_SWAP_RESERVED = 0x4000


def reserve(length: int) -> Int32:
    """Reserve the addresses of whole numbers, at most as many as the machine's memory can hold.

    Searches read memories all over the address space. Small pages make the processor look up an
    address for nearly each of them. Returns an empty array where the system has no huge pages, or
    grants none.
    """
    if hasattr(mmap, "MADV_HUGEPAGE"):
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_SWAP_RESERVED
        try:
            addresses = mmap.mmap(-1, min(4 * length, memory), flags=flags)
            addresses.madvise(mmap.MADV_HUGEPAGE)
        except (OSError, ValueError):
            return np.empty(0, np.int32)
        return np.frombuffer(addresses, np.int32)
    return np.empty(0, np.int32)
