"""`memopolis sweep`: options, output, stopping and continuing."""

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import chdir
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from memopolis.analysis.sweep.results import load_sweep
from memopolis.cli import app
from memopolis.sim.sweep.rows import read_row, run_names

TOWN = f"{Path(__file__).parent / 'sim' / 'sweep' / 'town.py'}:Town"
MEMOPOLIS = [sys.executable, "-c", "from memopolis.cli import app; app()"]
DESIGN = f"""
scenario = "{TOWN}"
outcomes = ["social"]
replications = 2

[settings]
agents = 3
days = 1
checkpoint.every = 4

[factors]
rate = [0.1, 0.2]
"""


def memopolis(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, in this process, with separate standard error."""
    with chdir(folder):
        done = CliRunner().invoke(app, words)
    return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    """Start a command in its own session, by which its processes are found; steps take time."""
    return subprocess.Popen(
        [*MEMOPOLIS, *words],
        cwd=folder,
        env=os.environ | {"TOWN_PAUSE": "0.05"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def members(session: int) -> list[int]:
    """Return the living processes of a session."""
    collected = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, own = stat.read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(own) == session and state != "Z":
            collected.append(int(stat.parent.name))
    return collected


def wait_for_a_checkpoint(sweep: Path) -> None:
    deadline = time.monotonic() + 120
    while not list(sweep.glob("runs/*/checkpoints/step-*/state.json")):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def tables(sweep: Path) -> dict[str, dict[str, list[object]]]:
    """Return all recorded rows, by run and table."""
    return {
        f"{table.parent.parent.name}/{table.name}": pq.read_table(table).to_pydict()
        for table in sweep.glob("runs/*/tables/*")
    }


def statuses(sweep: Path) -> list[str]:
    return [read_row(sweep, run).status for run in run_names(sweep)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the design and a sweep that was not interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "town.toml").write_text(DESIGN)
    done = memopolis(folder, "sweep", "town.toml", "--workers", "1")
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[0] == "4 runs, 4 to do; sweeps/town"
    assert "point" in done.stdout
    assert "Table  sweeps/town/runs.csv" in done.stdout
    return folder


def test_completed_runs_are_not_repeated(whole: Path) -> None:
    done = memopolis(whole, "sweep", "town.toml")
    assert done.stderr.splitlines() == ["4 runs, 4 already done, 0 to do; sweeps/town"]
    assert done.returncode == 0


def test_an_unknown_outcome_is_reported(whole: Path) -> None:
    design = DESIGN.replace('["social"]', '["social", "social[nobody]"]')
    (whole / "others.toml").write_text(design)
    done = memopolis(whole, "sweep", "others.toml", "--out", "sweeps/town")
    assert "4 already done" in done.stderr
    assert "social[nobody]: no run has a value; check the name of the group" in done.stdout
    assert "social: no run" not in done.stdout
    assert memopolis(whole, "sweep", "town.toml").returncode == 0


def test_settings_of_a_design_can_be_changed(whole: Path) -> None:
    done = memopolis(whole, "sweep", "town.toml", "--set", "agents=0", "--out", "sweeps/none")
    assert done.returncode == 2
    assert "setting agents was given '0'" in done.stderr
    assert not (whole / "sweeps" / "none").exists()


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="finds processes by /proc")
def test_a_sweep_continues_after_ctrl_c_and_kill(whole: Path, tmp_path: Path) -> None:
    sweep = tmp_path / "out"
    words = ("sweep", str(whole / "town.toml"), "--out", str(sweep), "--workers", "2")

    asked = start(tmp_path, *words)
    wait_for_a_checkpoint(sweep)
    os.killpg(asked.pid, signal.SIGINT)  # as a terminal does
    _, result = asked.communicate(timeout=60)
    assert asked.returncode == 130
    assert "run the same command to continue" in result.splitlines()[-1]
    assert "Traceback" not in result
    assert set(statuses(sweep)) <= {"interrupted", "succeeded"}
    finished = {run for run in run_names(sweep) if read_row(sweep, run).status == "succeeded"}
    before = {run: (sweep / "rows" / f"{run}.json").read_bytes() for run in finished}

    asked = start(tmp_path, *words)
    while len(members(asked.pid)) < 3 and asked.poll() is None:
        time.sleep(0.02)
    asked.kill()
    asked.communicate()
    deadline = time.monotonic() + 30
    while members(asked.pid):  # its processes end with it
        assert time.monotonic() < deadline
        time.sleep(0.05)

    done = memopolis(tmp_path, *words)
    assert done.returncode == 0, done.stderr
    assert statuses(sweep) == ["succeeded"] * 4
    # Finished runs were not repeated.
    assert before == {run: (sweep / "rows" / f"{run}.json").read_bytes() for run in finished}
    assert tables(sweep) == tables(whole / "sweeps" / "town")


def test_shards_are_joined(whole: Path, tmp_path: Path) -> None:
    for number in (1, 2):
        words = ("--shard", f"{number}/2", "--out", f"shard-{number}", "--workers", "1")
        done = memopolis(tmp_path, "sweep", str(whole / "town.toml"), *words)
        assert "Pending: 2 of 4 runs" in done.stdout
        assert done.returncode == 0
        shutil.copytree(tmp_path / f"shard-{number}", tmp_path / "all", dirs_exist_ok=True)
    done = memopolis(tmp_path, "sweep", str(whole / "town.toml"), "--out", "all")
    assert done.returncode == 0, done.stderr
    assert "Pending" not in done.stdout
    assert tables(tmp_path / "all") == tables(whole / "sweeps" / "town")
    points = [load_sweep(one).points for one in (tmp_path / "all", whole / "sweeps" / "town")]
    assert points[0].equals(points[1])


def test_failures_are_reported(tmp_path: Path) -> None:
    failing = DESIGN.replace("days = 1", 'days = 1\nmood = "failing"')
    (tmp_path / "town.toml").write_text(failing)
    done = memopolis(tmp_path, "sweep", "town.toml", "--workers", "1", "--out", "town")
    assert done.returncode == 1
    assert "4 of 4 runs failed" in done.stdout
    assert "ZeroDivisionError: a mistake of the user's" in done.stdout
    assert str(Path("town", "failures")) in done.stdout


def test_impossible_sweeps_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "town.toml").write_text(DESIGN.replace("rate = ", "rates = "))
    for words, item in (
        (("sweep", "nowhere.toml"), "cannot read the design"),
        (("sweep", "town.toml"), "no setting of that name; did you mean rate?"),
    ):
        done = memopolis(tmp_path, *words)
        assert done.returncode == 2
        assert item in done.stderr
        assert len(done.stderr.splitlines()) == 1
        assert done.stdout == ""
