"""Draw how long people have been without work, beside the figures of a survey."""

import numpy as np
from matplotlib.figure import Figure

from memopolis.analysis.figures.style import COLOURS, INK, canvas, percent
from memopolis.analysis.metrics.livelihoods import SETTLED, count_months_without_work
from memopolis.analysis.run.run import Run

_BINS = {"1 month": (1, 1), "2 or 3": (2, 3), "4 to 6": (4, 6), "7 and more": (7, np.inf)}
_SURVEY = (0.35, 0.30, 0.14, 0.21)
"""Unemployed in the United States in 2019 for less than 5 weeks, 5 to 14, 15 to 26, and longer
(Bureau of Labor Statistics, table A-12, recalled)."""


def spells_without_work(run: Run) -> Figure:
    """Draw the share of the unemployed by months without work."""
    months = count_months_without_work(run.table("agents_citizen", ["labour"]))
    figure, (axes,) = canvas(
        "Months without work so far",
        f"Share of the unemployed, all months from number {SETTLED} on; points: United States in "
        "2019 (Bureau of Labor Statistics, recalled)",
    )
    place = np.arange(len(_BINS))
    shares = [
        float(((months >= low) & (months <= high)).mean()) if len(months) else 0.0
        for low, high in _BINS.values()
    ]
    axes.bar(place, shares, width=0.6, color=COLOURS[0])
    axes.plot(place, _SURVEY, "o", color=INK, mec="white", ms=7)
    axes.set_xticks(place, list(_BINS))
    axes.set_ylim(0, 1.1 * max(*shares, *_SURVEY))
    axes.yaxis.set_major_formatter(percent)
    axes.set_ylabel("Share of the unemployed")
    axes.set_xlabel("Months without work")
    return figure
