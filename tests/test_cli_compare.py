"""`memopolis compare`: output, and one clear line for each user error."""

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from memopolis.cli import app
from memopolis.sim.scenario_names import find_scenario

SAVERS = f"{Path(__file__).parent.resolve()}/analysis/savers.py:Savers"


def memopolis(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["compare", *map(str, arguments)])


def complaint(result: Result) -> str:
    """Return the one-line error message."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    lines = [line for line in result.stderr.splitlines() if line.strip()]
    assert len(lines) == 1
    return lines[0]


def test_compare_runs_arms_and_writes_a_report(tmp_path: Path) -> None:
    out = tmp_path / "out"
    few = ("--replications", "2", "--agents", "3", "--seed", "5", "--set", "days=2")
    result = memopolis(SAVERS, "--arms", "plain,thrifty", *few, "--workers", "1", "--out", out)
    assert result.exit_code == 0, result.output
    assert "differences from plain" in result.stdout
    # Two days, one more a day: savings are cents in tables and USD for readers.
    row = next(line for line in result.stdout.splitlines() if "thrifty" in line)
    assert "+0.06" in row
    # Two seeds are too few for the size of an effect.
    assert row.split()[-2:] == ["yes", "-"]
    assert result.stderr == ""
    assert sorted(path.name for path in out.iterdir()) == [
        "arms.json",
        "compare.csv",
        "compare.html",
        "plain",
        "thrifty",
        "values.csv",
    ]
    seeds = [path.name for path in sorted((out / "thrifty").glob("seed-*"))]
    assert seeds == ["seed-00005", "seed-00006"]
    # Of many runs, memories and decisions are not kept unless asked for.
    assert not (out / "plain" / "seed-00005" / "tables" / "memories").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--arms", "plain"), "at least two"),
        (("--arms", "plain,greedy"), "no arm 'greedy'; there are plain, thrifty"),
        (("--arms", "plain,thrifty", "--replications", "1"), "at least 2"),
        (("--arms", "plain,thrifty", "--outcomes", "joy"), "no measure 'joy'"),
        (("--arms", "plain,thrifty", "--outcomes", "wealth@max"), "@end, @mean, @sum"),
        (("--arms", "plain,thrifty", "--confidence", "95"), "between 0 and 1"),
        (("--arms", "plain,extra=much"), "extra was given 'much'"),
        (("--arms", "plain,thrifty", "--set", "greed=1"), "no setting is called 'greed'"),
        ((), "alone: name arms of a scenario with --arms A,B, or a second run"),
    ],
)
def test_user_errors_are_one_line(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    assert message in complaint(memopolis(SAVERS, *arguments, "--out", tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_a_society_without_outcomes_is_refused_before_it_runs(tmp_path: Path) -> None:
    file = tmp_path / "village.py"
    file.write_text(
        "from memopolis import Measure, Settings, Society\n\n"
        "class Village(Society[Settings]):\n    pass\n\n"
        "class Uncharted(Village):\n    measures = (Measure('hunger', 'hunger', 'Hunger'),)\n"
    )
    arms = ("--arms", "days=1,days=2", "--out", tmp_path / "out")
    assert "Village has no measures" in complaint(memopolis(f"{file}:Village", *arms))
    assert "its measures are hunger" in complaint(memopolis(f"{file}:Uncharted", *arms))
    assert not (tmp_path / "out").exists()


def saved(folder: Path, **settings: float) -> Path:
    return Path(find_scenario(SAVERS)(rng=1, **settings).run(folder))


def test_compare_prints_two_runs_side_by_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    a, b = saved(tmp_path / "a"), saved(tmp_path / "b", extra=0.5)
    result = memopolis(a, b)
    assert result.exit_code == 0, result.output
    assert "The runs diverge at step 0, Thu 01 Jan 2026 00:00" in result.stdout
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["extra", "0.0", "0.5"] in lines
    assert "Saver" not in result.stdout.replace("Savers", "")
    (row,) = (line for line in lines if line[:1] == ["agents_saver"])
    assert row[:-2] == ["agents_saver", "0", "01", "Jan", "2026", "saver", "1", "wealth"]
    assert float(row[-1]) == pytest.approx(float(row[-2]) + 0.5)
    same = memopolis(a, a)
    assert not (tmp_path / "runs").exists()
    assert "The runs do not diverge in the 3 steps that both took." in same.stdout


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--arms", "plain,thrifty"), "name two runs, without options"),
        (("--seed", "3"), "name two runs, without options"),
        (("third",), "3 names were given"),
    ],
)
def test_mixing_runs_and_arms_is_refused(
    more: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    a = saved(tmp_path / "a")
    assert message in complaint(memopolis(a, a, *more, "--out", tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_a_path_that_is_no_run_is_reported(tmp_path: Path) -> None:
    a = saved(tmp_path / "a")
    assert "hurricane is not a run folder" in complaint(memopolis(a, "hurricane"))
    (tmp_path / "empty").mkdir()
    assert "no manifest.json" in complaint(memopolis(a, tmp_path / "empty"))
