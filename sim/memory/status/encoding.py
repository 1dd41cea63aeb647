"""Encoding of status values as numbers of the column's type, or as JSON text, and read-only copies.

A status returns lists, sets and dicts that cannot be changed, since a change of a copy would be
lost. They equal plain ones, and their operators, copies and pickles are plain ones. So
`person.items += ["shell"]` assigns a new list, while `person.items.append("shell")` is an error.
"""

import json
from collections.abc import Iterable, Mapping
from typing import ClassVar, NoReturn, cast

import numpy as np
from numpy.typing import ArrayLike

from memopolis.sim.arguments import shown
from memopolis.sim.arrays import Array
from memopolis.sim.errors import ParameterError, SchemaError, StateError
from memopolis.sim.memory.status.schema import Attribute

LARGEST_FLOAT = 1e38  # bound of floats that fit into columns of both lengths

_OPEN: dict[str, tuple[type, ...]] = {
    "list": (list, tuple),
    "set": (set, frozenset),
    "dict": (Mapping,),
}

# Keys that mark values JSON cannot represent: sets, and dicts with keys other than str.
_SET, _PAIRS = "__set__", "__pairs__"


def encode_numbers(attribute: Attribute, value: object, agents: int | None) -> Array:
    """Encode a number, or an array with one per agent, for a column of kind float, int or bool."""
    try:
        values = np.asarray(value)
    except ValueError:  # lists of different lengths
        raise _type_error(attribute, value) from None
    if values.dtype.kind not in "biuf":
        raise _type_error(attribute, value)
    check_shape(attribute, values, agents)
    dtype = np.dtype(attribute.dtype)
    if values.dtype == dtype or np.can_cast(values.dtype, dtype, "safe") or not values.size:
        return values
    if dtype.kind == "f":
        return _round(attribute, values, dtype)
    if values.dtype.kind == "f" and (
        attribute.kind == "bool" or not bool((values == np.trunc(values)).all())
    ):
        raise _type_error(attribute, value)
    low, high = _limits(dtype)
    if values.min() < low or values.max() > high:
        entry = int(np.argmin((values >= low) & (values <= high)))
        error = SchemaError(
            f"{attribute.name!r} is of type {attribute.kind}, from {low} to {high}, "
            f"got {values.flat[entry]}"
        )
        error.entry = entry if values.ndim else None
        raise error
    return values


def _round(attribute: Attribute, values: Array, dtype: "np.dtype[np.generic]") -> Array:
    try:
        with np.errstate(over="raise"):
            return values.astype(dtype)
    except FloatingPointError:
        most, greatest = np.finfo(dtype.name).max, np.abs(values).max()
        raise SchemaError(f"{attribute.name!r} is at most {most:g}, got {greatest:g}") from None


def encode_json(attribute: Attribute, value: object, agents: int | None) -> ArrayLike:
    """Encode lists, sets, dicts and other plain values as JSON text; as `Columns.encode`."""
    if isinstance(value, np.ndarray) and agents is not None:
        if len(np.atleast_1d(value)) != agents:
            raise ParameterError(
                f"{attribute.name!r} got {len(np.atleast_1d(value))} values for {agents} agents"
            )
        texts = np.empty(agents, object)
        texts[:] = [_encode_one(attribute, item) for item in value]
        return texts
    return _encode_one(attribute, value)


def _encode_one(attribute: Attribute, value: object) -> str:
    plain = value.tolist() if isinstance(value, np.ndarray) else value
    kinds = _OPEN.get(attribute.kind)
    if kinds is not None and not isinstance(plain, kinds):
        raise _type_error(attribute, value)
    return to_json(plain)


def check_shape(attribute: Attribute, values: Array, agents: int | None) -> None:
    """Check that an array has one value per agent, and that a single agent has no array."""
    if values.ndim and values.shape != (agents,):
        needed = "one value" if agents is None else f"one value or shape ({agents},)"
        raise ParameterError(
            f"{attribute.name!r} got values of shape {values.shape}; needed is {needed}"
        )


def _type_error(attribute: Attribute, value: object) -> SchemaError:
    return SchemaError(f"{attribute.name!r} is of type {attribute.kind}, got {shown(value)}")


def _limits(dtype: "np.dtype[np.generic]") -> tuple[int, int]:
    if dtype.kind == "b":
        return 0, 1
    info = np.iinfo(dtype.name)
    return int(info.min), int(info.max)


_PLAIN = frozenset((int, str, float, bool, type(None)))


