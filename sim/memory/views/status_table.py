"""The status of all agents of a memory: declarations, values, and what is saved of them."""

from collections.abc import Mapping
from typing import Unpack

from memopolis.sim.arrays import Array, Bools
from memopolis.sim.memory.status.columns import Rows, StatusState
from memopolis.sim.memory.status.schema import Attribute, Facts, Schema
from memopolis.sim.memory.views.status import CohortStatus


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
