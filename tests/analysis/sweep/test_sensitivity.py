"""Indices of functions for which they are known."""

import math
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

from memopolis.analysis.figures.sensitivity import sensitivity_figure
from memopolis.analysis.figures.style import as_png
from memopolis.analysis.sweep.results import SweepResults
from memopolis.analysis.sweep.sensitivity import Sensitivity, sensitivity
from memopolis.cli import app
from memopolis.sim.errors import ParameterError, RunFolderError, UnknownNameError
from memopolis.sim.sweep.design import Design, PlannedRun
from memopolis.sim.sweep.factors import Range

type Made = Callable[[Design, Callable[[PlannedRun], float | None]], SweepResults]

FACTORS = {name: Range(-math.pi, math.pi) for name in ("x1", "x2", "x3")}
KNOWN = {
    ("first", "x1"): 0.3139,
    ("first", "x2"): 0.4424,
    ("first", "x3"): 0.0,
    ("total", "x1"): 0.5576,
    ("total", "x2"): 0.4424,
    ("total", "x3"): 0.2437,
    ("second", "x1 x2"): 0.0,
    ("second", "x1 x3"): 0.2437,
    ("second", "x2 x3"): 0.0,
}
"""Source: Ishigami and Homma 1990, doi:10.1109/ISUMA.1990.151285; the function's variance parts."""


def ishigami_of(run: PlannedRun) -> float:
    x1, x2, x3 = (run.factors[name] for name in ("x1", "x2", "x3"))
    return float(math.sin(x1) + 7 * math.sin(x2) ** 2 + 0.1 * x3**4 * math.sin(x1))


def linear_of(run: PlannedRun) -> float:
    x1, x2, x3 = (run.factors[name] for name in ("x1", "x2", "x3"))
    return float(x1 + 2 * x2 - 4 * x3)


def by_name(result: Sensitivity) -> pd.DataFrame:
    table = result.table.copy()
    names = [
        f"{one} {other}".strip() for one, other in zip(table["factor"], table["other"], strict=True)
    ]
    return table.set_index([table["index"], pd.Index(names)])


def check_known(table: pd.DataFrame) -> None:
    for key, known in KNOWN.items():
        if key not in table.index:
            continue
        low, high = (float(table[end][key]) for end in ("low", "high"))
        assert low <= known <= high, (key, known, low, high)


def test_ishigami_indices_match_published_values(made: Made, ishigami: type[Any]) -> None:
    design = Design(ishigami, factors=FACTORS, sampling="saltelli", samples=256)
    indices = sensitivity(made(design, ishigami_of), "value")
    table = by_name(indices)
    check_known(table)
    assert set(KNOWN) == set(table.index)
    assert table["high"]["total", "x1"] - table["low"]["total", "x1"] < 0.35
    assert (indices.method, indices.samples, indices.notes) == ("sobol", 256, "")
    assert indices.table["outcome"].unique().tolist() == ["value"]


def test_indices_without_pairs_match_published_values(
    made: Made, ishigami: type[Any], tmp_path: Path
) -> None:
    design = Design(ishigami, factors=FACTORS, sampling="saltelli_total", samples=256)
    indices = sensitivity(made(design, ishigami_of), "value")
    table = by_name(indices)
    assert set(table.index) == {key for key in KNOWN if key[0] != "second"}
    check_known(table)
    out = str(tmp_path / "indices.png")
    result = CliRunner().invoke(app, ["sensitivity", str(tmp_path), "--markdown", "--out", out])
    assert "| setting | `value`, first / total |" in result.stdout


def test_indices_are_deterministic(made: Made, ishigami: type[Any]) -> None:
    results = made(Design(ishigami, factors=FACTORS, sampling="saltelli", samples=16), ishigami_of)
    first, again = (sensitivity(results, "value").table for _ in range(2))
    pd.testing.assert_frame_equal(first, again)
    wide = sensitivity(results, "value", confidence=0.99).table
    assert (wide["high"] - wide["low"] > first["high"] - first["low"]).all()


