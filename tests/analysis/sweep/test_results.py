"""Results of a sweep, read from its folder."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.manifests import make_manifest

from memopolis.analysis.sweep.results import SweepResults, load_sweep
from memopolis.sim.errors import RunFolderError, UnknownNameError
from memopolis.sim.society import Society
from memopolis.sim.sweep.design import Design, PlannedRun
from memopolis.sim.sweep.factors import Range
from memopolis.sim.sweep.rows import RunRow, make_rows, write_row
from memopolis.sim.sweep.saved_design import write_design

type Made = Callable[[Design, Callable[[PlannedRun], float | None]], SweepResults]

NOISE = (0.0, 3.0, 1.0)


def grid(scenario: type[Any], **changes: Any) -> Design:
    options: dict[str, Any] = {"factors": {"x1": [0.0, 1.0], "x2": [0.0, 2.0]}, "replications": 3}
    options |= changes
    return Design(scenario, **options)


def value(run: PlannedRun) -> float:
    """Return the outcome of a run: its settings, and noise shared by replications."""
    return float(10 * run.factors["x1"] + run.factors["x2"] + NOISE[run.replication])


def test_every_run_is_a_row(made: Made, ishigami: type[Any], tmp_path: Path) -> None:
    results = made(grid(ishigami), value)
    assert list(results.runs.columns) == [
        "run", "point", "replication", "seed", "x1", "x2", "status", "error", "traceback",
        "tries", "seconds", "step_seconds", "value", "folder",
    ]  # fmt: skip
    assert len(results.runs) == 12
    row = results.runs.iloc[5]
    assert (row["point"], row["replication"], row["x1"], row["x2"]) == (1, 2, 0.0, 2.0)
    assert (row["status"], row["tries"], row["value"]) == ("succeeded", 1, 3.0)
    assert (row["seconds"], row["step_seconds"]) == (0.5, 0.25)
    assert row["folder"] == str(tmp_path / "runs" / row["run"])
    assert repr(results) == f"<SweepResults Ishigami: 4 points x 3, 12 succeeded, {tmp_path}>"


def test_points_have_means_with_intervals(made: Made, ishigami: type[Any]) -> None:
    points = made(grid(ishigami), value).points
    assert list(points.columns) == [
        "point", "x1", "x2", "outcome", "mean", "low", "high", "sd", "runs",
    ]  # fmt: skip
    row = points.iloc[3]
    assert (row["point"], row["outcome"], row["runs"]) == (3, "value", 3)
    assert row["mean"] == pytest.approx(12 + np.mean(NOISE))
    assert row["sd"] == pytest.approx(np.std(NOISE, ddof=1))
    # t(2, 0.975) = 4.302653
    assert row["high"] - row["mean"] == pytest.approx(4.302653 * row["sd"] / math.sqrt(3), rel=1e-6)


def test_failed_and_pending_runs_are_rows(made: Made, ishigami: type[Any], tmp_path: Path) -> None:
    results = made(grid(ishigami), lambda run: None if run.point == 1 else value(run))
    failed = results.runs[results.runs["point"] == 1]
    assert set(failed["status"]) == {"failed"}
    assert set(failed["error"]) == {"ZeroDivisionError: a mistake"}
    assert failed["value"].isna().all()
    point = results.points.set_index("point").loc[1]
    assert point["runs"] == 0
    assert pd.isna(point["mean"])
    assert set(failed["traceback"]) == {""}
    name = failed["run"].iloc[0]
    (tmp_path / "failures").mkdir()
    (tmp_path / "failures" / f"{name}.txt").write_text("Traceback ...")
    (tmp_path / "rows" / f"{results.runs['run'].iloc[0]}.json").unlink()
    again = load_sweep(tmp_path)
    assert again.runs.set_index("run").loc[name, "traceback"].endswith(f"failures/{name}.txt")
    assert again.runs["status"].iloc[0] == "pending"
    assert "1 pending, 8 succeeded, 3 failed" in repr(again)


def test_runs_of_an_older_design_are_not_shown(
    made: Made, ishigami: type[Any], tmp_path: Path
) -> None:
    made(grid(ishigami), value)
    edited = grid(ishigami, factors={"x1": [1.0], "x2": [2.0, 3.0]})
    write_design(tmp_path, edited, edited.planned())
    runs = load_sweep(tmp_path).runs
    assert list(runs["status"]) == ["succeeded"] * 3 + ["pending"] * 3
    assert list(runs["value"][:3]) == [12.0, 15.0, 13.0]
    assert load_sweep(tmp_path).others == 9


def test_paired_differences_cancel_shared_noise(made: Made, ishigami: type[Any]) -> None:
    results = made(grid(ishigami), value)
    table = results.differences().set_index("point")
    assert list(table.index) == [1, 2, 3]
    assert table["difference"].tolist() == [2.0, 10.0, 12.0]
    assert table["low"].tolist() == table["high"].tolist() == [2.0, 10.0, 12.0]
    assert table["runs"].tolist() == [3, 3, 3]
    assert (table["x1"][3], table["x2"][3]) == (1.0, 2.0)
    assert results.differences(3)["difference"].tolist() == [-12.0, -10.0, -2.0]
    with pytest.raises(UnknownNameError, match="no point 4; points are numbered 0 to 3"):
        results.differences(4)


def test_incomplete_pairs_are_left_out(made: Made, ishigami: type[Any]) -> None:
    lacking = {(1, 0), (0, 2)}
    results = made(
        grid(ishigami),
        lambda run: None if (run.point, run.replication) in lacking else value(run),
    )
    table = results.differences().set_index("point")
    assert table["runs"].to_dict() == {1: 1, 2: 2, 3: 2}
    assert table["difference"].to_dict() == {1: 2.0, 2: 10.0, 3: 12.0}


def test_independent_runs_are_compared_by_their_means(made: Made, ishigami: type[Any]) -> None:
    results = made(grid(ishigami, seeds="independent"), value)
    table = results.differences().set_index("point")
    assert table["difference"].tolist() == pytest.approx([2.0, 10.0, 12.0])
    assert table["runs"].tolist() == [6, 6, 6]
    # Two groups of equal spread: t(4, 0.975) = 2.776445
    half = 2.776445 * math.sqrt(2 * np.var(NOISE, ddof=1) / 3)
    assert table.loc[1, "high"] == pytest.approx(2 + half, rel=1e-6)


def test_results_are_written(made: Made, ishigami: type[Any], tmp_path: Path) -> None:
    results = made(grid(ishigami), value)
    assert results.save() == tmp_path / "runs.csv"
    read = pd.read_csv(tmp_path / "runs.csv", keep_default_na=False)
    assert read["value"].tolist() == results.runs["value"].tolist()
    assert read["run"].tolist() == results.runs["run"].tolist()


def test_tables_and_outcomes_are_read_from_the_runs(
    made: Made, ishigami: type[Any], tmp_path: Path
) -> None:
    design = grid(ishigami, replications=1, settings={"days": 3 / 24})
    results = made(design, lambda run: run.factors["x1"] if run.point else None)
    for run in design.planned()[1:]:
        ishigami(run.settings, rng=run.seed).run(tmp_path / "runs" / run.name)
    table = results.table("measures")
    assert list(table.columns[:4]) == ["run", "point", "replication", "tick"]
    assert table["point"].tolist() == [1] * 3 + [2] * 3 + [3] * 3
    assert set(table["run"]) == set(results.runs["run"].iloc[1:])
    with pytest.raises(UnknownNameError, match=r"no run of .* has a table 'memories'"):
        results.table("memories")
    with pytest.raises(UnknownNameError, match="no column 'nonsense'"):
        results.table("measures", ["nonsense"])


def test_outcomes_missing_in_a_row_are_read_from_tables(
    ishigami: type[Any], tmp_path: Path
) -> None:
    design = grid(ishigami, factors={"x2": [math.pi / 2]}, replications=1)
    (run,) = design.planned()
    ishigami(run.settings, rng=run.seed).run(tmp_path / "runs" / run.name)
    make_rows(tmp_path)
    write_row(tmp_path, run.name, RunRow("succeeded"))
    write_design(tmp_path, design, [run])
    results = load_sweep(tmp_path)
    assert results.runs["value"].tolist() == [7.0]
    assert results.values_of("value@mean").tolist() == [7.0]
    with pytest.raises(UnknownNameError, match="did you mean value"):
        results.values_of("valu")


def test_points_with_shared_runs_have_all_of_them(made: Made, ishigami: type[Any]) -> None:
    points = [{"x1": 0.0}, {"x1": 0.5}, {"x1": 0.0}]
    design = grid(ishigami, factors=points, sampling="points")
    results = made(design, lambda run: run.factors["x1"])
    assert results.points["mean"].tolist() == [0.0, 0.5, 0.0]
    assert results.points["runs"].tolist() == [3, 3, 3]


def test_duplicate_column_names_are_distinguished(tmp_path: Path, ishigami: type[Any]) -> None:
    class Named(ishigami.settings_class):  # type: ignore[misc, name-defined]
        status: str = "on"
        value: float = 1.0

    class Other(Society[Named]):
        measures = ishigami.measures

    design = Design(Other, factors={"status": ["on"], "value": [2.0]})
    (run,) = design.planned()
    make_rows(tmp_path)
    write_row(tmp_path, run.name, RunRow("succeeded", outcomes={"value": 5.0}))
    write_design(tmp_path, design, [run])
    results = load_sweep(tmp_path)
    row = results.runs.iloc[0]
    assert (row["factor.status"], row["status"]) == ("on", "succeeded")
    assert (row["value"], row["outcome.value"]) == (2.0, 5.0)
    assert results.points["mean"].tolist() == [5.0]
    assert results.values_of("value").tolist() == [5.0]


def test_a_folder_without_a_sweep_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match=r"not the folder of a sweep: it has no design\.json"):
        load_sweep(tmp_path)


def test_main_effects_hold_other_factors_equal(made: Made, ishigami: type[Any]) -> None:
    results = made(grid(ishigami), lambda run: None if run.point == 3 else value(run))
    table = results.effects()
    assert table[["factor", "first", "level"]].to_numpy().tolist() == [
        ["x1", "0.0", "1.0"],
        ["x2", "0.0", "2.0"],
    ]
    # Point 3 has no run: the other level of each pair counts for nothing.
    assert table["difference"].tolist() == table["low"].tolist() == [10.0, 2.0]
    assert table["replications"].tolist() == [3, 3]


def test_effects_are_averaged_over_the_other_factors(made: Made, ishigami: type[Any]) -> None:
    def crossed(run: PlannedRun) -> float:
        return value(run) + float(4 * run.factors["x1"] * run.factors["x2"] * run.replication)

    table = made(grid(ishigami), crossed).effects().set_index("factor")
    # x2 is 0 or 2, so x1 adds 10, and 0 or 8 times the number of the replication.
    assert table.loc["x1", "difference"] == pytest.approx(10 + 4)
    assert table.loc["x1", "high"] == pytest.approx(14 + 4.302653 * 4 / math.sqrt(3), rel=1e-6)


def test_samplings_that_change_all_factors_at_once_have_no_effects(
    made: Made, ishigami: type[Any]
) -> None:
    ranges = {"x1": Range(0, 1), "x2": Range(0, 1)}
    drawn = grid(ishigami, factors=ranges, sampling="random", samples=4)
    assert made(drawn, value).effects().empty


def test_a_table_missing_in_a_run_is_refused(
    made: Made, ishigami: type[Any], tmp_path: Path
) -> None:
    results = made(grid(ishigami), value)
    name = results.runs["run"].iloc[0]
    with pytest.raises(RunFolderError, match=f"run {name} succeeded, but .* remove .*{name}.json"):
        results.table("measures")
    (tmp_path / "runs" / name / "tables").mkdir(parents=True)
    make_manifest(tmp_path / "runs" / name, {})
    assert results.folder_of(name) == tmp_path / "runs" / name
