"""What a run recorded, table by table."""

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from memopolis.analysis.rows import KeptRows, Rows
from memopolis.analysis.run_facts import RunFacts
from memopolis.sim.errors import RunFolderError

_TIES = {"source": "int64", "target": "int64", "kind": "str"}


class RunTables(RunFacts):
    """The tables of a run as DataFrames, each row with the time of its step.

    Args:
        folder: Where it lies.
        manifest: What its manifest says.
        rows: Its tables; None for those in the folder.
    """

    def __init__(self, folder: Path, manifest: dict[str, Any], rows: Rows | None = None) -> None:
        super().__init__(folder, manifest)
        self.rows = KeptRows(folder) if rows is None else rows

    @cached_property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables there are."""
        return self.rows.names()

    def has(self, table: str, *columns: str) -> bool:
        """Whether there is a table with these columns."""
        return table in self.tables and self.rows.columns(table).issuperset(columns)

    def table(self, name: str, columns: Sequence[str] = ()) -> pd.DataFrame:
        """Read a table as it was recorded, parts joined and sorted by its key.

        Args:
            name: Of the table.
            columns: Those wanted beside the key, such as of a table too large to be read whole;
                all if none are named.

        Raises:
            UnknownNameError: If there is none of that name.
            RunFolderError: If it cannot be read.
        """
        frame: pd.DataFrame = self.rows.read(name, columns).to_pandas()
        return frame

    @cached_property
    def texts(self) -> pd.Series:
        """Templates by hash."""
        frame = self.table("texts").drop_duplicates("hash")
        return frame.set_index("hash")["text"]

    def worded(self, hashes: pd.Series) -> pd.Series:
        """Templates by their hashes; missing where a text was not recorded."""
        return hashes.map(self.texts)

    def own(self, name: str, agent: int) -> pd.DataFrame:
        """Rows of a table that are of one agent, with their times.

        Args:
            name: Of a table with a column `agent`.
            agent: unique_id of the agent.

        Raises:
            UnknownNameError: If there is no such table.
        """
        return self._timed(self.rows.read(name, agent=agent).to_pandas())

    @cached_property
    def ledger(self) -> pd.DataFrame:
        """Flows of money of each step, in cents."""
        return self._dated("ledger")

    @cached_property
    def zones(self) -> pd.DataFrame:
        """Zones of the place, in the order of their numbers."""
        return self.table("zones")

    @cached_property
    def weather(self) -> pd.DataFrame:
        """Weather by step and zone."""
        return self._dated("weather")

    def ties(self, kind: str = "") -> pd.DataFrame:
        """Who is tied to whom, as it was recorded at the start.

        Args:
            kind: Only ties of this kind; "" for all.

        Returns:
            A row a tie: source, target (unique_id) and kind; none where none were recorded.
        """
        if not self.has("ties", "source", "target"):
            return pd.DataFrame({"source": [], "target": [], "kind": []}).astype(_TIES)
        frame = self.table("ties")
        frame = frame.assign(kind=frame.get("kind", "")).astype(_TIES)
        chosen = frame if not kind else frame[frame["kind"] == kind]
        return chosen[[*_TIES]].reset_index(drop=True)

    @cached_property
    def timings(self) -> dict[str, Any]:
        """What the wall clock said; empty if that was not kept.

        Raises:
            RunFolderError: If it cannot be read.
        """
        path = self.folder / "timings" / "timings.json"
        try:
            return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}
        except ValueError as error:
            raise RunFolderError(f"{path} is broken: {error}") from None

    def _dated(self, name: str, columns: Sequence[str] = ()) -> pd.DataFrame:
        return self._timed(self.rows.read(name, columns).to_pandas())

    def _timed(self, frame: pd.DataFrame) -> pd.DataFrame:
        frame.insert(1, "time", self.time_of(frame["tick"]))
        return frame
