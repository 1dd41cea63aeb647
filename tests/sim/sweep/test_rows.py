"""Rows of runs: the last status counts, damaged rows are pending, one owner a run."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from math import isnan, nan
from pathlib import Path

import pytest

from memopolis.sim.sweep.rows import (
    RunRow,
    claim,
    is_claimed,
    make_rows,
    read_row,
    run_names,
    write_row,
)


@pytest.fixture
def sweep(tmp_path: Path) -> Path:
    make_rows(tmp_path)
    return tmp_path


def test_the_last_row_of_a_run_is_read(sweep: Path) -> None:
    assert run_names(sweep) == []
    assert read_row(sweep, "a") == RunRow()
    write_row(sweep, "a", RunRow("interrupted", 1, error="stopped"))
    write_row(sweep, "a", RunRow("succeeded", 2, 2.0, 1.5, {"x": 1.0, "y": nan}))
    write_row(sweep, "b", RunRow("failed", error="ValueError: no"))
    row = read_row(sweep, "a")
    assert (row.status, row.tries, row.seconds, row.step_seconds) == ("succeeded", 2, 2.0, 1.5)
    assert row.outcomes["x"] == 1.0
    assert isnan(row.outcomes["y"])
    assert read_row(sweep, "b").error == "ValueError: no"
    assert isnan(read_row(sweep, "b").seconds)
    assert run_names(sweep) == ["a", "b"]
    # The file contains no NaN, which other readers of JSON do not support.
    assert json.loads((sweep / "rows" / "a.json").read_text())["outcomes"]["y"] is None


@pytest.mark.parametrize(
    "damaged",
    [
        '{"status": "succeeded", "at": "20',
        '{"status": ["failed"]}',
        '{"status": "succeeded", "seconds": "long"}',
        '{"status": "succeeded", "outcomes": [1]}',
        '{"status": "succeeded", "outcomes": {"x": {}}}',
        '{"status": "done"}',
        "[" * 100_000,
        "\x00\x00\x00",
        "",
    ],
)
def test_a_damaged_row_is_pending(sweep: Path, damaged: str) -> None:
    (sweep / "rows" / "a.json").write_text(damaged)
    assert read_row(sweep, "a").status == "pending"
    write_row(sweep, "a", RunRow("succeeded", 1))
    assert read_row(sweep, "a").status == "succeeded"


def test_a_run_has_one_owner(sweep: Path) -> None:
    with claim(sweep, "a") as mine, claim(sweep, "a") as theirs, claim(sweep, "b") as another:
        assert (mine, theirs, another) == (True, False, True)
        assert is_claimed(sweep, "a")
    assert not is_claimed(sweep, "a")
    with claim(sweep, "a") as mine:
        assert mine


def test_a_run_whose_owner_was_killed_is_interrupted(sweep: Path) -> None:
    script = (
        "import os, signal, sys; from memopolis.sim.sweep.rows import *\n"
        "with claim(sys.argv[1], 'a') as mine:\n"
        "    write_row(sys.argv[1], 'a', RunRow('running', 1))\n"
        "    print(read_row(sys.argv[1], 'a').status, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    result = subprocess.run([sys.executable, "-c", script, sweep], stdout=-1, check=False)
    assert result.stdout.split() == [b"running"]
    row = read_row(sweep, "a")
    assert (row.status, row.tries, row.error) == ("interrupted", 1, "its process was killed")


def test_a_row_is_never_seen_half_written(sweep: Path) -> None:
    errors = ["long " * 20_000, "short"]
    write_row(sweep, "a", RunRow("failed", error=errors[0]))

    def write() -> None:
        for number in range(200):
            write_row(sweep, "a", RunRow("failed", error=errors[number % 2]))

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        while not writing.done():
            assert read_row(sweep, "a").error in errors
        writing.result()
