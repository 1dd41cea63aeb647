"""Figures of arms side by side: each measure over time, and the outcomes of every run."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from memopolis.analysis.compare.arms import Comparison
from memopolis.analysis.compare.intervals import interval
from memopolis.analysis.compare.over_time import mean_over_time
from memopolis.analysis.figures.lines import Panel
from memopolis.analysis.figures.over_time import draw_over_time
from memopolis.analysis.figures.style import COLOURS, PALE, Look, grid, look, percent
from memopolis.analysis.labels import axis_unit, is_score, is_share, limits_of, scaled, words
from memopolis.analysis.run.run import Run
from memopolis.sim.outcomes import WAYS, Outcome

_DAYS = 5  # minimum length in days of runs whose flows are drawn per day, without the daily rhythm
_FEW = 3  # panels per row


def path_by_arm(comparison: Comparison, measure: str, group: str = "") -> Figure:
    """Draw a measure over time: the mean over seeds of each arm with its interval.

    `measure` is among the outcomes of the comparison; `group` is "" for all.
    """
    declared = _declared(comparison)[measure]
    scale = scaled(declared["unit"])[0]
    run = comparison.runs[comparison.arms[0]][0]
    whom = f" ({group})" if group else ""
    looks = looks_of_arms(comparison)
    paths = {arm: scale * _path(comparison, measure, group, arm) for arm in looks}
    return draw_over_time(
        run,
        f"{words(measure)}{whom} by arm",
        f"{_of_one_group(declared)}; band: {comparison.confidence:.0%} interval of the mean over "
        f"{len(comparison.seeds)} seeds",
        Panel(
            {arm: path["mean"] for arm, path in paths.items()},
            unit=axis_unit([declared], _hours(run)),
            share=is_share(declared),
            zero=not is_score(declared),
            looks=looks,
            bands=paths,
        ),
        height=3.3,
    )


def outcomes_by_arm(comparison: Comparison) -> Figure:
    """Draw the outcomes of every run by arm, and their means with intervals."""
    tall = 0.75 + 0.3 * len(comparison.arms)
    figure, panels = grid(
        "Outcomes by arm",
        f"Dots: one run each; diamonds: means with {comparison.confidence:.0%} intervals over "
        f"seeds; grey lines join runs of one seed",
        panels=len(comparison.outcomes),
        columns=_FEW,
        height=max(tall, 1.6),
    )
    for axes, outcome in zip(panels, comparison.outcomes, strict=True):
        _outcome(axes, comparison, outcome)
    return figure


def looks_of_arms(comparison: Comparison) -> dict[str, Look]:
    """Return the style of each arm; the reference is grey."""
    colours = (COLOURS[-1], *COLOURS[:-1])
    return {
        arm: look(i, colours[i] if i < len(colours) else None)
        for i, arm in enumerate(comparison.arms)
    }


def _outcome(axes: Axes, comparison: Comparison, outcome: Outcome) -> None:
    declared = _declared(comparison)[outcome.measure]
    scale = scaled(declared["unit"])[0]
    every = comparison.values  # noqa: PD011 - no DataFrame
    frame = every[every["outcome"] == outcome.name]
    height = {arm: -i for i, arm in enumerate(comparison.arms)}
    for _, runs in frame.groupby("seed"):
        axes.plot(runs["value"] * scale, [height[a] for a in runs["arm"]], color=PALE, lw=0.5)
    for arm, style in looks_of_arms(comparison).items():
        colour = style.colour
        values = scale * frame.loc[frame["arm"] == arm, "value"].to_numpy(np.float64)
        at = np.full(len(values), height[arm])
        axes.scatter(values, at, s=16, color=colour, alpha=0.55, lw=0, zorder=3)
        mean = interval(values, confidence=comparison.confidence)
        axes.plot([mean.low, mean.high], [height[arm] - 0.28] * 2, color=colour, lw=2.2)
        axes.plot(mean.mean, height[arm] - 0.28, "D", color=colour, ms=5.5, mec="white", mew=0.6)
    axes.set_yticks(list(height.values()), list(height))
    axes.set_ylim(0.5 - len(height) - 0.1, 0.4)
    axes.set_title(_title(outcome, declared), size=9, loc="left")
    axes.xaxis.set_major_locator(MaxNLocator(4))
    share = is_share(declared) and outcome.way != "sum"
    axes.xaxis.set_major_formatter(percent if share else "{x:,g}")


def _title(outcome: Outcome, declared: Mapping[str, Any]) -> str:
    unit = "" if is_score(declared) else scaled(declared["unit"])[1]
    whom = f" ({outcome.group})" if outcome.group else ""
    return f"{words(outcome.measure)}{whom}\n{WAYS[outcome.way]}{f', {unit}' if unit else ''}"


def _of_one_group(declared: Mapping[str, Any]) -> str:
    """Return a measure's description without its grouping, because one group is drawn, or all."""
    description = str(declared["description"])
    return description.rsplit(", by ", 1)[0] if declared["group"] else description


def _path(comparison: Comparison, measure: str, group: str, arm: str) -> pd.DataFrame:
    """Return mean, low and high over seeds by time."""
    paths = comparison.paths
    which = (paths["measure"] == measure) & (paths["group"] == group) & (paths["arm"] == arm)
    by_seed = paths[which].pivot_table(index="time", columns="seed", values="value")
    run, declared = comparison.runs[arm][0], _declared(comparison)[measure]
    if _hours(run) > run.hours and declared["of"] == "sum":
        by_seed = by_seed.resample("D").sum()
        by_seed.index += pd.Timedelta(hours=12)
    return mean_over_time(by_seed, limits=limits_of(declared), confidence=comparison.confidence)


def _hours(run: Run) -> float:
    """Return the hours over which flows are summed: a day for long runs with short steps."""
    short = run.hours < 24 and (run.end - run.start).days >= _DAYS
    return 24.0 if short else run.hours


def _declared(comparison: Comparison) -> dict[str, dict[str, Any]]:
    run = comparison.runs[comparison.arms[0]][0]
    return {str(measure["name"]): measure for measure in run.manifest["measures"]}
