"""Style figures so that they are readable in colour, in greyscale and by the colour-blind."""

import io
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import RcParams, rc_context, rc_params_from_file
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.colorbar import Colorbar
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.image import imsave
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.text import Text

# Okabe and Ito's palette, strongest first.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#4D4D4D")
INK, GREY, PALE = "#222222", "#555555", "#8A8A8A"
OPINION_COLOURS = ("#FDBB5B", "#B9A4A0", "#0A3F78")
OPINIONS = LinearSegmentedColormap.from_list("opinions", [*OPINION_COLOURS])
"""Colours of opinions from 0 to 10: from light orange to dark blue."""
WIDTH = 9.0  # width in inches of a figure in a report

type Box = tuple[float, float, float, float]
"""A rectangle of a figure: left, bottom, width and height in inches, unless stated otherwise."""
type Dash = str | tuple[int, tuple[float, ...]]
"""A dash pattern of matplotlib."""

DASHES: tuple[Dash, ...] = ("-", (0, (5, 1.8)), (0, (1.2, 1.4)), (0, (6, 1.5, 1.2, 1.5)))
MARKERS = ("", "o", "s", "^", "D", "v")
HATCHES = ("", "////", "....", "\\\\\\\\", "xxxx", "----", "++++")
_HEADS = ((13.0, "bold", INK, 9.5), (10.0, "normal", GREY, 12.8))
"""Size, weight, colour and characters per inch of title and subtitle."""


@dataclass(frozen=True)
class Look:
    """Style of one series, which differs from others not only in colour."""

    colour: str  # colour of the line, band or bars
    dash: Dash = "-"  # dash pattern of the line
    marker: str = ""  # marker at intervals on the line, "" for none
    hatch: str = ""  # hatch of the band or bars, "" for none

    def line(self, *, width: float = 2.0) -> dict[str, Any]:
        """Return keyword arguments of a line; `width` is in points."""
        marked = {"marker": self.marker, "markevery": 0.14, "ms": 4.5} if self.marker else {}
        return {"color": self.colour, "ls": self.dash, "lw": width, **marked}

    def area(self, *, alpha: float = 0.8) -> dict[str, Any]:
        """Return keyword arguments of a band or of bars; `alpha` is their opacity."""
        return {
            "facecolor": self.colour,
            "edgecolor": "white",
            "hatch": self.hatch,
            "alpha": alpha,
            "linewidth": 0,
        }


