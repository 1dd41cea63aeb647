"""Save the design of a sweep and its planned runs in the sweep's folder.

`design.json` contains all that is needed to read the results. Reading needs neither the scenario
nor the sampler, and is not affected by later changes of them.
"""

import json
import os
import re
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memopolis.sim.errors import ParameterError, RunFolderError
from memopolis.sim.files import refuse_outer_links, writing_to
from memopolis.sim.outcomes import Outcome
from memopolis.sim.sweep.design import Design, DesignedRun, PlannedRun

_NAME = re.compile(r"[\w-]{1,100}")
DESIGN = "design.json"  # file that identifies the folder of a sweep


@dataclass(frozen=True)
class SavedDesign:
    """The saved design of a sweep."""

    design: Design  # the design; its scenario need not be installed
    title: str  # title of the scenario
    points: list[dict[str, Any]]  # the points, each with a value of every factor by name
    runs: list[DesignedRun]  # all runs, ordered by point
    outcomes: list[Outcome]  # outcomes computed for every run


def write_design(folder: str | Path, design: Design, planned: Sequence[PlannedRun]) -> Path:
    """Save a design and its planned runs in the folder of its sweep; replace an existing one."""
    parts = {
        "title": json.dumps(design.society.title),
        "design": json.dumps(design.to_dict(), indent=1),
        "outcomes": _lines(vars(outcome) for outcome in design.taken()),
        "points": _lines(design.points),
        "runs": _lines([run.name, run.point, run.replication, run.seed] for run in planned),
    }
    text = ",\n".join(f'"{name}": {part}' for name, part in parts.items())
    file = Path(folder) / DESIGN
    with writing_to(file):
        file.parent.mkdir(parents=True, exist_ok=True)
        _write(file, f"{{\n{text}\n}}\n")
    return file


def read_design(folder: str | Path) -> SavedDesign:
    """Read the design of a sweep; RunFolderError if there is none, or it is broken."""
    file = Path(folder) / DESIGN
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        kept = SavedDesign(
            Design.from_dict(content["design"]),
            str(content["title"]),
            [dict(point) for point in content["points"]],
            [DesignedRun(*row) for row in content["runs"]],
            [Outcome(**fields) for fields in content["outcomes"]],
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


def _check_runs(kept: SavedDesign) -> None:
    """Refuse runs whose names are unsafe as file names, and invalid numbers."""
    for run in kept.runs:
        if not _NAME.fullmatch(str(run.name)) or type(run.name) is not str:
            raise ValueError(f"a run has the invalid name {run.name!r}")
        if any(type(number) is not int for number in (run.point, run.replication, run.seed)):
            raise ValueError(f"the numbers of run {run.name} are not whole numbers")
        if not 0 <= run.point < len(kept.points):
            raise ValueError(f"run {run.name} has point {run.point}, which does not exist")
    if len({frozenset(point) for point in kept.points}) != 1:
        raise ValueError("it has no points, or points with different factors")


def _lines(items: Iterable[object]) -> str:
    """Format a JSON list with one line per item, so that a long list stays readable."""
    return "[\n " + ",\n ".join(map(json.dumps, items)) + "\n]"


def _write(file: Path, text: str) -> None:
    """Write a file atomically, also if several processes write it."""
    number, unfinished = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(number, "w", encoding="utf-8") as stream:
            stream.write(text)
        Path(unfinished).chmod(0o644)
        Path(unfinished).replace(file)
    except OSError:
        Path(unfinished).unlink(missing_ok=True)
        raise