def test_noise_is_averaged_over_replications(made: Made, ishigami: type[Any]) -> None:
    design = Design(ishigami, factors=FACTORS, sampling="saltelli", samples=16)
    twice = Design(ishigami, factors=FACTORS, sampling="saltelli", samples=16, replications=2)
    plain = sensitivity(made(design, ishigami_of), "value").table
    lucky = made(twice, lambda run: ishigami_of(run) + (1 if run.replication else -1))
    table = sensitivity(lucky, "value").table
    assert table["value"].to_numpy() == pytest.approx(plain["value"].to_numpy())


def test_effects_of_a_sum_are_its_weights(made: Made, ishigami: type[Any]) -> None:
    design = Design(ishigami, factors=FACTORS, sampling="morris", samples=10)
    indices = sensitivity(made(design, linear_of), "value")
    table = by_name(indices)
    span = 2 * math.pi  # an effect is that of the whole range
    for name, weight in (("x1", 1), ("x2", 2), ("x3", -4)):
        assert table.loc[("mu_star", name), "value"] == pytest.approx(abs(weight) * span)
        assert table.loc[("mu", name), "value"] == pytest.approx(weight * span)
        assert table.loc[("sigma", name), "value"] == pytest.approx(0, abs=1e-9)
    assert (indices.method, indices.samples) == ("morris", 10)


def test_differences_of_two_arms_have_effects(made: Made, ishigami: type[Any]) -> None:
    design = Design(ishigami, factors=FACTORS, sampling="morris", samples=10)
    paid = made(design, lambda run: ishigami_of(run) + linear_of(run))
    assert len(paid.runs) == 40  # read before the folder is written again
    unpaid = made(design, ishigami_of)
    assert len(unpaid.runs) == 40
    effects = by_name(sensitivity(paid, "value", minus=unpaid))
    expected = by_name(sensitivity(made(design, linear_of), "value"))
    pd.testing.assert_frame_equal(effects, expected)
    largest = sensitivity(paid, "value", minus=unpaid).top(1)
    assert largest.factors == ("x3",)
    assert set(largest.table["factor"]) == {"x3"}
    other = made(Design(ishigami, factors=FACTORS, sampling="morris", samples=5), linear_of)
    with pytest.raises(ParameterError, match="other points or seeds"):
        sensitivity(paid, "value", minus=other)


def test_levels_and_arguments_have_effects(made: Made, ishigami: type[Any]) -> None:
    factors = {"agents": Range(1, 4, whole=True), "x1": [0.0, 1.0], "x2": Range(0, 1)}
    design = Design(ishigami, factors=factors, sampling="morris", samples=8)
    indices = by_name(sensitivity(made(design, lambda run: run.factors["x1"]), "value"))
    assert indices.loc[("mu_star", "agents"), "value"] == 0
    # From the lower to the upper level in every trajectory, by two thirds of the range.
    assert indices.loc[("mu_star", "x1"), "value"] == pytest.approx(1.5)


@pytest.mark.parametrize(("sampling", "left"), [("saltelli", 15), ("morris", 15)])
def test_samples_with_a_failed_run_are_dropped_and_reported(
    made: Made, ishigami: type[Any], sampling: Any, left: int
) -> None:
    design = Design(ishigami, factors=FACTORS, sampling=sampling, samples=16)
    results = made(design, lambda run: None if run.point == 3 else linear_of(run))
    indices = sensitivity(results, "value")
    assert indices.samples == left
    assert "1 of" in indices.notes
    assert "1 failed" in indices.notes
    assert "1 of 16" in indices.notes
    assert "--retry-failed" in indices.notes


def test_a_missing_replication_is_reported_and_the_others_are_used(
    made: Made, ishigami: type[Any]
) -> None:
    design = Design(ishigami, factors=FACTORS, sampling="saltelli", samples=4, replications=2)
    results = made(
        design, lambda run: None if (run.point, run.replication) == (3, 1) else linear_of(run)
    )
    indices = sensitivity(results, "value")
    assert indices.samples == 4
    assert (
        "1 of 64 runs are missing (1 failed), so 0 of 4 base samples are omitted" in indices.notes
    )


def test_a_sweep_without_runs_is_refused(made: Made, ishigami: type[Any]) -> None:
    design = Design(ishigami, factors=FACTORS, sampling="saltelli", samples=4)
    with pytest.raises(RunFolderError, match=r"32 of 32 runs are missing \(32 failed\)"):
        sensitivity(made(design, lambda run: None), "value")  # noqa: ARG005


