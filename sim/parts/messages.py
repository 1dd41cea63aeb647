"""Messages between the parts of a society, and changes of arrays in them.

Parts are processes of one run on machines of one user, so messages are pickles.
"""

import pickle
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import StateError

_SPARSE = 2
"""Changes of fewer than one in this many values are sent with their indices."""


class Message(NamedTuple):
    """A message of a part.

    Attributes:
        kind: What the receiver does with it: "data" for an exchange inside a step; the commands
            "start", "step", "streams" and "usage" of part 0; their answers "done" and "failed".
        label: What is exchanged; equal in all parts.
        value: The content.
    """

    kind: str
    label: str
    value: Any = None


def encode(message: Message) -> bytes:
    """Encode a message."""
    return pickle.dumps(tuple(message), protocol=5)


def decode(content: bytes) -> Message:
    """Decode a message of another part of the same run."""
    return Message(*pickle.loads(content))  # noqa: S301 - written by a process of the same run


def check_label(message: Message, label: str, part: int) -> Message:
    """Refuse a message about something else: the parts would no longer be in the same step.

    Raises:
        StateError: If the kind is not "data", or the label differs.
    """
    if (message.kind, message.label) != ("data", label):
        raise StateError(
            f"the parts of the society diverged: part {part} sent {message.kind} "
            f"{message.label!r}, and {label!r} was expected; a block behaves differently in "
            f"different processes"
        )
    return message


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """Values of an array that a part has changed.

    Attributes:
        at: Indices of the changed values, shape (m,); None if all are sent.
        values: New values, shape (m, ...), or (n, ...) for all; None if nothing has changed.
    """

    at: NDArray[np.int32] | None
    values: NDArray[Any] | None

    def apply(self, whole: NDArray[Any], rows: NDArray[np.intp]) -> None:
        """Write the values to an array by row; `rows` are those of the agents of the part."""
        if self.values is not None:
            whole[self.rows_of(rows)] = self.values

    def rows_of(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the rows of the changed values; `rows` are those of the agents of the part."""
        return rows if self.at is None else rows[self.at]

    def renumbered(self, first: int, numbers: NDArray[np.intp]) -> "Change":
        """Return the change with other numbers of new words, see `renumber`."""
        if self.values is None:
            return self
        return Change(self.at, renumber(self.values, first, numbers))


def renumber(values: NDArray[Any], first: int, numbers: NDArray[np.intp]) -> NDArray[Any]:
    """Replace numbers of words from `first` on: the i-th new word gets the number `numbers[i]`."""
    is_new = values >= first
    if not is_new.any():
        return values
    replaced = values.copy()
    replaced[is_new] = numbers[values[is_new] - first]
    return replaced


def find_change(before: NDArray[Any], after: NDArray[Any]) -> Change:
    """Find the entries along the first axis that differ; both arrays are of the same shape."""
    differs = np.asarray(before != after)
    if differs.ndim > 1:
        differs = differs.any(axis=tuple(range(1, differs.ndim)))
    count = int(np.count_nonzero(differs))
    if not count:
        return Change(None, None)
    if count * _SPARSE >= len(after):
        return Change(None, after)
    at = np.flatnonzero(differs)
    return Change(at.astype(np.int32), after[at])
