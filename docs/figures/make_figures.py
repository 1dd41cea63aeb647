"""Recreate the figures of the README: `python docs/figures/make_figures.py [NAME ...]`.

Each figure is also in the report of the command next to it in the README; here it has a higher
resolution, because pages show it large. `map.gif` is an animation.
"""

import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from memopolis import Hurricane, Polarization, compare, load_run
from memopolis.analysis.figures.animation import animate_map
from memopolis.analysis.figures.evacuation import evacuated_share
from memopolis.analysis.figures.opinions import distributions_by_arm
from memopolis.analysis.figures.style import as_png

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FOLDER = Path(__file__).parent
DOTS = 220
"""Resolution of a figure in dots per inch."""
FRAMES = range(78, 222, 3)
"""Steps of the animation, from before the order until after the storm."""


def hurricane(folder: Path) -> bytes:
    """Draw who evacuated, by order zone; takes half a minute."""
    return _png(evacuated_share(load_run(Hurricane(rng=1).run(folder))))


def polarization(folder: Path) -> bytes:
    """Draw opinions by arm over ten seeds; takes some minutes."""
    arms = ("echo", "control", "cross")
    comparison = compare(Polarization, arms=arms, seeds=range(1, 11), folder=folder)
    return _png(distributions_by_arm(comparison.runs))


def animated_map(folder: Path) -> bytes:
    """Draw where people are before, during and after the storm; takes two minutes."""
    run = load_run(Hurricane(rng=1, **{"record.agents_every": 3.0}).run(folder))
    return animate_map(run, FRAMES)


def _png(figure: "Figure") -> bytes:
    figure.set_dpi(DOTS)
    return as_png(figure)


FIGURES: Mapping[str, Callable[[Path], bytes]] = {
    "hurricane.png": hurricane,
    "polarization.png": polarization,
    "map.gif": animated_map,
}
"""Function that draws each file, from runs that it records in a folder."""


if __name__ == "__main__":
    for name in sys.argv[1:] or FIGURES:
        with tempfile.TemporaryDirectory() as folder:
            (FOLDER / name).write_bytes(FIGURES[name](Path(folder) / "run"))
