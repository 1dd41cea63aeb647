"""A society that is divided into parts gives the tables of a society in one process."""

import json
import multiprocessing
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.manifests import hashes

from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.scenarios.polarization.scenario import Polarization
from memopolis.scenarios.ubi.scenario import BasicIncome
from memopolis.sim.errors import PartLostError, SettingsError
from memopolis.sim.memory.streams.stream import Streams
from memopolis.sim.parts.link import Hub, find_change
from memopolis.sim.running.resuming import resume
from memopolis.sim.society import Society

AGENTS, DAYS = 100, 2.0
LOST = 30
"""Step after which a process is killed."""

# A checkpoint begins new parts of tables.
society = partial(Hurricane, rng=5, agents=AGENTS, days=DAYS, checkpoint={"every": 8})


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return society().run(tmp_path_factory.mktemp("whole") / "run")


def assert_same(folder: Path, whole: Path) -> None:
    """Compare the files of all tables, and of the memories at the end, by their checksums."""
    for name in ("decisions", "memories"):
        assert pq.read_table(whole / "tables" / name).num_rows > 100
    assert hashes(folder) == hashes(whole)


@pytest.mark.parametrize(
    "scenario",
    [
        partial(Polarization, agents=60, days=10, event="shooting"),
        partial(BasicIncome, agents=100, days=600, start=10),  # citizens join
    ],
    ids=["polarization", "ubi"],
)
def test_other_scenarios(tmp_path: Path, scenario: Callable[..., Society[Any]]) -> None:
    single = scenario(rng=5).run(tmp_path / "one")
    assert_same(scenario(rng=5, parts=2).run(tmp_path / "two"), single)


@pytest.mark.parametrize("parts", [3])
def test_parts_change_no_table(tmp_path: Path, whole: Path, parts: int) -> None:
    divided = society(parts=parts)
    own: list[int] = []

    def watch(*_: Any) -> None:
        memory = divided.populations[0].memory
        own.append(int((memory.streams.table[:, 0] >= 0).sum()))

    assert_same(divided.run(tmp_path / "run", progress=watch), whole)
    assert 0 < max(own) < AGENTS  # part 0 stores only the memories of its own agents
    memory = divided.populations[0].memory
    assert type(memory.streams) is Streams
    assert memory.owners is None
    assert not multiprocessing.active_children()


def kill_part() -> None:
    (part,) = multiprocessing.active_children()
    part.kill()


def test_a_run_that_loses_a_process_inside_a_step_continues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: Path
) -> None:
    divided = society(parts=2)
    exchange = Hub.exchange
    lost: list[str] = []

    def lose(hub: Hub, label: str, value: Any) -> list[Any]:
        if divided.clock.tick == LOST and label == "update_attitudes" and not lost:
            lost.append(label)
            kill_part()
        return exchange(hub, label, value)

    monkeypatch.setattr(Hub, "exchange", lose)
    steps: list[int] = []
    with pytest.warns(RuntimeWarning, match="has died in step 31; the run continues from step 24"):
        folder = divided.run(tmp_path / "run", progress=lambda done, *_: steps.append(done))
    assert lost
    assert steps == [*range(1, 31), *range(25, 49)]
    assert divided.time == 48
    assert_same(folder, whole)
    assert json.loads((folder / "manifest.json").read_text())["resumed"] == [{"step": 24}]


def test_a_run_that_loses_a_process_again_and_again_is_resumed(tmp_path: Path, whole: Path) -> None:
    folder = tmp_path / "run"

    def lose(done: int, *_: Any) -> None:
        if done == LOST:
            kill_part()

    with (
        pytest.warns(RuntimeWarning, match="continues from step 24"),
        pytest.raises(PartLostError, match="part 1 of the society has died"),
    ):
        society(parts=2).run(folder, progress=lose)
    assert json.loads((folder / "manifest.json").read_text())["status"] == "interrupted"
    assert not multiprocessing.active_children()
    steps: list[int] = []
    resume(folder, progress=lambda done, *_: steps.append(done))
    assert steps[0] == LOST - LOST % 8 + 1  # from the last checkpoint
    assert_same(folder, whole)


def test_a_script_without_guard_gets_advice(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from memopolis import Hurricane\n"
        "Hurricane(agents=60, days=0.2, parts=2, rng=1).run('run')\n"
    )
    ended = subprocess.run(
        [sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ended.returncode
    last = ended.stderr.splitlines()[-1]
    assert 'died on startup; in a script, begin below `if __name__ == "__main__":`' in last


def test_more_parts_than_zones_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="setting parts is 200, but the society has 30 zones"):
        society(parts=200).run(tmp_path / "run")


def test_only_changed_values_are_sent() -> None:
    before = np.arange(10)
    after = before.copy()
    assert find_change(before, after).at is None
    after[3] = 7
    change = find_change(before, after)
    assert change.at is not None
    assert change.at.tolist() == [3]
    copy = before.copy()
    change.apply(copy, np.arange(10))
    assert copy.tolist() == after.tolist()