def test_a_constant_outcome_is_reported(made: Made, ishigami: type[Any]) -> None:
    design = Design(ishigami, factors=FACTORS, sampling="saltelli", samples=4)
    indices = sensitivity(made(design, lambda run: 3.0), "value")  # noqa: ARG005
    assert indices.notes == "value is 3 at every point, so it depends on no factor"
    assert indices.table["value"].isna().all()


def test_other_samplings_are_refused(made: Made, ishigami: type[Any]) -> None:
    design = Design(ishigami, factors=FACTORS, sampling="sobol", samples=4)
    results = made(design, ishigami_of)
    with pytest.raises(ParameterError, match='sampling sobol; indices need sampling = "saltelli"'):
        sensitivity(results, "value")
    with pytest.raises(ParameterError, match="confidence is 2"):
        sensitivity(
            made(Design(ishigami, factors=FACTORS, sampling="morris", samples=2), linear_of),
            "value",
            confidence=2,
        )


@pytest.mark.parametrize("sampling", ["saltelli", "morris"])
def test_the_figure_names_every_factor(made: Made, ishigami: type[Any], sampling: Any) -> None:
    design = Design(ishigami, factors=FACTORS, sampling=sampling, samples=8)
    results = made(design, ishigami_of)
    figure = sensitivity_figure([sensitivity(results, "value")] * 2)
    assert len(figure.axes) == 4
    shown = {label.get_text() for label in figure.axes[0].get_yticklabels()}
    assert shown == {"x1", "x2", "x3"}
    assert as_png(figure)[:4] == b"\x89PNG"


def test_the_command_prints_draws_and_writes(
    made: Made, ishigami: type[Any], tmp_path: Path
) -> None:
    design = Design(ishigami, factors=FACTORS, sampling="saltelli", samples=8)
    made(design, lambda run: None if run.point == 3 else ishigami_of(run))
    out = tmp_path / "figures" / "indices.png"
    result = CliRunner().invoke(app, ["sensitivity", str(tmp_path), "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert "value: 7 base samples, 95% intervals" in result.stdout
    assert "x1 x x3" in result.stdout
    assert "1 of 64 runs are missing" in result.stderr
    assert out.read_bytes()[:4] == b"\x89PNG"
    assert len(pd.read_csv(out.with_suffix(".csv"))) == 9
    twice = CliRunner().invoke(app, ["sensitivity", str(tmp_path), "--outcome", "valu"])
    assert isinstance(twice.exception, UnknownNameError | RunFolderError) or twice.exit_code


@pytest.mark.extras
def test_ishigami_from_sweep_to_indices(tmp_path: Path) -> None:
    file = Path(__file__).with_name("ishigami.py")
    shutil.copy(file, tmp_path / "ishigami.py")
    factors = "".join(f"{name} = {{low = {-math.pi}, high = {math.pi}}}\n" for name in FACTORS)
    (tmp_path / "design.toml").write_text(
        'scenario = "ishigami.py:Ishigami"\nsampling = "saltelli"\nsamples = 128\n'
        f"[factors]\n{factors}"
    )
    folder = str(tmp_path / "sweep")
    made = CliRunner().invoke(
        app, ["sweep", str(tmp_path / "design.toml"), "--out", folder, "--workers", "2"]
    )
    assert made.exit_code == 0, made.output
    result = CliRunner().invoke(app, ["sensitivity", folder, "--outcome", "value"])
    assert result.exit_code == 0, result.output
    assert "128 base samples" in result.stdout
    check_known(by_name(sensitivity(folder, "value")))


def test_values_that_are_not_finite_are_left_out(made: Made, ishigami: type[Any]) -> None:
    design = Design(ishigami, factors=FACTORS, sampling="saltelli", samples=16)
    endless = made(design, lambda run: math.inf if run.point == 0 else linear_of(run))
    indices = sensitivity(endless, "value")
    assert indices.samples == 15
    assert "without a value" in indices.notes
    assert indices.table["value"].notna().all()


def test_one_sample_is_too_few(made: Made, ishigami: type[Any]) -> None:
    design = Design(ishigami, factors=FACTORS, sampling="morris", samples=1)
    with pytest.raises(RunFolderError, match=r"samples is 1 in .*; indices need at least 2"):
        sensitivity(made(design, linear_of), "value")
