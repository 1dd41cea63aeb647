"""Figures of one life: which attributes they show, at any moment of a run."""

from collections.abc import Callable

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from memopolis import Run
from memopolis.analysis.figures.life import (
    attitudes,
    attitudes_over_time,
    emotions,
    emotions_over_time,
    latest,
    needs,
    needs_over_time,
)
from memopolis.analysis.figures.style import as_png
from memopolis.sim.errors import UnknownNameError

type Names = Callable[[Run, str], dict[str, str]]
type Draw = Callable[[Run, int], Figure]

CITIZEN = 17


def test_a_citizen_has_needs_emotions_and_attitudes_and_a_firm_has_none(stormy: Run) -> None:
    assert list(needs(stormy, "citizen").values()) == ["hunger", "energy", "safety", "social"]
    assert "fear" in emotions(stormy, "citizen").values()
    assert "government trust" in attitudes(stormy, "citizen").values()
    assert needs(stormy, "firm") == emotions(stormy, "firm") == attitudes(stormy, "firm") == {}


@pytest.mark.parametrize(
    ("names", "draw"),
    [
        (needs, needs_over_time),
        (emotions, emotions_over_time),
        (attitudes, attitudes_over_time),
    ],
)
def test_lines_end_where_the_last_record_says(stormy: Run, names: Names, draw: Draw) -> None:
    now = latest(stormy, CITIZEN, names(stormy, "citizen"))
    ends = {_heights(line)[-1] for line in _own(draw(stormy, CITIZEN))}
    assert ends == set(now.round(3))


@pytest.mark.parametrize("step", [0, 10, 24, 100])
def test_a_figure_of_a_moment_shows_no_later_record(stormy: Run, step: int) -> None:
    figure = needs_over_time(stormy.until(step), CITIZEN)
    days = step // 24
    assert {len(_heights(line)) for line in _own(figure)} == {days}
    assert as_png(figure).startswith(b"\x89PNG")


def test_an_unknown_agent_has_no_figure(stormy: Run) -> None:
    with pytest.raises(UnknownNameError, match="99999"):
        needs_over_time(stormy, 99_999)


def _own(figure: Figure) -> list[Line2D]:
    """Return the lines of values; lines that mark a date use another scale."""
    axes = figure.axes[0]
    return [line for line in axes.lines if line.get_transform() == axes.transData]


def _heights(line: Line2D) -> list[float]:
    return [round(float(one), 3) for one in np.asarray(line.get_ydata(), np.float64)]
