"""Files that may be committed."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("agents", "analysis", "scenarios", "sim")
LOCKS = ("Pipfile.lock", "package-lock.json", "pdm.lock", "poetry.lock", "pylock.toml", "uv.lock")
# Written apart, so that this file does not find itself.
MACHINE_PATH = re.compile(r"(?<![\w.~])/(?:ho" r"me|Us" r"ers|ro" r"ot|wo" r"rk|op" r"t)/\w")
REGISTRY = re.compile(r"py" r"pi\.org|pythonho" r"sted\.org|np" r"mjs\.org|index-" r"url")


@pytest.fixture(scope="module")
def tracked() -> list[Path]:
    """Every file that git tracks or would add."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("this is no checkout")
    listed = subprocess.run(
        [git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return [ROOT / name for name in listed.split("\0") if name]


def lines_with(pattern: re.Pattern[str], files: list[Path]) -> list[str]:
    collected = []
    for file in files:
        if file.is_symlink() or not file.is_file():
            continue
        content = file.read_bytes()
        if b"\0" not in content:
            text = content.decode(errors="replace")
            collected += [
                f"{file.relative_to(ROOT)}:{number}: {line.strip()[:120]}"
                for number, line in enumerate(text.splitlines(), start=1)
                if pattern.search(line)
            ]
    return collected


def test_no_file_contains_a_path_of_a_developers_machine(tracked: list[Path]) -> None:
    assert lines_with(MACHINE_PATH, tracked) == []


def test_no_file_names_a_package_registry(tracked: list[Path]) -> None:
    assert lines_with(REGISTRY, tracked) == []


def test_the_patterns_match_their_examples(tmp_path: Path) -> None:
    result = tmp_path / "found.txt"
    result.write_text("cd /" + "home/ann\nhttps://py" + "pi.org/simple\nruns/dorian\n./work/x\n")
    for pattern in (MACHINE_PATH, REGISTRY):
        assert sum(bool(pattern.search(line)) for line in result.read_text().splitlines()) == 1


def test_no_lock_file(tracked: list[Path]) -> None:
    assert [file.name for file in tracked if file.name in LOCKS] == []


def test_the_four_folders_are_linked_into_the_package(tracked: list[Path]) -> None:
    for name in FOLDERS:
        link = ROOT / "src" / "memopolis" / name
        assert link in tracked
        assert link.is_symlink()
        assert link.readlink() == Path("..", "..", name)
