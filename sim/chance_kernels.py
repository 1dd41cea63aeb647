"""Philox 4x32-10, compiled: random bits as a pure function of a counter and a key.

Source:
    Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3",
    doi:10.1145/2063384.2063405.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

_M0 = np.uint64(0xD2511F53)
_M1 = np.uint64(0xCD9E8D57)
_W0 = np.uint64(0x9E3779B9)
_W1 = np.uint64(0xBB67AE85)
_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)


@njit(cache=True, nogil=True)
def philox(key0, key1, c0, c1, c2, c3):  # type: ignore[no-untyped-def]
    """Ten rounds over four 32-bit words held in uint64; returns the four words."""
    for _ in range(10):
        product0 = _M0 * c0
        product1 = _M1 * c2
        n0 = (product1 >> _32) ^ c1 ^ key0
        n2 = (product0 >> _32) ^ c3 ^ key1
        c1 = product1 & _LOW
        c3 = product0 & _LOW
        c0 = n0 & _LOW
        c2 = n2 & _LOW
        key0 = (key0 + _W0) & _LOW
        key1 = (key1 + _W1) & _LOW
    return c0, c1, c2, c3


@njit(cache=True, nogil=True)
def _words(key0, key1, row, tick, n):  # type: ignore[no-untyped-def]
    """The four words of one draw."""
    return philox(
        np.uint64(key0),
        np.uint64(key1),
        np.uint64(row) & _LOW,
        np.uint64(tick) & _LOW,
        np.uint64(n) & _LOW,
        np.uint64(0),
    )


@njit(cache=True, nogil=True)
def uniform_one(key0, key1, row, tick, n):  # type: ignore[no-untyped-def]
    """One uniform draw in [0, 1) with 53 random bits."""
    a, b, _, _ = _words(key0, key1, row, tick, n)
    return (np.float64(a >> np.uint64(5)) * 67108864.0 + np.float64(b >> np.uint64(6))) / (
        9007199254740992.0
    )


@njit(cache=True, nogil=True)
def uniforms(
    key0: int, key1: int, rows: NDArray[np.int64], tick: int, n: int
) -> NDArray[np.float64]:
    """One uniform draw a row."""
    out = np.empty(rows.shape[0], np.float64)
    for i in range(rows.shape[0]):
        out[i] = uniform_one(key0, key1, rows[i], tick, n)
    return out


@njit(cache=True, nogil=True)
def bits(key0: int, key1: int, rows: NDArray[np.int64], tick: int, n: int) -> NDArray[np.uint64]:
    """64 random bits a row."""
    out = np.empty(rows.shape[0], np.uint64)
    for i in range(rows.shape[0]):
        a, b, _, _ = _words(key0, key1, rows[i], tick, n)
        out[i] = (a << _32) | b
    return out


@njit(cache=True, nogil=True)
def normals(
    key0: int, key1: int, rows: NDArray[np.int64], tick: int, n: int
) -> NDArray[np.float64]:
    """One standard normal draw a row (Box and Muller 1958, doi:10.1214/aoms/1177706645)."""
    out = np.empty(rows.shape[0], np.float64)
    for i in range(rows.shape[0]):
        a, b, c, d = _words(key0, key1, rows[i], tick, n)
        u = (np.float64(a) * 4294967296.0 + np.float64(b) + 1.0) / 18446744073709551616.0
        v = (np.float64(c) * 4294967296.0 + np.float64(d)) / 18446744073709551616.0
        out[i] = np.sqrt(-2.0 * np.log(u)) * np.cos(2.0 * np.pi * v)
    return out
