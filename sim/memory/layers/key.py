"""Key memories: pinned facts, set by a user or promoted from a cluster that is asked for often."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from numpy.typing import ArrayLike

from memopolis.sim.errors import ParameterError, UnknownNameError
from memopolis.sim.memory.layers import in_status
from memopolis.sim.memory.layers.layer import Layer
from memopolis.sim.memory.observing import refuse_observer
from memopolis.sim.memory.streams import encoding
from memopolis.sim.memory.text.texts import check_encodable

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

Source = Literal["user", "auto"]


@dataclass(frozen=True, slots=True)
class KeyMemory:
    """One pinned fact.

    Attributes:
        id: Its number, never given twice to an agent's key memories.
        time: Tick at which it was set, or last edited.
        source: "user" if it was set, "auto" if it was promoted.
        text: What it says.
        memories: Ids of the memories it was promoted from; none if it was set.
    """

    id: int
    time: int
    source: Source
    text: str
    memories: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"- {self.text}"


def pin(memory: "Memory", row: int, text: str, source: Source, memories: Sequence[int] = ()) -> int:
    """Keep a fact for one agent; returns its id.

    Raises:
        ParameterError: If the text is no str, has no word, or half of a surrogate pair.
    """
    fact = _checked(text)
    numbers = in_status.key_numbers(memory)
    number = int(numbers[row])
    new = KeyMemory(number, memory.now, source, fact, tuple(memories))
    _keep(memory, row, [*key_memories(memory, row), new])
    numbers[row] = number + 1
    return number


def key_memories(memory: "Memory", row: int) -> list[KeyMemory]:
    """All key memories of one agent: those set first, then those promoted, each by id."""
    entries = in_status.entries(memory, row, in_status.KEY_MEMORIES)
    return [KeyMemory(**{**e, "memories": tuple(e["memories"])}) for e in entries]


class KeyMemories(Layer[KeyMemory]):
    """The key memories of one agent: those set first, then those promoted, each by id."""

    __slots__ = ()

    def _all(self) -> list[KeyMemory]:
        return key_memories(self._memory, self._row)

    def add(self, text: str) -> int:
        """Pin a fact.

        Args:
            text: What is never to be forgotten.

        Returns:
            Its id.

        Raises:
            ParameterError: If the text has no word.
            StateError: If an observer asks.
        """
        refuse_observer(observed=self._observed)
        return pin(self._memory, self._row, text, "user")

    def edit(self, number: int, text: str) -> None:
        """Say a fact anew; its id and source stay.

        Raises:
            ParameterError: If the text has no word.
            UnknownNameError: If there is no such key memory.
            StateError: If an observer asks.
        """
        refuse_observer(observed=self._observed)
        fact = _checked(text)
        facts = list(self)
        at = next((place for place, one in enumerate(facts) if one.id == number), None)
        if at is None:
            known = ", ".join(str(one.id) for one in facts) or "none"
            raise UnknownNameError(f"no key memory has the id {number}; there are: {known}")
        old = facts[at]
        facts[at] = KeyMemory(old.id, self._memory.now, old.source, fact, old.memories)
        _keep(self._memory, self._row, facts)

    def delete(self, ids: ArrayLike) -> int:
        """Delete key memories by id; a promoted one does not come back.

        Args:
            ids: One or more ids of key memories.

        Returns:
            How many were deleted; unknown ids are left alone.

        Raises:
            StateError: If an observer asks.
        """
        refuse_observer(observed=self._observed)
        gone = set(encoding.id_numbers(ids).ravel().tolist())
        facts = list(self)
        left = [fact for fact in facts if fact.id not in gone]
        if len(left) < len(facts):
            _keep(self._memory, self._row, left)
        return len(facts) - len(left)


def _checked(text: Any) -> str:
    if not isinstance(text, str) or not text.strip():
        raise ParameterError(f"a key memory is a text with a word in it, given {text!r}")
    check_encodable(text)
    return text.strip()


def _keep(memory: "Memory", row: int, facts: list[KeyMemory]) -> None:
    order = sorted(facts, key=lambda fact: (fact.source != "user", fact.id))
    in_status.keep(memory, row, in_status.KEY_MEMORIES, [asdict(fact) for fact in order])
