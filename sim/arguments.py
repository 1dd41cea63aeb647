"""Check arguments of public functions: an error names argument, value and what is allowed."""

import math
import operator
from collections.abc import Collection, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.arrays import Int64, Intp, Ints
from memopolis.sim.errors import ParameterError

INT32 = (-(2**31), 2**31 - 1)  # least and greatest whole number that the columns of a memory hold
INT64 = (-(2**63), 2**63 - 1)  # the same of 64 bits
NUMBER = (int, float, np.integer, np.floating)  # types of numbers; a bool is one, as in Python
FLAG = (bool, np.bool_)  # types of true and false

_FINITE = float(np.finfo(np.float64).max)
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


def check_range(name: str, value: Any, least: float = 0, most: float = 1) -> None:
    """Refuse a number out of range, NaN, and anything that is not a number."""
    if not isinstance(value, NUMBER) or not least <= value <= most:
        raise ParameterError(f"{name} is {shown(value)}; allowed are {least:g} to {most:g}")


def check_positive(name: str, value: Any, *, zero: bool = False, infinite: bool = False) -> None:
    """Refuse anything but a finite number above 0; `zero` and `infinite` allow these as well."""
    is_number = isinstance(value, NUMBER) and (value > 0 or (zero and value == 0))
    if not is_number or not (value <= _FINITE or (infinite and value == math.inf)):
        least = "of at least 0" if zero else "above 0"
        finite = "" if infinite else "finite "
        raise ParameterError(f"{name} is {shown(value)}; a {finite}number {least} is needed")


def check_choice(name: str, value: Any, allowed: Collection[str]) -> None:
    """Refuse anything but one of some words."""
    if not isinstance(value, str) or value not in allowed:
        *first, last = map(repr, allowed)
        words = f"{', '.join(first)} and {last}" if first else last
        raise ParameterError(f"{name} is {shown(value)}; allowed are {words}")


def check_type(name: str, value: Any, kind: type | tuple[type, ...], needed: str) -> None:
    """Refuse a value of another type; `needed` names what is allowed, such as "a Filter"."""
    if not isinstance(value, kind):
        raise ParameterError(f"{name} is {shown(value)}; {needed} is needed")


def check_text(name: str, text: Any) -> None:
    """Refuse anything but a str that can be encoded in UTF-8, so without lone surrogates."""
    check_type(name, text, str, "a str")
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError:
        message = f"{name} is {shown(text)}, with a lone surrogate, which UTF-8 cannot encode"
        raise ParameterError(message) from None


def check_names(name: str, value: Any) -> list[str]:
    """Return several str as a list; refuse anything else."""
    names: list[Any] = list(value) if is_several(value) else [None]
    if not all(isinstance(each, str) for each in names):
        raise ParameterError(f"{name} is {shown(value)}; several str are needed")
    return names


def is_several(value: Any) -> bool:
    """Return whether an argument has several values: no str, no bytes and no array of one."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Iterable) and not isinstance(value, str | bytes)


def check_flag(name: str, value: Any) -> None:
    """Refuse anything but true and false."""
    check_type(name, value, FLAG, "True or False")


def check_callable(name: str, value: Any) -> None:
    """Refuse anything that cannot be called."""
    if not callable(value):
        raise ParameterError(f"{name} is {shown(value)}; a function is needed")


def check_per_agent(name: str, values: Any, agents: int) -> None:
    """Refuse an array that has neither one value nor one per agent, shape (agents,)."""
    if isinstance(values, np.ndarray) and values.shape not in ((), (agents,)):
        raise ParameterError(f"{name} has shape {values.shape}; one value or ({agents},) is needed")


def as_array(name: str, value: Any, kinds: str, needed: str) -> NDArray[Any]:
    """Return an argument as an array of one of the given kinds; an empty array may have any type.

    `kinds` are letters of `numpy.dtype.kind`; `needed` names what is allowed.
    """
    try:
        array = np.asarray(value)
    except (ValueError, OverflowError):  # such as lists of different lengths
        array = np.empty(1, object)
    if (array.size and array.dtype.kind not in kinds) or isinstance(value, np.ma.MaskedArray):
        raise ParameterError(f"{name} is {shown(value)}; {needed} is needed")
    return array


def as_indices(name: str, value: Any, count: int) -> Int64:
    """Return indices of some things, whole numbers from 0 to count - 1, as int64, any shape."""
    needed = f"whole numbers from 0 to {count - 1} (of a mask: np.flatnonzero(mask))"
    array = as_array(name, value, "iu", needed)
    if array.size and (array.min() < 0 or array.max() >= count):
        raise ParameterError(
            f"{name} are {array.min()} to {array.max()}; whole numbers from 0 to {count - 1} are "
            "needed"
        )
    return array.astype(np.int64, copy=False)


def as_pairs(name: str, value: Any) -> tuple[tuple[str, Any], ...]:
    """Return a mapping, or pairs of a name and a value, as pairs; the last of equal names is kept.

    Refuse anything else.
    """
    try:
        pairs = tuple(dict(value).items())
    except (TypeError, ValueError):
        pairs = ((None, None),)
    if not all(isinstance(key, str) for key, _ in pairs):
        raise ParameterError(f"{name} is {shown(value)}; a mapping of names to numbers is needed")
    return pairs


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
