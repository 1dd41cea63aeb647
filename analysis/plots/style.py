"""One style for every figure: colours that colour-blind readers tell apart, quiet axes."""

import base64
import io
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import matplotlib.dates as mdates
import numpy as np
import pandas as pd
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from numpy.typing import NDArray

if TYPE_CHECKING:
    from memopolis.analysis.load import Run

# Okabe and Ito's palette, strongest first.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#4D4D4D")
ORDERS = {"mandatory": "#D55E00", "voluntary": "#E69F00", "none": "#0072B2", "": "#4D4D4D"}
INK, PALE = "#222222", "#8A8A8A"
WIDTH = 9.0

MARKS = {
    "announced": "order announced",
    "ordered": "in force",
    "nearest": "closest pass",
    "lifted": "orders lifted",
}
"""Dates among a run's facts that figures mark, in the order of their happening."""

_STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": PALE,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.8,
    "xtick.color": INK,
    "ytick.color": INK,
    "figure.dpi": 110,
    "svg.fonttype": "none",
}


def canvas(
    title: str, subtitle: str = "", *, rows: int = 1, height: float = 3.6
) -> tuple[Figure, list[Axes]]:
    """Begin a figure with a title that says what is shown.

    Args:
        title: What is shown.
        subtitle: Of whom, in which unit.
        rows: Panels below each other.
        height: Of each panel in inches.

    Returns:
        The figure and its axes, from the top.
    """
    with rc_context(_STYLE):
        tall = height * rows + 0.3
        head = 0.28 + (0.22 if subtitle else 0)
        layout = ConstrainedLayoutEngine(rect=(0, 0, 1, 1 - head / tall), h_pad=0.06)
        figure = Figure(figsize=(WIDTH, tall), layout=layout)
        axes = figure.subplots(rows, 1, squeeze=False)[:, 0]
    figure.text(0.012, 1 - 0.08 / tall, title, size=13, weight="bold", va="top")
    if subtitle:
        figure.text(0.012, 1 - 0.33 / tall, subtitle, size=10, color="#555555", va="top")
    return figure, list(axes)


def days_of(times: pd.Index | Sequence[datetime]) -> NDArray[np.float64]:
    """Times as the numbers matplotlib puts on an axis: days since 1970, shape of `times`."""
    since = pd.DatetimeIndex(list(times)) - pd.Timestamp(0)
    return np.asarray(since / pd.Timedelta(days=1), np.float64)


def time_axis(axes: Axes, first: datetime, last: datetime) -> None:
    """Put days on the x axis, with weekday and date."""
    axes.set_xlim(*days_of([first, last]))
    days = max((last - first).days, 1)
    step = max(1, -(-days // 8))
    axes.xaxis.set_major_locator(mdates.DayLocator(interval=step))  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_formatter(mdates.DateFormatter("%a\n%d %b"))  # type: ignore[no-untyped-call]
    if days <= 45:
        axes.xaxis.set_minor_locator(mdates.DayLocator())  # type: ignore[no-untyped-call]


def mark_dates(axes: Axes, run: "Run") -> None:
    """Mark the dates among the run's facts above the axes: orders, closest pass."""
    first, last = span(run)
    dates = {label: run.facts.get(fact) for fact, label in MARKS.items()}
    for i, (label, given) in enumerate(dates.items()):
        when = datetime.fromisoformat(given) if given else None
        if when is None or not first <= when <= last:
            continue
        nearest = label == MARKS["nearest"]
        colour = INK if nearest else "#666666"
        x = float(days_of([when])[0])
        axes.axvline(
            x,
            color=colour,
            lw=1.4 if nearest else 0.9,
            ls="-" if nearest else (0, (4, 3)),
            zorder=1,
        )
        # By turns to the left and to the right of the line, so that neighbours stay apart.
        axes.annotate(
            label,
            (x, 1),
            xycoords=("data", "axes fraction"),
            xytext=(3 if i % 2 else -3, 3),
            textcoords="offset points",
            ha="left" if i % 2 else "right",
            va="bottom",
            size=8.5,
            color=colour,
        )


def span(run: "Run") -> tuple[datetime, datetime]:
    """Begin and end of a run, at least one tick apart."""
    return run.start, max(run.end, run.start + timedelta(hours=run.hours))


def label_ends(axes: Axes, ends: Sequence[tuple[float, str, str]], *, gap: float = 0.07) -> None:
    """Name lines at their right ends, apart from each other; a legend is not needed.

    Args:
        axes: Whose lines.
        ends: Height, name and colour of each.
        gap: Least distance of two names, as a share of the axis.
    """
    low, high = axes.get_ylim()
    wanted = sorted(((y - low) / (high - low), name, colour) for y, name, colour in ends)
    places = np.array([y for y, _, _ in wanted])
    for _ in range(200):
        near = np.flatnonzero(np.diff(places) < gap - 1e-9)
        if not len(near):
            break
        for i in near:
            middle = (places[i] + places[i + 1]) / 2
            places[i], places[i + 1] = middle - gap / 2, middle + gap / 2
    places += max(0.0, -places.min(initial=0.0))
    for y, (_, name, colour) in zip(places, wanted, strict=True):
        axes.annotate(
            name,
            (1, y),
            xycoords="axes fraction",
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            color=colour,
            size=9.5,
            weight="bold",
            annotation_clip=False,
        )


def lines(
    axes: Axes, series: Mapping[str, pd.Series], colours: Mapping[str, str] | None = None
) -> None:
    """Draw series by time and name them at their ends, if there are several."""
    ends = []
    for i, (name, values) in enumerate(series.items()):
        colour = (colours or {}).get(name, COLOURS[i % len(COLOURS)])
        axes.plot(days_of(values.index), values.to_numpy(), color=colour, lw=2)
        there = values.dropna()
        if len(there):
            ends.append((float(there.iloc[-1]), name, colour))
    axes.margins(y=0.08)
    if len(ends) > 1:
        label_ends(axes, ends)


def as_png(figure: Figure) -> bytes:
    """The figure as the bytes of a PNG."""
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=110, metadata={"Software": None})
    return out.getvalue()


def as_html(figure: Figure, alt: str) -> str:
    """The figure as an image that carries its own bytes."""
    data = base64.b64encode(as_png(figure)).decode()
    return f'<img alt="{alt}" src="data:image/png;base64,{data}">'
