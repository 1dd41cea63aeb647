"""A memory as arrays, and a memory restored from them."""

from collections.abc import Mapping, Sequence

import numpy as np

from memopolis.sim.arrays import Array, UInt8
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.streams.side_columns import below
from memopolis.sim.memory.streams.tags import TagNames
from memopolis.sim.memory.text.texts import Texts

_STREAMS = "streams/"


def state(memory: Memory) -> dict[str, Array]:
    """Return all streams, texts and topics, without copies of the streams; after a flush."""
    memory.flush()
    return {
        **{f"{_STREAMS}{name}": values for name, values in memory.streams.state().items()},
        "topics": pack_texts(memory.topics),
        "tags": pack_texts(memory.tags.all),
        "texts/numbers": memory.texts.numbers,
        "texts/texts": pack_texts(memory.texts.all),
        "now": np.array([memory.now], np.int64),
    }


def restore(memory: Memory, state: Mapping[str, Array], texts: Texts | None = None) -> None:
    """Restore a memory from `state`; `texts` are shared texts, or None."""
    if texts is None:
        texts = restore_texts(state)
    topics, tags = unpack_texts(state["topics"]), unpack_texts(state["tags"])
    fill(memory, below(state, _STREAMS), topics, tags, texts=texts, now=int(state["now"][0]))


def restore_texts(state: Mapping[str, Array]) -> Texts:
    """Restore the texts of `state`."""
    return Texts.restore(state["texts/numbers"], unpack_texts(state["texts/texts"]))


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
    memory.issued = memory.streams.next.copy()
    memory.topics[:] = topics
    memory.topic_numbers = {name: number for number, name in enumerate(topics)}
    memory.tags = TagNames(tags)
    memory.texts = texts
    texts.lock = memory.lock  # which is that of the memories with the same texts
    memory.now = now
    memory.forget_index()


def pack_texts(texts: Sequence[str]) -> UInt8:
    """Encode texts as one array of bytes, since arrays of objects need pickle.

    It contains the number of texts, the end of each (int64), and all texts in UTF-8.
    """
    import pyarrow as pa

    _, edges, content = pa.array(texts, pa.large_string()).buffers()
    ends = np.frombuffer(edges, np.int64, len(texts), 8) if len(texts) else np.zeros(0, np.int64)
    length = int(ends[-1]) if len(texts) else 0
    numbers = np.concatenate([[len(texts)], ends]).astype("<i8").view(np.uint8)
    return np.concatenate([numbers, np.frombuffer(content or b"", np.uint8, length)])


def unpack_texts(values: UInt8) -> list[str]:
    """Decode the texts of `pack_texts`."""
    import pyarrow as pa

    whole = np.array(values)
    count = int(whole[:8].view("<i8")[0])
    edges = whole[: 8 * (count + 1)].view("<i8").astype(np.int64)
    edges[0] = 0
    parts = [None, pa.py_buffer(edges), pa.py_buffer(whole[8 * (count + 1) :])]
    texts: list[str] = pa.Array.from_buffers(pa.large_string(), count, parts).to_pylist()
    return texts
