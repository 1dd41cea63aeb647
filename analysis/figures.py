"""Figures by name, and figures of one's own in the same style: what a notebook needs.

matplotlib is imported when the first figure is drawn.
"""

from functools import partial
from typing import TYPE_CHECKING

from memopolis.analysis.arms import Comparison
from memopolis.analysis.load import Run
from memopolis.analysis.sweep.results import SweepResults
from memopolis.analysis.sweep.sensitivity import Sensitivity
from memopolis.sim.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw(
    of: Run | Comparison | SweepResults | Sensitivity, name: str, *, group: str = ""
) -> "Figure":
    """Draw a figure of a run, of arms side by side, of a sweep, or of what it is sensitive to.

    Args:
        of: A run, or what `compare`, `sweep` or `sensitivity` returned.
        name: Of a run: one of the figures of its report, such as "evacuated_share", or a measure
            that it recorded with a chart. Of arms: "outcomes" for every run's outcomes, or a
            measure among the outcomes, over time. Of a sweep: an outcome, against each factor.
            Of a sensitivity: "indices".
        group: Of arms: group of the measure, "" for all.

    Returns:
        A figure of matplotlib; a notebook shows it after `%matplotlib inline`.

    Raises:
        UnknownNameError: If there is no figure of that name.
    """
    found = _of_arms(of, group) if isinstance(of, Comparison) else _drawn(of)
    if name not in found:
        raise UnknownNameError(f"there is no figure {name!r}; there are: {', '.join(found)}")
    return found[name]()


def canvas(
    title: str, subtitle: str = "", *, rows: int = 1, columns: int = 1, height: float = 3.6
) -> "tuple[Figure, list[Axes]]":
    """Begin a figure of your own, in the style of all others.

    Args:
        title: What is shown.
        subtitle: Of whom, in which unit.
        rows: Panels below each other.
        columns: Panels beside each other, which share their y axis.
        height: Of each panel in inches.

    Returns:
        The figure and its axes, row by row from the top.
    """
    from memopolis.analysis.plots import style

    return style.canvas(title, subtitle, rows=rows, columns=columns, height=height)


def _drawn(of: Run | SweepResults | Sensitivity) -> "dict[str, Callable[[], Figure]]":
    """What draws each figure, by its name."""
    if isinstance(of, Run):
        return _of_run(of)
    if isinstance(of, Sensitivity):
        from memopolis.analysis.plots.sensitivity import sensitivity_figure

        return {"indices": partial(sensitivity_figure, [of])}
    from memopolis.analysis.plots.sweep import outcome_by_factor

    return {outcome: partial(outcome_by_factor, of, outcome) for outcome in of.outcomes}


def _of_run(run: Run) -> "dict[str, Callable[[], Figure]]":
    """What draws each figure of a run: those of its kind, then its declared charts."""
    from memopolis.analysis.plots import charts
    from memopolis.analysis.plots.telling import LAST, TELLING

    found: dict[str, Callable[[], Figure]] = {}
    for title, measures in charts.declared(run).items():
        for measure in measures:
            found[str(measure["name"])] = partial(charts.chart, run, title)
    for one in (*TELLING, *LAST):
        if one.fits(run):
            found[one.draw.__name__] = partial(one.draw, run)
    return found


def _of_arms(arms: Comparison, group: str) -> "dict[str, Callable[[], Figure]]":
    """What draws each figure of arms."""
    from memopolis.analysis.plots.arms import outcomes_by_arm, path_by_arm

    found: dict[str, Callable[[], Figure]] = {"outcomes": partial(outcomes_by_arm, arms)}
    for measure in dict.fromkeys(outcome.measure for outcome in arms.outcomes):
        found[measure] = partial(path_by_arm, arms, measure, group)
    return found
