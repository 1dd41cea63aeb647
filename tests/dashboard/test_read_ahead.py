"""An agent is restored before a user opens a life."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memopolis import Run, load_run
from memopolis.analysis.interview.restored_agent import RestoredAgent, restore_agent
from memopolis.dashboard.watch import read_ahead
from memopolis.dashboard.watch.read_ahead import ReadAhead
from memopolis.scenarios.hurricane import Hurricane
from memopolis.sim.errors import RunFolderError
from memopolis.sim.running.by_hand import RunByHand

AGENTS = 40
DAY = 24
"""Steps after which status is recorded."""
PATIENCE = 60


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_ahead, "_START_TIMEOUT", PATIENCE)


@pytest.fixture
def by_hand(tmp_path: Path) -> Iterator[RunByHand]:
    with RunByHand(Hurricane(agents=AGENTS, rng=3), tmp_path / "run", days=2) as one:
        yield one


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


def test_an_unreadable_table_is_reported_on_first_use(by_hand: RunByHand) -> None:
    for _ in range(DAY):
        by_hand.make_step()
    by_hand.finish()
    run = load_run(by_hand.folder)
    for part in (by_hand.folder / "tables" / "memories").iterdir():
        part.write_bytes(b"PAR1 no")
    with ReadAhead(lambda: (run,)) as ahead:
        ahead.wait()
    with pytest.raises(RunFolderError, match="is broken"):
        run.life(7)
