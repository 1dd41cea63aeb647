"""Outcomes: one number per run, such as a share at the end or a total.

They are computed from the folder of a run, for workers, comparisons of arms and sweeps.
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
"""Ways of aggregating the steps of a measure, and their descriptions; "step=N" is another one."""
_STEP = "step="

_COLUMNS = ("tick", "measure", "group", "value")


@dataclass(frozen=True)
class Outcome:
    """One number of a run.

    Attributes:
        name: Name as written by the user, such as "gini" or "income[lowest]@mean".
        measure: Name of its measure.
        way: "end" (value of the last step), "mean" or "sum" over all steps, or "step=N" (value
            after step N, from 0).
        group: Group of the measure, "" for all.
    """

    name: str
    measure: str
    way: str
    group: str = ""

    @property
    def step(self) -> int | None:
        """The step N of "step=N", None for other ways."""
        return int(self.way.removeprefix(_STEP)) if self.way.startswith(_STEP) else None

    def of(self, values: NDArray[np.float64]) -> float:
        """Aggregate the steps of a measure, shape (steps,), for "step=N" only of that step.

        Steps without a value (NaN) are ignored in "mean" and "sum". NaN if there is no value.
        """
        if self.way == "end" or self.step is not None:
            return float(values[-1]) if len(values) else float("nan")
        known = values[~np.isnan(values)]
        if not len(known):
            return float("nan")
        return float(known.mean() if self.way == "mean" else known.sum())

    def measured(self, folder: str | Path) -> float:
        """Compute the outcome of the run in a folder; see `read`."""
        return read(folder, [self])[self.name]


def read(folder: str | Path, outcomes: Iterable[Outcome]) -> dict[str, float]:
    """Compute several outcomes of the run in a folder by name; NaN if the group is empty."""
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
        is_wanted = of_measure & (groups == outcome.group)
        if outcome.step is not None:
            is_wanted &= ticks == outcome.step
        chosen = np.flatnonzero(is_wanted)
        numbers[outcome.name] = outcome.of(values[chosen[np.argsort(ticks[chosen], kind="stable")]])
    return numbers


def read_outcomes(
    names: Sequence[str], declared: Sequence[Mapping[str, Any]], *, title: str
) -> list[Outcome]:
    """Parse the names of outcomes; by default, all charted measures.

    A name is a measure or a measure with a group (`income[lowest]`), optionally with `@end`,
    `@mean`, `@sum` or `@step=N`. The default is `@sum` for measures that are sums over agents, and
    `@end` for others. `declared` are the measures of the runs, as in their manifests, and `title`
    names the scenario.
    """
    measures = {str(measure["name"]): measure for measure in declared}
    asked = names or [name for name, one in measures.items() if one["chart"]]
    return [_read(name.strip(), measures, title) for name in dict.fromkeys(asked)]


def _columns(folder: Path) -> tuple[NDArray[Any], ...]:
    """Return the columns of `measures` in the order of `_COLUMNS`, each of shape (rows,)."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    parts = parts_of(folder, "measures")
    if not parts:
        raise UnknownNameError(
            f"{folder} has no table 'measures', of which outcomes are taken. What a run records "
            "is set by record.tables"
        )
    with reading(folder, "measures"):
        # A single file is read three times as fast as a data set; threads would slow down files of
        # this size.
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
    if at and way not in WAYS and not (way.startswith(_STEP) and way[len(_STEP) :].isdecimal()):
        raise UnknownNameError(
            f"outcome {text}: {way!r} is unknown; write @{', @'.join(WAYS)} or @step=N"
        )
    usual = "sum" if measures[measure]["of"] == "sum" else "end"
    return Outcome(text, measure, way or usual, group)
