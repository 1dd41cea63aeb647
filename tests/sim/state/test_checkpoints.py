"""Checkpoints of a run: whole or not at all, and a broken one gives way to the one before."""

import errno
import os
import shutil
from pathlib import Path

import pytest

from memopolis.agents.citizen import Citizen
from memopolis.sim.errors import RunFolderError
from memopolis.sim.running.building import load_state
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society
from memopolis.sim.state import saving
from memopolis.sim.state.checkpoints import (
    Checkpoint,
    checkpoints_of,
    newest,
    read,
    remove,
    write_checkpoint,
)


class Town(Society[Settings]):
    """People who do nothing."""

    def build(self, settings: Settings) -> None:
        self.populate(Citizen, settings.agents)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Folder of a run with checkpoints after 2, 4 and 6 steps."""
    town = Town(agents=3, rng=1)
    for step in range(1, 7):
        town.step()
        if step % 2 == 0:
            folder = write_checkpoint(town, tmp_path, position={"rows": step})
            assert folder == tmp_path / "checkpoints" / f"step-0000000{step}"
    return tmp_path


def steps(run: Path) -> list[int]:
    return [checkpoint.step for checkpoint in checkpoints_of(run)]


def spoil(run: Path, step: int, file: str = "arrays.arrow") -> None:
    path = run / "checkpoints" / f"step-{step:08d}" / file
    whole = path.read_bytes()
    path.write_bytes(whole[:99] + bytes([whole[99] ^ 1]) + whole[100:])


def test_checkpoints_are_listed_by_step(run: Path, tmp_path: Path) -> None:
    assert steps(run) == [2, 4, 6]
    assert checkpoints_of(tmp_path / "elsewhere") == []
    assert newest(tmp_path / "elsewhere") == (None, [])


def test_a_checkpoint_includes_the_position_of_the_recorder(run: Path) -> None:
    result, broken = newest(run)
    assert result == Checkpoint(6, run / "checkpoints" / "step-00000006")
    assert broken == []
    state = read(result)
    assert state.plain["position"] == {"rows": 6}
    society = load_state(result.folder)
    assert isinstance(society, Town)
    assert (society.time, society.clock.tick) == (6, 5)


def test_the_last_checkpoint_up_to_a_step_is_found(run: Path) -> None:
    assert [newest(run, at_most=at)[0] for at in (1, 2, 5, 6, 99)] == [
        None, *(checkpoints_of(run)[at] for at in (0, 1, 2, 2)),
    ]  # fmt: skip


@pytest.mark.parametrize("file", ["arrays.arrow", "state.json"])
def test_a_damaged_checkpoint_is_skipped_with_a_warning(run: Path, file: str) -> None:
    spoil(run, 6, file)
    result, broken = newest(run)
    assert result is not None
    assert result.step == 4
    (line,) = broken
    assert "step-00000006" in line
    assert file in line
    assert "\n" not in line
    spoil(run, 4, file)
    spoil(run, 2, file)
    result, broken = newest(run)
    assert result is None
    assert [step in line for step, line in zip("642", broken, strict=True)] == [True] * 3
    with pytest.raises(RunFolderError, match=file):
        read(checkpoints_of(run)[0])


def test_incomplete_checkpoints_are_ignored_and_later_removed(run: Path) -> None:
    for name in ("step-00000008.writing", "step-00000006.old.writing"):
        (run / "checkpoints" / name).mkdir()
        (run / "checkpoints" / name / "arrays.arrow").write_bytes(b"half")
    (run / "checkpoints" / "step-8").mkdir()
    assert steps(run) == [2, 4, 6]
    write_checkpoint(Town(agents=1, rng=1), run, position={})
    names = [file.name for file in (run / "checkpoints").iterdir()]
    assert sorted(names) == ["step-00000000", "step-00000002", "step-00000004", "step-00000006",
                             "step-8"]  # fmt: skip


def test_a_checkpoint_of_the_same_step_is_replaced(run: Path) -> None:
    spoil(run, 2)
    town = Town(agents=3, rng=1)
    town.step()
    town.step()
    write_checkpoint(town, run, position={"rows": "new"})
    assert steps(run) == [2, 4, 6]
    assert read(checkpoints_of(run)[0]).plain["position"] == {"rows": "new"}


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EIO])
def test_a_failed_write_keeps_other_checkpoints(
    run: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def fail(_: int) -> None:
        raise OSError(code, os.strerror(code))

    town = Town(agents=3, rng=1)
    for _ in range(6):
        town.step()
    monkeypatch.setattr(saving, "synced", fail)
    with pytest.raises(RunFolderError, match=os.strerror(code)) as caught:
        write_checkpoint(town, run, position={"rows": "new"})
    assert "\n" not in str(caught.value)
    assert sorted(file.name for file in (run / "checkpoints").iterdir()) == [
        f"step-0000000{step}" for step in (2, 4, 6)
    ]
    result, broken = newest(run)
    assert result is not None
    assert (result.step, broken) == (6, [])
    assert read(result).plain["position"] == {"rows": 6}


def test_a_checkpoint_is_removed_completely(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, _, last = checkpoints_of(run)
    remove(first)
    assert steps(run) == [4, 6]
    monkeypatch.setattr(shutil, "rmtree", lambda *_, **__: None)
    remove(last)  # broken off after its first step
    assert steps(run) == [4]
    with pytest.raises(RunFolderError, match="cannot be removed"):
        remove(last)
