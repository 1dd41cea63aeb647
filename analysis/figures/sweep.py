"""Figures of a sweep: each outcome against each factor."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from memopolis.analysis.compare.intervals import interval
from memopolis.analysis.figures.style import PALE, grid, look
from memopolis.analysis.sweep.results import SweepResults

_BESIDE = 3
_BINS = 8
_MANY = 10  # minimum number of distinct values of a factor that are binned
_LONG = 14


def outcome_by_factor(results: SweepResults, outcome: str) -> Figure:
    """Draw an outcome against each factor: points, and the mean of each level or bin.

    Intervals of a grid are over replications, since its points differ by the other factors and
    not by chance; those of sampled points are over points.
    """
    points = results.points[results.points["outcome"] == outcome]
    names = list(points.columns[1 : 1 + len(results.factors)])
    by_run = _by_replication(results, outcome, list(points["point"]))
    whose = "a level" if by_run.shape[1] > 1 else "a level or bin"
    over = "replications" if by_run.shape[1] > 1 else "points"
    figure, panels = grid(
        f"{outcome} by factor",
        f"Dots: one per point, the mean over its replications; diamonds: means of {whose} "
        f"with {results.confidence:.0%} intervals over {over}",
        panels=len(names),
        columns=_BESIDE,
        height=2.9,
    )
    for axes, column, factor in zip(panels, names, results.factors, strict=False):
        _panel(axes, _ordered(points[column], results, factor), by_run, results.confidence)
        axes.set_xlabel(factor)
    panels[0].set_ylabel(outcome)
    return figure


def _by_replication(results: SweepResults, outcome: str, points: list[int]) -> NDArray[np.float64]:
    """Return an outcome, shape (points, replications) for a grid, else means, shape (points, 1)."""
    runs = results.runs.pivot_table(
        index="point", columns="replication", values=results.column_of(outcome), dropna=False
    ).reindex(index=points)
    values = runs.to_numpy(np.float64)
    if results.design.sampling == "grid" and not np.isnan(values).any():
        return values
    frame = results.points
    return frame.loc[frame["outcome"] == outcome, ["mean"]].to_numpy(np.float64)


def _ordered(values: pd.Series, results: SweepResults, factor: str) -> pd.Series:
    """Return the values of a factor; non-numeric levels in the order of the design."""
    if values.dtype.kind in "if":
        return values
    declared = results.design.factors
    levels = declared.get(factor) if isinstance(declared, Mapping) else None
    order = values.unique() if not isinstance(levels, tuple) else levels
    return pd.Series(pd.Categorical([str(one) for one in values], [str(one) for one in order]))


def _panel(axes: Axes, values: pd.Series, bounds: NDArray[np.float64], confidence: float) -> None:
    at, groups, labels = _places(values)
    axes.scatter(at, bounds.mean(axis=1), s=11, color=PALE, alpha=0.5, lw=0)
    drawn = look(0)
    for group in np.unique(groups):
        chosen = groups == group
        own = bounds[chosen].mean(axis=0) if bounds.shape[1] > 1 else bounds[chosen, 0]
        one = interval(own, confidence=confidence)
        middle = float(at[chosen].mean())
        axes.vlines(middle, one.low, one.high, color=drawn.colour, lw=2.0, zorder=3)
        axes.plot(middle, one.mean, "D", color=drawn.colour, ms=5.5, mec="white", mew=0.6, zorder=4)
    if labels is not None:
        tilted = max(map(len, labels)) > _LONG
        axes.set_xticks(
            range(len(labels)),
            labels,
            rotation=30 if tilted else 0,
            ha="right" if tilted else "center",
        )
        axes.set_xlim(-0.5, len(labels) - 0.5)


def _places(values: pd.Series) -> tuple[NDArray[np.float64], NDArray[Any], list[str] | None]:
    """Return the position and the level or bin of each point, and names of non-numeric levels."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        places = np.asarray(values.cat.codes, np.float64)
        return places, places, list(values.cat.categories)
    at = values.to_numpy(np.float64)
    if len(np.unique(at)) <= _MANY:
        return at, at, None
    ranks = at.argsort(kind="stable").argsort(kind="stable")
    return at, ranks * _BINS // len(at), None
