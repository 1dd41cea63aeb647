"""`memopolis dashboard`: user errors are one clear line, before anything starts."""

import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from threading import Barrier
from types import ModuleType

import pytest
from typer.testing import CliRunner, Result

from memopolis.cli import app
from memopolis.commands.options.shared import SocietyOptions
from memopolis.dashboard import command
from memopolis.dashboard.address import Address, Listener
from memopolis.dashboard.watch.live import LiveWatch
from memopolis.sim.errors import ParameterError
from memopolis.sim.scenario_names import find_scenario

SAVERS = f"{Path(__file__).parent.resolve()}/analysis/savers.py:Savers"


def memopolis(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["dashboard", *map(str, arguments), "--no-open"])


def complaint(result: Result) -> str:
    """Return the one-line error message; nothing was started."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    lines = [line for line in result.stderr.splitlines() if line.strip()]
    assert len(lines) == 1
    return lines[0]


@pytest.fixture
def no_server(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Serve nothing, and record the titles of the pages."""
    titles: list[str] = []
    monkeypatch.setattr(command, "find_spec", lambda _name: True)
    monkeypatch.setattr(command, "_serve", lambda _new, _listener, title, **_: titles.append(title))
    return titles


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("hurricne",), "did you mean hurricane"),
        (("hurricne",), "hurricne is not a run folder either"),
        (("nothing.py",), "there is no file"),
        (("a", "b"), "there is no run folder a"),
        (("a", "b", "c"), "there is no run folder a"),
        (("a", "b", "--agents", "3"), "are runs, not a scenario"),
        ((SAVERS, "--set", "extr=1"), "did you mean extra"),
        ((SAVERS, "--agents", "none"), "agents"),
        ((SAVERS, "--seed", "-1"), "allowed: a whole number"),
        ((SAVERS, "--settings", "no.toml"), "no.toml"),
        ((SAVERS, "--port", "70000"), "less than or equal to 65535"),
        ((SAVERS, "--host", "192.0.2.1"), "--host 192.0.2.1 cannot be listened at"),
        ((SAVERS, "--out", Path(__file__).parent), "exists and is not empty"),
        ((Path(__file__).parent / "docs",), "contains no run, comparison or sweep"),
    ],
)
@pytest.mark.usefixtures("no_server")
def test_a_user_error_is_one_line(arguments: tuple[str | Path, ...], message: str) -> None:
    assert message in complaint(memopolis(*arguments))


def test_a_replay_accepts_only_settings_of_the_mind(tmp_path: Path, no_server: list[str]) -> None:
    run = find_scenario(SAVERS)(rng=1).run(tmp_path / "run")
    assert "is a run, not a scenario" in complaint(memopolis(run, "--seed", "2"))
    assert "is a run, not a scenario" in complaint(memopolis(run, "--mind", "llm", "--days", "2"))
    assert "need --mind llm" in complaint(memopolis(run, "--model", "tiny"))
    assert "rule | llm" in complaint(memopolis(run, "--mind", "lllm"))
    assert no_server == []
    named = ("--model", "tiny", "--base-url", "http://127.0.0.1:9/v1")
    assert memopolis(run, "--mind", "llm", *named).exit_code == 0
    assert no_server == ["Savers"]


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "find_spec", lambda _name: None)
    assert "pip install 'memopolis[viz]'" in complaint(memopolis(SAVERS))


def test_the_folder_and_the_outcome_of_the_run_are_printed(
    tmp_path: Path, no_server: list[str]
) -> None:
    out = tmp_path / "out"
    result = memopolis(SAVERS, "--out", out)
    assert result.exit_code == 0, result.output
    assert no_server == ["Savers"]
    assert f"Run     {out}" in result.stdout
    assert "before the first step; no run was recorded" in result.stderr
    assert not out.exists()


def test_the_closing_note_names_a_scenario_in_a_file(tmp_path: Path) -> None:
    watch = LiveWatch(find_scenario(SAVERS)(rng=1), lambda _: tmp_path / "run")
    watch.step_once()
    watch.close()
    assert f"`memopolis resume {tmp_path / 'run'} --scenario {SAVERS}`" in command._closing_note(
        watch
    )


def test_status_is_recorded_in_each_step_by_default(tmp_path: Path) -> None:
    kind = find_scenario(SAVERS).settings_class
    hourly = kind().with_changes({"tick": 1.0, "agents": 5})
    few = command._with_curves(hourly, SocietyOptions())
    assert few.record.agents_every == 1.0
    texts = SocietyOptions(sets=["record.agents_every=24"])
    assert command._with_curves(hourly, texts).record.agents_every == 24.0
    many = hourly.with_changes({"agents": 2001})
    assert command._with_curves(many, SocietyOptions()).record.agents_every == 24.0
    assert not list(tmp_path.iterdir())


def test_the_next_port_is_used_if_one_is_taken() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with Address("127.0.0.1", port).listen() as listener:
            assert listener.address.port > port
    with Address("127.0.0.1", 0).listen() as listener:
        assert listener.address.port > 0
    with pytest.raises(ParameterError, match="cannot be listened at"):
        Address("nobody.invalid", 0).listen()


def test_servers_that_start_together_use_different_ports() -> None:
    with Address("127.0.0.1", 0).listen() as free:
        wanted = free.address
    together = Barrier(8)

    def start() -> Listener:
        together.wait()
        return wanted.listen()

    with ThreadPoolExecutor(8) as pool, ExitStack() as opened:
        started = [pool.submit(start) for _ in range(8)]
        ports = [opened.enter_context(one.result()).address.port for one in started]
    assert len(set(ports)) == 8
    assert wanted.port in ports


def test_a_port_bound_by_another_process_is_not_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Between binding and listening another server may come first."""
    with Address("127.0.0.1", 0).listen() as free:
        wanted = free.address
    rival = socket.socket()
    rival.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    rival.bind((wanted.host, wanted.port))
    listen = socket.socket.listen

    def rival_first(one: socket.socket, *backlog: int) -> None:
        monkeypatch.undo()
        listen(rival, *backlog)
        listen(one, *backlog)

    monkeypatch.setattr(socket.socket, "listen", rival_first)
    with rival, wanted.listen() as listener:
        assert listener.address.port > wanted.port


def test_a_port_is_released_if_serving_fails(no_server: list[str]) -> None:
    with Address("127.0.0.1", 0).listen() as free:
        wanted = free.address
    assert memopolis(SAVERS, "--port", str(wanted.port), "--set", "agents=3").exit_code == 0
    assert no_server == ["Savers"]
    with wanted.listen() as listener:
        assert listener.address == wanted


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("started", [False, True])
def test_a_signal_ends_the_command_before_and_after_the_server_handles_it(
    number: signal.Signals, code: int, *, started: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def serve(_new: object, _listener: object, on_start: Callable[[], None], **_: object) -> None:
        if started:
            on_start()
        signal.raise_signal(number)  # as the server does at its end
        assert started

    served = ModuleType("memopolis.dashboard.serving")
    served.serve = serve  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, served.__name__, served)
    monkeypatch.setattr(command, "find_spec", lambda _name: True)
    result = memopolis(SAVERS, "--port", "0")
    assert result.exit_code == (0 if started else code), result.output
    assert ("Page    http://" in result.stdout) == started
    assert "no run was recorded" in result.stderr


def test_the_page_listens_on_this_machine_only() -> None:
    assert str(Address()) == "http://127.0.0.1:8765"
    assert str(Address("::1", 80)) == "http://[::1]:80"


def test_the_page_is_imported_only_when_served() -> None:
    text = "import sys, memopolis.dashboard.command; print('nicegui' in sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "False"
