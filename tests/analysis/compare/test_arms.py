"""Arms over paired seeds: what is compared, and the report of it."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from memopolis import compare
from memopolis.analysis import load_run
from memopolis.analysis.compare.arms import Comparison
from memopolis.analysis.compare.arms_report import (
    calls_of,
    effects_of,
    rows_of,
    write_comparison,
)
from memopolis.analysis.figures.arms import path_by_arm
from memopolis.sim.errors import (
    ParameterError,
    RunFolderError,
    SettingsError,
    UnknownNameError,
)
from memopolis.sim.outcomes import read_outcomes
from memopolis.sim.scenario_names import find_scenario

SAVERS = f"{Path(__file__).parents[1] / 'savers.py'}:Savers"
SEEDS = (1, 2, 3)


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    scenario = find_scenario(SAVERS)
    folder = tmp_path_factory.mktemp("arms")
    runs = {
        arm: tuple(
            load_run(scenario(rng=seed, **changes).run(folder / arm / str(seed))) for seed in SEEDS
        )
        for arm, changes in scenario.arms.items()
    }
    declared = [measure.to_dict() for measure in scenario.measures]
    wanted = read_outcomes(["wealth", "saved", "wealth[north]@mean"], declared, title="Savers")
    return Comparison(folder, runs, tuple(wanted))


def test_differences_equal_the_effect_of_the_arm(comparison: Comparison) -> None:
    thrifty = comparison.table[comparison.table["arm"] == "thrifty"].set_index("outcome")
    # Each of four savers saves one more a day over three days; draws are equal in both arms.
    assert thrifty["difference"].to_dict() == pytest.approx(
        {"wealth": 3.0, "saved": 12.0, "wealth[north]@mean": 2.0}
    )
    assert thrifty["diff_high"].to_numpy() == pytest.approx(thrifty["diff_low"].to_numpy())
    assert ((thrifty["diff_low"] > 0) | (thrifty["diff_high"] < 0)).all()


def test_the_reference_has_no_difference(comparison: Comparison) -> None:
    plain = comparison.table[comparison.table["arm"] == "plain"]
    assert plain[["difference", "diff_low", "diff_high"]].isna().all(axis=None)
    assert not ((plain["diff_low"] > 0) | (plain["diff_high"] < 0)).any()
    assert set(comparison.table["reference"]) == {"plain"}
    assert set(comparison.table["seeds"]) == {3}


def test_effect_sizes_use_paired_differences(comparison: Comparison) -> None:
    mixed = Comparison(comparison.folder, comparison.runs, comparison.outcomes)
    values = comparison.values.copy()  # noqa: PD011 - no DataFrame
    saved = (values["outcome"] == "saved") & (values["arm"] == "thrifty")
    values.loc[saved, "value"] += [1.0, 2.0, -30.0]
    mixed.__dict__["values"] = values
    row = mixed.table.query("outcome == 'saved' and arm == 'thrifty'").iloc[0]
    assert row["superiority"] == pytest.approx(2 / 3)
    # Differences 13, 14, -18: mean 3, sd 18.1934; J(2) = 0.56419.
    assert row["effect_size"] == pytest.approx(3 / 18.1934 * 0.56419, rel=1e-4)
    assert -18 <= row["boot_low"] < row["boot_high"] <= 14
    plain = mixed.table.query("arm == 'plain'")
    columns = ["boot_low", "boot_high", "effect_size", "superiority"]
    assert plain[columns].isna().all(axis=None)
    assert effects_of(mixed)[1][3:] == ("+0.09", "67% of seeds")


def test_means_equal_those_of_the_runs(comparison: Comparison) -> None:
    runs = comparison.runs["plain"]
    ends = [run.measure("wealth").iloc[-1] for run in runs]
    row = comparison.table.iloc[0]
    assert (row["outcome"], row["arm"]) == ("wealth", "plain")
    assert row["mean"] == pytest.approx(np.mean(ends))
    # t(2, 0.975) = 4.302653
    assert row["high"] - row["mean"] == pytest.approx(
        4.302653 * np.std(ends, ddof=1) / np.sqrt(3), rel=1e-6
    )


def test_paths_contain_every_step(comparison: Comparison) -> None:
    paths = comparison.paths
    assert len(paths) == 3 * 2 * 3 * 3  # measures and groups, arms, seeds, days
    one = paths.query("measure == 'wealth' and group == 'north' and arm == 'plain' and seed == 2")
    assert list(one["value"]) == list(comparison.runs["plain"][1].measure("wealth", "north"))


def test_the_report_is_self_contained(comparison: Comparison) -> None:
    page = write_comparison(comparison).read_text()
    sources = re.findall(r'(?:src|href)="([^"]{0,30})', page)
    assert len(sources) == 4  # all outcomes, and three paths
    assert all(source.startswith("data:image/png;base64,") for source in sources)
    assert "seeds (1 to 3)" in page
    assert "--set extra=1.0" in page
    assert "savers.py:Savers" in page
    table = pd.read_csv(comparison.folder / "compare.csv")
    assert list(table) == [
        *("outcome", "arm", "reference", "mean", "low", "high"),
        *("difference", "diff_low", "diff_high", "boot_low", "boot_high"),
        *("effect_size", "superiority", "seeds"),
    ]
    assert len(pd.read_csv(comparison.folder / "values.csv")) == 3 * 2 * 3


def test_numbers_are_printed_in_readable_units(comparison: Comparison) -> None:
    rows = {(row[0] or "saved", row[1]): row for row in rows_of(comparison)[2:4]}
    assert rows["saved", "thrifty"][4:] == ("+0.12", "0.12 to 0.12", "yes", "always")
    assert ("saved, USD", "plain") in rows


def test_compare_runs_only_missing_runs(tmp_path: Path) -> None:
    reports: list[tuple[int, int, int]] = []

    def listen(*numbers: int) -> None:
        reports.append(numbers)  # type: ignore[arg-type]

    wanted = {"arms": ["plain", "extra=2"], "seeds": [1, 2], "folder": tmp_path, "workers": 1}
    first = compare(SAVERS, {"agents": 2}, progress=listen, **wanted)  # type: ignore[arg-type]
    assert reports == [(done, 0, 4) for done in range(5)]
    assert (tmp_path / "extra=2" / "seed-00002" / "manifest.json").is_file()
    assert first.seeds == [1, 2]
    # Without outcomes of its own the scenario is compared by what it charts.
    assert list(dict.fromkeys(first.table["outcome"])) == ["saved", "wealth"]
    made = (tmp_path / "plain" / "seed-00001" / "manifest.json").stat().st_mtime_ns
    again = compare(SAVERS, {"agents": 2}, **wanted)  # type: ignore[arg-type]
    assert (tmp_path / "plain" / "seed-00001" / "manifest.json").stat().st_mtime_ns == made
    pd.testing.assert_frame_equal(again.table, first.table)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"seeds": [1]}, ParameterError, "at least 2"),
        ({"confidence": 1.0}, ParameterError, "between 0 and 1"),
        ({"arms": ["plain", "greedy"]}, UnknownNameError, "no arm 'greedy'"),
        ({"arms": ["plain", "nothing=1"]}, SettingsError, "no setting is called 'nothing'"),
        ({"outcomes": ["happiness"]}, UnknownNameError, "no measure 'happiness'"),
        ({"settings": {"record.tables": "none"}}, SettingsError, "plain: record.tables is none"),
    ],
)
def test_invalid_comparisons_are_refused_before_any_run(
    changes: dict[str, object], error: type[Exception], message: str, tmp_path: Path
) -> None:
    wanted = {"arms": ["plain", "thrifty"], "seeds": [1, 2], "folder": tmp_path, **changes}
    with pytest.raises(error, match=message):
        compare(SAVERS, **wanted)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


def test_a_folder_with_other_content_is_refused(tmp_path: Path) -> None:
    mine = tmp_path / "values.csv"
    mine.write_text("mine", encoding="utf-8")
    with pytest.raises(RunFolderError, match="contains other files"):
        compare(SAVERS, arms=["plain", "thrifty"], seeds=[1, 2], folder=tmp_path)
    assert mine.read_text(encoding="utf-8") == "mine"


def test_an_unknown_group_is_refused_and_the_runs_are_kept(tmp_path: Path) -> None:
    wanted = {"arms": ["plain", "thrifty"], "seeds": [1, 2], "folder": tmp_path, "workers": 1}
    with pytest.raises(UnknownNameError, match=r"wealth\[moon\]: no run has the group 'moon'"):
        compare(SAVERS, outcomes=["wealth[moon]"], **wanted)  # type: ignore[arg-type]
    assert len(list(tmp_path.glob("*/seed-*/manifest.json"))) == 4


def test_arms_may_have_custom_names(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="at least two"):
        compare(SAVERS, arms={"only": {}}, seeds=[1, 2], folder=tmp_path)


def test_the_label_of_a_path_omits_the_grouping(comparison: Comparison) -> None:
    lines = [text.get_text() for text in path_by_arm(comparison, "wealth").texts]
    assert lines == ["Wealth by arm", "Saved so far; band: 95% interval of the mean over 3 seeds"]


def test_an_outcome_without_values_is_drawn_empty(comparison: Comparison) -> None:
    without = Comparison(comparison.folder, comparison.runs, comparison.outcomes)
    without.__dict__["paths"] = comparison.paths.assign(value=float("nan"))
    figure = path_by_arm(without, "wealth")
    lines = [line for axes in figure.axes for line in axes.get_lines()]
    assert not any(np.isfinite(line.get_ydata()).any() for line in lines)


def test_model_calls_are_means_per_run_with_their_cost(
    comparison: Comparison, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert comparison.model_calls.empty
    assert calls_of(comparison) == []
    compared = Comparison(tmp_path, comparison.runs, comparison.outcomes)
    used = {"model": "small", "failed": 1, "fallbacks": 2, "tokens_in": 3_000, "tokens_out": 500}
    for number, run in enumerate(comparison.runs["thrifty"]):
        monkeypatch.setitem(run.manifest, "mind", {**used, "calls": 10 * (number + 1)})
        monkeypatch.setitem(run.manifest["settings"]["llm"], "price_in", 2.0)
    plain, thrifty = compared.model_calls.to_dict("records")
    assert (thrifty["calls"], thrifty["fallbacks"]) == (20, 2)
    assert thrifty["dollars"] == pytest.approx(0.006)
    assert (plain["model"], plain["calls"], plain["dollars"]) == ("-", 0, 0)
    page = write_comparison(compared)
    assert "Model calls, means per run" in page.read_text(encoding="utf-8")
    assert "0.0060" in (rows := calls_of(compared))[1]
    assert rows[0][:3] == ("plain", "-", "0")
    assert (tmp_path / "calls.csv").is_file()
