"""What a run was, by its manifest."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd


class RunFacts:
    """What a run says of itself: its settings, its seed, its clock, how it ended.

    Args:
        folder: Where it lies.
        manifest: What its manifest says.
    """

    def __init__(self, folder: Path, manifest: dict[str, Any]) -> None:
        self.folder = folder
        self.manifest = manifest

    @property
    def title(self) -> str:
        """Name of the scenario."""
        return str(self.manifest.get("title", self.manifest["scenario"]))

    @property
    def settings(self) -> dict[str, Any]:
        """Settings, groups of them nested."""
        return dict(self.manifest["settings"])

    @property
    def seed(self) -> int:
        """The seed of every draw."""
        return int(self.manifest["seed"])

    @property
    def status(self) -> str:
        """How it ended: succeeded, interrupted or failed."""
        return str(self.manifest.get("status", "unknown"))

    @property
    def facts(self) -> dict[str, Any]:
        """What the scenario says of itself, such as dates of a storm."""
        return dict(self.manifest.get("facts", {}))

    @property
    def start(self) -> datetime:
        """Local time at which tick 0 begins."""
        return datetime.fromisoformat(self.manifest["start"])

    @property
    def hours(self) -> float:
        """Length of a tick in hours."""
        return float(self.manifest["tick_hours"])

    @property
    def ticks(self) -> int:
        """Ticks that it took."""
        return int(self.manifest.get("ticks", 0))

    @property
    def end(self) -> datetime:
        """Local time at which it ended."""
        return self.start + timedelta(hours=self.hours * self.ticks)

    @property
    def populations(self) -> tuple[str, ...]:
        """Names of its populations, the people first."""
        return tuple(self.manifest["populations"])

    def attributes(self, population: str) -> dict[str, dict[str, Any]]:
        """What is declared of each recorded attribute of a population.

        Args:
            population: Its name.

        Returns:
            By name: unit, description, low, high, and changes, whether it is known to change;
            none where there is no such population.
        """
        declared: dict[str, Any] = self.manifest.get("attributes", {})
        return dict(declared.get(population, {}))

    def time_of(self, ticks: pd.Series) -> pd.Series:
        """Local time at which ticks begin."""
        # As fine as the clock's own steps: a tick of a minute and a half must not drift.
        since = (ticks.astype("int64") * round(self.hours * 3_600e6)).astype("timedelta64[us]")
        times: pd.Series = (pd.Timestamp(self.start) + since).dt.round("s").astype("datetime64[s]")
        return times
