"""Figures by name: of a run, of arms and of a sweep; and custom figures."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memopolis import canvas, draw
from memopolis.analysis import load_run
from memopolis.analysis.compare.arms import Comparison
from memopolis.analysis.run.run import Run
from memopolis.analysis.sweep.sensitivity import sensitivity
from memopolis.analysis.sweep.sweep import sweep
from memopolis.errors import UnknownNameError
from memopolis.sim.outcomes import read_outcomes
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.sweep.factors import Range
from memopolis.sweeps import Design

SAVERS = f"{Path(__file__).parents[1] / 'savers.py'}:Savers"


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    scenario = find_scenario(SAVERS)
    folder = tmp_path_factory.mktemp("arms")
    runs = {
        arm: tuple(
            load_run(scenario(rng=seed, **changes).run(folder / arm / str(seed))) for seed in (1, 2)
        )
        for arm, changes in scenario.arms.items()
    }
    declared = [measure.to_dict() for measure in scenario.measures]
    return Comparison(folder, runs, tuple(read_outcomes(["wealth"], declared, title="Savers")))


def texts(figure: object) -> list[str]:
    return [text.get_text() for text in figure.texts]  # type: ignore[attr-defined]


def test_a_run_has_the_figures_of_its_report(stormy: Run) -> None:
    assert texts(draw(stormy, "evacuated_share"))[0] == "Evacuated share by order"
    assert texts(draw(stormy, "fear")) == texts(draw(stormy, "joy"))  # charts of one title
    with pytest.raises(UnknownNameError, match=r"there are: .*departures"):
        draw(stormy, "gini")


def test_arms_have_their_outcomes_and_each_measure_over_time(comparison: Comparison) -> None:
    assert texts(draw(comparison, "outcomes"))[0] == "Outcomes by arm"
    assert texts(draw(comparison, "wealth", group="north"))[0].startswith("Wealth (north)")
    with pytest.raises(UnknownNameError, match="there are: outcomes, wealth"):
        draw(comparison, "saved")


def test_a_sweep_has_its_outcomes_and_its_indices(tmp_path: Path) -> None:
    design = Design(
        SAVERS,
        factors={"extra": Range(0, 5), "days": Range(1, 3)},
        sampling="morris",
        samples=2,
        outcomes=["wealth"],
    )
    with ThreadPoolExecutor(1) as here:
        results = sweep(design, tmp_path / "sweep", executor=here)
    assert texts(draw(results, "wealth"))[0] == "wealth by factor"
    assert texts(draw(sensitivity(results, "wealth"), "indices"))
    with pytest.raises(UnknownNameError, match="there are: wealth"):
        draw(results, "saved")


def test_a_custom_figure_has_title_and_panels() -> None:
    figure, panels = canvas("What is shown", "of whom", rows=2, columns=2)
    assert texts(figure) == ["What is shown", "of whom"]
    assert len(panels) == 4
