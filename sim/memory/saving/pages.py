"""Streams as tables of whole pages with their layout in memory: fast to write and to read.

A row is a page of 32 memories of one agent: all columns one after another, 32 values each, and the
side columns of the memories.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.streams.layout import COLUMNS, PAGE, PAGE_BYTES
from memopolis.sim.memory.streams.side_columns import width_of
from memopolis.sim.memory.streams.stream import Streams

if TYPE_CHECKING:
    import pyarrow as pa

SIDE = "side/"


def build_table(streams: Streams, rows: NDArray[np.int64]) -> "pa.Table":
    """Return the pages of some agents: `agent` (index into `rows`), `place`, `page`, sides."""
    import pyarrow as pa

    table = streams.table[rows]
    agent, place = np.nonzero(table >= 0)
    pages = table[agent, place]
    whole = streams.bytes[: len(streams.words) * 4].reshape(-1, PAGE_BYTES)
    columns = {
        "agent": pa.array(agent.astype(np.int32)),
        "place": pa.array(place.astype(np.int32)),
        "page": _binary(_take(whole, pages)),
    }
    for name, values in streams.sides.memories.items():
        columns[SIDE + name] = _binary(_take(_by_page(values), pages))
    return pa.table(columns)


def describe_streams(streams: Streams) -> dict[str, Any]:
    """Return what the table of pages does not contain, for JSON."""
    return {
        "limit": streams.limit,
        "width": streams.table.shape[1],
        "forgets": streams.forgets,
        "layout": {name: dtype.str for name, dtype in COLUMNS.items()},
        "sides": {
            name: [values.dtype.str, width_of(values)]
            for name, values in streams.sides.memories.items()
        },
        "fills": streams.sides.fills,
    }


def restore_streams(
    table: "pa.Table", next_ids: NDArray[np.int32], facts: Mapping[str, Any]
) -> Streams:
    """Restore streams from `build_table` and `describe_streams`, and each agent's next id."""
    agent, place = (np.array(table[name]) for name in ("agent", "place"))
    pages = np.full((len(next_ids), facts["width"]), -1, np.int32)
    pages[agent, place] = np.arange(len(agent))
    streams = Streams(len(next_ids), facts["limit"])
    streams.restore(
        {
            "limit": np.array([facts["limit"]]),
            "next": next_ids,
            "table": pages,
            "words": _read_bytes(table["page"], PAGE_BYTES).view(np.int32),
            "forgets": np.array([facts["forgets"]]),
        }
    )
    for name, (dtype, across) in facts["sides"].items():
        streams.memory_column(name, dtype, fill=facts["fills"][name], width=across)
        stored = _read_bytes(table[SIDE + name], PAGE * across * np.dtype(dtype).itemsize)
        column = streams.sides.memories[name]
        column[:] = stored.view(dtype).reshape(column.shape)
    return streams


def _by_page(values: NDArray[Any]) -> NDArray[np.uint8]:
    """Return a column by slot as the bytes of its pages."""
    length = PAGE * width_of(values) * values.itemsize
    return np.ascontiguousarray(values).view(np.uint8).reshape(-1, length)


def _take(pages: NDArray[np.uint8], chosen: NDArray[np.int32]) -> NDArray[np.uint8]:
    """Return some pages, without a copy if they are all pages from the first on, in order."""
    count = len(chosen)
    if count and chosen[0] == 0 and chosen[-1] == count - 1 and (np.diff(chosen) == 1).all():
        return pages[:count]
    return pages[chosen]


def _binary(pages: NDArray[np.uint8]) -> "pa.Array":
    import pyarrow as pa

    count, length = pages.shape
    return pa.Array.from_buffers(pa.binary(length), count, [None, pa.py_buffer(pages.reshape(-1))])


def _read_bytes(column: "pa.ChunkedArray", length: int) -> NDArray[np.uint8]:
    import pyarrow as pa

    if not len(column):
        return np.zeros(0, np.uint8)
    whole = pa.concat_arrays(column.chunks)
    return np.frombuffer(whole.buffers()[1], np.uint8, len(whole) * length, whole.offset * length)
