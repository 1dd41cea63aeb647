"""The plain values of a saved memory, and a check of their types and ranges."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Self

import numpy as np
from pydantic import (
    AfterValidator,
    Field,
    Strict,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from memopolis.sim.arguments import INT32
from memopolis.sim.checksums import FileRecord
from memopolis.sim.errors import RunFolderError
from memopolis.sim.memory.interface import TOPICS, Memory, Recall
from memopolis.sim.memory.layer_settings import LayerSettings
from memopolis.sim.memory.retention.activation import Retention
from memopolis.sim.memory.retention.consolidation import Consolidation
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.status.encoding import from_json, to_json
from memopolis.sim.memory.status.schema import Attribute, Kind, Role, has_type_of_kind
from memopolis.sim.memory.streams.encoding import BUILT_IN, MOST_TAGS
from memopolis.sim.memory.streams.layout import COLUMNS
from memopolis.sim.memory.streams.side_columns import width_of
from memopolis.sim.validation import Distinct, Plain, describe_error

if TYPE_CHECKING:
    from memopolis.sim.arrays import Array, Int64

POLICIES: Mapping[str, TypeAdapter[object]] = {
    "profiles": TypeAdapter(dict[str, Profile]),
    "consolidation": TypeAdapter(Consolidation),
    "retention": TypeAdapter(Retention),
    "layer_settings": TypeAdapter(LayerSettings),
}
ONE_VALUE = ("ticks_per_day", "day_offset", "recall", "names")

_LAYOUT = {name: dtype.str for name, dtype in COLUMNS.items()}
_TYPE = re.compile(r"[<>=|]?[fiubO?][1248]?|(float|int|uint)(8|16|32|64)|bool|object")
_MOST_WIDTH = 10_000
_MOST_TICKS = 1e9


def _is_number(text: str) -> str:
    if not (text.isascii() and text.isdecimal()):
        raise ValueError("a whole number is needed")
    return text


def _begin_with_built_in(tags: list[str]) -> list[str]:
    if tuple(tags[: len(BUILT_IN)]) != BUILT_IN:
        raise ValueError("the built-in tags are needed first")
    return tags


Int32Number = Annotated[int, Field(ge=INT32[0], le=INT32[1])]
Key = Annotated[int, Field(ge=0, lt=2**32)]
Width = Annotated[int, Field(ge=1, le=_MOST_WIDTH)]
Named = dict[Annotated[str, AfterValidator(_is_number)], str]


class _Streams(Plain):
    limit: Annotated[int, Field(ge=1, le=INT32[1])]
    layout: dict[str, str]
    sides: dict[str, Annotated[tuple[str, Width], Strict(strict=False)]]
    fills: dict[str, int]

    @model_validator(mode="after")
    def _has_this_layout(self) -> Self:
        if self.layout != _LAYOUT:
            raise ValueError("the columns of a memory have another layout")
        return self


class _Attribute(Plain):
    name: Annotated[str, Field(min_length=1)]
    kind: Kind
    default: str
    description: str
    unit: str
    role: Role
    low: float | None
    high: float | None
    dtype: str
    record: bool
    labels: list[str]
    embed: bool
    template: str
    distribution: None
    optional: bool

    @model_validator(mode="after")
    def _has_type_of_kind(self) -> Self:
        is_type = _TYPE.fullmatch(self.dtype) is not None
        if not is_type or not has_type_of_kind(self.kind, np.dtype(self.dtype)):
            raise ValueError(f"{self.name} is of type {self.kind}, not {self.dtype}")
        return self


class PlainMemory(Plain):
    """All plain values of a saved memory."""

    files: dict[str, Annotated[tuple[int, str], Strict(strict=False)]]
    streams: _Streams
    now: Int32Number
    ticks_per_day: Annotated[float, Field(ge=1e-6, le=_MOST_TICKS)]
    day_offset: Annotated[float, Field(ge=-_MOST_TICKS, le=_MOST_TICKS)]
    recall: Recall
    names: dict[str, Int32Number]
    actor_names: Named
    place_names: Named
    topics: Annotated[Distinct, Field(max_length=TOPICS)]
    tags: Annotated[Distinct, Field(max_length=MOST_TAGS), AfterValidator(_begin_with_built_in)]
    recall_key: Annotated[list[Key], Field(min_length=2, max_length=2)]
    profiles: dict[str, object]
    consolidation: dict[str, object]
    retention: dict[str, object]
    layer_settings: dict[str, object]
    embedder: str | None
    labels: Distinct
    closed: bool
    schema_: list[_Attribute] = Field(alias="schema")

    @cached_property
    def attributes(self) -> Mapping[str, Attribute]:
        """The declared attributes by name; ValueError if a default is not JSON."""
        made = {}
        for declared in self.schema_:
            values = declared.model_dump()
            values |= {"default": from_json(declared.default), "labels": tuple(declared.labels)}
            made[declared.name] = Attribute(**values)
        if len(made) < len(self.schema_):
            raise ValueError("schema declares an attribute twice")
        return made

    def policies(self) -> dict[str, object]:
        """Return the policies by the name of their attribute; ValueError if one is invalid."""
        policies = {}
        for name, adapter in POLICIES.items():
            saved = getattr(self, name)
            policies[name] = adapter.validate_python(saved)
            if adapter.dump_python(policies[name], mode="json") != saved:
                raise ValueError(f"{name} lacks an entry, or has one of another type")
        return policies


def collect_plain(
    memory: Memory, rows: "Int64", files: Mapping[str, FileRecord]
) -> dict[str, object]:
    """Return the plain values of a memory, of which some agents are saved in files."""
    schema, streams = memory._columns.schema, memory.streams
    slots, _ = streams.live(rows)
    sides = streams.sides.memories.items()
    return {
        "files": files,
        "streams": {
            "limit": streams.limit,
            "layout": _LAYOUT,
            "sides": {name: [values.dtype.str, width_of(values)] for name, values in sides},
            "fills": streams.sides.fills,
        },
        "now": memory.now,
        **{name: getattr(memory, name) for name in ONE_VALUE},
        "names": {name: int(number) for name, number in memory.names.items()},
        "actor_names": _name_all(memory.name_of, streams.at("actor", slots), "agent"),
        "place_names": _name_all(memory.place_name, streams.at("place", slots), "place"),
        "topics": memory.topics,
        "tags": memory.tags.all,
        "recall_key": list(memory.recall_key),
        **{
            name: adapter.dump_python(getattr(memory, name), mode="json")
            for name, adapter in POLICIES.items()
        },
        "embedder": memory.embedder if isinstance(memory.embedder, str) else None,
        "labels": memory._columns.texts,
        "closed": schema.closed,
        "schema": [
            # Later agents start with the default: a distribution may depend on a user's table.
            asdict(replace(a, distribution=None)) | {"default": to_json(a.default)}
            for a in schema.attributes.values()
        ],
    }


def _name_all(name_of: Callable[[int], str], numbers: "Array", what: str) -> dict[str, str]:
    """Return the names of actors or places, since functions cannot be saved."""
    distinct = [number for number in np.unique(numbers).tolist() if number >= 0]
    names = {str(number): name_of(number) for number in distinct}
    return {number: name for number, name in names.items() if name != f"{what} {number}"}


def name_of(names: Mapping[str, str], what: str, number: int) -> str:
    """Return the saved name of an actor or a place, such as "agent 3" if it has none."""
    return names.get(str(number), f"{what} {number}")


def check_savable(content: Mapping[str, object]) -> None:
    """Refuse plain values that could not be read again; RunFolderError names one."""
    try:
        check_plain(json.loads(json.dumps(content)))
    except TypeError as error:
        raise RunFolderError(f"a value of the memory cannot be saved: {error}") from None


def check_plain(content: Mapping[str, object]) -> PlainMemory:
    """Return the plain values of a saved memory; RunFolderError if one is invalid."""
    try:
        json.dumps(content, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        message = "a text contains a lone surrogate, which UTF-8 cannot encode"
        raise RunFolderError(message) from None
    try:
        return PlainMemory.model_validate(content)
    except ValidationError as error:
        raise RunFolderError(describe_error(error)) from None
