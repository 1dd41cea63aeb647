"""`memopolis run --estimate`: the cost of a run before it starts."""

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from memopolis.cli import app

SMALL = ("--agents", "20", "--days", "1", "--seed", "7", "--estimate")
BLOCKS = ("--set", "llm.blocks=update_attitudes")


def estimate(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["run", "hurricane", *SMALL, *arguments])


def test_estimate_prints_calls_tokens_and_cost_by_block_without_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    prices = ("--set", "llm.price_in=100", "--set", "llm.price_out=200")
    result = estimate("--mind", "llm", *BLOCKS, *prices)
    assert result.exit_code == 0, result.output
    (row,) = (line.split() for line in result.stdout.splitlines() if "update_attitudes" in line)
    calls, asked, answered, cost = (float(cell.replace(",", "")) for cell in row[1:5])
    # Everybody of seven or older judges two attitudes a day; an answer has at most 256 tokens.
    assert calls % 2 == 0
    assert 30 <= calls <= 40
    assert answered == 256 * calls
    assert cost == pytest.approx((100 * asked + 200 * answered) / 1e6, abs=0.005)
    assert list(tmp_path.iterdir()) == []


def test_estimate_reports_missing_prices_and_small_budgets() -> None:
    result = estimate("--mind", "archetype", *BLOCKS, "--budget-calls", "1")
    text = " ".join(result.stdout.split())
    assert "set llm.price_in and llm.price_out" in text
    assert "The budget of 1 calls is smaller than" in text


def test_estimate_requires_a_mind_that_calls_a_model() -> None:
    result = estimate()
    assert result.exit_code == 2
    assert "sends no calls" in result.stderr
