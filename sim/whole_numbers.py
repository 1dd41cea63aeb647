"""Numbers as arguments; whole ones are Python's and NumPy's, but no booleans, fractions or NaN."""

import operator
from typing import Any

import numpy as np

from memopolis.sim.arrays import Intp, Ints
from memopolis.sim.errors import ParameterError

INT32 = (-(2**31), 2**31 - 1)  # least and greatest whole number that the columns of a memory hold

_MOST_BITS = 63  # bits of a number that is still worth printing
_MOST_LETTERS = 100


def whole_number(name: str, value: Any, *, least: int = INT32[0], most: int = INT32[1]) -> int:
    """Return an argument as an int; ParameterError if it is not a whole number in range."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise ParameterError(
            f"{name} is {shown(value)}; a whole number of at least {least:,} is needed"
        )
    if number < least:
        # The upper bound, often a technical limit, does not help here.
        raise ParameterError(
            f"{name} is {shown(number)}; a whole number of at least {least:,} is needed"
        )
    if number > most:
        raise ParameterError(
            f"{name} is {shown(number)}; a whole number of at least {least:,} and at most "
            f"{shown(most)} is needed"
        )
    return number


def check_range(name: str, value: float, least: float = 0, most: float = 1) -> None:
    """Refuse a number out of range, and NaN."""
    if not least <= value <= most:
        raise ParameterError(f"{name} is {value}; allowed are {least:g} to {most:g}")


def find_distinct(numbers: Ints) -> tuple[Intp, Intp]:
    """Return the distinct numbers, ascending, and the index of each number among them.

    As `np.unique`, but without sorting, for small numbers from -1 on.
    """
    shifted = numbers + 1
    is_used = np.zeros(int(shifted.max(initial=0)) + 1, np.bool_)
    is_used[shifted] = True
    distinct = np.flatnonzero(is_used)
    place = np.empty(len(is_used), np.intp)
    place[distinct] = np.arange(len(distinct))
    return distinct - 1, place[shifted]


def shown(value: Any) -> str:
    """Return a value as shown in a message, in one line of limited length."""
    if isinstance(value, int) and not isinstance(value, bool):
        bits = value.bit_length()
        return f"{value:,}" if bits <= _MOST_BITS else f"a number of {bits:,} bits"
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # Python refuses to print numbers of thousands of digits
        return f"a {type(value).__name__} of numbers too long to print"
    return text if len(text) <= _MOST_LETTERS else f"{text[:_MOST_LETTERS]}..."
