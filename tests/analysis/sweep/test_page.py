"""The report of a sweep and its figures."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from memopolis.analysis.figures.style import as_png
from memopolis.analysis.figures.sweep import outcome_by_factor
from memopolis.analysis.sweep.page import write_sweep
from memopolis.analysis.sweep.results import SweepResults
from memopolis.sim.sweep.design import Design, PlannedRun
from memopolis.sim.sweep.factors import Range

type Made = Callable[[Design, Callable[[PlannedRun], float | None]], SweepResults]

FACTORS = {"x1": Range(0, 1), "x2": [0.0, 1.0], "news": ["none", "default"]}


def value(run: PlannedRun) -> float | None:
    return None if run.point == 2 else float(run.factors["x1"] + run.factors["x2"])


def test_the_page_contains_points_figures_and_failures(
    made: Made, ishigami: type[Any], tmp_path: Path
) -> None:
    design = Design(ishigami, factors=FACTORS, sampling="random", samples=12, replications=2)
    text = write_sweep(made(design, value)).read_text()
    assert "12 points (random) by 2 replications: 22 succeeded, 2 failed" in text
    assert text.count("data:image/png") == 1
    assert "ZeroDivisionError: a mistake" in text
    assert "&quot;latin" not in text
    assert (tmp_path / "sweep.html").exists()


def test_a_sweep_without_factors_or_runs_has_a_page(made: Made, ishigami: type[Any]) -> None:
    assert "one point" in write_sweep(made(Design(ishigami), lambda run: 1.0)).read_text()  # noqa: ARG005
    none = made(Design(ishigami, factors={"x1": [0.5]}), lambda run: None)  # noqa: ARG005
    assert "data:image/png" not in write_sweep(none).read_text()


def test_the_figure_has_a_panel_a_factor_and_levels_in_the_order_of_the_design(
    made: Made, ishigami: type[Any]
) -> None:
    design = Design(ishigami, factors=FACTORS, sampling="random", samples=40)
    figure = outcome_by_factor(made(design, value), "value")
    panels = [axes for axes in figure.axes if axes.get_visible()]
    assert [axes.get_xlabel() for axes in panels] == ["x1", "x2", "news"]
    assert [label.get_text() for label in panels[2].get_xticklabels()] == ["none", "default"]
    # Eight bins of a range, two levels of a number: a diamond each.
    diamonds = [sum(line.get_marker() == "D" for line in axes.lines) for axes in panels]
    assert diamonds == [8, 2, 2]
    assert as_png(figure)[:4] == b"\x89PNG"
