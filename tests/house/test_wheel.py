"""The installed package: the wheel built from the sdist is complete."""

import os
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

import pytest

from memopolis.sim.run_folder import code_version

ROOT = Path(__file__).parents[2]
FOLDERS = ("agents", "analysis", "scenarios", "sim")
OWN = ("cli", "commands", "dashboard", "mcp_server")
"""Folders in src itself."""
LONGEST = 150
"""Windows allows 260 characters, of which the folder of an environment takes some 100."""
RESERVED = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)
FORBIDDEN = re.compile(r'[<>:"\\|?*\x00-\x1f]|[ .]$')
IMPORT_ALL = """
from memopolis import *
from memopolis.cli import app
from memopolis.sim.mind.prompting import SHIPPED

assert SHIPPED.is_dir()
"""
IMPORT_SOME = """
import memopolis.agents.names, memopolis.analysis.compare, memopolis.scenarios.synthesis.tax_units
import memopolis.sim.clock
from memopolis.sim.run_folder import code_version

assert code_version._own_code() == EXPECTED
"""
PRINT_FILES = """
import sys
files = [m.__file__ for name, m in sys.modules.items() if name.partition(".")[0] == "memopolis"]
print(*[file for file in files if file], sep="\\n")
"""


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel built from it."""
    folder = tmp_path_factory.mktemp("dist")
    # Without --sdist or --wheel, build makes the sdist and then the wheel from it.
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)],
        check=True,
        capture_output=True,
    )
    return folder


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    (file,) = dist.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def inside(wheel: Path) -> set[str]:
    """Names of the files in the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def sources() -> set[str]:
    """Names that the files of the four folders and of src must have in the wheel."""
    package = ROOT / "src" / "memopolis"
    own = {f"memopolis/{file.name}" for file in package.iterdir() if file.is_file()}
    own |= {f"memopolis/{file.relative_to(package).as_posix()}" for file in files(package, OWN)}
    return own | {f"memopolis/{file.relative_to(ROOT).as_posix()}" for file in files(ROOT, FOLDERS)}


def files(root: Path, folders: tuple[str, ...]) -> set[Path]:
    """Files below folders, except compiled ones."""
    result = {file for name in folders for file in (root / name).rglob("*") if file.is_file()}
    return {file for file in result if "__pycache__" not in file.parts}


def test_one_top_level_name(inside: set[str]) -> None:
    tops = {name.partition("/")[0] for name in inside}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"memopolis"}


def test_the_wheel_contains_every_module_and_table_and_nothing_else(inside: set[str]) -> None:
    packed = {name for name in inside if name.startswith("memopolis/")}
    assert sorted(sources() - packed) == []
    assert sorted(packed - sources()) == []


def test_the_dashboard_and_the_mcp_server_are_in_the_wheel(inside: set[str]) -> None:
    for name in ("dashboard/page.py", "dashboard/page.css", "mcp_server/__init__.py"):
        assert f"memopolis/{name}" in inside


def test_the_licence_is_in_the_wheel(inside: set[str]) -> None:
    assert {"LICENSE", "NOTICE"} <= {Path(name).name for name in inside if "/licenses/" in name}


def illegal_on_windows(names: set[str]) -> list[str]:
    """Return names that Windows refuses, confuses or considers too long."""
    parts = {part for name in names for part in PurePosixPath(name).parts}
    odd = [name for name in names if len(name) > LONGEST]
    odd += [part for part in parts if RESERVED.fullmatch(part) or FORBIDDEN.search(part)]
    seen: dict[str, str] = {}
    # Folders, too: two that differ in case only become one.
    for path in {
        p.as_posix() for n in names for p in (PurePosixPath(n), *PurePosixPath(n).parents)
    }:
        other = seen.setdefault(path.casefold(), path)
        if other != path:
            odd.append(f"{other} and {path}")
    return odd


@pytest.mark.parametrize(
    "names",
    [
        {"a/what?.py"},
        {"a:b.py"},
        {"ends./x.py"},
        {"nul.csv"},
        {"data/COM1"},
        {"Read.py", "read.py"},
        {"Data/a.py", "data/b.py"},
        {"a" * 151},
    ],
)
def test_names_that_windows_refuses_are_found(names: set[str]) -> None:
    assert illegal_on_windows(names) != []
    assert illegal_on_windows({"console.py", "common/aux_table.csv", "com10.py", ".hidden"}) == []


def test_wheel_and_sdist_unpack_on_windows(dist: Path, wheel: Path, inside: set[str]) -> None:
    assert illegal_on_windows(inside) == []
    with zipfile.ZipFile(wheel) as archive:
        assert not [i for i in archive.infolist() if stat.S_ISLNK(i.external_attr >> 16)]
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        members = archive.getmembers()
    assert [one.name for one in members if one.issym() or one.islnk()] == []
    assert illegal_on_windows({one.name for one in members}) == []


def imported_files(script: str, search: Path) -> set[Path]:
    """Run a script in its own process, with the package imported from a folder.

    Returns:
        The files of the package that it imported.
    """
    done = subprocess.run(
        [sys.executable, "-P", "-c", script + PRINT_FILES],
        cwd=search,
        env={**os.environ, "PYTHONPATH": str(search)},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return {Path(line) for line in done.stdout.splitlines()}


def test_the_wheel_is_imported_from_a_folder_without_links(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)  # noqa: S202 - built above
    assert not [path for path in tmp_path.rglob("*") if path.is_symlink()]
    files = imported_files(IMPORT_ALL, tmp_path)
    assert tmp_path / "memopolis" / "sim" / "clock.py" in files
    assert {file for file in files if not file.is_relative_to(tmp_path)} == set()


def test_a_checkout_without_links_can_be_imported(tmp_path: Path) -> None:
    """Git creates such a checkout on Windows by default; an unpacked sdist has no links either."""
    package = tmp_path / "src" / "memopolis"
    package.mkdir(parents=True)
    for name in FOLDERS:
        (tmp_path / name).symlink_to(ROOT / name)  # stands for the folder itself
        (package / name).write_text(f"../../{name}", encoding="utf-8")
    for name in ("__init__.py", "__init__.pyi"):
        shutil.copy(ROOT / "src" / "memopolis" / name, package)
    script = IMPORT_SOME.replace("EXPECTED", repr(code_version._own_code()))
    files = imported_files(script, tmp_path / "src")
    assert {tmp_path / "sim" / "clock.py", tmp_path / "agents" / "names.py"} <= files
    assert {file for file in files if not file.is_relative_to(tmp_path)} == set()
