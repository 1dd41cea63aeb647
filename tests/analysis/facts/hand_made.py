"""A run of hand-made tables, for facts that are read from tables alone."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd


class HandMade:
    """What facts read of a run: its tables, its settings and its seed."""

    seed = 1
    first_population = "citizen"

    def __init__(self, tables: Mapping[str, pd.DataFrame], **settings: Any) -> None:
        self._tables = tables
        self.settings = settings

    @property
    def tables(self) -> Sequence[str]:
        return list(self._tables)

    def first_rows(self, population: str) -> pd.DataFrame:
        people = self._tables[f"agents_{population}"]
        first: pd.DataFrame = people[people["tick"] == people["tick"].min()]
        return first

    def agents_of(self, population: str, *names: str) -> pd.DataFrame:
        people = self._tables[f"agents_{population}"]
        return people[["tick", "time", "agent", *names]] if names else people

    def ties(self, kind: str) -> pd.DataFrame:
        ties = self._tables.get("ties", pd.DataFrame({"source": [], "target": [], "kind": []}))
        chosen: pd.DataFrame = ties[ties["kind"] == kind]
        return chosen

    def table(self, name: str, columns: Sequence[str] = ()) -> pd.DataFrame:
        frame = self._tables[name]
        return frame[["tick", "agent", *columns]] if columns else frame


def panel(columns: Mapping[str, Sequence[Sequence[Any]]]) -> pd.DataFrame:
    """A table of agents from a list an agent for each column, one value a tick."""
    first = next(iter(columns.values()))
    rows = [
        {
            "tick": tick,
            "agent": agent,
            **{name: item[agent][tick] for name, item in columns.items()},
        }
        for tick in range(len(first[0]))
        for agent in range(len(first))
    ]
    return pd.DataFrame(rows)
