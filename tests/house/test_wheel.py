"""The package as others install it: the wheel built from the sdist holds everything."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("agents", "analysis", "scenarios", "sim")
OWN = ("commands", "dashboard", "mcp_server")
"""Folders that stand in src themselves."""


@pytest.fixture(scope="module")
def inside(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Names of the files in the wheel."""
    folder = tmp_path_factory.mktemp("dist")
    # Without --sdist or --wheel, build makes the sdist and then the wheel from it.
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)],
        check=True,
        capture_output=True,
    )
    (wheel,) = folder.glob("*.whl")
    assert len(list(folder.glob("*.tar.gz"))) == 1
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def sources() -> set[str]:
    """Names under which the wheel must hold the files of the four folders and of src."""
    package = ROOT / "src" / "memopolis"
    own = {f"memopolis/{file.name}" for file in package.iterdir() if file.is_file()}
    own |= {f"memopolis/{file.relative_to(package).as_posix()}" for file in files(package, OWN)}
    return own | {f"memopolis/{file.relative_to(ROOT).as_posix()}" for file in files(ROOT, FOLDERS)}


def files(root: Path, folders: tuple[str, ...]) -> set[Path]:
    """Files below folders, but what Python has compiled."""
    found = {file for name in folders for file in (root / name).rglob("*") if file.is_file()}
    return {file for file in found if "__pycache__" not in file.parts}


def test_one_top_level_name(inside: set[str]) -> None:
    tops = {name.partition("/")[0] for name in inside}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"memopolis"}


def test_every_module_and_table_is_there_and_nothing_else(inside: set[str]) -> None:
    packed = {name for name in inside if name.startswith("memopolis/")}
    assert sorted(sources() - packed) == []
    assert sorted(packed - sources()) == []


def test_the_page_and_the_server_of_questions_are_there(inside: set[str]) -> None:
    for name in ("dashboard/page.py", "dashboard/page.css", "mcp_server/__init__.py"):
        assert f"memopolis/{name}" in inside


def test_the_licence_goes_along(inside: set[str]) -> None:
    assert {"LICENSE", "NOTICE"} <= {Path(name).name for name in inside if "/licenses/" in name}
