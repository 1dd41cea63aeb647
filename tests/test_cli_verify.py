"""`memopolis verify`, and folders that no command accepts."""

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memopolis.analysis.run.run import load_run
from memopolis.analysis.run.tables import table_digests
from memopolis.cli import app
from memopolis.scenarios.polarization import Polarization
from memopolis.sim.running.resuming import resume

SIZE = ("polarization", "--agents", "10", "--days", "3", "--seed", "1", "--no-report")


def run(*words: str | Path) -> tuple[int, str]:
    done = CliRunner().invoke(app, [str(word) for word in words])
    return done.exit_code, " ".join(done.output.split())


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    society = Polarization(agents=10, days=3, rng=1, checkpoint={"every": 2})
    return society.run(tmp_path_factory.mktemp("verify") / "whole")


def test_verify_lists_every_damaged_file(whole: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(whole, tmp_path / "run")
    (folder / "notes.txt").write_text("mine")
    code, texts = run("verify", folder)
    assert (code, texts) == (
        0,
        f"note notes.txt: is not a file of the run {folder}: no damage",
    )
    (folder / "memory" / "citizen.parquet").unlink()
    (folder / "timings" / "timings.json").write_text("{}")
    (folder / "checkpoints" / "step-00000002" / "state.json").unlink()
    code, texts = run("verify", folder)
    assert code == 1
    assert "damaged memory/citizen.parquet: is missing" in texts
    assert "damaged timings/timings.json: has 2 bytes" in texts
    assert "damaged checkpoints/step-00000002: " in texts
    assert texts.endswith(f"{folder}: 3 damaged")
    code, texts = run("verify", tmp_path)
    assert code == 2
    assert "is not the folder of a run" in texts


@pytest.mark.parametrize(
    "command", [("verify",), ("resume",), ("report",), ("run", *SIZE, "--out")]
)
def test_a_path_that_is_not_utf8_is_one_line(
    command: tuple[str, ...], whole: Path, tmp_path: Path
) -> None:
    folder = tmp_path / os.fsdecode(b"no \xff text")
    if command[0] != "run":
        shutil.copytree(whole, folder)
    code, texts = run(*command, folder)
    assert code == 2
    assert texts.startswith("memopolis: the name of the folder '")
    assert "is not valid UTF-8; rename it" in texts


def test_a_folder_with_only_a_lock_counts_as_empty(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.lock").touch()
    assert run("run", *SIZE, "--out", tmp_path / "run")[0] == 0


def _small_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of the size of files")
def test_a_run_on_a_full_disk_is_interrupted_and_can_be_resumed(tmp_path: Path) -> None:
    # A limit on file sizes simulates a full disk; large manifests still fit.
    size = {"agents": 400, "days": 5, "rng": 1}
    code = f"from memopolis import Polarization; Polarization(**{size!r}).run('run')"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, preexec_fn=_small_files,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "cannot be written: file too large" in done.stderr.lower()
    stopped = load_run(tmp_path / "run")
    assert stopped.status == "interrupted"
    assert "then continue with `memopolis resume" in stopped.manifest["error"]
    resume(tmp_path / "run")
    straight = Polarization(**size).run(tmp_path / "straight")
    assert table_digests(tmp_path / "run") == table_digests(straight)
