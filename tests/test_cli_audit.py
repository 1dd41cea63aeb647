"""`memopolis audit`: output, files, and one clear line for each user error."""

import json
from pathlib import Path

import pandas as pd
import pytest
from tests.sim.mind.test_audit import scripted
from typer.testing import CliRunner, Result

from memopolis.cli import app
from memopolis.sim.mind import audit, building
from memopolis.sim.mind.call import Call, Client, ScriptedClient
from memopolis.sim.settings import LlmSettings

FEW = ("hurricane", "--agents", "20", "--seed", "1", "--set", "days=0.3")
MODEL = ("--model", "scripted", "--set", "archetype.least=4", "--set", "llm.price_in=1")


def memopolis(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["audit", *map(str, arguments)])


def complaint(result: Result) -> str:
    assert result.exit_code == 2, result.output
    lines = [line for line in result.stderr.splitlines() if line.strip()]
    return lines[-1]


@pytest.fixture
def _scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a script answer in place of a server."""

    def make_client(llm: LlmSettings, *, replay: bool) -> Client:
        del llm, replay
        return ScriptedClient(scripted)

    for module in (audit, building):
        monkeypatch.setattr(module, "make_client", make_client)


@pytest.mark.usefixtures("_scripted")
def test_tables_are_printed_and_written(tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = memopolis(*FEW, *MODEL, "--sample", "0.9", "--out", out)
    assert result.exit_code == 0, result.output
    assert "Answers: opening" in result.stdout
    assert "Distance from individual answers, 95% intervals over agents: opening" in result.stdout
    assert "…" not in result.stdout  # every cell is complete
    names = {path.name for path in out.iterdir()}
    assert names == {"run", "audit.md", *(f"{n}.csv" for n in _TABLES)}
    distances = pd.read_csv(out / "distances.csv")
    methods = {"grouped", "again", "random_groups", "rule", "resampled"}
    assert set(distances["method"]) == methods
    assert (distances["js_distance"].dropna().between(0, 1)).all()
    assert json.loads((out / "run" / "manifest.json").read_text())["status"] == "succeeded"
    assert (out / "audit.md").read_text().count("\n\n| ") == 3


_TABLES = ("answers", "methods", "distances", "calls")


def test_a_stopped_audit_keeps_its_answers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def interrupted(call: Call) -> str:
        if call.tick > 4:
            raise KeyboardInterrupt
        return scripted(call)

    for module in (audit, building):
        monkeypatch.setattr(module, "make_client", lambda *_, **__: ScriptedClient(interrupted))
    result = memopolis(*FEW, *MODEL, "--out", tmp_path / "out")
    assert "an audit cannot be resumed" in result.stderr
    assert len(pd.read_csv(tmp_path / "out" / "answers.csv"))


@pytest.mark.usefixtures("_scripted")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--sample", "2"), "the sample is 2.0; it must be a share"),
        (("--confidence", "95"), "between 0 and 1"),
        (("--set", "llm.blocks=think"), "nothing was audited"),
        (("--set", "llm.blocks=dream"), "llm.blocks names 'dream'"),
    ],
)
def test_user_errors_are_one_line(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    assert message in complaint(memopolis(*FEW, *MODEL, *arguments, "--out", tmp_path / "out"))


def test_a_model_is_needed(tmp_path: Path) -> None:
    pytest.importorskip("openai")
    assert "no model is selected" in complaint(memopolis(*FEW, "--out", tmp_path / "out"))
