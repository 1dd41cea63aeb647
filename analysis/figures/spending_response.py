"""Draw how income and spending respond to the loss of a job and to a basic income."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from memopolis.analysis.figures.lines import dotted_line, label_ends, looks_of
from memopolis.analysis.figures.style import INK, PALE, canvas, percent
from memopolis.analysis.metrics.livelihoods import (
    find_policy_month,
    follow_job_losses,
    read_real_amounts,
)
from memopolis.analysis.run.run import Run

_BEFORE, _AFTER = 6, 12  # months that are drawn before and after an event
_BASE = 3  # months before the event whose mean is the reference
_FALL = (0.03, 0.12)
"""Fall of spending when a job is lost (Ganong and Noel 2019)."""
_NAMES = ("income", "spending")

type Floats = NDArray[np.float64]


def spending_response(run: Run) -> Figure:
    """Draw income and spending around the loss of a job, and around the start of the policy.

    Of the poorer two fifths of households when the policy starts.
    """
    amounts = read_real_amounts(run, "disposable", "consumption")
    start = find_policy_month(run)
    paid = start is not None and _BEFORE <= start <= len(amounts[0]) - _BASE
    figure, panels = canvas(
        "Responses of spending",
        "Disposable income and spending at prices of the start, relative to the mean of the three "
        "months before; grey: fall of spending at a job loss (Ganong and Noel 2019)",
        columns=2 if paid else 1,
        shared=False,
    )
    people = run.table("agents_citizen", ["labour", "household"])
    lost = follow_job_losses(people, amounts, before=_BEFORE, after=_AFTER)
    known = lost[np.isfinite(lost).all(axis=(1, 2))]
    panels[0].axhspan(1 - _FALL[1], 1 - _FALL[0], color=PALE, alpha=0.25, lw=0)
    _draw(panels[0], known.mean(axis=0) if len(known) else np.full((2, _BEFORE + _AFTER), np.nan))
    panels[0].set_title(f"{len(known)} losses of a job", size=10, loc="left")
    if paid and start is not None:
        homes = run.table("agents_household", ["quintile"])
        poor = homes[(homes["tick"] == start) & homes["quintile"].isin(("lowest", "second"))]
        chosen = np.intersect1d(poor["agent"], amounts[0].columns)
        around = slice(start - _BEFORE, start + _AFTER)
        paths = [table[chosen].iloc[around].mean(axis=1).to_numpy() for table in amounts]
        _draw(panels[1], np.array(paths))
        panels[1].set_title("Basic income, the poorer two fifths", size=10, loc="left")
    return figure


def _draw(axes: Axes, paths: Floats) -> None:
    """Draw mean paths, (2, months), relative to the months before the event."""
    months = np.arange(paths.shape[1]) - _BEFORE
    base = paths[:, _BEFORE - _BASE : _BEFORE].mean(axis=1)
    ends = []
    for name, style, path in zip(
        _NAMES, looks_of(_NAMES).values(), paths / base[:, None], strict=True
    ):
        axes.plot(months, path, **style.line())
        known = path[np.isfinite(path)]
        if len(known):
            ends.append((float(known[-1]), name, style))
    axes.axvline(-0.5, color=INK, lw=1)
    dotted_line(axes, 1)
    axes.yaxis.set_major_formatter(percent)
    axes.set_xlabel("Months after the event")
    axes.margins(y=0.15)
    label_ends(axes, ends)
