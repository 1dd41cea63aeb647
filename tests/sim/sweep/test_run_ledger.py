"""The ledger of runs: only added to, torn lines left out, one owner a run."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from math import isnan
from pathlib import Path

import pytest

from memopolis.sim.errors import ParameterError
from memopolis.sim.sweep.run_ledger import RunLedger
from memopolis.sim.sweep.shards import read_shard, share_of


def test_the_last_line_gives_the_status_and_tries_are_counted(tmp_path: Path) -> None:
    ledger = RunLedger(tmp_path)
    assert ledger.entries() == {}
    assert ledger.entry("a").status == "pending"
    ledger.note("a", "running")
    ledger.note("a", "interrupted", error="stopped")
    ledger.note("a", "running")
    ledger.note(
        "a", "succeeded", seconds=2.0, step_seconds=1.5, outcomes={"x": 1.0, "y": float("nan")}
    )
    ledger.note("b", "failed", error="ValueError: no")
    entries = ledger.entries()
    assert [entries["a"].status, entries["a"].tries, entries["a"].seconds] == ["succeeded", 2, 2.0]
    assert entries["a"].outcomes["x"] == 1.0
    assert isnan(entries["a"].outcomes["y"])
    assert entries["b"].error == "ValueError: no"
    # The file contains no NaN, which other readers of JSON do not support.
    lines = (tmp_path / "ledger" / "a.jsonl").read_text().splitlines()
    assert json.loads(lines[-1])["outcomes"]["y"] is None


def test_an_incomplete_line_is_ignored(tmp_path: Path) -> None:
    ledger = RunLedger(tmp_path)
    ledger.note("a", "failed", error="one")
    file = tmp_path / "ledger" / "a.jsonl"
    with file.open("a") as stream:
        stream.write('{"status": "succeeded", "at": "20')
    assert ledger.entry("a").error == "one"
    ledger.note("a", "interrupted")
    assert ledger.entry("a").status == "interrupted"
    assert len(ledger.lines("a")) == 2


@pytest.mark.parametrize(
    "damaged",
    [
        '{"status": ["failed"]}',
        '{"status": "succeeded", "seconds": "long"}',
        '{"status": "succeeded", "outcomes": [1]}',
        '{"status": "succeeded", "outcomes": {"x": {}}}',
        '{"status": "done"}',
        "[" * 100_000,
        "\x00\x00\x00",
    ],
)
def test_a_damaged_line_is_left_out(tmp_path: Path, damaged: str) -> None:
    ledger = RunLedger(tmp_path)
    ledger.note("a", "failed", error="one")
    with (tmp_path / "ledger" / "a.jsonl").open("a") as stream:
        stream.write(f"{damaged}\n")
    assert ledger.entry("a").error == "one"
    ledger.note("a", "succeeded")
    assert ledger.entries()["a"].status == "succeeded"


def test_a_run_has_one_owner(tmp_path: Path) -> None:
    ledger, other = RunLedger(tmp_path), RunLedger(tmp_path)
    with ledger.claim("a") as mine, other.claim("a") as theirs, other.claim("b") as another:
        assert (mine, theirs, another) == (True, False, True)
        assert other.is_claimed("a")
    assert not other.is_claimed("a")
    with other.claim("a") as mine:
        assert mine


def test_a_run_whose_owner_was_killed_is_interrupted(tmp_path: Path) -> None:
    script = (
        "import os, signal, sys; from memopolis.sim.sweep.run_ledger import RunLedger\n"
        "ledger = RunLedger(sys.argv[1])\n"
        "with ledger.claim('a') as mine:\n"
        "    ledger.note('a', 'running'); print(ledger.entry('a').status, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    result = subprocess.run([sys.executable, "-c", script, tmp_path], stdout=-1, check=False)
    assert result.stdout.split() == [b"running"]
    entry = RunLedger(tmp_path).entry("a")
    assert (entry.status, entry.tries, entry.error) == ("interrupted", 1, "its process was killed")


def test_many_writers_lose_no_line(tmp_path: Path) -> None:
    def write(number: int) -> None:
        for _ in range(50):
            RunLedger(tmp_path).note("a", "failed", error=str(number) * 500)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert len(RunLedger(tmp_path).lines("a")) == 200


def test_shards_share_all_runs() -> None:
    shards = [share_of(range(10), read_shard(f"{number}/4")) for number in range(1, 5)]
    assert shards[1] == [1, 5, 9]
    assert sorted(chain.from_iterable(shards)) == list(range(10))


@pytest.mark.parametrize("text", ["0/4", "5/4", "2", "a/b", "1/0", "-1/2"])
def test_impossible_shards_are_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="shard is"):
        share_of([], read_shard(text))
