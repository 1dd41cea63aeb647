"""Agents of the rows of an input table, by id, by name or by order."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import DataFileError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.world.frames import plain_cells

if TYPE_CHECKING:
    import pandas as pd


NAME = "name"  # attribute with the name of an agent
KEYS = ("agent", NAME)  # columns that identify an agent: a unique_id, or a unique name


@dataclass(frozen=True, slots=True, eq=False)
class RowOwners:
    """Agents of the rows of a table, one value per row of the table."""

    memory: NDArray[np.int64]  # index of the memory
    row: NDArray[np.int64]  # row of the agent in it
    key: str  # column that identifies the agents, "" if they follow the order of rows


class AgentIndex:
    """All agents of some memories, by id and by name."""

    def __init__(self, memories: Sequence[Memory]) -> None:
        self.memories = tuple(memories)
        self._by_id: dict[int, tuple[int, int]] = {}
        self._by_name: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, memory in enumerate(self.memories):
            for row, unique_id in enumerate(ids_of(memory).tolist()):
                self._by_id[unique_id] = (number, row)
            if "name" in memory.status.attributes:
                names = memory.status["name"].tolist()
                for row, name in enumerate(names):
                    self._by_name[name].append((number, row))
        for nameless in ("", None):
            self._by_name.pop(nameless, None)  # type: ignore[arg-type]

    def find(self, key: str, cell: Any, where: str) -> tuple[int, int]:
        """Return memory and row of the one agent that a cell identifies, by id or name."""
        if key == "agent":
            number = None if isinstance(cell, bool) else self._whole(cell)
            agent = None if number is None else self._by_id.get(number)
        else:
            agent = self._of_name(cell, where)
        if agent is not None:
            return agent
        ids = list(self._by_id)
        known = f"ids run from {min(ids)} to {max(ids)}" if ids else "there are none"
        if key == "name":
            known = f"{len(self._by_name)} names are known" if self._by_name else "none has a name"
        noun = "id" if key == "agent" else "name"
        shown = "empty" if cell is None else f"{cell!r}"
        raise DataFileError(f"{where}: {shown}, expected the {noun} of an agent; {known}")

    def unique_id(self, cell: Any, where: str) -> int:
        """Return the unique_id of an agent identified by id or name."""
        key = "name" if isinstance(cell, str) and self._whole(cell) is None else "agent"
        number, row = self.find(key, cell, where)
        return int(ids_of(self.memories[number])[row])

    def owners(self, table: "pd.DataFrame", source: str) -> RowOwners:
        """Find the agents of the rows of a table; each row must identify one."""
        # If no agent has a name yet, a column of names sets their names.
        keys = [key for key in KEYS if key in table and (key == "agent" or self._by_name)]
        if not keys:
            first = len(self.memories[0])
            if len(table) > first:
                raise DataFileError(
                    f"{source}, row {first + 1}: there are only {first} agents; name them in a "
                    "column agent or name, or leave rows out"
                )
            rows = np.arange(len(table))
            return RowOwners(np.zeros(len(table), np.int64), rows, "")
        key = keys[0]
        cells = plain_cells(table[key], source=source)
        agents = np.array(
            [
                self.find(key, cell, f"{source}, row {n}, column {key}")
                for n, cell in enumerate(cells, start=1)
            ],
            np.int64,
        )
        return RowOwners(agents[:, 0], agents[:, 1], key)

    @staticmethod
    def _whole(cell: Any) -> int | None:
        try:
            number = float(cell)
        except (TypeError, ValueError):
            return None
        return int(number) if number.is_integer() else None

    def _of_name(self, cell: Any, where: str) -> tuple[int, int] | None:
        agents = self._by_name.get(cell, []) if isinstance(cell, str) else []
        if len(agents) > 1:
            raise DataFileError(
                f"{where}: {len(agents)} agents are called {cell!r}; name them by id, in a column "
                "agent"
            )
        return agents[0] if agents else None


def ids_of(memory: Memory) -> NDArray[np.int64]:
    """Return the unique_id of each row of a memory."""
    ids = memory.unique_ids
    return np.arange(len(memory)) if ids is None else ids
