"""The manifest of a run: its scenario, settings, progress, and how it ended.

Its last line is a checksum of the text before it, which detects edits and damage. The types of all
entries are validated before it is used, since a manifest may come from a stranger or a damaged
disk. A valid one can be shown, compared and resumed without further type checks. Unknown entries
are kept unchanged.
"""

import json
import platform
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self
from zlib import crc32

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from memopolis.sim.chance import LARGEST_SEED
from memopolis.sim.errors import RunFolderError, reason_of
from memopolis.sim.files import write_whole
from memopolis.sim.measures import Measure
from memopolis.sim.memory.status.schema import Role
from memopolis.sim.run_folder.code_version import code_version
from memopolis.sim.run_folder.folder import LOCK, check_name
from memopolis.sim.settings import Settings
from memopolis.sim.settings_text import describe
from memopolis.sim.validation import describe_error, quote_value

if TYPE_CHECKING:
    from memopolis.sim.population import Population
    from memopolis.sim.society_base import SocietyBase


FORMAT = 3  # changes when older runs can no longer be read
LARGEST = 256 * 2**20
"""Maximum size of a manifest in bytes; long runs with many shocks need a few megabytes."""
_MOST_STEPS = 10**9
_DEEPEST = 30
_SPENT = ("calls", "tokens_in", "tokens_out", "failed", "unsent", "fallbacks")
"""Counters of a mind that calls a model."""
_HALF = re.compile(r"\\u[dD][89abAB]")  # escape of a surrogate, which may be a lone one


def _is_name(text: str) -> str:
    # Names of populations become names of tables and folders.
    if not text.isidentifier():
        raise ValueError("a name of letters, digits and _ is needed")
    return text


def _is_date(text: str) -> str:
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        when = None
    if when is None or when.tzinfo is not None:
        raise ValueError("a local date and time such as 2019-08-28T00:00:00 is needed")
    return text


def _is_class(text: str) -> str:
    module, colon, name = text.rpartition(":")
    if not (module and colon and name):
        raise ValueError("a module and a class such as package.module:Class is needed")
    return text


def _is_entry(entry: list[Any]) -> list[Any]:
    kinds = [type(part) for part in entry]
    if kinds != [int, dict] or not 0 <= entry[0] <= _MOST_STEPS:
        raise ValueError("a list of a step and a JSON object is needed")
    return entry


def _is_mind(facts: dict[str, Any]) -> dict[str, Any]:
    several = facts.get("minds", [])
    if not isinstance(several, list) or not all(isinstance(mind, dict) for mind in several):
        raise ValueError("minds must be a list of JSON objects")
    for mind in several:
        _is_mind(mind)
    needed = _SPENT if "calls" in facts else ()
    counts = [facts.get(name) for name in needed]
    counts += [facts[name] for name in ("groups", "answers") if name in facts]
    if any(type(count) is not int for count in counts):
        raise ValueError("the counters of a mind must be whole numbers")
    return facts


Name = Annotated[str, AfterValidator(_is_name)]
Date = Annotated[str, AfterValidator(_is_date)]
Step = Annotated[int, Field(ge=0, le=_MOST_STEPS)]
Entry = Annotated[list[Any], AfterValidator(_is_entry)]


class _Shape(BaseModel):
    model_config = ConfigDict(strict=True, extra="allow", frozen=True)


class _Measure(_Shape):
    name: str
    population: str
    unit: str
    group: str
    where: str
    chart: str
    description: str
    of: Literal["mean", "sum"]


class _Attribute(_Shape):
    unit: str
    role: Role
    description: str
    low: float | None
    high: float | None
    changes: bool


class _Timeline(_Shape):
    past: list[Entry]
    pending: list[Entry]


class _Interventions(_Shape):
    shocks: list[Entry]
    surveys: list[Entry]


class _Resumed(_Shape):
    step: Step
    days: Annotated[float, Field(gt=0, le=10**6)] | None = None


class _Fork(_Shape):
    of: str
    step: Step
    changes: dict[str, Any]
    kept: list[str] = []


class ManifestShape(_Shape):
    """All entries of a manifest that Memopolis reads."""

    format: int
    scenario: Annotated[str, AfterValidator(_is_class)]
    reference: str
    title: str
    seed: Annotated[int, Field(ge=0, le=LARGEST_SEED)]
    settings: Annotated[dict[str, Any], Field(min_length=1)]
    start: Date
    tick_hours: Annotated[float, Field(gt=0, le=24 * 366)]
    ticks: Step
    populations: dict[Name, Annotated[int, Field(ge=0)]]
    living: dict[Name, Annotated[int, Field(ge=0)]] = {}
    blocks: dict[Name, list[str]] = {}
    measures: list[_Measure]
    origins: dict[str, str] = {}
    attributes: dict[Name, dict[str, _Attribute]] = {}
    timeline: _Timeline = _Timeline(past=[], pending=[])
    surveys: list[dict[str, Any]] = []
    interventions: _Interventions = _Interventions(shocks=[], surveys=[])
    facts: dict[str, Any] = {}
    mind: Annotated[dict[str, Any], AfterValidator(_is_mind)] = {}
    data: dict[str, str] = {}
    versions: dict[str, str] = {}
    code: str = ""
    status: Literal["running", "succeeded", "failed", "interrupted"]
    error: str = ""
    warnings: list[str] = []
    began: Step
    until: Step
    made: Step
    resumed: list[_Resumed] = []
    fork: _Fork | None = None
    repeats: str = ""

    @model_validator(mode="after")
    def _steps_follow(self) -> Self:
        if not self.began <= self.until:
            raise ValueError(f"until is {self.until}, before began, {self.began}")
        if self.made > self.ticks:
            raise ValueError(f"made is {self.made}, more than ticks, {self.ticks}")
        try:
            length = timedelta(hours=self.tick_hours) * max(self.until, self.ticks)
            datetime.fromisoformat(self.start) + length
        except OverflowError:
            raise ValueError("its last step is after the year 9999") from None
        return self


def checked_manifest(text: str) -> dict[str, Any]:
    """Parse and validate the text of a manifest; return its entries, with defaults."""
    try:
        content = json.loads(text, object_pairs_hook=_unique)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(content, dict):
        raise ValueError("it is not a JSON object")  # noqa: TRY004 - same type as for other invalid content
    if content.get("format", FORMAT) != FORMAT:
        raise ValueError(
            f"it has format {quote_value(content['format'])}; this version reads {FORMAT}"
        )
    _check_depth(content)
    if _HALF.search(text):
        try:
            json.dumps(content, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError("a text in it contains a lone surrogate") from None
    try:
        shape = ManifestShape.model_validate(content)
    except ValidationError as error:
        raise ValueError(describe_error(error)) from None
    missing = set(ManifestShape.model_fields) - shape.model_fields_set
    return {**shape.model_dump(include=missing), **content}


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"it has the entry {quote_value(twice)} twice")
    return read


def _check_depth(value: object, depth: int = 0) -> None:
    if depth > _DEEPEST:
        raise ValueError(f"it is nested more than {_DEEPEST} levels deep")
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            if isinstance(inner, dict | list):
                _check_depth(inner, depth + 1)


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
