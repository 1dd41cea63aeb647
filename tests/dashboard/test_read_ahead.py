"""Data of lives is read before a user opens one, and during a run."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest

from memopolis import Run, load_run
from memopolis.analysis.interview.restored_agent import RestoredAgent, restore_agent
from memopolis.dashboard.watch import read_ahead
from memopolis.dashboard.watch.read_ahead import ReadAhead
from memopolis.scenarios.hurricane import Hurricane
from memopolis.sim.errors import RunFolderError
from memopolis.sim.recording import table
from memopolis.sim.run_folder.folder import parts_of
from memopolis.sim.running.by_hand import RunByHand

AGENTS = 40
DAY = 24
"""Steps after which status is recorded."""
PATIENCE = 60


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "BUFFER_ROWS", 50)
    monkeypatch.setattr(read_ahead, "_READ_INTERVAL", 0.01)
    monkeypatch.setattr(read_ahead, "_START_TIMEOUT", PATIENCE)


@pytest.fixture
def by_hand(tmp_path: Path) -> Iterator[RunByHand]:
    with RunByHand(Hurricane(agents=AGENTS, rng=3), tmp_path / "run", days=2) as one:
        yield one


def wait(holds: Callable[[], bool]) -> None:
    """Wait for a thread; how long does not matter."""
    until = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.01)


def copies(run: Run) -> int:
    """Count the copied parts."""
    return len(run.reader.parts.agents)


def recorded(run: Run) -> int:
    """Count the parts from which lives are read."""
    names = [*(f"agents_{name}" for name in run.populations), "memories", "decisions"]
    return sum(len(parts_of(run.folder, name)) for name in names)


def test_parts_are_copied_while_a_run_records_them(by_hand: RunByHand) -> None:
    now = [load_run(by_hand)]
    with ReadAhead(lambda: now[-1:]):
        for _ in range(2):
            for _ in range(DAY // 2):
                by_hand.make_step()
            now.append(now[-1].latest())
            wait(lambda: copies(now[-1]) == recorded(now[-1]))
    assert recorded(now[-1]) > 1
    before, after = load_run(by_hand).life(7), now[-1].life(7)
    pd.testing.assert_frame_equal(before.memories, after.memories)
    pd.testing.assert_frame_equal(before.status, after.status)
    pd.testing.assert_frame_equal(before.decisions, after.decisions)


def test_one_agent_is_restored_in_advance(
    by_hand: RunByHand, monkeypatch: pytest.MonkeyPatch
) -> None:
    back: list[tuple[Run, int]] = []

    def bring_back(run: Run, agent: int) -> RestoredAgent:
        back.append((run, agent))
        return restore_agent(run, agent)

    monkeypatch.setattr(read_ahead, "restore_agent", bring_back)
    run = load_run(by_hand)
    with ReadAhead(lambda: (run,)) as ahead:
        ahead.wait()
    assert back == [(run, int(run.people()["agent"].min()))]


def test_a_finished_run_is_copied_with_its_memories(by_hand: RunByHand) -> None:
    for _ in range(DAY):
        by_hand.make_step()
    by_hand.finish()
    run = load_run(by_hand.folder)
    plain = run.life(7)
    files = [*(run.folder / "tables").glob("agents_*/*"), *(run.folder / "memory").iterdir()]
    with ReadAhead(lambda: (run,)):
        wait(lambda: copies(run) > len(files))
    pd.testing.assert_frame_equal(load_run(run.folder).life(7).memories, run.life(7).memories)
    pd.testing.assert_frame_equal(plain.memories, run.life(7).memories)


def test_an_unreadable_table_is_reported_on_first_use(by_hand: RunByHand) -> None:
    for _ in range(DAY):
        by_hand.make_step()
    by_hand.finish()
    run, looks = load_run(by_hand.folder), []
    for part in (by_hand.folder / "tables" / "memories").iterdir():
        part.write_bytes(b"PAR1 no")

    def runs() -> tuple[Run, ...]:
        looks.append(run)
        return (run,)

    with ReadAhead(runs):
        wait(lambda: len(looks) > 2)
    with pytest.raises(RunFolderError, match="is broken"):
        run.life(7)
