"""`memopolis resume` and `memopolis fork`, and stopping a run by signals."""

import json
import os
import re
import select
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memopolis.analysis.run.tables import table_digests
from memopolis.cli import app
from memopolis.commands import running

SIZE = ["--agents", "30", "--days", "3", "--seed", "1", "--no-report"]


def run(*words: str | Path) -> tuple[int, str]:
    done = CliRunner().invoke(app, [str(word) for word in words])
    return done.exit_code, " ".join(done.output.split())


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli") / "whole"
    assert run("run", "polarization", *SIZE, "--out", folder)[0] == 0
    return folder


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["ctrl-C", "SIGTERM"]
)
def test_a_signal_stops_after_the_step_and_resume_continues(
    whole: Path, tmp_path: Path, number: int, code: int
) -> None:
    folder = tmp_path / "run"
    size = ["--agents", "30", "--days", "3000", "--seed", "1", "--no-report"]
    command = [sys.executable, "-c", "from memopolis.cli import app; app()"]
    with subprocess.Popen(
        [*command, "run", "polarization", *size, "--out", str(folder)],
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        assert "3,000 steps, seed 1" in process.stderr.readline()  # printed after the first step
        time.sleep(0.2)
        process.send_signal(number)
        memories = " ".join(process.stderr.read().split())
        assert process.wait() == code
    assert "stopping after this step; press ctrl-C again to stop immediately" in memories
    assert f"continue with `memopolis resume {folder}`" in memories
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["status"] == "interrupted"
    (checkpoint,) = (folder / "checkpoints").iterdir()
    assert checkpoint.name == f"step-{manifest['ticks']:08d}"
    exit_code, memories = run("resume", folder, "--days", "0.5", "--no-report")
    assert exit_code == 2
    assert f"has done {manifest['ticks']} steps already" in memories
    assert whole.is_dir()


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of Unix")
@pytest.mark.parametrize("nohup", [False, True])
def test_closing_the_terminal_stops_after_the_step_except_under_nohup(
    tmp_path: Path, *, nohup: bool
) -> None:
    folder = tmp_path / "run"
    days = "30" if nohup else "3000"
    begin = (
        "import fcntl, signal, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
        f"{nohup} and signal.signal(signal.SIGHUP, signal.SIG_IGN);"
        "from memopolis.cli import app; app()"
    )
    words = ["run", "polarization", "--agents", "30", "--days", days, "--seed", "1", "--no-report"]
    try:
        ours, terminal = os.openpty()
    except OSError as error:
        pytest.skip(f"this machine gives no terminals: {error}")
    log = (tmp_path / "log").open("w")
    with subprocess.Popen(
        [sys.executable, "-c", begin, *words, "--out", str(folder)],
        stdin=terminal,
        stdout=log if nohup else terminal,
        stderr=log if nohup else terminal,
        start_new_session=True,
    ) as process:
        os.close(terminal)
        while not (folder / "manifest.json").exists():
            assert process.poll() is None
            if select.select([ours], [], [], 0.1)[0]:
                os.read(ours, 4096)
        os.close(ours)
        assert process.wait() == (0 if nohup else 143)
    log.close()
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["status"] == ("succeeded" if nohup else "interrupted")
    steps = [path.name for path in (folder / "checkpoints").glob("*")]
    assert steps == ([] if nohup else [f"step-{manifest['ticks']:08d}"])


def test_the_hint_to_resume_names_a_scenario_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(running, "_headline", interrupt)  # called after the first step
    savers = f"{Path(__file__).parent.resolve()}/analysis/savers.py:Savers"
    folder = tmp_path / "run"
    code, printed = run("run", savers, "--seed", "1", "--no-report", "--out", folder)
    assert code == 130, printed
    monkeypatch.undo()
    hint = re.search(r"continue with `memopolis (resume .+)`", printed)
    assert hint is not None, printed
    assert hint[1] == f"resume {folder} --scenario {savers}"
    code, printed = run(*shlex.split(hint[1]), "--no-report")
    assert code == 0, printed


def test_resume_prints_the_output_of_run(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    small = [*SIZE[:2], "--days", "2", *SIZE[4:]]
    assert run("run", "polarization", *small, "--out", folder)[0] == 0
    code, texts = run("resume", folder)
    assert (code, texts) == (
        0,
        f"Nothing to do: the run in {folder} is complete with 2 steps; extend it with --days",
    )
    code, texts = run("resume", folder, "--days", "3")
    assert code == 0, texts
    assert "resumed at step 0" in texts
    assert f"Run {folder} Report {folder}/report.html" in texts
    assert table_digests(folder) == table_digests(whole)


def test_fork_prints_the_compare_command(whole: Path, tmp_path: Path) -> None:
    code, texts = run("fork", whole, "--at", "1", "--out", tmp_path / "fork", "--no-report")
    assert code == 0, texts
    assert "fork of whole at step 1" in texts
    assert f"Compare memopolis compare {whole} {tmp_path / 'fork'}" in texts
    assert table_digests(tmp_path / "fork") == table_digests(whole)
    code, texts = run("fork", whole, "--at", "2026-01-02", "--set", "news=none", "--no-report")
    assert code == 0, texts
    assert (whole.parent / "whole-fork-1" / "manifest.json").is_file()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--at", "9"], "has the steps 0 to 3"),
        (["--at", "soon"], "'soon' is not a date"),
        (["--at", "1", "--set", "agents=4"], "cannot be made during a run"),
        (["--at", "1", "--set", "agents"], "write it as --set name=value"),
    ],
    ids=["late", "no date", "agents", "no value"],
)
def test_impossible_forks_are_one_line(whole: Path, words: list[str], message: str) -> None:
    code, printed = run("fork", whole, *words, "--out", whole.parent / "no")
    assert code == 2
    assert message in printed
    assert not (whole.parent / "no").exists()


@pytest.mark.parametrize("days", ["two", "-1"])
def test_invalid_days_are_refused(whole: Path, days: str) -> None:
    code, printed = run("resume", whole, f"--days={days}")
    assert code == 2
    assert "days" in printed
