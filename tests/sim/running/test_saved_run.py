"""A kept run is built again as it was, or refused: from a checkpoint, from the start, as a fork."""

from pathlib import Path
from typing import Any, ClassVar

import pytest

from memopolis.agents.citizen import Citizen
from memopolis.analysis.run.tables import table_digests
from memopolis.sim.errors import RunFolderError
from memopolis.sim.run_folder.integrity import IntegrityCheck
from memopolis.sim.running.forking import fork
from memopolis.sim.running.repeating import repeat
from memopolis.sim.running.resuming import resume
from memopolis.sim.running.saved_run import Restored, SavedRun
from memopolis.sim.running.trust import Trust
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society
from memopolis.sim.state.checkpoints import newest
from memopolis.sim.timeline import News


class Mapped(Society[Settings]):
    """Citizens whose world rests on a file."""

    map: ClassVar[str] = "as it was"

    def build(self, settings: Settings) -> None:
        self.populate(Citizen, settings.agents)

    def data_hashes(self) -> dict[str, str]:
        return {**super().data_hashes(), "map.csv": self.map}


def stop(done: int, *_: Any) -> None:
    if done == 7:
        raise KeyboardInterrupt


def begun(folder: Path, every: int) -> Path:
    """A run that was stopped after 7 of 12 steps, with checkpoints or without one."""
    society = Mapped(agents=4, days=0.5, rng=1, checkpoint={"every": every})
    society.at("2026-01-01 08:00", News("Given by hand."))
    with pytest.raises(KeyboardInterrupt):
        society.run(folder, progress=stop)
    return folder


both = pytest.mark.parametrize("every", [0, 5], ids=["from the start", "from a checkpoint"])


@both
def test_a_rebuilt_society_has_manual_additions(tmp_path: Path, every: int) -> None:
    run = SavedRun.read(begun(tmp_path / "run", every), Trust(scenario=Mapped))
    restored = Restored(run, run.settings, IntegrityCheck(run.folder, run.manifest))
    checkpoint, _ = newest(run.folder, check=restored.check)
    assert (checkpoint is not None) == (every > 0)
    society, built = restored.complete()
    assert society.time == every
    assert [tick for tick, _ in society.interventions["shocks"]] == [8]
    assert [tick for tick, _ in society.timeline] == [8]
    assert built.timeline == {"past": [], "pending": []}
    longer, _ = run.society(run.settings.with_changes({"days": 2}))
    assert (longer.ticks, society.ticks) == (48, 12)


@both
def test_a_run_with_changed_data_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, every: int
) -> None:
    folder = begun(tmp_path / "run", every)
    before = table_digests(folder)
    monkeypatch.setattr(Mapped, "map", "another")
    text = "uses data that has changed since: map.csv; restore the old files"
    with pytest.raises(RunFolderError, match=text):
        resume(folder, scenario=Mapped)
    with pytest.raises(RunFolderError, match=text):
        fork(folder, tmp_path / "fork", at=6, scenario=Mapped)
    with pytest.raises(RunFolderError, match=text):
        repeat(folder, tmp_path / "again", scenario=Mapped)
    assert not (tmp_path / "fork").exists()
    assert not (tmp_path / "again").exists()
    assert table_digests(folder) == before
    monkeypatch.setattr(Mapped, "map", "as it was")
    resume(folder, scenario=Mapped)
