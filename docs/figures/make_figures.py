"""Make figures of the README anew: `python docs/figures/make_figures.py [NAME ...]`.

Each stands in the report of the command named beside it in the README; here with more dots an inch,
since pages show it large.
"""

import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from memopolis import Hurricane, Polarization, compare, load_run
from memopolis.analysis.plots.evacuation import evacuated_share
from memopolis.analysis.plots.opinions import distributions_by_arm
from memopolis.analysis.plots.style import as_png

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FOLDER = Path(__file__).parent
DOTS = 220
"""Of a figure, an inch."""


def hurricane(folder: Path) -> "Figure":
    """Who left, by order; in half a minute."""
    return evacuated_share(load_run(Hurricane(rng=1).run(folder)))


def polarization(folder: Path) -> "Figure":
    """Opinions by arm over ten seeds; in some minutes."""
    arms = ("echo", "control", "cross")
    found = compare(Polarization, arms=arms, seeds=range(1, 11), folder=folder)
    return distributions_by_arm(found.runs)


FIGURES: Mapping[str, Callable[[Path], "Figure"]] = {
    "hurricane": hurricane,
    "polarization": polarization,
}
"""What draws each figure, from runs that it records in a folder."""


if __name__ == "__main__":
    for name in sys.argv[1:] or FIGURES:
        with tempfile.TemporaryDirectory() as folder:
            figure = FIGURES[name](Path(folder) / name)
            figure.set_dpi(DOTS)
            (FOLDER / f"{name}.png").write_bytes(as_png(figure))
