"""Figures of one life: which attributes they show, at any moment of a run."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from memopolis import Run
from memopolis.analysis.figures.life import Kind, labels_of, latest_values, life_over_time
from memopolis.analysis.figures.style import as_png
from memopolis.sim.errors import UnknownNameError

CITIZEN = 17
KINDS: tuple[Kind, ...] = ("needs", "emotions", "attitudes")


def test_a_citizen_has_needs_emotions_and_attitudes_and_a_firm_only_attitudes(stormy: Run) -> None:
    labels = {kind: [*labels_of(stormy, "citizen", kind).values()] for kind in KINDS}
    assert labels["needs"] == ["hunger", "energy", "safety", "social"]
    assert "fear" in labels["emotions"]
    assert "government trust" in labels["attitudes"]
    of_firm = {kind: [*labels_of(stormy, "firm", kind).values()] for kind in KINDS}
    assert of_firm == {"needs": [], "emotions": [], "attitudes": ["outlook", "storm caution"]}


@pytest.mark.parametrize("kind", KINDS)
def test_lines_end_at_the_last_record(stormy: Run, kind: Kind) -> None:
    now = latest_values(stormy, CITIZEN, kind)
    ends = {_heights(line)[-1] for line in _own(life_over_time(stormy, CITIZEN, kind))}
    assert ends == set(now.round(3))


@pytest.mark.parametrize("step", [0, 10, 24, 100])
def test_a_figure_of_a_moment_shows_no_later_record(stormy: Run, step: int) -> None:
    figure = life_over_time(stormy.until(step), CITIZEN, "needs")
    days = step // 24
    assert {len(_heights(line)) for line in _own(figure)} == {days}
    assert as_png(figure).startswith(b"\x89PNG")


def test_an_unknown_agent_has_no_figure(stormy: Run) -> None:
    with pytest.raises(UnknownNameError, match="99999"):
        life_over_time(stormy, 99_999, "needs")


def _own(figure: Figure) -> list[Line2D]:
    """Return the lines of values; lines that mark a date use another scale."""
    axes = figure.axes[0]
    return [line for line in axes.lines if line.get_transform() == axes.transData]


def _heights(line: Line2D) -> list[float]:
    return [round(float(one), 3) for one in np.asarray(line.get_ydata(), np.float64)]
