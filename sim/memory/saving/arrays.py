"""A memory as arrays, and a memory restored from them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.streams.side_columns import below
from memopolis.sim.memory.streams.tags import TagNames
from memopolis.sim.memory.text.texts import Texts

_STREAMS = "streams/"


def state(memory: Memory) -> dict[str, NDArray[Any]]:
    """Return all streams, texts and topics of a memory as arrays, after a flush."""
    return {name: values.copy() for name, values in views(memory).items()}


def views(memory: Memory) -> dict[str, NDArray[Any]]:
    """Return the same as `state` without copying the streams; valid until the next flush."""
    memory.flush()
    texts = memory.texts
    numbers = texts.numbers
    return {
        **{f"{_STREAMS}{name}": values for name, values in memory.streams.views().items()},
        "topics": pack_texts(memory.topics),
        "tags": pack_texts(memory.tags.all),
        "texts/numbers": numbers,
        "texts/texts": pack_texts(texts.all),
        "now": np.array([memory.now], np.int64),
    }


def restore(memory: Memory, state: Mapping[str, NDArray[Any]], texts: Texts | None = None) -> None:
    """Restore a memory from `state`; `texts` are shared texts, or None."""
    memory.drop_pending()
    memory.streams.restore(below(state, _STREAMS))
    memory.issued = memory.streams.next.copy()
    memory.topics[:] = unpack_texts(state["topics"])
    memory.tags = TagNames(unpack_texts(state["tags"]))
    memory.topic_numbers = {name: number for number, name in enumerate(memory.topics)}
    if texts is None:
        entries = unpack_texts(state["texts/texts"])
        texts = Texts.restore(state["texts/numbers"], entries)
    memory.texts = texts
    memory.now = int(state["now"][0])
    memory.forget_index()


def pack_texts(texts: Sequence[str]) -> NDArray[np.uint8]:
    """Encode texts as one array of bytes, since arrays of objects need pickle.

    It contains the number of texts, the end of each (int64), and all texts in UTF-8.
    """
    import pyarrow as pa

    _, edges, content = pa.array(texts, pa.large_string()).buffers()
    ends = np.frombuffer(edges, np.int64, len(texts), 8) if len(texts) else np.zeros(0, np.int64)
    length = int(ends[-1]) if len(texts) else 0
    numbers = np.concatenate([[len(texts)], ends]).astype("<i8").view(np.uint8)
    return np.concatenate([numbers, np.frombuffer(content or b"", np.uint8, length)])


def unpack_texts(values: NDArray[np.uint8]) -> list[str]:
    """Decode the texts of `pack_texts`."""
    import pyarrow as pa

    whole = np.array(values)
    count = int(whole[:8].view("<i8")[0])
    edges = whole[: 8 * (count + 1)].view("<i8").astype(np.int64)
    edges[0] = 0
    parts = [None, pa.py_buffer(edges), pa.py_buffer(whole[8 * (count + 1) :])]
    texts: list[str] = pa.Array.from_buffers(pa.large_string(), count, parts).to_pylist()
    return texts
