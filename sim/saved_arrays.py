"""Descriptions of saved arrays, and a check that arrays which were read fit them.

A saved state or memory may be damaged, or made by a stranger, and compiled loops use its numbers as
indices without a check. Each array therefore has a description: type, shape, range and order. It is
compared with its description once, when it is read; `tests/attack` derives invalid arrays from it.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from memopolis.sim.arguments import shown
from memopolis.sim.arrays import Array
from memopolis.sim.errors import RunFolderError

type Axis = int | range | None
"""Length of an axis, several that are allowed, or None for any."""

_KINDS = {"number": "iuf", "integer": "iu", "float": "f", "bool": "b", "text": "U", "bytes": "S"}


@dataclass(frozen=True)
class SavedArray:
    """What a saved array contains; a limit of None is that of its type."""

    dtypes: tuple[str, ...]  # NumPy types, or kinds of `_KINDS`, any of which is allowed
    shape: tuple[Axis, ...]  # length of each axis
    low: float | None = None  # least value
    high: float | None = None  # greatest value
    allowed: tuple[int, ...] = ()  # all values, if they are no range
    finite: bool = False  # whether nan and infinity are refused
    rising: bool = False  # whether each value is above the one before
    # Further rules: each returns what is wrong, "" for nothing. They get a valid array.
    rules: tuple[Callable[[Array], str], ...] = ()
    # Descriptions of parts of the array, and the function that returns these by name.
    parts: Mapping[str, "SavedArray"] = field(default_factory=dict)
    split: Callable[[Array], Mapping[str, Array]] | None = None

    def check(self, name: str, values: Array) -> None:
        """Refuse an array that does not fit; RunFolderError names it and what is allowed."""
        problem = self.problem(values)
        if problem:
            raise RunFolderError(f"{name} {problem}")
        if self.split is not None:
            split = self.split(values)
            for part, description in self.parts.items():
                description.check(f"{name}, {part},", split[part])

    def problem(self, values: Array) -> str:
        """Return what is wrong with an array, "" for nothing."""
        if not is_of_type(values.dtype, self.dtypes):
            return f"has the type {values.dtype}; {' or '.join(self.dtypes)} is needed"
        if not self._has_shape(values.shape):
            return f"has the shape {values.shape}; ({_axes(self.shape)}) is needed"
        if values.size:
            problem = self._content_problem(values)
            if problem:
                return problem
        return next(filter(None, (rule(values) for rule in self.rules)), "")

    def _has_shape(self, shape: tuple[int, ...]) -> bool:
        return len(shape) == len(self.shape) and all(
            axis is None or (length in axis if isinstance(axis, range) else length == axis)
            for length, axis in zip(shape, self.shape, strict=True)
        )

    def _content_problem(self, values: Array) -> str:
        if values.dtype.kind == "b" and values.view(np.uint8).max() > 1:
            return "contains bytes other than 0 and 1"
        if self.finite and not np.isfinite(values).all():
            return "contains nan or infinity; finite numbers are needed"
        if self.allowed and not (is_allowed := np.isin(values, self.allowed)).all():
            texts = ", ".join(map(str, self.allowed))
            return f"contains {shown(values[~is_allowed][0].item())}; allowed are {texts}"
        problem = self._range_problem(values)
        if not problem and self.rising and not (values[1:] > values[:-1]).all():
            return "is not in ascending order without repetition"
        return problem

    def _range_problem(self, values: Array) -> str:
        if self.low is not None and (least := values.min()) < self.low:
            return f"contains {shown(least.item())}; at least {shown(self.low)} is allowed"
        if self.high is not None and (most := values.max()) > self.high:
            return f"contains {shown(most.item())}; at most {shown(self.high)} is allowed"
        return ""


def is_of_type(dtype: "np.dtype[np.generic]", names: Iterable[str]) -> bool:
    """Return whether a type is one of some types, or of one of some kinds."""
    return any(
        dtype.kind in _KINDS[name] if name in _KINDS else dtype == np.dtype(name) for name in names
    )


def kind_name(dtype: "np.dtype[np.generic]") -> str:
    """Return the kind of a type: integer, float, bool, text or bytes; else its own name."""
    own = ("integer", "float", "bool", "text", "bytes")
    return next((name for name in own if dtype.kind in _KINDS[name]), dtype.str)


type Descriptions = Iterable[tuple[str, SavedArray]]
"""Names and descriptions; each may depend on the arrays before it, which have been checked."""


def check_arrays(
    arrays: Mapping[str, Array], described: Descriptions, where: str = "", *, others: bool = False
) -> None:
    """Check arrays one after another; refuse missing ones, and without `others`, any further ones.

    Raises RunFolderError with one line that names the array, after `where`.
    """
    names = set()
    for name, description in described:
        if name not in arrays:
            raise RunFolderError(f"{where}{name} is missing")
        description.check(f"{where}{name}", arrays[name])
        names.add(name)
    more = arrays.keys() - names
    if more and not others:
        raise RunFolderError(f"{where}{min(more)} is not part of what is saved")


def find_later_ids(ids: Array, most: Array) -> str:
    """Report an id of a memory above the most of its agent; shapes (agents, ...) and (agents,)."""
    wrong = ids > most.reshape(-1, *[1] * (ids.ndim - 1))
    if not wrong.any():
        return ""
    return f"names the memory {ids[wrong][0]}, which its agent does not have"


def single(dtype: str, low: float | None = None, high: float | None = None) -> SavedArray:
    """Describe an array with one value."""
    return SavedArray((dtype,), (1,), low, high)


def _axes(shape: tuple[Axis, ...]) -> str:
    return ", ".join(map(_axis, shape)) + ("," if len(shape) == 1 else "")


def _axis(axis: Axis) -> str:
    if axis is None:
        return "any"
    if isinstance(axis, range):
        return f"{axis.start} to {axis.stop - 1}" if len(axis) > 1 else str(axis.start)
    return str(axis)
