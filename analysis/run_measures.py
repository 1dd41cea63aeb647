"""The measures of a run."""

from functools import cached_property

import pandas as pd

from memopolis.analysis.run_tables import RunTables
from memopolis.sim.errors import UnknownNameError


class RunMeasures(RunTables):
    """What was measured of a society step by step, of all and of groups."""

    @cached_property
    def measures(self) -> pd.DataFrame:
        """Measures of each step: tick, time, measure, group ("" for all), value."""
        return self._dated("measures")

    def measure(self, name: str, group: str = "") -> pd.Series:
        """One measure by time.

        Args:
            name: Of the measure.
            group: Value of its grouping attribute, "" for all.

        Raises:
            UnknownNameError: If it was not recorded.
        """
        self.check_group(name, group)
        chosen = self._by_measure[name]
        chosen = chosen[chosen["group"] == group]
        return chosen.set_index("time")["value"].rename(name)

    @cached_property
    def measured(self) -> frozenset[str]:
        """Names of the measures there are; none where they were not recorded."""
        return frozenset(self._by_measure)

    def groups(self, name: str) -> list[str]:
        """Groups by which a measure was recorded, "" for all first.

        Raises:
            UnknownNameError: If it was not recorded.
        """
        self.check_measure(name)
        return sorted(self._by_measure[name]["group"].unique())

    def check_measure(self, name: str) -> None:
        """Refuse a measure that was not recorded.

        Raises:
            UnknownNameError: If it was not.
        """
        if name not in self.measured:
            there = ", ".join(sorted(self.measured))
            raise UnknownNameError(f"the run has no measure {name!r}; it has {there}")

    def check_group(self, name: str, group: str) -> None:
        """Refuse a group by which a measure was not recorded.

        Raises:
            UnknownNameError: If it was not.
        """
        groups = self.groups(name)
        if group not in groups:
            there = ", ".join(map(repr, groups))
            raise UnknownNameError(f"measure {name!r} has no group {group!r}; it has {there}")

    @cached_property
    def _by_measure(self) -> dict[str, pd.DataFrame]:
        if "measures" not in self.tables:
            return {}
        return {str(name): frame for name, frame in self.measures.groupby("measure", observed=True)}
