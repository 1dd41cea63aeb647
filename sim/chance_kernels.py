"""Philox 4x32-10, compiled: random bits as a pure function of a counter and a key.

Source:
    Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3",
    doi:10.1145/2063384.2063405.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from memopolis.sim.inner_kernels import inner

_M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_W0, _W1 = np.uint32(0x9E3779B9), np.uint32(0xBB67AE85)
_32 = np.uint64(32)
_ROUNDS = 10
_BLOCK = 256  # draws whose words stay in the fastest cache


@njit(cache=True, nogil=True, inline="always")
def _round(key0, key1, c0, c1, c2, c3):  # type: ignore[no-untyped-def]
    """One round over four 32-bit words."""
    product0, product1 = _M0 * np.uint64(c0), _M1 * np.uint64(c2)
    n0 = np.uint32(product1 >> _32) ^ c1 ^ key0
    n2 = np.uint32(product0 >> _32) ^ c3 ^ key1
    return n0, np.uint32(product1), n2, np.uint32(product0)


@njit(cache=True, nogil=True)
def philox(key0, key1, c0, c1, c2, c3):  # type: ignore[no-untyped-def]
    """Ten rounds over four 32-bit words; returns the four words."""
    key0, key1 = np.uint32(key0), np.uint32(key1)
    c0, c1, c2, c3 = np.uint32(c0), np.uint32(c1), np.uint32(c2), np.uint32(c3)
    for _ in range(_ROUNDS):
        c0, c1, c2, c3 = _round(key0, key1, c0, c1, c2, c3)
        key0, key1 = np.uint32(key0 + _W0), np.uint32(key1 + _W1)
    return c0, c1, c2, c3


@inner
def _words(key0, key1, rows, tick, n):  # type: ignore[no-untyped-def]
    """The four words of each draw, uint32, (4, rows): `philox` in loops that LLVM vectorises."""
    words = np.empty((4, len(rows)), np.uint32)
    for begin in range(0, len(rows), _BLOCK):
        c0, c1, c2, c3 = words[:, begin : begin + _BLOCK]
        for i in range(len(c0)):
            c0[i], c1[i], c2[i], c3[i] = rows[begin + i], tick, n, 0
        k0, k1 = np.uint32(key0), np.uint32(key1)
        for _ in range(_ROUNDS):
            for i in range(len(c0)):
                c0[i], c1[i], c2[i], c3[i] = _round(k0, k1, c0[i], c1[i], c2[i], c3[i])
            k0, k1 = np.uint32(k0 + _W0), np.uint32(k1 + _W1)
    return words


@njit(cache=True, nogil=True, inline="always")
def _uniform(a, b):  # type: ignore[no-untyped-def]
    """Convert two words to a number in [0, 1) with 53 random bits."""
    high, low = np.float64(a >> np.uint32(5)), np.float64(b >> np.uint32(6))
    return (high * 67108864.0 + low) / 9007199254740992.0


@njit(cache=True, nogil=True)
def uniform_one(key0, key1, row, tick, n):  # type: ignore[no-untyped-def]
    """One uniform draw in [0, 1) with 53 random bits."""
    a, b, _, _ = philox(key0, key1, row, tick, n, 0)
    return _uniform(a, b)


@njit(cache=True, nogil=True)
def uniforms(
    key0: int, key1: int, rows: NDArray[np.int64], tick: int, n: int
) -> NDArray[np.float64]:
    """One uniform draw a row."""
    words = _words(key0, key1, rows, tick, n)
    out = np.empty(len(rows), np.float64)
    for i in range(len(rows)):
        out[i] = _uniform(words[0, i], words[1, i])
    return out


@njit(cache=True, nogil=True)
def bits(key0: int, key1: int, rows: NDArray[np.int64], tick: int, n: int) -> NDArray[np.uint64]:
    """64 random bits a row."""
    words = _words(key0, key1, rows, tick, n)
    out = np.empty(len(rows), np.uint64)
    for i in range(len(rows)):
        out[i] = (np.uint64(words[0, i]) << _32) | np.uint64(words[1, i])
    return out


@njit(cache=True, nogil=True)
def normals(
    key0: int, key1: int, rows: NDArray[np.int64], tick: int, n: int
) -> NDArray[np.float64]:
    """One standard normal draw a row (Box and Muller 1958, doi:10.1214/aoms/1177706645)."""
    words = _words(key0, key1, rows, tick, n)
    out = np.empty(len(rows), np.float64)
    for i in range(len(rows)):
        a, b, c, d = words[:, i]
        u = (np.float64(a) * 4294967296.0 + np.float64(b) + 1.0) / 18446744073709551616.0
        v = (np.float64(c) * 4294967296.0 + np.float64(d)) / 18446744073709551616.0
        out[i] = np.sqrt(-2.0 * np.log(u)) * np.cos(2.0 * np.pi * v)
    return out
