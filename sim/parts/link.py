"""Exchange messages between parts: part 0 receives those of all others and sends them all on.

Part 0 and each other part speak in turns, and part 0 begins. Messages are in the order of parts.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from memopolis.sim.errors import StateError
from memopolis.sim.parts.messages import Message, check_label, decode, encode


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
        return [one.value for one in answers]

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
