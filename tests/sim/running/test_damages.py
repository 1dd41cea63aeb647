"""Damage to a run's files is refused, repaired or reported; nothing of it passes as whole."""

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.attack.damages import content_of, damages, judge
from tests.manifests import change_manifest

from memopolis.analysis.run.run import load_run
from memopolis.analysis.sql.query import query
from memopolis.scenarios.hurricane import Hurricane
from memopolis.scenarios.polarization import Polarization
from memopolis.sim.errors import RunFolderError
from memopolis.sim.running.by_hand import RunByHand
from memopolis.sim.running.forking import fork
from memopolis.sim.running.repeating import repeat
from memopolis.sim.running.resuming import resume
from memopolis.sim.timeline import Order
from memopolis.sim.verifying import verify


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that has ended, `whole`, and the same one `killed` after its second checkpoint."""
    place = tmp_path_factory.mktemp("damaged")

    def keep(done: int, *_: object) -> None:
        if done == 7:
            shutil.copytree(place / "whole", place / "killed")

    society = Polarization(agents=10, days=9, rng=3, checkpoint={"every": 3})
    society.run(place / "whole", progress=keep)
    return place


@pytest.fixture(scope="module")
def undisturbed(runs: Path) -> dict[str, str]:
    return content_of(runs / "whole")


@pytest.fixture
def whole(runs: Path, tmp_path: Path) -> Path:
    return shutil.copytree(runs / "whole", tmp_path / "run")


@pytest.fixture
def killed(runs: Path, tmp_path: Path) -> Path:
    return shutil.copytree(runs / "killed", tmp_path / "run")


@pytest.mark.parametrize("name", ["whole", "killed"])
def test_every_damage_to_a_file_is_reported(
    name: str, runs: Path, undisturbed: dict[str, str], tmp_path: Path
) -> None:
    verdicts = Counter[str]()
    for number, damage in enumerate(damages(runs / name, 9, seed=5)):
        copy = shutil.copytree(runs / name, tmp_path / str(number))
        damage.apply(copy)
        verdict = judge(copy, undisturbed)
        assert verdict != "silent", damage.describe()
        verdicts[verdict] += 1
    assert verdicts["refused"] >= 1
    assert verdicts["repaired"] >= 1


def test_an_undamaged_run_has_no_damage(runs: Path) -> None:
    assert verify(runs / "whole") == []
    (note,) = verify(runs / "killed")
    assert (note.path, note.is_damage) == ("manifest.json", False)


@pytest.mark.parametrize(
    "read",
    [load_run, pytest.param(lambda run: query(run, "select 1"), marks=pytest.mark.extras)],
    ids=["load_run", "query"],
)
def test_readers_refuse_a_part_of_another_size(whole: Path, read: Callable[[Path], object]) -> None:
    part = whole / "tables" / "memories" / "part-00000.parquet"
    part.write_bytes(part.read_bytes()[:-1])
    with pytest.raises(RunFolderError, match=r"memories/part-00000\.parquet has .* bytes"):
        read(whole)


@pytest.mark.parametrize("name", ["part-00001.parquet", "part-00000 (copy).parquet"])
def test_an_unrecorded_part_is_refused_and_never_removed(whole: Path, name: str) -> None:
    folder = whole / "tables" / "texts"
    number = len(list(folder.iterdir()))
    extra = folder / name.replace("00001", f"{number:05d}")
    shutil.copy(folder / "part-00000.parquet", extra)
    for act in (load_run, resume):
        with pytest.raises(RunFolderError, match="was not written by this run"):
            act(whole)
    assert extra.is_file()


def test_an_active_run_is_read_up_to_its_checkpoint(
    killed: Path,
) -> None:
    then = load_run(killed, so_far=True).table("memories")
    folder = killed / "tables" / "memories"
    number = len(list(folder.iterdir()))
    shutil.copy(folder / "part-00000.parquet", folder / f"part-{number:05d}.parquet")
    assert load_run(killed, so_far=True).table("memories").equals(then)


def test_resume_uses_an_older_checkpoint_if_a_part_is_damaged(
    killed: Path, undisturbed: dict[str, str]
) -> None:
    part = sorted((killed / "tables" / "memories").iterdir())[1]
    content = bytearray(part.read_bytes())
    content[-20] ^= 1
    part.write_bytes(content)
    with pytest.warns(RuntimeWarning, match=r"step 6 .* since .*memories/part-00001.*of step 3"):
        resume(killed)
    assert content_of(killed) == undisturbed
    assert verify(killed) == []


def test_a_fork_never_uses_a_damaged_part(whole: Path, tmp_path: Path) -> None:
    clean = fork(whole, tmp_path / "clean", at=6)
    part = whole / "tables" / "measures" / "part-00000.parquet"
    content = bytearray(part.read_bytes())
    content[len(content) // 2] ^= 1
    part.write_bytes(content)
    with pytest.warns(RuntimeWarning, match="continuing from the earlier state of step 0"):
        again = fork(whole, tmp_path / "again", at=6)
    assert content_of(again) == content_of(clean)


def test_an_edited_manifest_is_reported_and_not_continued(whole: Path, tmp_path: Path) -> None:
    manifest = whole / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"seed": 3', '"seed": 4'))
    with pytest.warns(RuntimeWarning, match="was edited or damaged after the run wrote it"):
        assert load_run(whole).seed == 4
    assert verify(whole)[0].path == "manifest.json"
    with pytest.raises(RunFolderError, match=r"edited or damaged .* restore the original"):
        resume(whole)
    with pytest.raises(RunFolderError, match="edited or damaged"):
        repeat(whole, tmp_path / "again")


@pytest.mark.parametrize(
    "files",
    [None, [], {"tables/../../x/part-00000.parquet": [1, "0"]}, {"/etc/passwd": [1, "0"]},
     {"tables/texts/part-00000.parquet": 7}],
)  # fmt: skip
def test_records_of_other_files_are_refused(whole: Path, tmp_path: Path, files: object) -> None:
    change_manifest(whole, files=files)
    actions: list[Callable[[Path], object]] = [
        load_run,
        resume,
        lambda run: repeat(run, tmp_path / "again"),
        lambda run: fork(run, tmp_path / "fork", at=1),
    ]
    for act in actions:
        with pytest.raises(RunFolderError, match=r"manifest\.json is broken: "):
            act(whole)
    assert not (tmp_path / "again").exists()


def test_a_run_killed_after_rewriting_a_static_table_is_complete(tmp_path: Path) -> None:
    society = Hurricane(agents=10, days=0.5, rng=1, checkpoint={"every": 4})
    with RunByHand(society, tmp_path / "run") as run:
        while run.step < 12:
            if run.step == 5:
                run.shock(Order(("all",), "mandatory"))
            run.make_step()
            if run.step == 7:
                killed = shutil.copytree(tmp_path / "run", tmp_path / "killed")
        run.finish()
    assert load_run(killed, so_far=True).ticks == 4
    assert not any(one.is_damage for one in verify(killed))
    resume(killed)
    assert content_of(killed) == content_of(tmp_path / "run")
