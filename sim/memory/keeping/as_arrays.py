"""The whole of a memory as arrays, and back."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.streams.pending import Pending
from memopolis.sim.memory.streams.side_columns import below
from memopolis.sim.memory.streams.tags import TagNames
from memopolis.sim.memory.text.texts import Texts

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

_STREAMS = "streams/"


def state(memory: "Memory") -> dict[str, NDArray[Any]]:
    """All streams, texts and topics of a memory, as arrays; stores what waits."""
    memory.flush()
    texts = memory.texts
    numbers = texts.numbers
    return {
        **{f"{_STREAMS}{name}": values for name, values in memory.streams.state().items()},
        "topics": packed(memory.topics),
        "tags": packed(memory.tags.all),
        "texts/numbers": numbers,
        "texts/texts": packed([texts[number] for number in numbers.tolist()]),
        "texts/log": np.array(texts.log, np.int32),
        "now": np.array([memory.now], np.int64),
    }


def restore(
    memory: "Memory", state: Mapping[str, NDArray[Any]], texts: Texts | None = None
) -> None:
    """Let a memory become what `state` described; `texts` are those it shares, if it does."""
    memory.pending = Pending()
    memory.streams.restore(below(state, _STREAMS))
    memory.issued = memory.streams.next.copy()
    memory.topics[:] = unpacked(state["topics"])
    memory.tags = TagNames(unpacked(state["tags"]))
    memory.topic_numbers = {name: number for number, name in enumerate(memory.topics)}
    if texts is None:
        texts = Texts.restore(
            state["texts/numbers"], unpacked(state["texts/texts"]), state["texts/log"].tolist()
        )
    memory.texts = texts
    memory.now = int(state["now"][0])
    memory.forget_index()


def packed(texts: Sequence[str]) -> NDArray[np.uint8]:
    """Texts as one array of bytes, since arrays of objects need pickle."""
    parts = [text.encode() for text in texts]
    lengths = np.array([len(parts), *map(len, parts)], np.int64)
    return np.frombuffer(lengths.astype("<i8").tobytes() + b"".join(parts), np.uint8)


def unpacked(values: NDArray[np.uint8]) -> list[str]:
    """The texts that `packed` packed."""
    whole = values.tobytes()
    count = int.from_bytes(whole[:8], "little")
    lengths = np.frombuffer(whole, "<i8", count, 8)
    edges = np.cumsum([8 * (count + 1), *lengths.tolist()]).tolist()
    return [whole[a:b].decode() for a, b in pairwise(edges)]
