"""Outcomes: what a run came to in one number, such as a share at the end or a total."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memopolis.sim.errors import UnknownNameError

if TYPE_CHECKING:
    import pandas as pd

    from memopolis.analysis.load import Run

WAYS: Mapping[str, str] = {"end": "at the end", "mean": "mean over time", "sum": "in all"}
"""How a measure's steps become one number, and how that is said."""


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

    def of(self, series: "pd.Series") -> float:
        """Make one number of a measure's steps; steps without a value count for nothing.

        Args:
            series: Values by time, shape (steps,).

        Returns:
            NaN if no step has a value, or, at the end, if the last has none.
        """
        if series.empty:
            return float("nan")
        if self.way == "end":
            return float(series.iloc[-1])
        return float(series.mean() if self.way == "mean" else series.sum(min_count=1))

    def measured(self, run: "Run") -> float:
        """Take it of a run; NaN where the run has nobody in the group."""
        if self.group not in run.groups(self.measure):
            return float("nan")
        return self.of(run.measure(self.measure, self.group))


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


def _read(text: str, measures: Mapping[str, Mapping[str, Any]], title: str) -> Outcome:
    named, at, way = text.partition("@")
    measure, _, group = named.removesuffix("]").partition("[")
    if measure not in measures:
        near = difflib.get_close_matches(measure, measures, n=1)
        advice = f"did you mean {near[0]}? " if near else ""
        raise UnknownNameError(
            f"{title} has no measure {measure!r} to compare arms by; {advice}there are "
            f"{', '.join(measures) or 'none'}"
        )
    if at and way not in WAYS:
        raise UnknownNameError(f"outcome {text}: {way!r} is no way; write @{', @'.join(WAYS)}")
    usual = "sum" if measures[measure]["of"] == "sum" else "end"
    return Outcome(text, measure, way or usual, group)
