"""Figures of trips in the region, relative to the same days without a storm."""

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from memopolis.analysis.figures.style import canvas, label_ends, look, percent
from memopolis.analysis.figures.times import days_of, mark_dates, span, time_axis
from memopolis.analysis.metrics.recovery import ratio

if TYPE_CHECKING:
    from memopolis.analysis.run.run import Run


def trips_and_visits(run: "Run", paired: "Run") -> Figure:
    """Draw daily trips and store visits, relative to the paired run without storm.

    Args:
        run: A run with a storm.
        paired: The run of the same seed and settings without storm and orders.
    """
    figure, (axes,) = canvas(
        "Trips and store visits, relative to the same days without a storm",
        "daily total as a share of the paired run's (same seed, no storm and no orders)",
    )
    ends = []
    shown = {"trips": "trips", "store_visits": "visits to stores\nand filling stations"}
    for number, (name, label) in enumerate(shown.items()):
        drawn = look(number)
        stormy = run.measure(name).resample("D").sum()
        calm = paired.measure(name).resample("D").sum().reindex(stormy.index, fill_value=0)
        relative = ratio(stormy.to_numpy(), calm.to_numpy())
        middle = days_of(stormy.index) + 0.5
        axes.plot(middle, relative, **drawn.line() | {"marker": "os"[number], "ms": 4.5})
        known = relative[~np.isnan(relative)]
        if len(known):
            ends.append((float(known[-1]), label, drawn))
    axes.axhline(1, color="#555555", lw=1, ls=":")
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(percent)
    label_ends(axes, ends, gap=0.12)
    time_axis(axes, *span(run))
    mark_dates(axes, run)
    return figure
