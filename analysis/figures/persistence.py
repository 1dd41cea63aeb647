"""Draw how closely attitudes agree with earlier ones, by the time between, beside surveys."""

import numpy as np
from matplotlib.figure import Figure

from memopolis.analysis.figures.lines import label_ends, looks_of
from memopolis.analysis.figures.opinions import opinions_of
from memopolis.analysis.figures.style import INK, canvas
from memopolis.analysis.labels import words
from memopolis.analysis.metrics.persistence import correlate_answers
from memopolis.analysis.run.run import Run
from memopolis.sim.survey.named import GUN_CONTROL

_RETEST = {7: (0.80, 0.90), 365: (0.45, 0.75)}
"""Correlation of answers to a single item by days between: after a week, and a year (recalled)."""
_MOST = 24  # number of distances that are drawn


def autocorrelation(run: Run, attitude: str = "gun_control") -> Figure:
    """Draw the correlation of attitudes, and of answers, by the days between."""
    opinions = opinions_of(run, attitude)
    days_per_tick = max(run.hours, 24.0) / 24
    opinions["day"] = (opinions["tick"] * run.hours // 24).astype(np.int64)
    paths = opinions.pivot_table(index="agent", columns="day", values="opinion").dropna()
    many = len(paths.columns)
    lags = np.unique(np.geomspace(1, max(many - 1, 1), _MOST).round().astype(np.int64))
    series = {
        name: [correlate_answers(paths, days=int(lag), error=error) for lag in lags]
        for name, error in (("attitude", 0.0), ("answer", GUN_CONTROL.noise))
    }
    figure, (axes,) = canvas(
        f"Persistence of attitudes: {words(attitude).lower()}",
        "Correlation of the attitudes of the same people at two times, and of their answers in a "
        "survey, which have an error; bars: answers to single items in panels (recalled)",
    )
    days, ends = lags * days_per_tick, []
    for (name, values), style in zip(series.items(), looks_of(list(series)).values(), strict=True):
        axes.plot(days, values, **style.line())
        known = np.array(values)[np.isfinite(values)]
        if len(known):
            ends.append((float(known[-1]), name, style))
    last = float(days[-1])
    for at, (low, high) in _RETEST.items():
        if at <= 1.1 * last:
            axes.vlines(at, low, high, color=INK, lw=3, alpha=0.7)
    axes.set_xlim(0, max(1.02 * last, 2))
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("Days between")
    axes.set_ylabel("Correlation")
    label_ends(axes, ends)
    return figure
