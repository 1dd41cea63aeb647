"""Figures of one life: which attributes they show, at any moment of a run."""

from collections.abc import Callable

import pytest
from matplotlib.figure import Figure

from memopolis import Run
from memopolis.analysis.plots.one_life import (
    attitudes,
    attitudes_over_time,
    emotions,
    emotions_over_time,
    latest,
    needs,
    needs_over_time,
)
from memopolis.analysis.plots.style import as_png
from memopolis.sim.errors import UnknownNameError

type Draw = Callable[[Run, int], Figure]

CITIZEN = 17


def test_a_citizen_has_needs_emotions_and_attitudes_and_a_firm_has_none(stormy: Run) -> None:
    assert list(needs(stormy, "citizen").values()) == ["hunger", "energy", "safety", "social"]
    assert "fear" in emotions(stormy, "citizen").values()
    assert "government trust" in attitudes(stormy, "citizen").values()
    assert needs(stormy, "firm") == emotions(stormy, "firm") == attitudes(stormy, "firm") == {}


@pytest.mark.parametrize("draw", [needs_over_time, emotions_over_time, attitudes_over_time])
def test_lines_end_where_the_last_record_says(stormy: Run, draw: Draw) -> None:
    names = {needs_over_time: needs, emotions_over_time: emotions}.get(draw, attitudes)
    now = latest(stormy, CITIZEN, names(stormy, "citizen"))
    ends = sorted(float(line.get_ydata()[-1]) for line in draw(stormy, CITIZEN).axes[0].lines)
    assert set(now.round(3)) <= {round(end, 3) for end in ends}


@pytest.mark.parametrize("step", [0, 10, 24, 100])
def test_a_figure_of_a_moment_shows_no_later_record(stormy: Run, step: int) -> None:
    figure = needs_over_time(stormy.until(step), CITIZEN)
    days = step // 24
    assert max((len(line.get_xdata()) for line in _own(figure)), default=0) == days
    assert as_png(figure).startswith(b"\x89PNG")


def test_nobody_has_no_figure(stormy: Run) -> None:
    with pytest.raises(UnknownNameError, match="99999"):
        needs_over_time(stormy, 99_999)


def _own(figure: Figure) -> list:
    """Lines of values; those that mark a date have two points of another height."""
    return [line for line in figure.axes[0].lines if line.get_transform() == figure.axes[0].transData]
