"""The memories that streams drop because they are full."""

from typing import TYPE_CHECKING

import numpy as np

from memopolis.sim.memory.streams.layout import FORGOTTEN
from memopolis.sim.memory.streams.pending import FIELDS, Added

if TYPE_CHECKING:
    from memopolis.sim.memory.streams.stream import Streams


def find_evicted(streams: "Streams", added: Added) -> Added:
    """Return the memories that streams drop when a batch is stored.

    Args:
        streams: The streams, before the batch is stored.
        added: The batch.

    Returns:
        The memories, those of a smaller row first, the oldest first, shape (m,); without
        forgotten ones.
    """
    rows = np.unique(added.rows)
    stop = np.zeros(streams.agents, np.int64)
    np.maximum.at(stop, added.rows, added.ids + np.int64(1))
    before = streams.next[rows].astype(np.int64)
    first = streams.first(rows).astype(np.int64)
    kept = np.maximum(stop[rows] - streams.limit, 0)
    counts = np.maximum(np.minimum(kept, before) - first, 0)
    owners = np.repeat(rows, counts)
    ids = np.arange(counts.sum()) + np.repeat(first - np.cumsum(counts) + counts, counts)
    slots = streams.slots(owners, ids)
    exist = (streams.at("kind", slots) & FORGOTTEN) == 0
    stored = streams.all_at(slots[exist]) | {"rows": owners[exist], "ids": ids[exist]}
    # A batch larger than the limit drops some of its own memories.
    gone = added.ids < np.maximum(stop[added.rows] - streams.limit, 0)
    columns = [np.concatenate([stored[n], getattr(added, n)[gone]]) for n in FIELDS]
    order = np.lexsort((columns[1], columns[0]))
    return Added(
        *(
            values[order].astype(getattr(added, n).dtype)
            for n, values in zip(FIELDS, columns, strict=True)
        )
    )
