"""Streams as tables of whole pages, as they lie in memory: quick to write and to read.

A row is a page of 32 memories of one agent. `page` holds its columns one after another, each
32 values long; `facts` names them with their types. Side columns of the memories stand beside
it, 32 values a page too.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.streams.side_columns import width_of
from memopolis.sim.memory.streams.stream import (
    COLUMNS,
    PAGE,
    PAGE_BYTES,
    Streams,
)

if TYPE_CHECKING:
    import pyarrow as pa

SIDE = "side/"


def pages_of(streams: Streams, rows: NDArray[np.int64]) -> "pa.Table":
    """The pages of some agents, agent by agent.

    Args:
        streams: Where they are.
        rows: Rows of the agents, shape (n,), each once.

    Returns:
        A table with a row a page: `agent` (place in `rows`), `place` (in the page table),
        `page`, and the side columns.
    """
    import pyarrow as pa

    table = streams.table[rows]
    agent, place = np.nonzero(table >= 0)
    pages = table[agent, place]
    whole = streams.bytes[: len(streams.words) * 4].reshape(-1, PAGE_BYTES)
    columns = {
        "agent": pa.array(agent.astype(np.int32)),
        "place": pa.array(place.astype(np.int32)),
        "page": _binary(_taken(whole, pages)),
    }
    for name, values in streams.sides.memories.items():
        columns[SIDE + name] = _binary(_taken(_by_page(values), pages))
    return pa.table(columns)


def facts(streams: Streams) -> dict[str, Any]:
    """What the table of pages does not say, as JSON takes it."""
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


def restored(table: "pa.Table", following: NDArray[np.int32], told: Mapping[str, Any]) -> Streams:
    """The streams whose pages a table holds.

    Args:
        table: As from `pages_of`.
        following: Id of each agent's next memory, int32, shape (agents,).
        told: As from `facts`.
    """
    agent, place = (np.array(table[name]) for name in ("agent", "place"))
    pages = np.full((len(following), told["width"]), -1, np.int32)
    pages[agent, place] = np.arange(len(agent))
    streams = Streams(len(following), told["limit"])
    streams.restore(
        {
            "limit": np.array([told["limit"]]),
            "next": following,
            "table": pages,
            "words": _bytes_of(table["page"], PAGE_BYTES).view(np.int32),
            "forgets": np.array([told["forgets"]]),
        }
    )
    for name, (dtype, across) in told["sides"].items():
        streams.memory_column(name, dtype, fill=told["fills"][name], width=across)
        kept = _bytes_of(table[SIDE + name], PAGE * across * np.dtype(dtype).itemsize)
        column = streams.sides.memories[name]
        column[:] = kept.view(dtype).reshape(column.shape)
    return streams


def _by_page(values: NDArray[Any]) -> NDArray[np.uint8]:
    """A column by slot as the bytes of its pages."""
    length = PAGE * width_of(values) * values.itemsize
    return np.ascontiguousarray(values).view(np.uint8).reshape(-1, length)


def _taken(pages: NDArray[np.uint8], chosen: NDArray[np.int32]) -> NDArray[np.uint8]:
    """Some pages, without a copy where they lie in this very order."""
    count = len(chosen)
    if count and chosen[0] == 0 and chosen[-1] == count - 1 and (np.diff(chosen) == 1).all():
        return pages[:count]
    return pages[chosen]


def _binary(pages: NDArray[np.uint8]) -> "pa.Array":
    import pyarrow as pa

    count, length = pages.shape
    return pa.Array.from_buffers(pa.binary(length), count, [None, pa.py_buffer(pages.reshape(-1))])


def _bytes_of(column: "pa.ChunkedArray", length: int) -> NDArray[np.uint8]:
    import pyarrow as pa

    if not len(column):
        return np.zeros(0, np.uint8)
    whole = pa.concat_arrays(column.chunks)
    return np.frombuffer(whole.buffers()[1], np.uint8, len(whole) * length, whole.offset * length)
