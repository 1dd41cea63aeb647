"""Draw how people spend the day, beside the diaries of a survey."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from memopolis.agents.day.calendar import DayKind
from memopolis.analysis.figures.style import COLOURS, INK, PALE, canvas, percent
from memopolis.analysis.metrics.time_use import (
    LEAST,
    MINUTES,
    SHARE,
    compare_time_use,
    compute_rhythm,
    read_asleep,
    read_days,
)
from memopolis.analysis.run.run import Run

_BANDS = {
    "Asleep": ("sleep",),
    "At work or school": ("work", "school", "study"),
    "Housework and care": ("housework", "care", "personal care"),
    "Meals": ("eat",),
    "Out and about": ("shop", "meet", "sport", "religion", "leisure", "travel"),
    "Free time at home": ("television", "rest", "message"),
}
"""Activities that are drawn as one band, in order from the bottom; the rest is on top."""
_COLOURS = (COLOURS[6], COLOURS[0], COLOURS[4], COLOURS[2], COLOURS[3], COLOURS[5], "#DDDDDD")
_KINDS = {DayKind.WEEKDAY: "Weekdays", DayKind.SATURDAY: "Saturdays", DayKind.SUNDAY: "Sundays"}


def daily_rhythm(run: Run) -> Figure:
    """Draw the share of people by activity and hour, for each kind of day of the run."""
    days = read_days(run)
    kinds = [kind for kind in DayKind if len(compute_rhythm(days, kind))]
    figure, axes = canvas(
        "The day",
        "Share of people of 15 and more by activity and hour, local time; points: asleep in the "
        "American Time Use Survey, averaged over all days (recalled)",
        columns=len(kinds),
    )
    for panel, kind in zip(axes, kinds, strict=True):
        shares = compute_rhythm(days, kind)
        layers = [
            shares[[name for name in names if name in shares]].sum(axis=1)
            for names in _BANDS.values()
        ]
        layers.append(1 - pd.concat(layers, axis=1).sum(axis=1))
        hours = shares.index.to_numpy() + 0.5
        labels = [*_BANDS, "Other"]
        panel.stackplot(hours, *layers, colors=_COLOURS, labels=labels, edgecolor="white", lw=0.4)
        asleep = read_asleep()
        panel.plot(asleep.index + 0.5, asleep, "o", color=INK, mec="white", ms=5)
        panel.set_title(_KINDS[kind], loc="left")
        panel.set_xlim(0, 24)
        panel.set_ylim(0, 1)
        panel.set_xticks(range(0, 25, 6), [f"{hour}:00" for hour in range(0, 25, 6)])
        panel.yaxis.set_major_formatter(percent)
    _write_legend(figure, axes[0])
    return figure


def _write_legend(figure: Figure, panel: Axes) -> None:
    handles, labels = panel.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)


def time_use(run: Run) -> Figure:
    """Draw minutes a day by group and use against those of the survey."""
    table = compare_time_use(read_days(run))
    agreement = f", {table['close'].mean():.0%} of them" if len(table) else ""
    figure, (panel,) = canvas(
        "Minutes a day, by kind of day, working status, age and use",
        f"{len(table)} cells of at least {LEAST} people; dark: within {SHARE:.0%} or {MINUTES:g} "
        f"min of the American Time Use Survey{agreement}",
        height=4.2,
    )
    most = 1.1 * float(table[["minutes", "surveyed"]].to_numpy(np.float64).max(initial=60.0))
    panel.plot([0, most], [0, most], color=PALE, lw=1)
    for close, colour in ((False, COLOURS[1]), (True, COLOURS[0])):
        rows = table[table["close"] == close]
        panel.plot(rows["surveyed"], rows["minutes"], "o", color=colour, ms=4, alpha=0.6, mew=0)
    panel.set_xlabel("Minutes a day in the survey")
    panel.set_ylabel("Minutes a day in this run")
    panel.set_xlim(0, most)
    panel.set_ylim(0, most)
    return figure
