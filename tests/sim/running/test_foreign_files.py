"""A run touches only files that it wrote: no link is followed, and files of others stay."""

import shutil
from pathlib import Path

import pytest

from memopolis.analysis.report.html import write_page
from memopolis.analysis.run.run import load_run
from memopolis.analysis.run.tables import table_digests
from memopolis.scenarios.polarization import Polarization
from memopolis.sim.errors import RunFolderError
from memopolis.sim.run_folder.folder import check_unused
from memopolis.sim.running.resuming import resume
from memopolis.sim.sweep.rows import make_rows
from memopolis.sim.verifying import verify

LINKED = [
    "manifest.json", "manifest.writing", "run.lock", "report.html", "tables", "checkpoints",
    "timings", "memory", "tables/memories", "tables/mine", "tables/memories/part-00000.parquet",
    "tables/memories/part-00099.writing", "checkpoints/step-00000003",
    "checkpoints/step-00000003/state.json", "checkpoints/step-00000009.writing",
    "timings/model_calls.parquet",
]  # fmt: skip
"""Places where a run writes or removes something."""
THEIRS = [
    "notes.writing", "notes.txt", "tables/notes.writing", "tables/memories/notes.txt",
    "tables/memories/part-1.parquet.bak", "memory/notes.txt", "timings/mine.writing",
    "checkpoints/mine.writing/state.json", "checkpoints/step-00000003/notes.txt",
    "checkpoints/step-00000003.writing/notes.txt",
]  # fmt: skip
"""Files of the user, anywhere in the folder of a run."""


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("foreign") / "run"

    def stop(done: int, *_: object) -> None:
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Polarization(agents=10, days=6, rng=1, checkpoint={"every": 3}).run(folder, progress=stop)
    return folder


def everything(folder: Path) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.mark.parametrize("place", LINKED)
def test_a_link_where_the_run_writes_is_refused_before_anything_changes(
    place: str, interrupted: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(interrupted, tmp_path / "run")
    (folder / place).parent.mkdir(parents=True, exist_ok=True)
    target = tmp_path / "theirs"
    if (folder / place).exists():
        shutil.move(folder / place, target)
    elif "." in place:
        target.write_text("precious")
    else:
        target.mkdir()
    if target.is_dir():
        (target / "part-00077.parquet").write_text("precious")
        (target / "state.json").write_text("precious")
    (folder / place).symlink_to(target)
    before = everything(tmp_path)
    with pytest.raises(RunFolderError, match="is a link"):
        resume(folder)
    assert everything(tmp_path) == before
    assert (folder / place).is_symlink()
    assert place in {one.path for one in verify(folder) if "is a link" in one.text}


def test_a_link_within_the_run_is_refused_as_well(interrupted: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(interrupted, tmp_path / "run")
    (folder / "tables" / "memories").rename(folder / "mine")
    (folder / "tables" / "memories").symlink_to(folder / "mine")
    before = everything(folder)
    with pytest.raises(RunFolderError, match="is a link; files are written and removed in"):
        resume(folder)
    assert everything(folder) == before


def test_files_of_the_user_are_kept(interrupted: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(interrupted, tmp_path / "run")
    for name in THEIRS:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("precious")
    linked = tmp_path / "linked"  # the run's folder itself may be reached by a link
    linked.symlink_to(folder)
    resume(linked)
    assert [name for name in THEIRS if (folder / name).read_text() != "precious"] == []
    assert load_run(folder).status == "succeeded"
    straight = Polarization(agents=10, days=6, rng=1).run(tmp_path / "straight")
    assert table_digests(folder) == table_digests(straight)
    assert {one.path for one in verify(folder)} >= {"notes.txt", "tables/memories/notes.txt"}


def test_a_file_is_never_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "theirs").write_text("precious")
    for name in ("report.html", "report.writing"):
        link = tmp_path / name
        link.symlink_to(tmp_path / "theirs")
        with pytest.raises(RunFolderError, match="is a link"):
            write_page(tmp_path / "report.html", "", "")
        link.unlink()
    (tmp_path / "report.writing").hardlink_to(tmp_path / "theirs")
    write_page(tmp_path / "report.html", "", "")
    assert (tmp_path / "theirs").read_text() == "precious"


def test_a_link_in_the_rows_of_a_sweep_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "p000-r0.lock").symlink_to(tmp_path / "theirs")
    with pytest.raises(RunFolderError, match="is a link"):
        make_rows(tmp_path)


def test_a_folder_with_only_a_lock_can_be_used(tmp_path: Path) -> None:
    (tmp_path / "run.lock").touch()
    check_unused(tmp_path)
    with pytest.raises(RunFolderError, match="was killed before its first step, so start it again"):
        resume(tmp_path)