def to_json(value: object) -> str:
    """Convert a plain value to JSON text: tuples as lists, sets sorted, NumPy values as plain."""
    try:
        return json.dumps(_plain(value))
    except RecursionError:
        raise SchemaError("a status stores plain values, got one that contains itself") from None


def from_json(text: str) -> object:
    """Convert the text of `to_json` back to the value."""
    if _SET not in text and _PAIRS not in text:
        return json.loads(text)
    return json.loads(text, object_hook=_decode)


def _plain(value: object) -> object:
    if type(value) in _PLAIN or isinstance(value, int | float | str):
        return value
    if isinstance(value, np.generic | np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        known = _PLAIN.issuperset(map(type, value))
        return list(value) if known else [_plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return {_SET: _sorted(value)}
    if not isinstance(value, Mapping):
        raise SchemaError(
            f"a status stores numbers, texts, lists, sets and dicts, got {type(value).__name__} "
            f"{value!r}"
        )
    if all(type(key) is str for key in value) and not value.keys() & {_SET, _PAIRS}:
        return {key: item if type(item) in _PLAIN else _plain(item) for key, item in value.items()}
    return {_PAIRS: [[_plain(key), _plain(item)] for key, item in value.items()]}


def _sorted(items: Iterable[object]) -> list[object]:
    """Sort the items of a set."""
    plain = [_plain(item) for item in items]
    try:
        return [*sorted(cast("list[str]", plain))]
    except TypeError:
        return sorted(plain, key=json.dumps)


def _decode(entries: dict[str, list[list[object]]]) -> object:
    if entries.keys() == {_SET}:
        return {_hashable(item) for item in entries[_SET]}
    if entries.keys() == {_PAIRS}:
        return {_hashable(key): item for key, item in entries[_PAIRS]}
    return entries


def _hashable(item: object) -> object:
    if isinstance(item, set):
        return frozenset(item)
    return tuple(map(_hashable, item)) if isinstance(item, list) else item


_ATOMS = frozenset((int, str, float, bool, type(None)))


class _ReadOnly:
    """Base of the read-only classes; `name` is the attribute that the value was read from."""

    __slots__ = ()
    plain: ClassVar[type]
    name: str

    def __reduce__(self) -> tuple[object, ...]:
        return self.plain, (self.plain(self),)


def _refuse(self: _ReadOnly, *_: object, **__: object) -> NoReturn:
    raise StateError(
        f"{self.name!r} is a copy, so this change would be lost; assign a new value, or add to "
        f"the old one with status.update({self.name!r}, ..., mode='merge')"
    )


class ReadOnlyList(_ReadOnly, list[object]):
    """A list that cannot be changed."""

    __slots__ = ("name",)
    plain = list
    append = extend = insert = pop = remove = clear = sort = reverse = _refuse
    __setitem__ = __delitem__ = _refuse
    __iadd__ = list.__add__  # type: ignore[assignment]
    __imul__ = list.__mul__  # type: ignore[assignment]


class ReadOnlySet(_ReadOnly, set[object]):
    """A set that cannot be changed."""

    __slots__ = ("name",)
    plain = set
    add = update = pop = remove = discard = clear = _refuse
    difference_update = intersection_update = symmetric_difference_update = _refuse
    __ior__ = set.__or__  # type: ignore[assignment]
    __iand__ = set.__and__  # type: ignore[assignment]
    __isub__ = set.__sub__  # type: ignore[assignment]
    __ixor__ = set.__xor__  # type: ignore[assignment]


class ReadOnlyDict(_ReadOnly, dict[object, object]):
    """A dict that cannot be changed, whose values are read-only, too."""

    __slots__ = ("name",)
    plain = dict
    update = pop = popitem = setdefault = clear = _refuse
    __setitem__ = __delitem__ = _refuse
    __ior__ = dict.__or__  # type: ignore[assignment]


def read_only(value: object, name: str) -> object:
    """Return a read-only copy of a list, set or dict and all that it contains; others unchanged."""
    copy: ReadOnlyList | ReadOnlySet | ReadOnlyDict
    if type(value) is list:
        atoms = _ATOMS.issuperset(map(type, value))
        copy = ReadOnlyList(value if atoms else [read_only(item, name) for item in value])
    elif type(value) is dict:
        atoms = _ATOMS.issuperset(map(type, value.values()))
        copy = ReadOnlyDict(
            value if atoms else {key: read_only(item, name) for key, item in value.items()}
        )
    elif type(value) is set:
        copy = ReadOnlySet(value)
    else:
        return value
    copy.name = name
    return copy
