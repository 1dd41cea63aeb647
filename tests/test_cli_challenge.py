"""`memopolis challenge`: its table and files, and mistakes that are found before any run."""

from pathlib import Path

import pandas as pd
import pytest
from tests.analysis.challenge.conftest import write_case
from typer.testing import CliRunner

from memopolis.cli import app
from memopolis.commands.challenge import RESULTS


def challenge(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["challenge", *map(str, arguments)])
    return result.exit_code, result.output


def test_own_case_and_another_engine_are_in_one_table(tmp_path: Path) -> None:
    case = write_case(tmp_path / "small")
    other = tmp_path / "guess.csv"
    other.write_text("case,quantity,value\nsmall,support,0.1\n")
    page = tmp_path / "page.md"
    page.write_text(f"# Page\n\n{RESULTS}\n\nold results\n")
    out = tmp_path / "out"
    options = ("--case", case, "--submission", other, "--out", out, "--workers", 1)
    code, text = challenge(*options, "--markdown", page)
    assert code == 0, text
    assert "Held-out outcomes" in text
    assert "Fitted outcomes" in text
    assert "NO (calibrated)" in text or "yes (calibrated)" in text
    board = pd.read_csv(out / "leaderboard.csv")
    held_out = board[board["set"] == "held out"]
    assert held_out["engine"].iloc[0] == "guess"
    assert set(held_out["engine"]) == {
        "guess", "memopolis", "memopolis-null", "no-change", "last-event", "demographics"
    }  # fmt: skip
    assert set(pd.read_csv(out / "scores.csv")["engine"]) == {
        "guess",
        "memopolis",
        "memopolis-null",
    }
    written = page.read_text()
    assert written.startswith(f"# Page\n\n{RESULTS}\n")
    assert "| guess | 1 of 1 | 0.00 |" in written
    assert "old results" not in written
    assert (out / "challenge.md").read_text() in written


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--case", "mathew-2016"), "no case 'mathew-2016'; did you mean matthew-2016"),
        (("--case", "dorian-2019", "--submission", "no.csv"), "no.csv: no such file"),
        (("--case", "dorian-2019", "--markdown", "no/page.md"), "no is not a folder"),
    ],
)
def test_mistakes_are_found_before_any_run(
    options: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    code, text = challenge(*options, "--out", tmp_path / "out")
    assert code == 2
    assert message in " ".join(text.split())
    assert not (tmp_path / "out").exists()


def test_another_engine_needs_its_own_name(tmp_path: Path) -> None:
    file = tmp_path / "memopolis.csv"
    file.write_text("case,quantity,value\ndorian-2019,left,0.1\n")
    code, text = challenge("--case", "dorian-2019", "--submission", file)
    assert code == 2
    assert "two engines are called 'memopolis'" in text
