"""Exchange messages between parts: part 0 receives those of all others and sends them all on.

Part 0 and each other part speak in turns, and part 0 begins. Messages are in the order of parts.
Parts are processes of one run on machines of one user, so messages are pickles.
"""

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

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


class Channel(Protocol):
    """One end of the connection between part 0 and another part."""

    def send(self, content: bytes) -> None:
        """Send a message.

        Raises:
            PartLostError: If the other end has died.
        """
        ...

    def receive(self) -> bytes:
        """Wait for the next message.

        Raises:
            PartLostError: If the other end has died.
        """
        ...


class Link(Protocol):
    """Connects a part with all others."""

    @property
    def part(self) -> int:
        """Number of this part."""
        ...

    @property
    def parts(self) -> int:
        """Number of parts."""
        ...

    def exchange(self, label: str, value: Any) -> list[Any]:
        """Send a value to all parts, and return those of all of them, in the order of parts."""
        ...


class Hub:
    """The link of part 0.

    Args:
        channels: Channels to the other parts, in their order.

    Attributes:
        bytes: Bytes that part 0 has sent and received so far.
    """

    part = 0

    def __init__(self, channels: Sequence[Channel]) -> None:
        self._channels = channels
        self.parts = len(channels) + 1
        self.bytes = 0

    def send(self, part: int, kind: str, value: Any) -> None:
        """Send a command to a part."""
        self._send(self._channels[part - 1], encode(Message(kind, kind, value)))

    def command(self, kind: str, value: Any = None) -> None:
        """Send a command to all other parts."""
        for part in range(1, self.parts):
            self.send(part, kind, value)

    def answers(self) -> list[Any]:
        """Return the answers of the other parts to the last command."""
        answers = [decode(content) for content in self._receive()]
        for part, one in enumerate(answers, start=1):
            if one.kind != "done":
                check_label(one, "the end of the command", part)
        return [answer.value for answer in answers]

    def exchange(self, label: str, value: Any) -> list[Any]:
        """Exchange a value with the other parts, see `Link.exchange`."""
        contents = [encode(Message("data", label, value)), *self._receive()]
        for part, channel in enumerate(self._channels, start=1):
            others = [b"" if one == part else content for one, content in enumerate(contents)]
            self._send(channel, encode(Message("all", label, others)))
        return [value, *_values(contents[1:], label, first=1)]

    def _receive(self) -> list[bytes]:
        """Receive the next message of each part.

        Raises:
            StateError: If a part has failed.
        """
        contents = [channel.receive() for channel in self._channels]
        self.bytes += sum(map(len, contents))
        for part, content in enumerate(contents, start=1):
            message = decode(content) if len(content) < _SMALL else None
            if message is not None and message.kind == "failed":
                raise StateError(f"part {part} of the society failed: {message.value}")
        return contents

    def _send(self, channel: Channel, content: bytes) -> None:
        self.bytes += len(content)
        channel.send(content)


_SMALL = 10_000
"""Bytes above which a message is not that of a failure."""


class Spoke:
    """The link of another part.

    Args:
        channel: Channel to part 0.
        part: Number of this part, from 1.
        parts: Number of parts.
    """

    def __init__(self, channel: Channel, part: int, parts: int) -> None:
        self._channel = channel
        self.part = part
        self.parts = parts

    def exchange(self, label: str, value: Any) -> list[Any]:
        """Exchange a value with the other parts, see `Link.exchange`."""
        self._channel.send(encode(Message("data", label, value)))
        message = decode(self._channel.receive())
        if message.kind != "all":
            raise StateError(f"part {self.part} received {message.kind} inside a step")
        before = _values(message.value[: self.part], label)
        return [*before, value, *_values(message.value[self.part + 1 :], label, self.part + 1)]


def _values(contents: Sequence[bytes], label: str, first: int = 0) -> list[Any]:
    numbered = enumerate(contents, start=first)
    return [check_label(decode(content), label, part).value for part, content in numbered]
