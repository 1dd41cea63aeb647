"""The manifest of a run: its scenario, settings, progress, and how it ended.

Its last line is a checksum of the text before it, which detects edits and damage.
"""

import json
import platform
import re
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

from memopolis.sim.errors import RunFolderError, reason_of
from memopolis.sim.files import write_whole
from memopolis.sim.measures import Measure
from memopolis.sim.run_folder.code_version import code_version
from memopolis.sim.run_folder.folder import LOCK, check_name
from memopolis.sim.run_folder.manifest_shape import FORMAT, LARGEST, checked_manifest
from memopolis.sim.settings import Settings
from memopolis.sim.settings_text import describe

if TYPE_CHECKING:
    from memopolis.sim.population import Population
    from memopolis.sim.society_base import SocietyBase

MANIFEST = "manifest.json"
_PACKAGES = ("memopolis", "mesa", "numpy", "numba", "pyarrow")


def manifest_of(society: "SocietyBase[Any]") -> dict[str, Any]:
    """Return the entries of a manifest that describe the society and its progress."""
    from memopolis.sim.scenario_reference import reference_if_any

    settings: type[Settings] = type(society.settings)
    return {
        "format": FORMAT,
        "scenario": f"{type(society).__module__}:{type(society).__qualname__}",
        "reference": reference_if_any(type(society)),
        "title": society.title,
        "seed": society.seed,
        "settings": json.loads(society.settings.model_dump_json()),
        "start": society.clock.start.isoformat(),
        "tick_hours": society.clock.mean_hours,
        "blocks": {p.name: [block.name for block in p.blocks] for p in society.populations},
        "measures": [_declaration(m) for m in society.measures],
        "origins": _origins(settings),
        "attributes": {p.name: _declared(p) for p in society.populations},
        "data": society.data_hashes(),
        "versions": _versions(),
        "code": code_version(type(society)),
        **progress_of(society),
    }


def progress_of(society: "SocietyBase[Any]") -> dict[str, Any]:
    """Return the entries of a manifest that may change with each step."""
    return {
        "ticks": society.clock.tick + 1 if society.time else 0,
        "populations": {p.name: len(p) for p in society.populations},
        "living": {p.name: len(p.cohort()) for p in society.populations},
        "timeline": society.timeline.state(),
        "surveys": society.surveys.state()["surveys"],
        "interventions": society.interventions,
        "facts": society.facts(),
        "mind": society.mind.facts(),
    }


@cache
def _origins(settings: type[Settings]) -> dict[str, str]:
    return {row.key: row.origin for row in describe(settings)}


@cache
def _declaration(measure: Measure) -> dict[str, str]:
    return measure.to_dict()


@cache
def _versions() -> dict[str, str]:
    """Return the versions of Python and packages, looked up once per process."""
    return {name: version(name) for name in _PACKAGES} | {"python": platform.python_version()}


def class_name(content: Mapping[str, Any]) -> str:
    """Return the name of the scenario's class, without its module."""
    return str(content["scenario"]).rpartition(":")[2].rpartition(".")[2]


def read_content(folder: Path) -> dict[str, Any]:
    """Read the manifest of a run, which may still be active."""
    check_name(folder)
    if not folder.is_dir():
        raise RunFolderError(f"there is no run folder {folder}")
    file = folder / MANIFEST
    if file.exists() and not file.is_file():
        raise RunFolderError(f"{file} is broken: it is not a file")
    if file.exists() and file.stat().st_size > LARGEST:
        raise RunFolderError(f"{file} is broken: it has more than {LARGEST:,} bytes")
    try:
        content = checked_manifest(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        begun = (folder / LOCK).is_file()
        advice = "; the run was killed before its first step, so start it again" if begun else ""
        raise RunFolderError(
            f"{folder} is not the folder of a run: no {MANIFEST}{advice}"
        ) from None
    except PermissionError:
        raise RunFolderError(f"{folder}/{MANIFEST} cannot be read: permission denied") from None
    except (ValueError, OSError) as error:  # also numbers of too many digits
        raise RunFolderError(f"{file} is broken: {error}") from None
    content.pop("crc32", None)
    return content


def run_populations(folder: Path) -> list[str]:
    """Return the names of a run's populations; empty if its manifest cannot be read."""
    try:
        return [*read_content(folder).get("populations", ())]
    except RunFolderError:
        return []


def manifest_problem(folder: Path) -> str:
    """Describe how a manifest was changed since the run wrote it; "" if it was not."""
    path = folder / MANIFEST
    try:
        content = path.read_bytes().replace(b"\r\n", b"\n")  # Windows line ends
    except OSError as error:
        raise RunFolderError(f"{path} cannot be read: {reason_of(error)}") from None
    problem = "its last line has no checksum"
    if match := _SEALED.fullmatch(content):
        actual, written = f"{crc32(match[1]):08x}", match[2].decode()
        if actual == written:
            return ""
        problem = f"its checksum is {actual}, {written} was written"
    return f"{path} was edited or damaged after the run wrote it: {problem}"


def check_manifest(folder: Path) -> None:
    """Refuse to continue a run whose manifest was changed since the run wrote it."""
    if problem := manifest_problem(folder):
        raise RunFolderError(
            f"{problem}; restore the original, or run the scenario again with other settings"
        )


def write_manifest(folder: Path, content: Mapping[str, object]) -> None:
    """Write the manifest of a run with a checksum of its entries; keep the old one on an error."""
    body = _as_json(content).removesuffix("\n}\n")
    write_whole(folder / MANIFEST, body + _SEAL.format(f"{crc32(body.encode()):08x}"))


def write_json(path: Path, content: Mapping[str, object]) -> None:
    """Write a JSON file with one line per entry, atomically."""
    write_whole(path, _as_json(content))


def _as_json(content: Mapping[str, object]) -> str:
    # One entry at a time, since json's own indent takes ten times as long.
    lines = (f" {json.dumps(name)}: {_ENCODER.encode(fact)}" for name, fact in content.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


_ENCODER = json.JSONEncoder(default=str)


def _declared(population: "Population") -> dict[str, dict[str, Any]]:
    """Describe the recorded attributes; those that a block declares to write change."""
    written = population.written
    return {
        name: {
            "unit": a.unit,
            "role": a.role,
            "description": a.description,
            "low": a.low,
            "high": a.high,
            "changes": name in written,
        }
        for name, a in population.recorded.items()
    }


_SEAL = ',\n "crc32": "{}"\n}}\n'
_SEALED = re.compile(rb'(.*),\n "crc32": "([0-9a-f]{8})"\n}\n', re.DOTALL)
