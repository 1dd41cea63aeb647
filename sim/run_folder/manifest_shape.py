"""Validate the types of all entries of a manifest before it is used.

A manifest may come from a stranger or a damaged disk. A valid one can be shown, compared and
resumed without further type checks. Unknown entries are kept unchanged.
"""

import json
import re
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from memopolis.sim.chance import LARGEST_SEED
from memopolis.sim.memory.status.schema import Role
from memopolis.sim.validation import describe_error, quote_value

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
    if not isinstance(several, list) or not all(isinstance(one, dict) for one in several):
        raise ValueError("minds must be a list of JSON objects")
    for one in several:
        _is_mind(one)
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
