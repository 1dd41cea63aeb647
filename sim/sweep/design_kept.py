"""The design as it is kept in a sweep's folder: what was asked, and which runs that came to.

`design.json` holds all that reading the results needs. Neither the scenario nor the sampler has
to be there, and later changes of either do not change what was planned.
"""

import json
import os
import re
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memopolis.sim.errors import ParameterError, RunFolderError, reason_of
from memopolis.sim.outcomes import Outcome
from memopolis.sim.own_files import refuse_outer_links
from memopolis.sim.sweep.design import Design
from memopolis.sim.sweep.planned import PlannedRun

_NAME = re.compile(r"[\w-]{1,100}")
DESIGN = "design.json"
"""File that makes a folder one of a sweep."""


@dataclass(frozen=True)
class DesignedRun:
    """One run of a design, without its settings.

    Attributes:
        name: Its key, the name of its ledger's file and of its folder.
        point: Number of its point.
        replication: Number of its replication.
        seed: Its seed.
    """

    name: str
    point: int
    replication: int
    seed: int


@dataclass(frozen=True)
class KeptDesign:
    """What a sweep's folder says of its design.

    Attributes:
        design: What was asked; its scenario need not be found.
        title: What the scenario is called.
        points: The points, each a value of every factor by name.
        runs: All runs, point by point.
        outcomes: What is taken of every run.
    """

    design: Design
    title: str
    points: list[dict[str, Any]]
    runs: list[DesignedRun]
    outcomes: list[Outcome]


def write_design(folder: str | Path, design: Design, planned: Sequence[PlannedRun]) -> Path:
    """Keep a design in the folder of its sweep, in place of one that lies there.

    Args:
        folder: Of the sweep.
        design: What was asked.
        planned: Its runs, `design.planned()`.

    Returns:
        The file.

    Raises:
        RunFolderError: If it cannot be written.
    """
    parts = {
        "title": json.dumps(design.society.title),
        "design": json.dumps(design.to_dict(), indent=1),
        "outcomes": _lines(vars(outcome) for outcome in design.taken()),
        "points": _lines(design.points),
        "runs": _lines([run.name, run.point, run.replication, run.seed] for run in planned),
    }
    text = ",\n".join(f'"{name}": {part}' for name, part in parts.items())
    file = Path(folder) / DESIGN
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        _write(file, f"{{\n{text}\n}}\n")
    except OSError as error:
        raise RunFolderError(f"{file} cannot be written: {reason_of(error)}") from None
    return file


def read_design(folder: str | Path) -> KeptDesign:
    """Read the design of a sweep.

    Args:
        folder: Of the sweep.

    Raises:
        RunFolderError: If there is no sweep, or its design is broken.
    """
    file = Path(folder) / DESIGN
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
        kept = KeptDesign(
            Design.from_dict(told["design"]),
            str(told["title"]),
            [dict(point) for point in told["points"]],
            [DesignedRun(*row) for row in told["runs"]],
            [Outcome(**one) for one in told["outcomes"]],
        )
        _check_runs(kept)
    except FileNotFoundError:
        raise RunFolderError(f"{folder} is not the folder of a sweep: it has no {DESIGN}") from None
    except _BROKEN as error:
        raise RunFolderError(f"{file} is broken: {error}") from None
    refuse_outer_links(Path(folder), top_only=True)
    return kept


_BROKEN = (
    OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, ParameterError,
)  # fmt: skip


def _check_runs(kept: KeptDesign) -> None:
    """Refuse runs whose names lead elsewhere: folders are read, replaced and linked by them."""
    for run in kept.runs:
        if not _NAME.fullmatch(str(run.name)) or type(run.name) is not str:
            raise ValueError(f"a run has the name {run.name!r}, which names no folder of a sweep")
        if any(type(number) is not int for number in (run.point, run.replication, run.seed)):
            raise ValueError(f"the numbers of run {run.name} are no whole numbers")
        if not 0 <= run.point < len(kept.points):
            raise ValueError(f"run {run.name} is of a point that is not there")
    if len({frozenset(point) for point in kept.points}) != 1:
        raise ValueError("it has no points, or points with different factors")


def _lines(items: Iterable[object]) -> str:
    """A list of JSON with a line an item, so that a long one can still be read."""
    return "[\n " + ",\n ".join(map(json.dumps, items)) + "\n]"


def _write(file: Path, text: str) -> None:
    """Write a file that appears whole or not at all, whoever else writes it too."""
    number, unfinished = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(number, "w", encoding="utf-8") as stream:
            stream.write(text)
        Path(unfinished).chmod(0o644)
        Path(unfinished).replace(file)
    except OSError:
        Path(unfinished).unlink(missing_ok=True)
        raise
