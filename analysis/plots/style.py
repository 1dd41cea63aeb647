"""One style for every figure: colours that colour-blind readers tell apart, quiet axes."""

import base64
import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

# Okabe and Ito's palette, strongest first.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#4D4D4D")
INK, PALE = "#222222", "#8A8A8A"
WIDTH = 9.0

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
    title: str, subtitle: str = "", *, rows: int = 1, columns: int = 1, height: float = 3.6
) -> tuple[Figure, list[Axes]]:
    """Begin a figure with a title that says what is shown.

    Args:
        title: What is shown.
        subtitle: Of whom, in which unit.
        rows: Panels below each other.
        columns: Panels beside each other, which share their y axis.
        height: Of each panel in inches.

    Returns:
        The figure and its axes, row by row from the top.
    """
    with rc_context(_STYLE):
        tall = height * rows + 0.3
        head = 0.28 + (0.22 if subtitle else 0)
        layout = ConstrainedLayoutEngine(rect=(0, 0, 1, 1 - head / tall), h_pad=0.06)
        figure = Figure(figsize=(WIDTH, tall), layout=layout)
        axes = figure.subplots(rows, columns, squeeze=False, sharey="row").ravel()
    figure.text(0.012, 1 - 0.08 / tall, title, size=13, weight="bold", va="top")
    if subtitle:
        figure.text(0.012, 1 - 0.33 / tall, subtitle, size=10, color="#555555", va="top")
    return figure, list(axes)


def label_ends(axes: Axes, ends: Sequence[tuple[float, str, str]], *, gap: float = 0.07) -> None:
    """Name lines at their right ends, apart from each other; a legend is not needed.

    The limits of the y axis must be set before.

    Args:
        axes: Whose lines.
        ends: Height, name and colour of each.
        gap: Least distance of two names, as a share of the axis; less where there are many.
    """
    gap = min(gap, 1 / max(len(ends), 1))
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
    for y, (_, name, colour) in zip(low + places * (high - low), wanted, strict=True):
        axes.annotate(
            name,
            (1, y),
            xycoords=("axes fraction", "data"),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            color=colour,
            size=9.5,
            weight="bold",
            annotation_clip=False,
        )


def as_png(figure: Figure) -> bytes:
    """The figure as the bytes of a PNG."""
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=110, metadata={"Software": None})
    return out.getvalue()


def as_html(figure: Figure, alt: str) -> str:
    """The figure as an image that carries its own bytes."""
    data = base64.b64encode(as_png(figure)).decode()
    return f'<img alt="{alt}" src="data:image/png;base64,{data}">'
