"""A folder of runs: a small hurricane, its fork, a sweep's run, one that is broken, one killed."""

import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.manifests import change_manifest

from memopolis import Hurricane, fork

SMALL = {"agents": 60, "days": 3}


@pytest.fixture(scope="session")
def storm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run; tests do not change it."""
    folder = tmp_path_factory.mktemp("mcp") / "storm"
    return Hurricane(**SMALL, rng=5, checkpoint={"every": 24}).run(folder)


@pytest.fixture(scope="session")
def made(storm: Path) -> Path:
    """The folder of the run and of its fork; tests do not change it."""
    fork(storm, storm.with_name("calm"), at=24, changes={"social.tell": 0.0})
    return storm.parent


@pytest.fixture(scope="session")
def runs(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of runs with other files; tests do not change it."""
    folder = tmp_path_factory.mktemp("mcp") / "runs"
    shutil.copytree(made, folder)
    shutil.copytree(folder / "calm", folder / "trial" / "runs" / "p000-r0")
    (folder / "trial" / "design.json").write_text("{}")
    (folder / "broken").mkdir()
    (folder / "broken" / "manifest.json").write_text("{ no JSON")
    (folder / "odd").mkdir()
    (folder / "odd" / "manifest.json").write_text('{"format": 1, "seed": "many"}')
    shutil.copytree(folder / "storm", folder / "killed")
    not_ended(folder / "killed", after=48)
    shutil.copytree(folder / "storm", folder / "young")
    not_ended(folder / "young", after=0)
    (folder / os.fsdecode(b"no \xff text")).mkdir()
    shutil.copy(folder / "storm" / "manifest.json", folder / os.fsdecode(b"no \xff text"))
    (folder / "notes").mkdir()
    (folder / "notes" / "secret.txt").write_text("the moon is hollow")
    return folder


def not_ended(folder: Path, *, after: int) -> None:
    """Let a run be as it was some steps after its last checkpoint, or before its first."""
    change_manifest(folder, status="running", ticks=0, made=0)
    (folder / "manifest.writing").write_text('{"half')
    (folder / "tables" / "memories" / "part-00001.writing").write_text("half")
    shutil.rmtree(folder / "memory")
    for checkpoint in (folder / "checkpoints").iterdir():
        if int(checkpoint.name.removeprefix("step-")) > after:
            checkpoint.rename(checkpoint.with_name(f"{checkpoint.name}.writing"))


def digest(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="session")
def stopped() -> Callable[..., None]:
    """Lets a run be as it was before it ended."""
    return not_ended


@pytest.fixture(scope="session")
def digest_of() -> Callable[[Path], dict[str, str]]:
    """Hash of every file below a folder, by name."""
    return digest
