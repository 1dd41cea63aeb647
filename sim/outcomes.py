"""Outcomes: one number of a run, such as a share at the end or a total.

They are computed here only, from the run's folder: for workers, comparisons of arms and sweeps.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import UnknownNameError, did_you_mean
from memopolis.sim.files import refuse_outer_links
from memopolis.sim.run_folder.folder import parts_of, reading

WAYS: Mapping[str, str] = {"end": "at the end", "mean": "mean over time", "sum": "in all"}
"""How a measure's steps become one number, and how that is said."""

_COLUMNS = ("tick", "measure", "group", "value")


@dataclass(frozen=True)
class Outcome:
    """One number of a run.

    Attributes:
        name: As it was asked for, such as "gini" or "income[lowest]@mean".
        measure: Measure that it is taken of.
        way: "end" (value of the last step), "mean" or "sum" over all steps.
        group: Group of the measure, "" for all.
    """

    name: str
    measure: str
    way: str
    group: str = ""

    def of(self, values: NDArray[np.float64]) -> float:
        """Make one number of a measure's steps; steps without a value count for nothing.

        Args:
            values: In the order of the steps, NaN for a step without a value, shape (steps,).

        Returns:
            NaN if no step has a value, or, at the end, if the last has none.
        """
        if self.way == "end":
            return float(values[-1]) if len(values) else float("nan")
        known = values[~np.isnan(values)]
        if not len(known):
            return float("nan")
        return float(known.mean() if self.way == "mean" else known.sum())

    def measured(self, folder: str | Path) -> float:
        """Compute it from a run; NaN where the group is empty.

        Args:
            folder: Of the run.

        Raises:
            UnknownNameError: If the run did not record the measure.
            RunFolderError: If the table of measures cannot be read.
        """
        return read(folder, [self])[self.name]


def read(folder: str | Path, outcomes: Iterable[Outcome]) -> dict[str, float]:
    """Compute several outcomes of a run, reading its measures once.

    Args:
        folder: Of the run.
        outcomes: Which.

    Returns:
        Numbers by name of the outcome; NaN where the group is empty.

    Raises:
        UnknownNameError: If the run did not record a measure.
        RunFolderError: If the table of measures cannot be read.
    """
    wanted = list(outcomes)
    if not wanted:
        return {}
    refuse_outer_links(Path(folder))
    ticks, measures, groups, values = _columns(Path(folder))
    numbers = {}
    for outcome in wanted:
        of_measure = measures == outcome.measure
        if not of_measure.any():
            available = ", ".join(sorted(set(measures.tolist()))) or "none"
            raise UnknownNameError(
                f"the run {folder} has no measure {outcome.measure!r}; it has {available}"
            )
        chosen = np.flatnonzero(of_measure & (groups == outcome.group))
        numbers[outcome.name] = outcome.of(values[chosen[np.argsort(ticks[chosen], kind="stable")]])
    return numbers


def read_outcomes(
    names: Sequence[str], declared: Sequence[Mapping[str, Any]], *, title: str
) -> list[Outcome]:
    """Read outcomes as they are asked for.

    Args:
        names: Each a measure, a measure with its group (`income[lowest]`), and either with
            `@end`, `@mean` or `@sum`. Without that, flows (measures that are sums over the
            agents) count in all, everything else at the end. None for all charted measures.
        declared: Measures of the runs, as their manifests declare them.
        title: Name of the scenario, for messages.

    Raises:
        UnknownNameError: If there is no such measure, or no such way.
    """
    measures = {str(one["name"]): one for one in declared}
    asked = names or [name for name, one in measures.items() if one["chart"]]
    return [_read(name.strip(), measures, title) for name in dict.fromkeys(asked)]


def _columns(folder: Path) -> tuple[NDArray[Any], ...]:
    """Columns of a run's measures, in the order of `_COLUMNS`; each of shape (rows,)."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    parts = parts_of(folder, "measures")
    if not parts:
        raise UnknownNameError(
            f"{folder} has no table 'measures', of which outcomes are taken. What a run records "
            "is set by record.tables"
        )
    with reading(folder, "measures"):
        # A file that is opened by itself is read in a third of the time of a data set; with
        # threads, so small a one would wait for them.
        read_parts = [
            pq.ParquetFile(part).read(columns=list(_COLUMNS), use_threads=False) for part in parts
        ]
    joined = pa.concat_tables(read_parts, promote_options="permissive")
    return tuple(joined[name].to_numpy() for name in _COLUMNS)


def _read(text: str, measures: Mapping[str, Mapping[str, Any]], title: str) -> Outcome:
    named, at, way = text.partition("@")
    measure, _, group = named.removesuffix("]").partition("[")
    if measure not in measures:
        advice = did_you_mean(measure, measures)
        raise UnknownNameError(
            f"{title} has no measure {measure!r} to take an outcome of; {advice}there are "
            f"{', '.join(measures) or 'none'}"
        )
    if at and way not in WAYS:
        raise UnknownNameError(f"outcome {text}: {way!r} is no way; write @{', @'.join(WAYS)}")
    usual = "sum" if measures[measure]["of"] == "sum" else "end"
    return Outcome(text, measure, way or usual, group)
