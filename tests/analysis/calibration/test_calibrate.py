"""A whole calibration of a society whose posterior is known."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from inspect import getfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from memopolis.analysis.calibration.design import CalibrationDesign, design_from_toml
from memopolis.analysis.calibration.report import Calibration
from memopolis.analysis.calibration.sampler import calibrate, check_outcomes
from memopolis.analysis.figures.calibration import calibration_figures
from memopolis.commands.calibrate import print_calibration
from memopolis.sim.errors import MemopolisError, ParameterError, RunFolderError
from memopolis.sim.scenario_names import find_scenario

SOCIETY = Path(__file__).with_name("normal.py")
DESIGN = f"""
scenario = "{SOCIETY.as_posix()}:Normal"
samples = 40
generations = 2
accept = 0.5
predictive = 5
seed = 3

[parameters]
shift = {{prior = "normal", mean = 0, sd = 2}}
idle = {{prior = "lognormal", median = 1, sigma = 0.5}}

[targets]
value = {{value = 1.5, error = 0.5}}
"""


class Here(Executor):
    """Executes runs in this process, in any order that a test wants."""

    def __init__(self, most: int | None = None) -> None:
        self._left = most

    def submit(self, call: Callable[..., Any], /, *args: Any, **named: Any) -> Future[Any]:
        if self._left is not None:
            if not self._left:
                raise KeyboardInterrupt
            self._left -= 1
        future: Future[Any] = Future()
        future.set_result(call(*args, **named))
        return future


def design_of(folder: Path, text: str = DESIGN) -> CalibrationDesign:
    file = folder / "design.toml"
    file.write_text(text)
    return design_from_toml(file)


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Calibration:
    folder = tmp_path_factory.mktemp("calibration")
    return calibrate(design_of(folder), folder / "out", coverage=40, executor=Here())


def tables_of(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(folder.glob("*.csv"))}


def test_the_known_posterior_is_found(result: Calibration) -> None:
    shift, idle = result.summary.to_dict("records")
    # Prior variance 4; the observation has variance 1 of the society and .25 of its error.
    assert shift["median"] == pytest.approx(1.5 * 4 / 5.25, abs=0.7)
    sd = np.sqrt(4 * 1.25 / 5.25)
    assert shift["high80"] - shift["low80"] == pytest.approx(2 * 1.28 * sd, rel=0.5)
    assert shift["contraction"] > 0.5
    assert idle["contraction"] < 0.4
    assert shift["default"] == 0.0


def test_generations_come_closer(result: Calibration) -> None:
    assert result.generations["tolerance"].is_monotonic_decreasing
    assert result.generations["simulations"].tolist() == [40, 40]
    assert result.simulations["accepted"].sum() == 20


def test_coverage_and_predictions_are_reported(result: Calibration) -> None:
    assert result.coverage is not None
    assert result.coverage["datasets"].tolist() == [40] * 4
    (check,) = result.predictive_checks().to_dict("records")
    assert check["observed"] == 1.5
    assert check["inside"]
    assert set(calibration_figures(result)) == {"marginals", "pairs", "predictive", "coverage"}


def test_the_command_prints_all_tables(
    result: Calibration, capsys: pytest.CaptureFixture[str]
) -> None:
    print_calibration(result)
    printed = capsys.readouterr().out
    for title in ("Generations", "Posterior", "Posterior predictive checks", "Coverage"):
        assert title in printed
    assert " of 40" in printed


def test_an_interrupted_calibration_continues_to_the_same_result(
    result: Calibration, tmp_path: Path
) -> None:
    design = design_of(tmp_path)
    for runs in (15, 40):  # in the middle of the first and of the second generation
        with pytest.raises(KeyboardInterrupt):
            calibrate(design, tmp_path / "out", coverage=40, executor=Here(runs))
    calibrate(design, tmp_path / "out", coverage=40, executor=Here())
    assert tables_of(tmp_path / "out") == tables_of(result.folder)


@pytest.mark.extras
def test_workers_do_not_change_the_result(result: Calibration, tmp_path: Path) -> None:
    calibrate(design_of(tmp_path), tmp_path / "out", coverage=40, workers=2)
    assert tables_of(tmp_path / "out") == tables_of(result.folder)


def test_arms_are_paired(tmp_path: Path) -> None:
    text = DESIGN.replace("generations = 2", "generations = 1").replace(
        "value = {value = 1.5, error = 0.5}",
        'value = {value = 0, error = 0.1, arm = "a", minus = "b"}',
    )
    arms = '[arms.a]\n[arms.b]\nagents = 1\n[settings]\n"record.tables" = "measures"\n'
    same = calibrate(design_of(tmp_path, text + arms), tmp_path / "out", executor=Here())
    assert (same.simulations["value"] == 0).all()  # equal arms with equal seeds


def test_the_posterior_is_exported_to_arviz(result: Calibration, tmp_path: Path) -> None:
    pytest.importorskip("arviz_base")
    pytest.importorskip("h5netcdf")
    import xarray as xr

    result.write_arviz(tmp_path / "posterior.nc")
    with xr.open_datatree(tmp_path / "posterior.nc", engine="h5netcdf") as data:
        assert data["posterior"]["shift"].shape == (1, 1_000)
        assert set(data.children) == {
            "posterior", "prior", "prior_predictive", "posterior_predictive", "observed_data",
        }  # fmt: skip
        pd.testing.assert_series_equal(
            pd.Series(data["posterior"]["shift"].to_numpy()[0]),
            result.draws["shift"],
            check_names=False,
        )


def test_other_designs_and_files_are_not_overwritten(result: Calibration, tmp_path: Path) -> None:
    other = design_of(tmp_path, DESIGN.replace("seed = 3", "seed = 4"))
    with pytest.raises(RunFolderError, match="calibration of another design"):
        calibrate(other, result.folder, executor=Here())
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(RunFolderError, match="contains other files"):
        calibrate(other, tmp_path / "mine", executor=Here())


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("samples", "sampels", "line 3: .*'sampels'; did you mean samples"),
        ("samples = 40", "samples = 10", "samples is 10"),
        ("samples = 40", "samples = 1e999", "samples is inf"),
        ("accept = 0.5", "accept = 1.5", "accept is 1.5; give a share above 0 and at most 1"),
        ("accept = 0.5", "accept = 0.1", "accept keeps 4 of 40 samples; at least 20"),
        ("shift = {", "shfit = {", "'shfit' is not a setting; did you mean shift"),
        ("shift = {", "agents = {", "'agents' is a whole number; a number is needed"),
        ("mean = 0", "mean = nan", "line 10: parameter shift: mean is nan"),
        ("sd = 2", "sd = 2, low = -99", "the setting allows -50 to 50"),
        ("value = {value = 1.5", "valeu = {value = 1.5", "no measure 'valeu'.*did you mean value"),
        ("value = 1.5, ", "", "target value is .*; write it as"),
        ("error = 0.5", "error = -1", "error is -1; it should be greater than or equal to 0"),
        ("error = 0.5", 'error = 1, arm = "a"', "arm is 'a'; there are none"),
        ("error = 0.5", "error = 0.5, sorce = 1", "'sorce'; did you mean source"),
        ("[targets]\nvalue = {value = 1.5, error = 0.5}", "", "there are no targets"),
        (
            "[targets]",
            "[settings]\nshift = 1\n[targets]",
            "is both a parameter and a setting",
        ),
        ("[targets]", '[arms."../x"]\n[targets]', "arm '../x': use letters"),
        ("[parameters]", "[parameters", "not valid TOML"),
    ],
)
def test_an_impossible_design_is_refused_in_one_line(
    before: str, after: str, message: str, tmp_path: Path
) -> None:
    assert before in DESIGN
    with pytest.raises(MemopolisError, match=message) as error:
        calibrate(
            design_of(tmp_path, DESIGN.replace(before, after, 1)), tmp_path / "out", executor=Here()
        )
    assert "\n" not in str(error.value)
    assert not list(tmp_path.glob("out/generation-*"))


def test_coverage_needs_a_simulation_for_each_data_set(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="coverage is 41; use at most samples = 40"):
        calibrate(design_of(tmp_path), tmp_path / "out", coverage=41, executor=Here())


@pytest.mark.parametrize("scenario", ["hurricane", "polarization", "ubi"])
def test_shipped_designs_can_be_planned(scenario: str) -> None:
    folder = Path(getfile(find_scenario(scenario))).parent / "designs"
    design = design_from_toml(folder / "calibration.toml")
    check_outcomes(design)
