"""Draw figures over the time of a run: lines, dates on the x axis, and marked events."""

from datetime import datetime, timedelta

import matplotlib.dates as mdates
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from memopolis.analysis.figures.lines import Panel, days_of
from memopolis.analysis.figures.style import INK, canvas
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

STRONG = {"nearest", "policy_start"}  # facts that are marked with a solid line


def draw_over_time(
    run: Run, title: str, subtitle: str, *panels: Panel, height: float = 3.6
) -> Figure:
    """Draw lines over the time of a run, one panel of a height in inches below the other."""
    figure, every_axes = canvas(title, subtitle, rows=len(panels), height=height)
    for axes, panel in zip(every_axes, panels, strict=True):
        panel.draw(axes)
    date_axes(run, *every_axes)
    return figure


def time_axis(axes: Axes, first: datetime, last: datetime, *, most: int = 8) -> None:
    """Format the x axis as about `most` dates: days with weekday, months, or years."""
    axes.set_xlim(*days_of([first, last]))
    days = max((last - first).days, 1)
    major, form = _dates(days, most=most)
    # Computed once, because an axis calls its locator repeatedly while drawing.
    marked = _marked(major, first, last)
    written = mdates.DateFormatter(form).format_ticks(marked)  # type: ignore[no-untyped-call]
    axes.set_xticks(marked, written)
    if days <= 15:
        axes.set_xticks(_marked(mdates.DayLocator(), first, last), minor=True)  # type: ignore[no-untyped-call]


def date_axes(run: Run, *panels: Axes) -> None:
    """Show the dates of a run on the x axis of panels, and mark its events above the first."""
    first, last = span(run)
    for axes in panels:
        time_axis(axes, first, last)
    for i, fact in enumerate(MARKS):
        when = run.date_of(fact)
        if when is not None and first <= when <= last:
            _mark(panels[0], when, fact, at_right=i % 2 == 1)


def _mark(axes: Axes, when: datetime, fact: str, *, at_right: bool) -> None:
    """Draw a line at a date, labelled so that neighbours do not overlap."""
    strong = fact in STRONG
    colour = INK if strong else "#666666"
    x = float(days_of([when])[0])
    width, dash = (1.4, "-") if strong else (0.9, (0, (4, 3)))
    axes.axvline(x, color=colour, lw=width, ls=dash, zorder=1)
    offset, side = (0, "center") if strong else (3, "left") if at_right else (-3, "right")
    axes.annotate(
        MARKS[fact], (x, 1), xycoords=("data", "axes fraction"), xytext=(offset, 3),
        textcoords="offset points", ha=side, va="bottom", size=8.5,
        color=colour,
    )  # fmt: skip


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


def span(run: Run) -> tuple[datetime, datetime]:
    """Return start and end of a run, at least one tick apart."""
    return run.start, max(run.end, run.start + timedelta(hours=run.hours))
