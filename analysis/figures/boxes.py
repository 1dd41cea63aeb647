"""Axes at positions in inches, without a layout engine, for figures that are drawn often."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

type Box = tuple[float, float, float, float]
"""Left, bottom, width and height in inches."""


def panel(figure: Figure, box: Box) -> Axes:
    """Add axes without ticks to a figure.

    Args:
        figure: The figure.
        box: Where, from the lower left corner.
    """
    width, tall = figure.get_size_inches()
    left, bottom, wide, high = box
    axes = figure.add_axes((left / width, bottom / tall, wide / width, high / tall))
    axes.set_xticks([])
    axes.set_yticks([])
    for side in axes.spines.values():
        side.set_color("#D0D5D9")
    return axes
