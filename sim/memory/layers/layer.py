"""One layer of one agent as a list that is read anew whenever it is looked at."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory


class Layer[T](Sequence[T]):
    """What stands in a layer of one agent, the first made first.

    Args:
        memory: The memory it is part of.
        row: Row of the agent.
        observed: Whether an observer looks: nothing is booked or written.
    """

    __slots__ = ("_memory", "_observed", "_row")

    def __init__(self, memory: "Memory", row: int, *, observed: bool = False) -> None:
        self._memory = memory
        self._row = row
        self._observed = observed

    @abstractmethod
    def _all(self) -> list[T]:
        """All of it."""

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> list[T]: ...
    def __getitem__(self, place: int | slice) -> T | list[T]:
        """What stands at a place, 0 the first, -1 the last."""
        return self._all()[place]

    def __iter__(self) -> Iterator[T]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "Nothing"
