"""The run folders that the cases attack: made once, copied for each case."""

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from tests.attack.commands import environment

_KILLED = """
import os, signal, sys
from memopolis.sim.scenario_names import find_scenario
scenario, folder, step, settings = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
from memopolis.commands.options.shared import SocietyOptions
from memopolis.commands.run import settings_of
society = find_scenario(scenario)
chosen = settings_of(society, SocietyOptions(sets=settings))
def kill(done, *_):
    if done == step:
        os.kill(os.getpid(), signal.SIGKILL)
society(chosen, rng=1).run(folder, progress=kill)
"""
"""Runs a scenario and kills itself after a step; never, for step 0."""

HURRICANE = ("agents=40", "days=2", "checkpoint.every=12")
POLARIZATION = ("agents=30", "days=6", "checkpoint.every=2")


@dataclass(frozen=True)
class SharedRun:
    """A run that cases copy.

    Attributes:
        name: Name of its folder.
        scenario: Name of its scenario.
        settings: Its settings, as "name=value".
        killed_at: Step after which its process is killed; 0 for a run that ends.
    """

    name: str
    scenario: str
    settings: tuple[str, ...]
    killed_at: int = 0

    def make(self, folder: Path) -> None:
        """Make the run below a folder."""
        command = [self.scenario, str(folder / self.name), str(self.killed_at), *self.settings]
        done = subprocess.run(
            [sys.executable, "-c", _KILLED, *command],
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        expected = -signal.SIGKILL if self.killed_at else 0
        if done.returncode != expected:
            raise RuntimeError(f"{self.name} could not be made: {done.stderr[-2_000:]}")


SHARED = (
    SharedRun("finished", "hurricane", HURRICANE),
    SharedRun("killed", "hurricane", HURRICANE, killed_at=30),
    SharedRun("opinions", "polarization", POLARIZATION),
    SharedRun("opinions-killed", "polarization", POLARIZATION, killed_at=5),
)


class Workshop:
    """A folder for one case, with copies of the shared runs.

    Args:
        root: Folder of the shared runs.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    @cached_property
    def folder(self) -> Path:
        """A new folder that belongs to the case."""
        return Path(mkdtemp(prefix="case-", dir=self._root))

    def shared(self, name: str) -> Path:
        """Return a shared run, which no case may change."""
        return self._root / name

    def copy(self, name: str, to: str = "run") -> Path:
        """Return a copy of a shared run in the folder of the case."""
        made = self.folder / to
        shutil.copytree(self.shared(name), made, symlinks=True)
        return made

    def part(self, name: str) -> "Workshop":
        """Return a workshop whose folder is inside that of this one."""
        part = Workshop(self._root)
        part.folder = self.folder / name
        part.folder.mkdir()
        return part

    def remove(self) -> None:
        """Remove the folder of the case."""
        shutil.rmtree(self.folder, ignore_errors=True)


def edit_manifest(run: Path, edit: Callable[[dict[str, Any]], None]) -> None:
    """Change the manifest of a run, with a valid checksum, as a stranger could."""
    from memopolis.sim.run_folder.manifest import write_manifest

    content = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    content.pop("crc32", None)
    edit(content)
    write_manifest(run, content)


def edit_checkpoints(run: Path, edit: Callable[[dict[str, Any]], None]) -> None:
    """Change the plain values of every checkpoint, with valid checksums, as a stranger could."""
    from memopolis.sim.state.checkpoints import checkpoints_of, read
    from memopolis.sim.state.saving import write_state
    from memopolis.sim.state.state import State

    for checkpoint in checkpoints_of(run):
        state = read(checkpoint)
        arrays = {name: array.copy() for name, array in state.arrays.items()}
        plain = json.loads(json.dumps(state.plain))
        edit(plain)
        write_state(State(arrays, plain), checkpoint.folder, replace=True)


def edit_settings(run: Path, settings: Mapping[str, object]) -> None:
    """Change settings of a run, by dotted name, in its manifest and in every checkpoint."""

    def edit(content: dict[str, Any]) -> None:
        for key, value in settings.items():
            in_group(content, key, value)

    edit_manifest(run, edit)
    edit_checkpoints(run, edit)


def in_group(content: dict[str, Any], key: str, value: object) -> None:
    """Change a setting, by its dotted name, in a manifest or in the values of a checkpoint."""
    *groups, name = key.split(".")
    group = content["settings"]
    for one in groups:
        group = group[one]
    group[name] = value
