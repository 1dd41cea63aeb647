"""Names of runs: what is found, and that no name leads out of the folder."""

from pathlib import Path

import pytest

from memopolis.mcp_server.runs_folder import RunsFolder
from memopolis.sim.errors import RunFolderError, UnknownNameError


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
    assert RunsFolder(root).names() == ["a", "b-2", "same", "sweep/runs/p0"]
    assert RunsFolder(root).sweeps() == ["sweep"]
    assert RunsFolder(root / "sweep").sweeps() == ["."]
    assert RunsFolder(root / "sweep").names() == ["runs/p0"]


def test_a_name_resolves_to_the_folder_of_the_run(root: Path) -> None:
    folder = RunsFolder(root)
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
        RunsFolder(root).folder_of(name)
    assert len(str(refused.value)) < 400


def test_an_absolute_path_inside_the_folder_is_refused(root: Path) -> None:
    with pytest.raises(UnknownNameError, match="there is no run"):
        RunsFolder(root).folder_of(str(root / "a"))


def test_a_run_with_a_link_to_the_outside_is_not_read(root: Path, outside: Path) -> None:
    tables = root / "a" / "tables"
    tables.mkdir()
    (tables / "inside").symlink_to(root / "b-2")
    assert RunsFolder(root).folder_of("a") == root / "a"
    (tables / "memories").symlink_to(outside)
    with pytest.raises(RunFolderError, match="tables/memories is a link to somewhere else"):
        RunsFolder(root).folder_of("a")


def test_a_folder_whose_manifest_links_to_the_outside_is_no_run(root: Path, outside: Path) -> None:
    (root / "notes" / "manifest.json").symlink_to(outside / "manifest.json")
    with pytest.raises(UnknownNameError, match="there is no run"):
        RunsFolder(root).folder_of("notes")


def test_the_name_may_be_omitted_for_a_single_run(root: Path) -> None:
    alone = RunsFolder(root / "a")
    assert alone.names() == ["a"]
    assert alone.folder_of("") == root / "a"
    with pytest.raises(UnknownNameError, match="there is no run 'b-2' here; there are a"):
        alone.folder_of("b-2")
    with pytest.raises(UnknownNameError, match="name a run; there are a, b-2"):
        RunsFolder(root).folder_of("")


def test_a_folder_without_runs_is_reported(tmp_path: Path) -> None:
    folder = RunsFolder(tmp_path)
    assert folder.names() == []
    with pytest.raises(UnknownNameError, match="name a run; there are none yet"):
        folder.folder_of("")
    with pytest.raises(RunFolderError, match="there is no folder"):
        RunsFolder(tmp_path / "nothing")


def test_a_new_run_gets_a_free_plain_name(root: Path) -> None:
    folder = RunsFolder(root)
    assert folder.new_folder("new_1.x") == root / "new_1.x"
    assert folder.free_name("b") == "b-1"
    (root / "b-1").symlink_to(root / "nowhere")
    assert folder.free_name("b") == "b-3"
    for taken in ("a", "b-1", "notes"):
        with pytest.raises(RunFolderError, match="already"):
            folder.new_folder(taken)
    for strange in ("", "..", "a/b", "../x", ".x", "-x", "a b", "a\0", "x" * 81):
        with pytest.raises(RunFolderError, match="name"):
            folder.new_folder(strange)


def test_a_run_created_next_to_the_only_one_is_served(root: Path) -> None:
    alone = RunsFolder(root / "a")
    alone.add("b-2")
    assert alone.names() == ["a", "b-2"]
    assert alone.folder_of("b-2") == root / "b-2"
