"""Measures of a society, declared as data.

The report, figures, outcomes of sweeps, the DataCollector of Mesa and the dashboard use the same
list.
"""

import csv
from dataclasses import KW_ONLY, asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import SettingsError

if TYPE_CHECKING:
    from memopolis.sim.population import Cohort, Population

Statistic = Literal["mean", "sum"]


@dataclass(frozen=True)
class Measure:
    """A number per step, over all agents of a population and by group.

    Attributes:
        name: Name in tables, figures and sweeps.
        column: Status attribute from which it is computed.
        description: Description in one line.
        of: Statistic over the agents.
        unit: Unit of the number; "share" for a share from 0 to 1, which is shown in percent.
        group: Status attribute by which it is also grouped, "" for none.
        where: Status attribute that must be true for an agent to count, "" for all agents.
        population: Population of the agents.
        chart: Title of its figure, which measures of the same title share, "" for none.
    """

    name: str
    column: str
    description: str = ""
    _: KW_ONLY
    of: Statistic = "mean"
    unit: str = ""
    group: str = ""
    where: str = ""
    population: str = "citizen"
    chart: str = ""

    def to_dict(self) -> dict[str, str]:
        """Return the declaration as plain values."""
        return asdict(self)

    def check(self, population: "Population") -> None:
        """Refuse a measure of an attribute that is missing or has another type."""
        for name in (self.column, self.group, self.where):
            if name and name not in population.attributes:
                raise SettingsError(
                    f"measure {self.name!r} is of {name!r}, which {population.name} does not have"
                )
        attributes = population.attributes
        if attributes[self.column].kind not in ("float", "int", "bool"):
            raise SettingsError(
                f"measure {self.name!r} is of {self.column!r}, which is not numeric"
            )
        if self.group and attributes[self.group].kind not in ("int", "bool", "text"):
            raise SettingsError(
                f"measure {self.name!r} is grouped by {self.group!r}, which contains "
                "neither whole numbers nor texts"
            )

    def take(self, agents: "Cohort") -> dict[str, float]:
        """Compute the value of all agents of a cohort, "", and of each group, by its name.

        Agents without a value (or with NaN) and groups without agents are left out; the mean of no
        agents is NaN.
        """
        status = agents.population.memory.status
        for name in filter(None, (self.column, self.group, self.where)):
            present = status.presence(name)
            if present is not None:
                agents = agents.where(present[agents.index])
        index = agents.index
        values = status.encoded(self.column)[index]
        groups = status.encoded(self.group)[index] if self.group else None
        if self.where:
            mask = status.encoded(self.where)[index]
            values = values[mask]
            groups = groups[mask] if groups is not None else None
        if values.dtype.kind == "f" and np.isnan(values).any():
            has_value = ~np.isnan(values)
            values = values[has_value]
            groups = groups[has_value] if groups is not None else None
        # Counting flags is much faster than adding them.
        is_flag = values.dtype == np.bool_
        total = float(np.count_nonzero(values) if is_flag else values.sum(dtype=np.float64))
        if self.of == "mean":
            total = total / len(values) if len(values) else float("nan")
        if groups is None or not len(values):
            return {"": total}
        names, by_group = grouped(values, groups, self.of)
        kind = status.attributes[self.group].kind
        if kind == "text":
            texts = status.labels
            labels = [texts[group] for group in names]
        else:
            labels = [("no", "yes")[group] if kind == "bool" else str(group) for group in names]
        return {"": total} | dict(zip(labels, by_group.tolist(), strict=True))


def read_measures(path: Path) -> tuple[Measure, ...]:
    """Read the measures of a scenario from CSV, with the attributes of `Measure` as columns."""
    with path.open(encoding="utf-8", newline="") as file:
        rows: list[dict[str, Any]] = list(csv.DictReader(file))
    return tuple(Measure(**row) for row in rows)


def grouped(
    values: NDArray[Any], groups: NDArray[Any], of: Statistic
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the groups, numbers >= -1, that have agents, and the mean or sum of values of each."""
    shifted = groups.astype(np.int64) + 1
    count = np.bincount(shifted)
    total = (
        np.bincount(shifted[values], minlength=len(count))
        if values.dtype == np.bool_
        else np.bincount(shifted, weights=values)
    )
    present = np.flatnonzero(count)
    result = total[present].astype(np.float64)
    return present - 1, result / count[present] if of == "mean" else result
