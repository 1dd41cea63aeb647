"""The status of one agent, of a cohort or of all agents, as views; reading copies.

Lists, sets and dicts that are read cannot be changed, since a change of a copy would be lost.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, Unpack, cast, get_args, overload

import numpy as np

from memopolis.sim.arguments import check_choice, check_type
from memopolis.sim.arrays import Array, Bools
from memopolis.sim.errors import (
    MemopolisError,
    ParameterError,
    SchemaError,
    UnknownNameError,
    mark_entry,
)
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.locking import locked
from memopolis.sim.memory.status.columns import Rows, StatusState, check_key
from memopolis.sim.memory.status.schema import Attribute, Facts, Schema
from memopolis.sim.memory.views.status_search import (
    Findings,
    FindingTable,
    list_findings,
    search,
)

Mode = Literal["replace", "merge"]

_MISSING = object()
_locked = locked("_memory.lock")


class Status[V]:
    """The status of one agent (`rows` is a number) or of a cohort of `memory`.

    V is the type of what is read: any value of one agent, an array of a cohort.
    """

    __slots__ = ("_columns", "_memory", "_rows")

    def __init__(self, memory: Memory, rows: Rows) -> None:
        self._memory = memory
        self._columns = memory._columns
        self._rows = rows

    def __getitem__(self, key: str) -> V:
        """Return a copy of a value (one agent) or an array (cohort); for a struct, a dict.

        An agent without a value is an UnknownNameError; in an array, it has NaN among numbers and
        None among other values.
        """
        return cast("V", self._columns.read(key, self._rows))

    def __setitem__(self, key: str, value: object) -> None:
        """Replace a value."""
        try:
            self._columns.write(key, self._rows, value)
        except MemopolisError as error:
            self._mark(error)
            raise

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._columns.has(key, self._rows)

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns.names(self._rows))

    @overload
    def get(self, key: str) -> V: ...

    @overload
    def get[D](self, key: str, default: D) -> V | D: ...

    def get(self, key: str, default: object = _MISSING) -> object:
        """Return the value of a key, or the default, if given, for agents without a value.

        For a cohort, the default replaces the missing values; it is the result if no agent of the
        population has the key.
        """
        if default is _MISSING:
            return self[key]
        check_key(key)
        try:
            return self._columns.read(key, self._rows, default)
        except UnknownNameError:
            return default

    @_locked
    def update(
        self, key: str | Mapping[str, object], value: object = None, mode: Mode = "replace"
    ) -> None:
        """Change one value, or several given as a mapping: all, or none if one is invalid.

        A value is one value, or an array with one per agent. The mode "replace" sets it, "merge"
        adds to it: union of sets, update of dicts, extension of lists.

        Raises ParameterError for another mode or length, SchemaError for another type or a merge on
        a number or text, and UnknownNameError for an undeclared key if the schema is closed.
        """
        check_choice("mode", mode, get_args(Mode))
        check_type("key", key, (str, Mapping), "a name, or a mapping of names to values,")
        values = {key: value} if isinstance(key, str) else dict(key)
        for name in values:
            check_key(name)
        if mode == "merge":
            values = {name: self._merged(name, item) for name, item in values.items()}
        try:
            self._columns.write_all(values, self._rows)
        except MemopolisError as error:
            self._mark(error)
            raise

    def _mark(self, error: MemopolisError) -> None:
        mark_entry(error, self._memory.unique_ids, np.arange(self._columns.agents)[self._rows])

    def _merged(self, key: str, value: object) -> object:
        """Return the value of a key after a merge."""
        columns = self._columns
        if key not in columns.schema.attributes or key not in self:
            return value  # a new key, or a struct: the fields given
        if not columns.schema.attributes[key].is_json:
            raise SchemaError(f"{key!r} is a number or text: merge needs a list, set or dict")
        rows = self._rows
        if isinstance(rows, int):
            return merged(columns.read(key, rows), value, key)
        old = columns.read(key, rows)
        both = np.empty(len(old), dtype=np.object_)
        each = value if isinstance(value, np.ndarray) else [value] * len(old)
        if len(each) != len(old):
            raise ParameterError(f"{key!r} got {len(each)} values for {len(old)} agents")
        both[:] = [merged(was, new, key) for was, new in zip(old, each, strict=True)]
        return both

    def codes(self, key: str) -> Array:
        """Return the numbers of an attribute: of a text attribute, those of `Columns.label`."""
        check_key(key)
        attribute = self._columns.schema.attributes.get(key)
        if attribute is None or attribute.is_json:
            raise UnknownNameError(f"there is no attribute {key!r} of texts or numbers")
        return np.asarray(self._columns.codes(key, self._rows))


class AgentStatus(Status[object]):
    """The status of one agent."""

    __slots__ = ()

    @_locked
    def search(self, query: str, k: int = 3, only: str | Sequence[str] | None = None) -> Findings:
        """Search attributes declared with `embed=True` by their texts; at most k, best first.

        `only` are names of attributes or structs to search, which must be embedded; None for all.
        Ties are in the order of declaration.
        """
        results = search(self._memory, np.array([self._rows]), query, k, only=only)
        return list_findings(self._memory, results)


class CohortStatus(Status[Array]):
    """The status of a cohort."""

    __slots__ = ()

    @_locked
    def search(
        self, query: str | Sequence[str], k: int = 3, only: str | Sequence[str] | None = None
    ) -> FindingTable:
        """Search attributes, as `AgentStatus.search`, by one query or one per agent."""
        rows = np.arange(self._columns.agents)[self._rows]
        return search(self._memory, rows, query, k, only=only)


class StatusTable(CohortStatus):
    """The status of all agents, with the declarations of attributes and the columns as stored."""

    __slots__ = ()

    @property
    def schema(self) -> Schema:
        """A copy of the declarations."""
        return self._columns.schema.copy()

    @property
    def attributes(self) -> Mapping[str, Attribute]:
        """Declared attributes by name; a struct has one for each field."""
        return self._columns.schema.attributes

    @property
    def nbytes(self) -> int:
        """Bytes of all columns, without labels."""
        return self._columns.nbytes

    def declare(
        self, name: str, default: object, dtype: str | None = None, **facts: Unpack[Facts]
    ) -> None:
        """Add an attribute for all agents; arguments and errors as in `Schema.declare`."""
        self._columns.declare(name, default, dtype, **facts)

    def fields(self, name: str) -> list[str]:
        """Return the attribute of a name, or the fields of a struct."""
        return self._columns.fields(name)

    # Texts are stored as numbers of labels.

    @property
    def labels(self) -> list[str]:
        """All texts of the status by number."""
        return self._columns.texts

    def label(self, text: str) -> int:
        """Return the number of a text of the status; a new text gets a new number."""
        return self._columns.label(text)

    def drop_labels(self, first: int) -> None:
        """Remove the labels with numbers from `first` on, which no agent may have any more."""
        self._columns.drop_labels(first)

    # Columns as stored

    def encoded(self, name: str) -> Array:
        """Return a column as stored, read-only: numbers, numbers of labels, or JSON texts.

        The array shows later changes of the status.
        """
        return self._columns.encoded(name)

    def presence(self, name: str) -> Bools | None:
        """Return which agents have an optional attribute, read-only; None for other attributes."""
        return self._columns.presence(name)

    def store_encoded(self, name: str, rows: Rows, values: Array) -> None:
        """Set values of some rows that are encoded already, as another process has done."""
        self._columns.store_encoded(name, rows, values)

    def store_presence(self, name: str, rows: Rows, present: Bools) -> None:
        """Set which agents of some rows have an optional attribute."""
        self._columns.store_presence(name, rows, present)

    def state(self) -> StatusState:
        """Return all columns and labels, as arrays and lists."""
        return self._columns.state()

    def restore(self, state: StatusState) -> None:
        """Restore a state from `state` of columns with the same schema."""
        self._columns.restore(state)


def merged(old: object, new: object, key: str = "this") -> object:
    """Merge two values: union of sets, update of dicts, extension of lists; None is replaced."""
    plain = new.tolist() if isinstance(new, np.ndarray) else new
    match old, plain:
        case None, _:
            return plain
        case set(), list() | tuple() | set() | frozenset():
            return old | set(plain)
        case dict(), Mapping():
            return {**old, **plain}
        case list(), list() | tuple() | set() | frozenset():
            return [*old, *plain]
        case set() | dict() | list(), _:
            raise SchemaError(f"{key!r} is a {type(old).__name__}; {new!r} cannot be merged in")
        case _:
            raise SchemaError(f"{key!r} is a number or text: merge needs a list, set or dict")
