"""`memopolis validate`: runs, output and failed checks."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

from memopolis.analysis import load_run
from memopolis.analysis.facts.hurricane import facts_of
from memopolis.cli import app
from memopolis.commands import validate
from memopolis.commands.sections import (
    Verdict,
    all_pass,
    compared_section,
    judged_section,
    summary_of,
)
from memopolis.commands.validations import hurricane
from memopolis.scenarios.hurricane import Hurricane

SEEDS, AGENTS = 2, 80


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Path]]:
    """Return folders of runs with and without the storm."""
    base = tmp_path_factory.mktemp("arms")
    kinds: dict[str, dict[str, Any]] = {"stormy": {}, "calm": {"storm": "none"}}
    made: dict[str, list[Path]] = {kind: [] for kind in kinds}
    for kind, changes in kinds.items():
        for seed in range(1, SEEDS + 1):
            made[kind].append(base / f"{kind}-{seed}")
            Hurricane(agents=AGENTS, rng=seed, **changes).run(made[kind][-1])
    return made


@pytest.fixture
def asked(runs: dict[str, list[Path]], monkeypatch: pytest.MonkeyPatch) -> list[Mapping[str, Any]]:
    """Record the settings of requested arms, and return prepared runs."""
    seen: list[Mapping[str, Any]] = []

    def give(
        scenario: str, arms: Mapping[Path, Mapping[str, Any]], *, seeds: Iterable[int], **_: Any
    ) -> dict[Path, list[Path]]:
        assert scenario == "hurricane"
        assert list(seeds) == list(range(1, SEEDS + 1))
        seen.extend({**settings, "folder": folder} for folder, settings in arms.items())
        # Two kinds stand for all arms: runs take longer than what is tested here.
        calm = {"storm", "recall"}
        return {
            folder: runs["calm" if calm & set(settings) else "stormy"]
            for folder, settings in arms.items()
        }

    monkeypatch.setattr(validate, "replicate_arms", give)
    return seen


def memopolis(*arguments: str | Path) -> Any:
    return CliRunner().invoke(app, ["validate", "hurricane", "--seeds", "2", *map(str, arguments)])


def test_arms_change_only_the_settings_they_are_named_for(
    asked: list[Mapping[str, Any]], tmp_path: Path
) -> None:
    memopolis("--agents", str(AGENTS), "--out", tmp_path / "out")
    by_folder = {arm.pop("folder").name: arm for arm in map(dict, asked)}
    assert set(by_folder) == {arm.replace(" ", "-") for arm in hurricane.PLAN.arms}
    assert all(arm.pop("agents") == AGENTS for arm in by_folder.values())
    files = {order: by_folder.pop(order)["orders"] for order in ("mandatory", "voluntary")}
    assert by_folder == {
        "scored": {},
        "no-storm": {"storm": "none"},
        "none": {"recall": "none"},
        "random": {"recall": "random"},
        "no-order": {"orders": "none"},
        "no-review": {"sleep.replay": 0},
        "no-merging": {"sleep.repeats": 0},
        "no-forgetting": {"sleep.forget_below": 0.0},
        "no-tags": {"sleep.tags": False},
        "no-summaries": {"sleep.summaries": 0.0},
        "no-night": {
            "sleep.replay": 0,
            "sleep.repeats": 0,
            "sleep.forget_below": 0.0,
            "sleep.tags": False,
            "sleep.summaries": 0.0,
        },
    }
    strict, loose = (pd.read_csv(files[order]) for order in ("mandatory", "voluntary"))
    assert set(strict["kind"]) == {"mandatory", "lifted"}
    assert set(loose["kind"]) == {"voluntary", "lifted"}
    pd.testing.assert_frame_equal(strict.drop(columns="kind"), loose.drop(columns="kind"))


def test_every_number_is_printed_and_written(
    asked: list[Mapping[str, Any]], tmp_path: Path
) -> None:
    del asked
    out, page = tmp_path / "out", tmp_path / "page.md"
    result = memopolis("--agents", str(AGENTS), "--out", out, "--markdown", page)
    assert result.stderr == ""
    assert max(map(len, result.stdout.splitlines()[:-1])) <= 100  # the last names the folder
    text = page.read_text()
    assert text == (out / "validation.md").read_text()
    assert "seeds 1 to 2" in text
    assert f"{AGENTS} citizens in each run" in text
    assert str(tmp_path) not in text
    frames = {
        file.stem: pd.read_csv(file)
        for file in (out / "hurricane").glob("*.csv")
        if "orders" not in file.name
    }
    assert set(frames) == {
        *("facts", "no_storm", "recall", "memory", "memory_use"),
        *("day", "lives", "night"),
    }
    labels = {"recall": "outcome", "night": "outcome"}
    labels |= dict.fromkeys(("memory_use", "lives"), "population")
    for name, frame in frames.items():
        for what in frame[labels.get(name, "what")]:
            assert what in text
            assert what.split()[0] in result.stdout
    assert result.exit_code == int("Fail:" in result.stdout)


def test_voluntary_rows_compare_arms_that_differ_only_in_the_order(
    runs: dict[str, list[Path]],
) -> None:
    stormy, calm = ([load_run(folder) for folder in runs[kind]] for kind in ("stormy", "calm"))
    arms = {arm: stormy if arm in ("scored", "mandatory") else calm for arm in hurricane.PLAN.arms}
    facts = hurricane.PLAN.sections(SEEDS, arms)[0].frame
    assert len(facts) == sum(len(fact.values) for fact in facts_of(stormy[0], calm[0]))
    assert list(facts["fact"]) == sorted(facts["fact"])
    first = facts[facts["fact"] == "H-P1"].set_index("what")
    # Without evacuees, distance to the sea makes no difference.
    unmeasured = "distance to the sea and leaving without any order, r"
    assert list(first.index[first["seeds"] < SEEDS]) == [unmeasured]
    means = first["mean"].to_dict()
    assert means["mandatory minus voluntary"] > 0
    assert means["voluntary minus none, outside surge bands"] == 0


def test_a_missing_folder_for_the_page_is_reported_before_any_run(
    asked: list[Mapping[str, Any]], tmp_path: Path
) -> None:
    result = memopolis("--markdown", tmp_path / "nowhere" / "page.md")
    assert result.exit_code == 2
    assert "is not a folder" in result.stderr
    assert asked == []


def judged(**changes: Any) -> pd.DataFrame:
    row = {
        "fact": "F",
        "what": "number",
        "basis": "independent",
        "unit": "%",
        "tolerance": "at least 50.0 %",
        "mean": 0.6,
        "low": 0.55,
        "high": 0.65,
        "seeds": 4,
        "held": 0.75,
        "holds": True,
        "surely": True,
    }
    return pd.DataFrame([row | changes])


@pytest.mark.parametrize(
    ("changes", "verdict", "holds"),
    [
        ({}, Verdict.SURELY, True),
        ({"low": 0.4, "surely": False}, Verdict.ON_AVERAGE, True),
        ({"mean": 0.45, "low": 0.3, "holds": False, "surely": False}, Verdict.NO, False),
        (
            {"mean": float("nan"), "seeds": 0, "held": float("nan"), "holds": None, "surely": None},
            Verdict.NOT_MEASURED,
            False,
        ),
    ],
)
def test_a_number_is_labelled_surely_on_average_or_no(
    changes: dict[str, Any], verdict: Verdict, *, holds: bool
) -> None:
    section = judged_section("f", "Facts", "What they are.", judged(**changes))
    assert section.rows[0][-1] == verdict
    assert all_pass([section]) is holds
    named = verdict is not Verdict.SURELY
    assert any("F number" in line for line in summary_of([section])) is named
    assert str(verdict) in section.markdown


def test_the_summary_counts_independent_numbers_apart() -> None:
    frames = [
        judged(),
        judged(basis="calibrated"),
        judged(basis="imposed"),
        judged(mean=0.45, low=0.3, holds=False, surely=False),
    ]
    lines = summary_of([judged_section("f", "Facts", "What they are.", pd.concat(frames))])
    assert lines[0] == "Independent numbers, which alone test the model: 1 of 2 pass."
    assert "Calibrated numbers, to which settings were fitted: 1 of 1 pass." in lines
    assert "Fail: F number." in lines


def test_numbers_without_a_tolerance_are_listed() -> None:
    untold = judged(tolerance="", holds=None, surely=None, held=float("nan"))
    section = judged_section("f", "Facts", "What they are.", untold)
    assert section.rows[0][-2:] == ("", "")
    assert section.checks == ()


def test_at_least_one_outcome_must_differ_from_random_recall() -> None:
    frame = pd.DataFrame(
        {
            "against": ["none", "random"],
            "outcome": ["share", "share"],
            "scored": 0.5,
            "other": 0.4,
            "difference": 0.1,
            "low": [0.05, -0.1],
            "high": 0.2,
            "seeds": 4,
            "excludes_zero": [True, False],
        }
    )
    section = compared_section("r", "Recall", "What it is.", frame, against="random")
    assert not all_pass([section])
    frame["excludes_zero"] = [False, True]
    assert all_pass([compared_section("r", "Recall", "It is.", frame, against="random")])


def test_a_scenario_without_facts_is_refused_at_once() -> None:
    result = CliRunner().invoke(app, ["validate", "village"])
    assert result.exit_code == 2
    assert "no validation for 'village'" in result.stderr


@pytest.mark.extras
@pytest.mark.by_hand
def test_a_small_validation_runs(tmp_path: Path) -> None:
    result = memopolis("--agents", "30", "--out", tmp_path / "out")
    assert result.exit_code in (0, 1), result.output
    again = memopolis("--agents", "30", "--out", tmp_path / "out")
    assert again.stdout == result.stdout
