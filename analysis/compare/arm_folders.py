"""Find the arms in folders of runs, comparisons and sweeps."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from memopolis.analysis.run.run import Run, load_run
from memopolis.sim.arms import REPLICATES, saved_arms
from memopolis.sim.errors import RunFolderError
from memopolis.sim.run_folder.manifest import MANIFEST, read_content
from memopolis.sim.sweep.saved_design import DESIGN, read_design


@dataclass(frozen=True)
class Arm:
    """Runs that differ only in their random seed.

    Attributes:
        name: Name of the arm.
        folders: Folders of its runs, at least one.
    """

    name: str
    folders: tuple[Path, ...]

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """The runs, loaded when this is first used.

        Raises:
            RunFolderError: If a run cannot be read.
        """
        return tuple(load_run(folder) for folder in self.folders)


def find_arms(folders: Sequence[Path]) -> list[Arm]:
    """Return the arms in folders, in their order.

    Args:
        folders: Each is a run; an arm with replicates `seed-00001` and so on; a comparison with
            such arms; or a sweep, of which every point is an arm.

    Returns:
        Arms with distinct names, each with the runs that succeeded. A run that is named itself
        is not checked.

    Raises:
        RunFolderError: If a folder contains none of these, or no run in it succeeded.
    """
    arms = [(folder, arm) for folder in folders for arm in _arms_in(folder)]
    counts = Counter(arm.name for _, arm in arms)
    longer = [
        _longer_name(folder, arm) if counts[arm.name] > 1 else arm.name for folder, arm in arms
    ]
    again = Counter(longer)
    return [
        replace(arm, name=name if again[name] == 1 else f"{number}: {name}")
        for number, ((_, arm), name) in enumerate(zip(arms, longer, strict=True), 1)
    ]


def shown_runs(arms: Sequence[Arm]) -> list[Run]:
    """Return a run of each of the first two arms, with the first seed that both have.

    Raises:
        RunFolderError: If a run cannot be read.
    """
    first, *others = (arm.runs for arm in arms[:2])
    for other in others:
        by_seed = {run.seed: run for run in reversed(other)}
        pairs = ([run, by_seed[run.seed]] for run in first if run.seed in by_seed)
        return next(pairs, [first[0], other[0]])
    return [first[0]]


def _arms_in(folder: Path) -> list[Arm]:
    if not folder.is_dir():
        raise RunFolderError(f"there is no run folder {folder}")
    if (folder / MANIFEST).exists():
        return [Arm(folder.resolve().name, (folder,))]
    if (folder / DESIGN).exists():
        arms = list(_points_in(folder))
    elif any(folder.glob(REPLICATES)):
        arms = [Arm(folder.resolve().name, _succeeded(folder.glob(REPLICATES)))]
    else:
        named = {path.parent for path in folder.glob(f"*/{REPLICATES}")}
        names = saved_arms(folder)
        order = {name: number for number, name in enumerate(names)}
        ordered = sorted(named, key=lambda arm: (order.get(arm.name, len(order)), arm.name))
        arms = [
            Arm(names.get(arm.name, arm.name), _succeeded(arm.glob(REPLICATES))) for arm in ordered
        ]
        if not arms:
            raise RunFolderError(
                f"{folder} contains no run, comparison or sweep; name the folder of one"
            )
    succeeded = [arm for arm in arms if arm.folders]
    if not succeeded:
        raise RunFolderError(f"{folder} has no run that succeeded")
    return succeeded


def _points_in(folder: Path) -> Iterator[Arm]:
    """Return the points of a sweep, named by the values of their factors."""
    design = read_design(folder)
    for number, point in enumerate(design.points):
        own = [folder / "runs" / run.name for run in design.runs if run.point == number]
        name = ", ".join(f"{factor}={_short(value)}" for factor, value in point.items())
        yield Arm(name, _succeeded(own))


def _succeeded(folders: Iterator[Path] | list[Path]) -> tuple[Path, ...]:
    done = []
    for folder in sorted(folders):
        with suppress(RunFolderError):  # of another kind, or its tables were removed
            if read_content(folder)["status"] == "succeeded" and (folder / "tables").is_dir():
                done.append(folder)
    return tuple(done)


def _short(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return value if isinstance(value, str) else json.dumps(value)


def _longer_name(folder: Path, arm: Arm) -> str:
    """Return the name of an arm after that of the folder in which it is."""
    place = folder.resolve()
    return f"{place.parent.name if place.name == arm.name else place.name}/{arm.name}"
