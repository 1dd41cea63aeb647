"""Who is meant by the rows of a table from outside: agents by id, by name or by order."""

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import DataFileError
from memopolis.sim.world.frames import plain_cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from memopolis.sim.memory.memory import Memory

KEYS = ("agent", "name")
"""Columns that say who is meant: a unique_id, or a name that only one agent has."""


@dataclass(frozen=True, slots=True, eq=False)
class Whose:
    """Whose the rows of a table are, one value a row of the table.

    Attributes:
        memory: Number of the memory.
        row: Row of the agent in it.
        key: Column that says so, "" if it is the order of rows.
    """

    memory: NDArray[np.int64]
    row: NDArray[np.int64]
    key: str


class People:
    """All agents of some memories, by id and by name.

    Args:
        memories: Their memories; of the first are the agents that rows without a key mean.
    """

    def __init__(self, memories: "Sequence[Memory]") -> None:
        self.memories = tuple(memories)
        self._by_id: dict[int, tuple[int, int]] = {}
        self._by_name: dict[str, tuple[int, int]] = {}
        self._named: Counter[str] = Counter()
        for number, memory in enumerate(self.memories):
            for row, unique_id in enumerate(ids_of(memory).tolist()):
                self._by_id[unique_id] = (number, row)
            if "name" in memory.columns.arrays:
                names = memory.columns.read("name", slice(None)).tolist()
                self._named.update(names)
                self._by_name |= {name: (number, row) for row, name in enumerate(names)}
        self._named.pop("", None)

    def find(self, key: str, cell: Any, where: str) -> tuple[int, int]:
        """Memory and row of an agent.

        Args:
            key: "agent" for an id, "name" for a name.
            cell: What stands in the table.
            where: Its place, for messages.

        Raises:
            DataFileError: If no agent, or more than one, is meant.
        """
        found = self._of_id(cell) if key == "agent" else self._of_name(cell, where)
        if found is not None:
            return found
        ids = list(self._by_id)
        known = f"ids run from {min(ids)} to {max(ids)}" if ids else "there are none"
        if key == "name":
            known = f"{len(self._named)} names are known" if self._named else "none has a name"
        shown = "empty" if cell is None else f"{cell!r}"
        raise DataFileError(f"{where}: {shown}, expected the {_ASKED[key]} of an agent; {known}")

    def unique_id(self, cell: Any, where: str) -> int:
        """unique_id of an agent given by id or by name; errors as in `find`."""
        key = "name" if isinstance(cell, str) and self._whole(cell) is None else "agent"
        number, row = self.find(key, cell, where)
        return int(ids_of(self.memories[number])[row])

    def whose(self, table: "pd.DataFrame", source: str) -> Whose:
        """Say whose the rows of a table are.

        Raises:
            DataFileError: If a row means nobody, or without a key there are too many rows.
        """
        # Where nobody has a name yet, a column of names gives them their names.
        keys = [key for key in KEYS if key in table and (key == "agent" or self._named)]
        if not keys:
            first = len(self.memories[0])
            if len(table) > first:
                raise DataFileError(
                    f"{source}, row {first + 1}: there are only {first} agents; name them in a "
                    "column agent or name, or leave rows out"
                )
            rows = np.arange(len(table))
            return Whose(np.zeros(len(table), np.int64), rows, "")
        key = keys[0]
        cells = plain_cells(table[key], source=source)
        found = np.array(
            [
                self.find(key, cell, f"{source}, row {n}, column {key}")
                for n, cell in enumerate(cells, start=1)
            ],
            np.int64,
        )
        return Whose(found[:, 0], found[:, 1], key)

    @staticmethod
    def _whole(cell: Any) -> int | None:
        try:
            number = float(cell)
        except (TypeError, ValueError):
            return None
        return int(number) if number.is_integer() else None

    def _of_id(self, cell: Any) -> tuple[int, int] | None:
        number = None if isinstance(cell, bool) else self._whole(cell)
        return None if number is None else self._by_id.get(number)

    def _of_name(self, cell: Any, where: str) -> tuple[int, int] | None:
        if not isinstance(cell, str) or cell not in self._named:
            return None
        if self._named[cell] > 1:
            raise DataFileError(
                f"{where}: {self._named[cell]} agents are called {cell!r}; name them by id, in a "
                "column agent"
            )
        return self._by_name[cell]


_ASKED = {"agent": "id", "name": "name"}


def ids_of(memory: "Memory") -> NDArray[np.int64]:
    """unique_id of each row of a memory."""
    given = memory.unique_ids
    return np.arange(len(memory)) if given is None else given