def look(number: int, colour: str | None = None) -> Look:
    """Return the style of one of several series.

    The first 24 differ in dash or marker, the first 7 in hatch.
    """
    return Look(
        COLOURS[number % len(COLOURS)] if colour is None else colour,
        DASHES[number % len(DASHES)],
        MARKERS[number // len(DASHES) % len(MARKERS)],
        HATCHES[number % len(HATCHES)],
    )


def canvas(
    title: str,
    subtitle: str = "",
    *,
    rows: int = 1,
    columns: int = 1,
    height: float = 3.6,
    shared: bool = True,
) -> tuple[Figure, list[Axes]]:
    """Create a figure with title and subtitle: the figure and its axes, row by row from the top.

    Args:
        title: Title.
        subtitle: Population and unit.
        rows: Number of rows of panels.
        columns: Number of panels per row.
        height: Height of each panel in inches.
        shared: Whether panels in a row share their y axis.
    """
    with rc_context(_read_style()):
        head = head_height(title, subtitle)
        tall = height * rows + head + 0.02
        layout = ConstrainedLayoutEngine(rect=(0, 0, 1, 1 - head / tall), h_pad=0.06)
        figure = Figure(figsize=(WIDTH, tall), layout=layout)
        axes = figure.subplots(
            rows, columns, squeeze=False, sharey="row" if shared else False
        ).ravel()
    write_head(figure, title, subtitle)
    return figure, list(axes)


def grid(
    title: str, subtitle: str, *, panels: int, columns: int, height: float, shared: bool = True
) -> tuple[Figure, list[Axes]]:
    """Create a figure with a number of panels, at most `columns` side by side.

    The other arguments are those of `canvas`. Without panels, the figure has one.
    """
    columns = max(min(columns, panels), 1)
    rows = max(-(-panels // columns), 1)
    figure, axes = canvas(title, subtitle, rows=rows, columns=columns, height=height, shared=shared)
    for unused in axes[max(panels, 1) :]:
        unused.set_visible(False)
    return figure, axes[: max(panels, 1)]


def blank(title: str, subtitle: str, *, height: float) -> Figure:
    """Create a figure with title and subtitle, whose panels the caller places."""
    figure = Figure(figsize=(WIDTH, height + head_height(title, subtitle)), dpi=110)
    write_head(figure, title, subtitle)
    return figure


def panel(figure: Figure, box: Box) -> Axes:
    """Add axes without ticks to a figure of `blank`, for figures that are drawn often."""
    width, tall = figure.get_size_inches()
    left, bottom, wide, high = box
    axes = figure.add_axes((left / width, bottom / tall, wide / width, high / tall))
    axes.set_xticks([])
    axes.set_yticks([])
    for side in axes.spines.values():
        side.set_color("#D0D5D9")
    return axes


def head_height(title: str, subtitle: str) -> float:
    """Return the height of title and subtitle, in inches."""
    first, second = (len(lines) for lines in _broken(title, subtitle))
    return 0.08 + 0.22 * first + 0.2 * second - 0.02 * bool(second)


def write_head(figure: Figure, title: str, subtitle: str) -> None:
    """Write title and subtitle at the top, wrapped to the width."""
    width, tall = figure.get_size_inches()
    from_top = 0.08
    broken = _broken(title, subtitle)
    for lines, (size, weight, colour, _), high in zip(broken, _HEADS, (0.22, 0.2), strict=True):
        for line in lines:
            place = (0.11 / width, 1 - from_top / tall)
            figure.text(
                *place, line, parse_math=False, size=size, weight=weight, color=colour, va="top"
            )
            from_top += high
        from_top += 0.03


def _broken(title: str, subtitle: str) -> list[list[str]]:
    """Wrap title and subtitle to the width."""
    return [
        textwrap.wrap(readable(text), int((WIDTH - 0.2) * letters))
        for text, (_, _, _, letters) in zip((title, subtitle), _HEADS, strict=True)
    ]


def overlaps(box: Box, others: Iterable[Box]) -> bool:
    """Check whether a rectangle (left, low, right, high) overlaps any other."""
    left, low, right, high = box
    return any(left < o[2] and o[0] < right and low < o[3] and o[1] < high for o in others)


def colour_bar(axes: Axes, colours: ScalarMappable, label: str, **look: Any) -> Colorbar:
    """Draw a horizontal scale of colours with a label above, into axes of `panel`."""
    bar = axes.figure.colorbar(colours, cax=axes, orientation="horizontal", **look)
    bar.outline.set_linewidth(0.5)
    axes.tick_params(labelsize=9, length=2, pad=2)
    above: dict[str, Any] = {
        "transform": axes.transAxes,
        "size": 9,
        "color": INK,
        "parse_math": False,
    }
    axes.text(0, 1.35, readable(label), **above)
    return bar


def readable(text: str) -> str:
    """Replace characters that are missing in the font by a box."""
    known, line = _letters(), " ".join(text.split())
    return "".join(c if ord(c) in known or c.isspace() else "\u25a1" for c in line)


@cache
def _read_style() -> RcParams:
    return rc_params_from_file(
        Path(__file__).with_name("style.mplstyle"), use_default_template=False
    )


@cache
def _letters() -> frozenset[int]:
    """Return the code points that the font has."""
    return frozenset(get_font(findfont(FontProperties(family="DejaVu Sans"))).get_charmap())


def percent(share: float, _: object = None) -> str:
    """Format a share in percent without unneeded digits."""
    return f"{round(100 * share, 4) + 0.0:g}%"


def fit(figure: Figure, axes: Axes) -> None:
    """Fit the single axes of a figure of `canvas` to the space left by their texts, all drawn.

    The layout engine of the figure, which would measure all texts four times, is removed.
    """
    _write_literally(figure)
    engine = figure.get_layout_engine()
    head = engine.get()["rect"][3] if isinstance(engine, ConstrainedLayoutEngine) else 1.0
    figure.set_layout_engine("none")
    axes.set_position((0.1, 0.15, 0.75, head - 0.2))
    outside = axes.get_tightbbox(FigureCanvasAgg(figure).get_renderer())  # type: ignore[no-untyped-call]
    if outside is None:
        return
    edge, around = 0.05 * figure.dpi, axes.bbox
    width, tall = figure.bbox.width, figure.bbox.height
    left, low = around.x0 - outside.x0 + edge, around.y0 - outside.y0 + edge
    right, high = outside.x1 - around.x1 + edge, outside.y1 - around.y1 + edge
    room = (width - left - right, tall * head - low - high)
    axes.set_position((left / width, low / tall, room[0] / width, room[1] / tall))


def _write_literally(figure: Figure) -> None:
    """Escape texts of a run, such as units with dollar signs, which are not formulas."""
    for text in figure.findobj(Text):
        text.set_parse_math(False)


def as_png(figure: Figure) -> bytes:
    """Render the figure as PNG bytes."""
    _write_literally(figure)
    # `savefig` would draw a figure with a layout engine twice.
    canvas = FigureCanvasAgg(figure)
    canvas.draw()  # type: ignore[no-untyped-call]
    out = io.BytesIO()
    pixels = np.asarray(canvas.buffer_rgba())  # type: ignore[no-untyped-call]
    unsigned: dict[str, Any] = {"Software": None}  # the same bytes of every version
    quick = {"compress_level": 4}
    imsave(out, pixels, format="png", dpi=figure.dpi, metadata=unsigned, pil_kwargs=quick)
    return out.getvalue()


def as_svg(figure: Figure) -> bytes:
    """Render the figure as SVG."""
    _write_literally(figure)
    out = io.BytesIO()
    figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()
