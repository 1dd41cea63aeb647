"""Draw how many memories of a run are about a subject, over time."""

import pandas as pd
from matplotlib.figure import Figure

from memopolis.analysis.figures.lines import days_of
from memopolis.analysis.figures.over_time import date_axes
from memopolis.analysis.figures.style import COLOURS, canvas
from memopolis.analysis.metrics.memory_trend import By, memory_trend
from memopolis.analysis.run.run import Run

_HOURS = {"hour": 1.0, "day": 24.0, "week": 168.0}


def trend(run: Run, query: str, topic: str | None = None, by: By = "day") -> Figure:
    """Draw the number of memories about a subject over time, plain and weighted by importance.

    `topic` is None for all topics, and `by` the length of a bin of time.
    """
    points = memory_trend(run, query, topic, by)
    among = "of all topics" if topic is None else f"of topic {topic}"
    figure, (axes,) = canvas(
        f"New memories about {query}",
        f"New memories per {by}, {among}; dark: weighted by importance",
    )
    width = _HOURS.get(by, run.hours) / 24
    x = days_of(pd.DatetimeIndex(points["time"]))
    axes.bar(x, points["count"], width=width, align="edge", color=COLOURS[5], lw=0)
    axes.bar(x, points["weight"], width=width, align="edge", color=COLOURS[0], lw=0)
    axes.set_ylabel(f"Memories per {by}")
    axes.set_ylim(bottom=0)
    date_axes(run, axes)
    return figure
