"""What is put into words: a passage of memories, and the rule that writes without a mind.

A writer is any callable that takes a `Passage` and returns its summary or gist. The rule,
`extractive`, writes nothing of its own: it picks sentences.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.layers.cutting import STOPS, cut, sentences
from memopolis.sim.memory.streams.recollection import Recollections
from memopolis.sim.memory.streams.telling import tell
from memopolis.sim.memory.text.texts import check_encodable

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

Kind = Literal["summary", "gist"]

JOINER = "; "
"""Stands between two sentences of which the first has no full stop."""


@dataclass(frozen=True, slots=True, eq=False)
class Passage:
    """Memories of one agent that are to be put into words.

    Attributes:
        kind: "summary" of memories in a row, or "gist" of a cluster.
        memories: The memories, oldest first.
        centrality: How much each is like all together: cosine with their centroid, -1..1, one
            a memory.
        limit: Most characters of the text.
    """

    kind: Kind
    memories: Recollections
    centrality: NDArray[np.float64]
    limit: int

    @property
    def texts(self) -> list[str]:
        """What the memories say, in their order."""
        return [memory.text for memory in self.memories]

    @property
    def ids(self) -> NDArray[np.int64]:
        """Ids of the memories, shape (n,)."""
        return np.array([memory.id for memory in self.memories], np.int64)


Writer = Callable[[Passage], str]


def extractive(passage: Passage) -> str:
    """Put a passage into words by picking from it.

    A summary takes the first sentences of the memories of the highest importance +
    centrality, then their second ones, as long as they fit, and tells them in the order of
    time. A gist is the memory nearest the centroid. What does not fit is cut at a word.

    Args:
        passage: At least one memory.

    Returns:
        At most `passage.limit` characters; the same for the same passage.

    Source:
        This project, illustrative.
    """
    if passage.kind == "gist":
        return cut(passage.texts[int(np.argmax(passage.centrality))], passage.limit)
    central = passage.centrality.tolist()
    worth = [m.importance + c for m, c in zip(passage.memories, central, strict=True)]
    order = sorted(range(len(worth)), key=lambda at: -worth[at])
    parts = [sentences(text) or [text] for text in passage.texts]
    chosen: dict[str, tuple[int, int]] = {}
    room = passage.limit
    for place in range(max(map(len, parts))):
        for at in order:
            said = parts[at][place] if place < len(parts[at]) else ""
            needed = len(said) + (len(JOINER) if chosen else 0)
            if said and said not in chosen and (needed <= room or not chosen):
                chosen[said] = (at, place)
                room -= needed
    return cut(_joined(sorted(chosen, key=chosen.__getitem__)), passage.limit)


def _joined(said: Sequence[str]) -> str:
    """Sentences one after the other, with a mark where one ends without."""
    text = ""
    for part in said:
        between = "" if not text else " " if text[-1] in STOPS else JOINER
        text += between + part
    return text


def passage_of(memory: "Memory", row: int, ids: NDArray[np.integer], kind: Kind) -> Passage | None:
    """Memories to be put into words; None if all of them are forgotten.

    Args:
        memory: Where they are.
        row: Row of the agent.
        ids: Their ids, ascending, shape (n,).
        kind: "summary" or "gist".
    """
    held = ids[memory.streams.holds(row, ids)]
    if not len(held):
        return None
    numbers = memory.streams.get("text", row, held)
    return Passage(
        kind,
        tell(memory, row, held.tolist()),
        centrality(memory, numbers),
        memory.layer_settings.max_summary_length,
    )


def written(writer: Writer, passage: Passage) -> str:
    """Let a writer put a passage into words, within its length.

    A writer that has nothing to say is replaced by the rule.

    Raises:
        ParameterError: If it returns anything but a text.
    """
    text = writer(passage)
    if not isinstance(text, str):
        raise ParameterError(f"a writer returns a text, got {type(text).__name__}: {text!r}")
    check_encodable(text)
    return cut(text.strip() or extractive(passage), passage.limit)


def centrality(memory: "Memory", numbers: NDArray[np.int32]) -> NDArray[np.float64]:
    """Cosine of each of some texts with the sum of all of them.

    Args:
        memory: Whose texts they are.
        numbers: Their numbers, shape (n,).

    Returns:
        -1..1, float64, shape (n,); 0 for a text without a known piece.
    """
    unit = memory.vectors.vectors(numbers).astype(np.float64)
    centroid = np.add.reduce(unit, axis=0)
    length = np.sqrt(np.add.reduce(centroid * centroid))
    along: NDArray[np.float64] = np.add.reduce(unit * centroid, axis=1)
    return along / length if length > 0 else along
