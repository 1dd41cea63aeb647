"""Write the memories that agents still have at the end of a run: the files of `memory/`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.files import whole
from memopolis.sim.recording.schema import HELD

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory
    from memopolis.sim.population import Population

_USE = ("accessed", "accesses", "thought")
_AGENTS_AT_ONCE = 5_000
_PACKED: dict[str, Any] = {
    "compression": "lz4",
    "write_statistics": False,
    "use_dictionary": ["accesses", "times"],
    "column_encoding": dict.fromkeys(
        ("agent", "id", "accessed", "thought", "since"), "DELTA_BINARY_PACKED"
    ),
}


def write_held(folder: Path, population: "Population") -> Path:
    """Write the memories of a population, a few thousand agents at a time, and return the file.

    The population must have no pending memories; `folder` is the folder `memory/` of the run.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    memory, ids = population.memory, population.ids
    schema = pa.schema([(name, column.type) for name, column in HELD.columns.items()])
    file = folder / f"{population.name}.parquet"
    with whole(file) as unfinished, pq.ParquetWriter(unfinished, schema, **_PACKED) as writer:
        for first in range(0, len(ids), _AGENTS_AT_ONCE):
            rows = np.arange(first, min(first + _AGENTS_AT_ONCE, len(ids)))
            writer.write_table(pa.table(held_by(memory, ids, rows), schema=schema))
    return file


def held_by(
    memory: "Memory", ids: NDArray[np.int64], rows: NDArray[np.intp]
) -> dict[str, NDArray[np.int32]]:
    """Return the memories that some agents still have, agent by agent, oldest first.

    Columns are those of the schema `HELD`, shape (memories,). `ids` are the unique_ids of all rows,
    and there must be no pending memories.
    """
    streams = memory.streams
    places, numbers, slots = streams.listed(rows)
    owners = rows[places]
    held = {name: streams.at(name, slots).astype(np.int32, copy=False) for name in _USE}
    held["times"], held["since"] = streams.occasions(slots)
    return {"agent": ids[owners].astype(np.int32), "id": numbers.astype(np.int32), **held}
