"""Compile functions that only other compiled functions call."""

from collections.abc import Callable
from typing import Any

from numba import njit


def inner(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function without a wrapper for calls from Python, a third of the compile time.

    Numba otherwise compiles such a wrapper for each function, called from Python or not.
    """
    options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    compiled: Callable[..., Any] = njit(cache=True, nogil=True, **options)(function)
    return compiled
