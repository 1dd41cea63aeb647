"""A memory as arrays, and a memory restored from them."""

from collections.abc import Mapping, Sequence

import numpy as np

from memopolis.sim.arguments import INT32
from memopolis.sim.arrays import Array
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.saving.described import STREAMS, describe_memory
from memopolis.sim.memory.streams.encoding import TagNames
from memopolis.sim.memory.streams.side_columns import below
from memopolis.sim.memory.text.texts import Texts, pack_texts, unpack_texts
from memopolis.sim.saved_arrays import check_arrays


def state(memory: Memory) -> dict[str, Array]:
    """Return all streams, texts and topics, without copies of the streams; after a flush."""
    memory.flush()
    return {
        **{f"{STREAMS}{name}": values for name, values in memory.streams.state().items()},
        "topics": pack_texts(memory.topics),
        "tags": pack_texts(memory.tags.all),
        "texts/numbers": memory.texts.numbers,
        "texts/texts": pack_texts(memory.texts.all),
        "now": np.array([memory.now], np.int64),
    }


def check(memory: Memory, state: Mapping[str, Array], texts: Texts | None = None) -> None:
    """Refuse a `state` that no memory of at least so many agents has; `texts` as in `restore`."""
    number = None if texts is None else texts.capacity
    agents = range(memory._columns.agents, INT32[1])
    check_arrays(state, describe_memory(state, agents, number))


def restore(memory: Memory, state: Mapping[str, Array], texts: Texts | None = None) -> None:
    """Restore a memory from a checked `state`; `texts` are shared texts, or None.

    Agents that the memory lacks are added, with the default status.
    """
    if texts is None:
        texts = restore_texts(state)
    topics, tags = unpack_texts(state["topics"]), unpack_texts(state["tags"])
    fill(memory, below(state, STREAMS), topics, tags, texts=texts, now=int(state["now"][0]))


def restore_texts(state: Mapping[str, Array]) -> Texts:
    """Restore the texts of `state`."""
    return Texts(unpack_texts(state["texts/texts"]))


def fill(
    memory: Memory,
    streams: Mapping[str, Array],
    topics: Sequence[str],
    tags: Sequence[str],
    *,
    texts: Texts,
    now: int,
) -> None:
    """Replace streams (see `Streams.state`), names, texts and tick of a memory."""
    memory.drop_pending()
    memory.streams.restore(streams)
    if memory.streams.agents > memory._columns.agents:
        memory._columns.grow(memory.streams.agents)
    memory.issued = memory.streams.next.copy()
    memory.topics[:] = topics
    memory.topic_numbers = {name: number for number, name in enumerate(topics)}
    memory.tags = TagNames(tags)
    memory.texts = texts
    texts.lock = memory.lock  # which is that of the memories with the same texts
    memory.now = now
    memory.forget_index()
