"""The status of a population as typed arrays, one per attribute."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, TypedDict, TypeGuard, Unpack, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.arguments import check_text, check_type
from memopolis.sim.arrays import Array, Bools, Intp
from memopolis.sim.chance import Chance
from memopolis.sim.errors import SchemaError, UnknownNameError
from memopolis.sim.memory.status.encoding import (
    LARGEST_FLOAT,
    check_shape,
    encode_json,
    encode_numbers,
    from_json,
    read_only,
)
from memopolis.sim.memory.status.schema import Attribute, Facts, Schema, dtype_of, empty_of, kind_of
from memopolis.sim.row_buffers import RowBuffers
from memopolis.sim.threads import CACHES, await_earlier_parts

if TYPE_CHECKING:
    from memopolis.sim.memory.vectors.embedders.protocol import Embedder
    from memopolis.sim.memory.vectors.embedding import VectorCache

Rows = int | slice | NDArray[np.intp]
"""Row of an agent, the slice of all rows or of consecutive ones, or rows of shape (n,)."""


class View(Protocol):
    """A memory view of a column of numbers, for access to single agents."""

    def __getitem__(self, row: int, /) -> float:
        """Return the number of an agent, which is a bool in a column of bools."""

    def __setitem__(self, row: int, value: object, /) -> None:
        """Set the number of an agent; TypeError or ValueError if it does not fit."""


# A view, and the Python type that is written without encoding; None for whole numbers, since such a
# view takes no other values.
Cell = tuple[View, type[float] | type[bool] | None]

type Encoded = tuple[Attribute, ArrayLike]
"""A value as its column stores it, or an array with one per agent."""

_NUMBERS = ("float", "int", "bool")  # kinds of attributes whose columns contain numbers
_WRITTEN: dict[str, type[float] | type[bool] | None] = {"f": float, "i": None, "u": None, "b": bool}


class StatusState(TypedDict):
    """What is saved of a status."""

    arrays: Mapping[str, Array]  # columns as stored, by name
    present: Mapping[str, Bools]  # which agents have each optional attribute, by name
    labels: Sequence[str]  # texts by number


class Columns:
    """The status of a population as typed arrays, one per attribute.

    Attributes:
        schema: The declared attributes.
        agents: Number of agents.
        views: Memory views of columns of numbers that the schema declared from the start, by
            name, for access to single agents.
        cells: The same, with what may be written without encoding.
        vectors: Embedder of the texts of values, and their vectors; created by the first search.
    """

    def __init__(
        self, agents: int, schema: Schema | None = None, chance: Chance | None = None
    ) -> None:
        self.schema = schema.copy() if schema is not None else Schema()
        self.agents = agents
        # Column by name, shape (agents,): numbers, numbers of labels, or JSON.
        self._arrays: dict[str, Array] = {}
        # The same arrays, read-only.
        self._read_only: dict[str, Array] = {}
        # Whether each agent has a value, shape (agents,), by name of the optional attributes, which
        # were declared by their first value.
        self._present: dict[str, Bools] = {}
        self.views: dict[str, View] = {}
        self.cells: dict[str, Cell] = {}
        self.vectors: tuple[Embedder, VectorCache] | None = None
        self._chance = chance or Chance(0)
        self._labels: list[str] = []
        self._label_numbers: dict[str, int] = {}
        self._buffers = RowBuffers()
        declared = self.schema.attributes.values()
        self._first = frozenset(a.name for a in declared if not a.optional)
        for attribute in self.schema.attributes.values():
            self._make(attribute)

    def _make(self, attribute: Attribute) -> None:
        values = np.empty(self.agents, attribute.dtype)
        values[:] = self._start(attribute, 0, self.agents)
        if attribute.optional:  # first, since another thread may write the column at once
            self._present[attribute.name] = np.zeros(self.agents, np.bool_)
        self._hold(attribute, values)

    def _hold(self, attribute: Attribute, values: Array) -> None:
        self._arrays[attribute.name] = values
        self._read_only[attribute.name] = _lock(values)
        if is_number(attribute) and attribute.name in self._first:
            view = self.views[attribute.name] = cast("View", memoryview(values))
            self.cells[attribute.name] = view, _WRITTEN[values.dtype.kind]

    def __getstate__(self) -> dict[str, object]:
        """Return what a copy needs: views refer to arrays of the original, vectors to a cache."""
        return self.__dict__ | {"views": {}, "cells": {}, "vectors": None}

    def __setstate__(self, state: dict[str, object]) -> None:
        """Restore a copy, whose views keep their dicts, since agents refer to them."""
        for name, value in state.items():
            setattr(self, name, value)
        for name, values in self._arrays.items():
            self._hold(self.schema.attributes[name], values)

    def _start(self, attribute: Attribute, first: int, stop: int) -> ArrayLike:
        """Return the encoded start values of agents first..stop - 1."""
        if attribute.distribution is None:
            return self.encode(attribute, attribute.default)
        # By row and name only: another agent or attribute changes no other draw.
        purpose = f"status {self.schema.owner}.{attribute.name}"
        rows = np.arange(first, stop)
        drawn = attribute.distribution.draw(self._chance, purpose, rows)
        return self.encode(attribute, drawn, len(rows))

    def declare(
        self, name: str, default: object, dtype: str | None = None, **facts: Unpack[Facts]
    ) -> None:
        """Add an attribute for all agents; arguments and errors as in `Schema.declare`."""
        self.schema.declare(name, default, dtype, **facts)
        for attribute in self.schema.attributes.values():
            if attribute.name not in self._arrays:
                self._make(attribute)
            elif attribute.name in self._present and not attribute.optional:
                missing = np.flatnonzero(~self._present.pop(attribute.name))
                start = self._start(attribute, 0, self.agents)
                is_drawn = attribute.distribution is not None
                self._arrays[attribute.name][missing] = (
                    np.asarray(start)[missing] if is_drawn else start
                )

    def grow(self, agents: int) -> None:
        """Add agents, which start with defaults or drawn values."""
        for name, values in self._arrays.items():
            attribute = self.schema.attributes[name]
            longer = self._buffers.lengthen(name, values, agents)
            longer[self.agents :] = self._start(attribute, self.agents, agents)
            self._hold(attribute, longer)
        for name, present in self._present.items():
            self._present[name] = np.append(present, np.zeros(agents - self.agents, np.bool_))
        self.agents = agents

    def label(self, text: str) -> int:
        """Return the number of a text of the status; a new text gets a new number."""
        number = self._label_numbers.get(text)
        if number is None:
            check_text("text", text)
            await_earlier_parts()
            with CACHES:
                # An earlier part, or another thread, may have added it.
                number = self._label_numbers.setdefault(text, len(self._labels))
                if number == len(self._labels):
                    self._labels.append(text)
        return number

    def drop_labels(self, first: int) -> None:
        """Remove the labels with numbers from `first` on, which no agent may have any more."""
        for text in self._labels[first:]:
            del self._label_numbers[text]
        del self._labels[first:]

    @property
    def texts(self) -> list[str]:
        """All texts of the status by number."""
        return list(self._labels)

    def encode(self, attribute: Attribute, value: object, agents: int | None = None) -> ArrayLike:
        """Encode a value, or one per agent, for its column; `agents` is None for one agent."""
        if attribute.kind in _NUMBERS:
            if (
                isinstance(value, np.ndarray)
                and value.dtype == attribute.dtype
                and value.shape == (agents,)
            ):
                return value
            return encode_numbers(attribute, value, agents)
        if attribute.kind == "text":
            return self._encode_text(attribute, value, agents)
        return encode_json(attribute, value, agents)

    def _encode_text(self, attribute: Attribute, value: object, agents: int | None) -> ArrayLike:
        if isinstance(value, str):
            return self.label(str(value))
        values = np.asarray(value)
        check_shape(attribute, values, agents)
        if values.ndim and values.dtype.kind in "iu":
            return self._checked_codes(attribute, values)
        items = values.ravel().tolist()
        if not all(issubclass(kind, str) for kind in set(map(type, items))):
            raise SchemaError(f"{attribute.name!r} is of type text, got {value!r}")
        # In alphabetical order, so that the numbers do not depend on the order of agents.
        known = {text: self.label(text) for text in sorted(set(items))}
        numbers = np.fromiter(map(known.__getitem__, items), np.int32, len(items))
        return numbers.reshape(values.shape)

    def _checked_codes(self, attribute: Attribute, codes: Array) -> Array:
        if codes.size and (codes.min() < 0 or codes.max() >= len(self._labels)):
            raise SchemaError(
                f"{attribute.name!r} is of type text: numbers of labels are "
                f"0..{len(self._labels) - 1}, got {codes.min()} to {codes.max()}"
            )
        return codes

    def has(self, name: str, rows: Rows | None = None) -> bool:
        """Return whether there is an attribute or a struct of that name.

        With `rows`, at least one of them must have it.
        """
        names = list(self._arrays) if rows is None else self.names(rows)
        return name in names or any(key.startswith(f"{name}.") for key in names)

    def is_present(self, name: str, row: int) -> bool:
        """Return whether an agent has a value of an attribute."""
        return name in self._arrays and (
            name not in self._present or bool(self._present[name][row])
        )

    def names(self, rows: Rows = slice(None)) -> list[str]:
        """Return the attributes that at least one agent of some rows has."""
        # Lists, since another thread may declare an attribute.
        optional = list(self._present.items())
        absent = {key for key, present in optional if not np.any(present[rows])}
        return [key for key in list(self._arrays) if key not in absent]

    def fields(self, name: str, row: int | None = None) -> list[str]:
        """Return the attribute of a name, or the fields of a struct; those of one agent, if any."""
        names = list(self._arrays) if row is None or not self._present else self.names(row)
        start = f"{name}."
        fields = [key for key in names if key.startswith(start) or key == name]
        if not fields:
            raise UnknownNameError(
                f"no attribute {name!r}; there are: {', '.join(sorted(names)) or 'none'}"
            )
        return fields

    @overload
    def read(self, name: str, rows: int, default: object = None) -> object: ...

    @overload
    def read(self, name: str, rows: slice | Intp, default: object = None) -> Array: ...

    @overload
    def read(self, name: str, rows: Rows, default: object = None) -> object: ...

    def read(self, name: str, rows: Rows, default: object = None) -> object:
        """Return a copy of the values of some rows: an array, or a plain value for one row.

        Lists, sets and dicts are read-only.

        In an array, `default` stands for the values of agents without the attribute: by default,
        NaN among numbers and None among others. Raises UnknownNameError if the one agent, or the
        whole population, does not have it.
        """
        try:
            if type(rows) is int and name in self.views:
                return self.views[name][rows]
            values = self._arrays.get(name)
        except TypeError:
            check_key(name)
            raise
        if values is None or name in self._present:
            return self._read_some(name, rows, default)
        attribute = self.schema.attributes[name]
        if isinstance(rows, int):
            return self.decode(attribute, values.item(rows))
        part = values[rows]
        if attribute.kind in _NUMBERS:
            # Indexing with an array copies, a slice does not.
            return part.copy() if isinstance(rows, slice) else part
        return self._decode_all(attribute, part)

    def _read_some(self, name: str, rows: Rows, default: object) -> object:
        """Read a struct, or an attribute that some agents do not have; as `read`."""
        row = rows if isinstance(rows, int) else None
        fields = self.fields(name, row)
        if fields != [name]:
            start = len(name) + 1
            return read_only({key[start:]: self.read(key, rows, default) for key in fields}, name)
        attribute, values = self.schema.attributes[name], self._arrays[name]
        if row is not None:
            return self.decode(attribute, values.item(row))
        part = values[rows].copy()
        if attribute.kind not in _NUMBERS:
            part = self._decode_all(attribute, part)
        return _with_default(part, self._present[name][rows], default)

    def _decode_all(self, attribute: Attribute, values: Array) -> Array:
        if attribute.kind == "text":
            return np.array(self._labels, dtype=object)[values]
        items = [self.decode(attribute, value) for value in values]
        return np.array([*items, None], dtype=object)[:-1]

    def decode(self, attribute: Attribute, value: float | str) -> object:
        """Return the value of a number or JSON text of a column."""
        if isinstance(value, str):
            return read_only(from_json(value), attribute.name)
        return self._labels[int(value)] if attribute.kind == "text" else value

    def write(self, name: str, rows: Rows, value: object) -> None:
        """Set the values of some rows; arguments and errors as in `write_all`."""
        try:
            cell = self.cells.get(name)
        except TypeError:
            check_key(name)
            raise
        if cell is not None:
            view, kind = cell
            if _is_plain(value, kind):
                try:
                    if isinstance(rows, int):
                        view[rows] = value
                    else:
                        self._arrays[name][rows] = value
                except (ValueError, OverflowError):
                    pass  # too large, of which the encoding says more
                else:
                    return
        values = self._arrays.get(name)
        if values is None:
            self.write_all({name: value}, rows)
        elif (
            type(value) is np.ndarray
            and value.dtype == values.dtype  # as is usual, and much faster than the encoding
            and cell is not None
            and value.shape == (self._count(rows),)
        ):
            values[rows] = value
        else:
            values[rows] = self.encode(self.schema.attributes[name], value, self._count(rows))
            if name in self._present:
                self._present[name][rows] = True

    def write_all(self, values: Mapping[str, object], rows: Rows) -> None:
        """Set several attributes of some rows: all of them, or none if one is invalid.

        An undeclared name is declared with the type of its first value, for these agents only,
        unless the schema is closed; a mapping for a struct sets its fields.
        """
        if all(name in self._arrays for name in values):
            self.store(self.encode_all(values, self._count(rows)), rows)
            return
        await_earlier_parts()  # which may declare it
        with CACHES:  # as another thread may
            self.store(self.encode_all(values, self._count(rows)), rows)

    def encode_all(self, values: Mapping[str, object], agents: int | None) -> list[Encoded]:
        """Encode values for `store`, one or one per agent, without changing a column.

        `agents` is None for one agent. Errors as in `write_all`.
        """
        trial = self.schema
        if not all(name in self._arrays for name in values):
            trial = self.schema.copy()
        return [
            pair
            for name, item in values.items()
            for pair in self._encode(trial, name, item, agents)
        ]

    def store(self, encoded: Iterable[Encoded], rows: Rows) -> None:
        """Set the values of some rows to the results of `encode_all`."""
        for attribute, value in encoded:
            if attribute.name not in self._arrays:
                self.schema.attributes[attribute.name] = attribute
                self._make(attribute)
            self._arrays[attribute.name][rows] = value
            if attribute.name in self._present:
                self._present[attribute.name][rows] = True

    def _count(self, rows: Rows) -> int | None:
        if isinstance(rows, int):
            return None
        if isinstance(rows, slice):
            return self.agents if rows.stop is None else rows.stop - (rows.start or 0)
        return len(rows)

    def _encode(
        self, trial: Schema, name: str, value: object, agents: int | None
    ) -> Iterator[Encoded]:
        """Encode a value, or those of the fields of a struct, each with its attribute."""
        attribute = trial.attributes.get(name)
        if attribute is None and isinstance(value, Mapping) and self.has(name):
            for key, item in value.items():
                yield from self._encode(trial, f"{name}.{key}", item, agents)
            return
        if attribute is None:
            attribute = _undeclared(trial, name, value)
        yield attribute, self.encode(attribute, value, agents)

    def column(self, name: str) -> Array:
        """Return the values of all agents, read-only; missing values as in `read`.

        Numbers are not copied: the array shows later changes of the status.
        """
        try:
            column = self._read_only.get(name)
        except TypeError:
            check_key(name)
            raise
        if (
            column is not None
            and name not in self._present
            and self.schema.attributes[name].kind in _NUMBERS
        ):
            return column
        values = self.read(name, slice(None))
        return _lock(values) if isinstance(values, np.ndarray) else values

    def encoded(self, name: str) -> Array:
        """Return the column as stored, read-only: numbers, numbers of labels, or JSON texts."""
        return self._read_only[name]

    def presence(self, name: str) -> Bools | None:
        """Return which agents have an optional attribute, read-only; None for other attributes."""
        present = self._present.get(name)
        return None if present is None else _lock(present)

    def codes(self, name: str, rows: Rows = slice(None)) -> Array:
        """Return a copy of the encoded column: for a text attribute the numbers of its labels."""
        return self._arrays[name][rows].copy()

    def store_encoded(self, name: str, rows: Rows, values: Array) -> None:
        """Set values of some rows that are encoded already, as another process has done."""
        self._arrays[name][rows] = values

    def store_presence(self, name: str, rows: Rows, present: Bools) -> None:
        """Set which agents of some rows have an optional attribute."""
        self._present[name][rows] = present

    @property
    def nbytes(self) -> int:
        """Bytes of all columns, without labels."""
        return sum(values.nbytes for values in self._arrays.values())

    def state(self) -> StatusState:
        """Return all columns and labels, as arrays and lists."""
        return {
            "arrays": dict(self._read_only),
            "present": dict(self._present),
            "labels": list(self._labels),
        }

    def restore(self, state: StatusState) -> None:
        """Restore a state from `state` of columns with the same schema."""
        self._labels = list(state["labels"])
        self._label_numbers = {text: i for i, text in enumerate(self._labels)}
        for name, values in state["arrays"].items():
            known = self.schema.attributes.get(name)
            if known is None:
                self._arrays[name] = np.array(values)
                self._read_only[name] = _lock(self._arrays[name])
                continue
            if np.dtype(known.dtype) != values.dtype:
                # Declared by a value that needs a wider type.
                known = self.schema.attributes[name] = replace(known, dtype=values.dtype.name)
            self._hold(known, np.array(values))
            if known.optional:
                everyone = np.ones(len(values), np.bool_)
                self._present[name] = np.array(state["present"].get(name, everyone))


def _is_plain(value: object, kind: type[float] | type[bool] | None) -> TypeGuard[float]:
    """Return whether a value needs no encoding for a column that takes a Python type."""
    if kind is None:
        return isinstance(value, int)
    if kind is bool:
        return type(value) is bool
    return type(value) is float and -LARGEST_FLOAT <= value <= LARGEST_FLOAT


def check_key(key: object) -> None:
    """Refuse anything but a str as the name of an attribute."""
    check_type("key", key, str, "the name of an attribute")


def _lock[T: np.generic](values: NDArray[T]) -> NDArray[T]:
    """Return a view of an array that cannot be written."""
    view = values.view()
    view.flags.writeable = False
    return view


def is_number(attribute: Attribute) -> bool:
    """Return whether a column contains plain numbers that Python reads without conversion."""
    return attribute.kind in _NUMBERS and attribute.dtype not in ("f2", "float16")


def _undeclared(trial: Schema, name: str, value: object) -> Attribute:
    """Declare an attribute with the type of its first value."""
    if trial.closed:
        raise UnknownNameError(f"no attribute {name!r} and the schema is closed")
    first = greatest = value
    if isinstance(value, np.ndarray):
        first = greatest = value.flat[0] if value.size else None
        if kind_of(first) == "int" and value.dtype.kind in "iu":
            greatest = max(value.min(), value.max(), key=abs)
    kind = kind_of(first)
    trial.declare(name, empty_of(kind), dtype_of(kind, greatest), optional=True)
    return trial.attributes[name]


def _with_default(values: Array, present: Bools, default: object) -> Array:
    """Replace the values of agents without the attribute, shape (n,) each."""
    if present.all():
        return values
    if default is None and values.dtype.kind in "iuf":
        default = np.nan
    if values.dtype.kind in "iufb" and isinstance(default, int | float | np.number | np.bool_):
        return np.where(present, values, np.asarray(default))
    filled = values.astype(object)
    for row in np.flatnonzero(~present):
        filled[row] = default  # not all at once, since the default may be a list
    return filled
