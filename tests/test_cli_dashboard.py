"""`memopolis dashboard`: what is wrong is one clear line, before anything starts."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from memopolis.cli import app
from memopolis.commands.run import Asked
from memopolis.dashboard import command
from memopolis.dashboard.address import Address
from memopolis.sim.errors import ParameterError
from memopolis.sim.scenario_names import find_scenario

SAVERS = f"{Path(__file__).parent.resolve()}/analysis/savers.py:Savers"


def memopolis(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["dashboard", *map(str, arguments), "--no-open"])


def complaint(result: Result) -> str:
    """The one line of a mistake; nothing was started."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    lines = [line for line in result.stderr.splitlines() if line.strip()]
    assert len(lines) == 1
    return lines[0]


@pytest.fixture
def no_server(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Serve nothing, and keep the titles of what would have been served."""
    titles: list[str] = []
    monkeypatch.setattr(command, "find_spec", lambda _name: True)
    monkeypatch.setattr(command, "_serve", lambda _new, _served, title: titles.append(title))
    return titles


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("hurricne",), "did you mean hurricane"),
        (("hurricne",), "nor is there a folder hurricne of a run"),
        (("nothing.py",), "there is no file"),
        (("a", "b"), "there is no run folder a"),
        (("a", "b", "c"), "3 names were given"),
        (("a", "b", "--agents", "3"), "are runs made already"),
        ((SAVERS, "--set", "extr=1"), "did you mean extra"),
        ((SAVERS, "--agents", "none"), "agents"),
        ((SAVERS, "--seed", "-1"), "allowed: a whole number"),
        ((SAVERS, "--settings", "no.toml"), "no.toml"),
        ((SAVERS, "--port", "70000"), "less than or equal to 65535"),
        ((SAVERS, "--host", "192.0.2.1"), "--host 192.0.2.1 cannot be listened at"),
        ((SAVERS, "--out", Path(__file__).parent), "exists already"),
        ((Path(__file__).parent,), "is not the folder of a run"),
    ],
)
@pytest.mark.usefixtures("no_server")
def test_a_mistake_is_one_line(arguments: tuple[str | Path, ...], message: str) -> None:
    assert message in complaint(memopolis(*arguments))


def test_a_run_takes_no_settings(tmp_path: Path, no_server: list[str]) -> None:
    run = find_scenario(SAVERS)(rng=1).run(tmp_path / "run")
    assert "is a run made already" in complaint(memopolis(run, "--seed", "2"))
    assert no_server == []


def test_the_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "find_spec", lambda _name: None)
    assert "pip install 'memopolis[viz]'" in complaint(memopolis(SAVERS))


def test_the_folder_is_told_and_what_became_of_the_run(
    tmp_path: Path, no_server: list[str]
) -> None:
    out = tmp_path / "out"
    result = memopolis(SAVERS, "--out", out)
    assert result.exit_code == 0, result.output
    assert no_server == ["Savers"]
    assert f"Run     {out}" in result.stdout
    assert f"after step 0 of 3; `memopolis resume {out}` goes on" in result.stderr
    assert (out / "checkpoints").is_dir()


def test_status_is_recorded_in_each_step_unless_it_is_said_otherwise(tmp_path: Path) -> None:
    kind = find_scenario(SAVERS).settings_class
    hourly = kind().with_changes({"tick": 1.0, "agents": 5})
    few = command._with_curves(hourly, Asked(SAVERS))
    assert few.record.agents_every == 1.0
    said = Asked(SAVERS, ("record.agents_every=24",))
    assert command._with_curves(hourly, said).record.agents_every == 24.0
    many = hourly.with_changes({"agents": 2001})
    assert command._with_curves(many, Asked(SAVERS)).record.agents_every == 24.0
    assert not list(tmp_path.iterdir())


def test_a_taken_port_gives_way_to_the_next() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert Address("127.0.0.1", port).free().port > port
    assert Address("127.0.0.1", 0).free().port > 0
    with pytest.raises(ParameterError, match="cannot be listened at"):
        Address("nobody.invalid", 0).free()


def test_the_page_listens_to_this_machine_alone() -> None:
    assert str(Address()) == "http://127.0.0.1:8765"
    assert str(Address("::1", 80)) == "http://[::1]:80"


def test_the_page_is_imported_only_to_be_served() -> None:
    said = "import sys, memopolis.dashboard.command; print('nicegui' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"
