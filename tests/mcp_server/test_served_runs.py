"""Runs by name: what is found, that no name leads out of the folder, and what is cached."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from tests.manifests import change_manifest

from memopolis.mcp_server.served_runs import ServedRuns, note_of
from memopolis.sim.errors import RunFolderError, UnknownNameError
from memopolis.sim.run_folder.folder import owned


def run_at(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text("{}")
    return folder


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    return run_at(tmp_path / "outside" / "secret")


@pytest.fixture
def root(tmp_path: Path, outside: Path) -> Path:
    root = tmp_path / "runs"
    run_at(root / "a")
    run_at(root / "b-2")
    run_at(root / "sweep" / "runs" / "p0")
    (root / "sweep" / "design.json").write_text("{}")
    run_at(root / "too" / "far" / "down" / "here")
    run_at(root / ".hidden")
    run_at(root / "a" / "inner")
    (root / "notes").mkdir()
    (root / "away").symlink_to(outside)
    (root / "same").symlink_to(root / "a")
    return root


def test_runs_are_found_including_those_of_sweeps(root: Path) -> None:
    assert ServedRuns(root).names() == ["a", "b-2", "same", "sweep/runs/p0"]
    assert ServedRuns(root).sweeps() == ["sweep"]
    assert ServedRuns(root / "sweep").sweeps() == ["."]
    assert ServedRuns(root / "sweep").names() == ["runs/p0"]


def test_a_name_resolves_to_the_folder_of_the_run(root: Path) -> None:
    folder = ServedRuns(root)
    assert folder.folder_of("a") == root / "a"
    assert folder.folder_of("sweep/runs/p0/") == root / "sweep" / "runs" / "p0"
    assert folder.tables_of("sweep") == root / "sweep"
    assert folder.name_of("./a") == "a"


@pytest.mark.parametrize(
    "name",
    [
        "nobody",
        "notes",
        "../outside/secret",
        "a/../../outside/secret",
        "a/..",
        "..",
        ".",
        "/etc",
        "/etc/passwd",
        "away",
        "away/",
        "a\0b",
        "..\\outside\\secret",
        "x" * 100_000,
        "~",
        "a/manifest.json",
        "💥" * 90,
    ],
)
def test_other_names_are_refused(root: Path, name: str) -> None:
    with pytest.raises(UnknownNameError, match="there is no run") as refused:
        ServedRuns(root).folder_of(name)
    assert len(str(refused.value)) < 400


def test_an_absolute_path_inside_the_folder_is_refused(root: Path) -> None:
    with pytest.raises(UnknownNameError, match="there is no run"):
        ServedRuns(root).folder_of(str(root / "a"))


def test_a_run_with_a_link_to_the_outside_is_not_read(root: Path, outside: Path) -> None:
    tables = root / "a" / "tables"
    tables.mkdir()
    (tables / "inside").symlink_to(root / "b-2")
    assert ServedRuns(root).folder_of("a") == root / "a"
    (tables / "memories").symlink_to(outside)
    with pytest.raises(RunFolderError, match="tables/memories is a link to somewhere else"):
        ServedRuns(root).folder_of("a")


def test_a_folder_whose_manifest_links_to_the_outside_is_no_run(root: Path, outside: Path) -> None:
    (root / "notes" / "manifest.json").symlink_to(outside / "manifest.json")
    with pytest.raises(UnknownNameError, match="there is no run"):
        ServedRuns(root).folder_of("notes")


def test_the_name_may_be_omitted_for_a_single_run(root: Path) -> None:
    alone = ServedRuns(root / "a")
    assert alone.names() == ["a"]
    assert alone.folder_of("") == root / "a"
    with pytest.raises(UnknownNameError, match="there is no run 'b-2' here; there are a"):
        alone.folder_of("b-2")
    with pytest.raises(UnknownNameError, match="name a run; there are a, b-2"):
        ServedRuns(root).folder_of("")


def test_a_folder_without_runs_is_reported(tmp_path: Path) -> None:
    folder = ServedRuns(tmp_path)
    assert folder.names() == []
    with pytest.raises(UnknownNameError, match="name a run; there are none yet"):
        folder.folder_of("")
    with pytest.raises(RunFolderError, match="there is no folder"):
        ServedRuns(tmp_path / "nothing")


def test_a_new_run_gets_a_free_plain_name(root: Path) -> None:
    folder = ServedRuns(root)
    assert folder.new_folder("new_1.x", "b") == root / "new_1.x"
    assert folder.new_folder("", "b") == root / "b-1"
    (root / "b-1").symlink_to(root / "nowhere")
    assert folder.new_folder("", "b") == root / "b-3"
    for taken in ("a", "b-1", "notes"):
        with pytest.raises(RunFolderError, match="already"):
            folder.new_folder(taken, "b")
    for strange in ("..", "a/b", "../x", ".x", "-x", "a b", "a\0", "a\n", "x" * 81):
        with pytest.raises(RunFolderError, match="name"):
            folder.new_folder(strange, "b")


def test_a_run_created_next_to_the_only_one_is_served(root: Path) -> None:
    alone = ServedRuns(root / "a")
    alone.add("b-2")
    assert alone.names() == ["a", "b-2"]
    assert alone.folder_of("b-2") == root / "b-2"


def test_a_run_is_cached_until_it_continues(storm: Path, tmp_path: Path) -> None:
    shutil.copytree(storm, tmp_path / "runs" / "storm")
    runs = ServedRuns(tmp_path / "runs")
    first = runs.run("storm")
    assert runs.run("storm") is first
    assert runs.run("") is first
    agent = runs.restored_agent("storm", 3)
    assert runs.restored_agent("storm", 3) is agent
    assert runs.restored_agent("storm", 3, 30) is not agent
    assert runs.run("storm", 30).ticks == 30
    change_manifest(tmp_path / "runs" / "storm", title="Gale")
    assert runs.run("storm").title == "Gale"
    assert runs.restored_agent("storm", 3).run.title == "Gale"


def test_an_active_run_is_read_as_of_its_latest_checkpoint(runs: Path) -> None:
    result = ServedRuns(runs)
    whole, half = result.run("storm"), result.run("killed")
    assert (half.ticks, half.status) == (48, "running")
    text = "killed was killed (`memopolis resume` continues it): read as of step 48"
    assert note_of(half) == text
    assert note_of(whole) == ""
    with owned(half.folder):
        assert note_of(half) == "killed is running: read as of step 48"
    # Topics that only later parts name are no categories of a run that ends before them.
    pd.testing.assert_frame_equal(half.memories, whole.until(48).memories, check_categorical=False)
    assert half.until(60) is half
    assert result.run("killed", 24).ticks == 24
    with pytest.raises(RunFolderError, match="has no checkpoint yet"):
        result.run("young")


def test_an_active_run_is_reread_at_its_next_checkpoint(
    storm: Path, tmp_path: Path, stopped: Callable[..., None]
) -> None:
    runs = tmp_path / "runs"
    shutil.copytree(storm, runs / "storm")
    stopped(runs / "storm", after=48)
    result = ServedRuns(runs)
    assert result.run("storm").ticks == 48
    assert result.run("storm") is result.run("storm")
    written = runs / "storm" / "checkpoints" / "step-00000072.writing"
    written.rename(written.with_suffix(""))
    assert result.run("storm").ticks == 72
