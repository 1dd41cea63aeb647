"""Draw the map of a run at its decisive moment."""

from matplotlib.figure import Figure

from memopolis.analysis.figures.zones_now import zones_now
from memopolis.analysis.run.run import Run


def place_map(run: Run) -> Figure:
    """Draw the map when the storm is nearest, or at the end of a run without a storm."""
    nearest = run.date_of("nearest")
    if nearest is None:
        return zones_now(run)
    step = int((nearest - run.start).total_seconds() / 3600 / run.hours)
    return zones_now(run.until(step)) if 0 < step < run.ticks else zones_now(run)
