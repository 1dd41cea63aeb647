"""Time on the x axis: days, weeks, months or years, and the dates that a run marks."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import matplotlib.dates as mdates
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.analysis.figures.style import INK, is_narrow

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from memopolis.analysis.run.run import Run

MARKS = {
    "announced": "order announced",
    "ordered": "in force",
    "nearest": "closest pass",
    "lifted": "orders lifted",
    "policy_start": "policy starts",
    "policy_end": "policy ends",
}
"""Facts of a run whose dates are marked in figures, in chronological order."""

_STRONG = {"nearest", "policy_start"}


def days_of(times: pd.Index | Sequence[datetime]) -> NDArray[np.float64]:
    """Convert times to matplotlib's days since 1970, shape of `times`."""
    since = pd.DatetimeIndex(list(times)) - pd.Timestamp(0)
    return np.asarray(since / pd.Timedelta(days=1), np.float64)


def time_axis(axes: "Axes", first: datetime, last: datetime) -> None:
    """Format the x axis as dates: days with weekday, months, or years."""
    axes.set_xlim(*days_of([first, last]))
    days = max((last - first).days, 1)
    major, form = _dates(days, most=_most(axes))
    # Computed once, because an axis calls its locator repeatedly while drawing.
    marked = _marked(major, first, last)
    written = mdates.DateFormatter(form).format_ticks(marked)  # type: ignore[no-untyped-call]
    axes.set_xticks(marked, written)
    if days <= 15:
        axes.set_xticks(_marked(mdates.DayLocator(), first, last), minor=True)  # type: ignore[no-untyped-call]


def mark_dates(axes: "Axes", run: "Run") -> None:
    """Mark dates of the run above the axes: orders, closest pass, a policy."""
    first, last = span(run)
    for i, fact in enumerate(MARKS):
        when = run.date_of(fact)
        if when is None or not first <= when <= last:
            continue
        strong = fact in _STRONG
        colour = INK if strong else "#666666"
        x = float(days_of([when])[0])
        axes.axvline(
            x,
            color=colour,
            lw=1.4 if strong else 0.9,
            ls="-" if strong else (0, (4, 3)),
            zorder=1,
        )
        # Alternately left and right of the line, so that neighbours do not overlap.
        if is_narrow(axes) and not strong:
            continue
        axes.annotate(
            MARKS[fact],
            (x, 1),
            xycoords=("data", "axes fraction"),
            xytext=(3 if i % 2 else -3, 3),
            textcoords="offset points",
            ha="left" if i % 2 else "right",
            va="bottom",
            size=8.5,
            color=colour,
        )


def _most(axes: "Axes") -> int:
    """Return how many dates fit below the axes."""
    figure = axes.get_figure(root=True)
    wide = figure is None or figure.get_size_inches()[0] >= 8
    return 4 if is_narrow(axes) else 8 if wide else 6


def _marked(locator: mdates.DateLocator, first: datetime, last: datetime) -> list[float]:
    """Return the ticks of a locator between two dates."""
    low, high = days_of([first, last])
    ticks = locator.tick_values(first, last)  # type: ignore[arg-type]
    return [float(x) for x in ticks if low <= x <= high]


def _dates(days: int, *, most: int) -> tuple[mdates.DateLocator, str]:
    """Return about `most` dates for an axis of this many days, and their format."""
    if days <= 45:
        return mdates.DayLocator(interval=max(1, -(-days // most))), "%a\n%d %b"  # type: ignore[no-untyped-call]
    if days <= 120:
        within = (1, 15) if days <= 15 * most else (1,)
        return mdates.DayLocator(bymonthday=within), "%d %b\n%Y"  # type: ignore[no-untyped-call]
    if days <= 3 * 366:
        step = next(n for n in (1, 2, 3, 4, 6) if days / 30.4 / n <= 1.25 * most or n == 6)
        return mdates.MonthLocator(bymonth=range(1, 13, step)), "%b\n%Y"  # type: ignore[no-untyped-call]
    return mdates.YearLocator(base=max(1, -(-days // (456 * most)))), "%Y"  # type: ignore[no-untyped-call]


def span(run: "Run") -> tuple[datetime, datetime]:
    """Return start and end of a run, at least one tick apart."""
    return run.start, max(run.end, run.start + timedelta(hours=run.hours))
