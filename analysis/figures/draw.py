"""Draw figures by name.

matplotlib is imported when the first figure is drawn.
"""

from functools import partial
from typing import TYPE_CHECKING

from memopolis.analysis.compare.arms import Comparison
from memopolis.analysis.run.run import Run
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
    """Draw a figure of a run, a comparison of arms, a sweep or a sensitivity analysis.

    Returns a figure of matplotlib; a notebook shows it after `%matplotlib inline`. Raises
    UnknownNameError if there is no figure of that name.

    Args:
        of: A run, or the result of `compare`, `sweep` or `sensitivity`.
        name: Of a run: one of the figures of its report, such as "evacuated_share", or a measure
            that it recorded with a chart. Of arms: "outcomes" for every run's outcomes, or a
            measure among the outcomes, over time. Of a sweep: an outcome, against each factor.
            Of a sensitivity: "indices".
        group: Of arms: group of the measure, "" for all.
    """
    figures = _of_arms(of, group) if isinstance(of, Comparison) else _by_name(of)
    if name not in figures:
        raise UnknownNameError(f"there is no figure {name!r}; there are: {', '.join(figures)}")
    return figures[name]()


def canvas(
    title: str, subtitle: str = "", *, rows: int = 1, columns: int = 1, height: float = 3.6
) -> "tuple[Figure, list[Axes]]":
    """Start your own figure in the style of all others.

    Returns the figure and its axes, row by row from the top.

    Args:
        title: Title of the figure.
        subtitle: Population and unit.
        rows: Number of rows of panels.
        columns: Number of panels in a row, which share their y axis.
        height: Of each panel in inches.
    """
    # matplotlib is imported when the first figure is drawn.
    from memopolis.analysis.figures import style

    return style.canvas(title, subtitle, rows=rows, columns=columns, height=height)


def _by_name(of: Run | SweepResults | Sensitivity) -> "dict[str, Callable[[], Figure]]":
    """Return the function of each figure, by its name."""
    if isinstance(of, Run):
        return _of_run(of)
    if isinstance(of, Sensitivity):
        from memopolis.analysis.figures.sensitivity import sensitivity_figure

        return {"indices": partial(sensitivity_figure, [of])}
    from memopolis.analysis.figures.sweep import outcome_by_factor

    return {outcome: partial(outcome_by_factor, of, outcome) for outcome in of.outcomes}


def _of_run(run: Run) -> "dict[str, Callable[[], Figure]]":
    """Return the function of each figure of a run, charts of declared measures first."""
    from memopolis.analysis.figures import charts
    from memopolis.analysis.figures.catalogue import read_figures

    figures: dict[str, Callable[[], Figure]] = {}
    for title, measures in charts.declared(run).items():
        for measure in measures:
            figures[str(measure["name"])] = partial(charts.chart, run, title)
    for name, one in read_figures().items():
        if one.is_available(run):
            figures[name] = partial(one.draw_run, run)
    return figures


def _of_arms(arms: Comparison, group: str) -> "dict[str, Callable[[], Figure]]":
    """Return the function of each figure of arms."""
    from memopolis.analysis.figures.arms import outcomes_by_arm, path_by_arm

    figures: dict[str, Callable[[], Figure]] = {"outcomes": partial(outcomes_by_arm, arms)}
    for measure in dict.fromkeys(outcome.measure for outcome in arms.outcomes):
        figures[measure] = partial(path_by_arm, arms, measure, group)
    return figures
