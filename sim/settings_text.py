"""Describe settings in tables and error messages, and refuse changes without effect."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from dataclasses import field as dataclass_field
from datetime import datetime
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic import BaseModel, GetCoreSchemaHandler, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import core_schema

from memopolis.sim.errors import did_you_mean

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

type Needed = Mapping[str, tuple[str, ...]]
"""Values that other settings of the group need, by key within the group."""

_TYPES = {
    int: "whole number",
    float: "number",
    bool: "true or false",
    str: "text",
    datetime: "date",
}


@dataclass(frozen=True)
class OneOf:
    """Restrict a setting to names that can be added while the program runs."""

    names: Callable[[], tuple[str, ...]]  # returns the names that are allowed now

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, handler(source))

    def _check(self, name: str) -> str:
        if name not in self.names():
            raise ValueError(f"allowed are {', '.join(self.names())}")
        return name


@dataclass(frozen=True)
class SettingRow:
    """Description of one setting."""

    key: str  # its key, with the group before a dot
    # "whole number", "number", "true or false", "text", "date", "choice", "list" or "groups by
    # name"
    type: str
    range: str  # allowed values in words; empty if all values of the type are allowed
    default: str  # default value as typed
    unit: str  # unit of the values
    origin: str  # origin of the default
    description: str  # description in one line
    low: float | None = None  # smallest number allowed (excluded if `range` contains "above")
    high: float | None = None  # largest number allowed
    # 95 % interval of the posterior of a calibrated number; None for none
    interval: tuple[float, float] | None = None
    options: tuple[str, ...] = ()  # values of a choice, or of the entries of a list
    # Values that other settings need for this one to have an effect, by key
    acts_with: Mapping[str, tuple[str, ...]] = dataclass_field(default_factory=dict)

    @property
    def source(self) -> str:
        """The origin, with the interval of a calibrated number."""
        if self.interval is None:
            return self.origin
        low, high = self.interval
        return f"{self.origin} ({low:g} to {high:g})"


def describe(settings: type[BaseModel]) -> list[SettingRow]:
    """Describe all settings of a schema, including nested groups, in the order of declaration.

    A default that the schema gives to a setting of a group has the origin in its `origins`.
    """
    origins = getattr(settings, "origins", {})
    return [
        replace(row, origin=origins.get(row.key, "choice"), interval=None) if is_changed else row
        for row, is_changed in _rows(settings, None, "")
    ]


def needed_by(field: FieldInfo) -> Needed:
    """Return values of other settings without which a setting has no effect."""
    extra = field.json_schema_extra
    return cast("Needed", extra.get("acts_with", {})) if isinstance(extra, dict) else {}


def explain(settings: type[BaseModel], error: ValidationError) -> str:
    """Convert a validation error to one line with the value and what is allowed."""
    errors = error.errors(include_url=False)
    first = errors[0]
    key, schema = _locate(settings, first["loc"])
    if first["type"] == "extra_forbidden":
        text = _unknown(settings, ".".join(map(str, first["loc"])))
    elif schema is None:
        text = str(first["msg"]).removeprefix("Value error, ")
    elif first["type"] == "value_error" and _group(schema) is not None:
        # An error of a group as a whole.
        text = f"settings {key}: " + str(first["msg"]).removeprefix("Value error, ")
    elif get_origin(schema.annotation) is dict and len(first["loc"]) > len(key.split(".")):
        text = _inside(schema, first)
    else:
        row = _row(key, schema, schema.default)
        if row.type.startswith("choice"):  # the options alone, followed by "or none" if optional
            allowed = row.type.replace("choice", row.range, 1)
        else:
            allowed = f"{row.type}, {row.range}" if row.range else row.type
        problem = "is missing" if first["type"] == "missing" else f"was given {first['input']!r}"
        text = f"setting {key} {problem}; allowed: {allowed} ({row.description})"
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return " ".join(text.split()) + more


def _rows(
    settings: type[BaseModel], defaults: BaseModel | None, prefix: str
) -> Iterator[tuple[SettingRow, bool]]:
    """Yield the description of each setting, and whether its default is not that of its group."""
    for name, field in settings.model_fields.items():
        default = field.default if defaults is None else getattr(defaults, name)
        group = _group(field)
        if group is None:
            yield _row(prefix + name, field, default), default != field.default
        else:
            nested = default if isinstance(default, group) else None
            yield from _rows(group, nested, f"{prefix}{name}.")


def _row(key: str, field: FieldInfo, default: object) -> SettingRow:
    details: dict[str, Any] = (
        field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
    )
    kind, options = _type_of(field.annotation)
    for restriction in field.metadata:
        if isinstance(restriction, OneOf):
            kind, options = "choice", restriction.names()
    low, above, high = (_bound(field, name) for name in ("ge", "gt", "le"))
    prefix = key[: key.rfind(".") + 1]
    return SettingRow(
        key=key,
        type=kind,
        range=_range(low, above, high) or " | ".join(options),
        default=typed(default),
        unit=str(details.get("unit", "")),
        origin=str(details.get("origin", "choice")),
        description=field.description or "",
        low=above if low is None else low,
        high=high,
        interval=details.get("interval"),
        options=options,
        acts_with={f"{prefix}{name}": values for name, values in needed_by(field).items()},
    )


def _type_of(annotation: Any) -> tuple[str, tuple[str, ...]]:
    annotation = getattr(annotation, "__value__", annotation)  # of a `type` statement
    origin = get_origin(annotation)
    if origin is Annotated:  # pydantic unwraps it except in unions
        return _type_of(get_args(annotation)[0])
    if origin in (Union, UnionType):
        inner = [option for option in get_args(annotation) if option is not NoneType]
        kind, options = _type_of(inner[0])
        return f"{kind} or none", options
    if origin is Literal:
        return "choice", tuple(map(str, get_args(annotation)))
    if origin is tuple:
        return "list", _type_of(get_args(annotation)[0])[1]
    if origin is dict:
        return "groups by name", ()
    return _TYPES.get(annotation, getattr(annotation, "__name__", str(annotation))), ()


def _bound(field: FieldInfo, name: str) -> float | None:
    limits = (getattr(constraint, name, None) for constraint in field.metadata)
    return next((bound for bound in limits if bound is not None), None)


def _range(low: float | None, above: float | None, high: float | None) -> str:
    start = f"{low:.12g}" if low is not None else "" if above is None else f"above {above:.12g}"
    if start and high is not None:
        return f"{start} to {high:.12g}"
    if high is not None:
        return f"up to {high:.12g}"
    return start if above is not None or not start else f"{start} or more"


def typed(value: object) -> str:
    """Return a value as typed in commands."""
    if value is None or value in ((), {}):
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return str(value)


def _group(field: FieldInfo) -> type[BaseModel] | None:
    kind = field.annotation
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


def _locate(
    settings: type[BaseModel], place: tuple[int | str, ...]
) -> tuple[str, FieldInfo | None]:
    """Find the field of an error; the rest of `place` is inside its value."""
    names: list[str] = []
    field: FieldInfo | None = None
    group: type[BaseModel] | None = settings
    for part in place:
        if group is None or part not in group.model_fields:
            break
        field = group.model_fields[str(part)]
        names.append(str(part))
        group = _group(field)
    return ".".join(names), field


def _inside(schema: FieldInfo, error: "ErrorDetails") -> str:
    """Describe an error inside a value that is a mapping of dataclasses."""
    *group, part = map(str, error["loc"])
    if error["type"] != "unexpected_keyword_argument":
        message = str(error["msg"]).removeprefix("Value error, ")
        prefix = "" if isinstance(error["input"], Mapping) else f"was given {error['input']!r}; "
        return f"setting {'.'.join((*group, part))} {prefix}{message}"
    kind = get_args(schema.annotation)[1]
    for name in group[2:]:
        kind = get_type_hints(kind)[name]
    known = [field.name for field in fields(kind)]
    advice = did_you_mean(part, known) or f"there are {', '.join(known)}"
    return f"setting {'.'.join(group)} has no {part!r}; {advice.strip()}"


def _unknown(settings: type[BaseModel], key: str) -> str:
    known = [row.key for row in describe(settings)]
    groups = {key.partition(".")[0] for key in known}
    advice = did_you_mean(key, [*known, *sorted(groups)]) or f"known are {', '.join(known)}; "
    return f"no setting is called {key!r}; {advice}`memopolis scenarios` lists them all"


def check_effect(settings: BaseModel) -> None:
    """Refuse changed settings, other than the default, without effect because of others."""
    for key, value, default, group, field in _changed(settings, None, ""):
        for other, allowed in needed_by(field).items():
            actual = value_of(group, other)
            if str(actual) not in allowed:
                name = key[: key.rfind(".") + 1] + other
                raise ValueError(
                    f"setting {key} was given {typed(value)}, but has no effect with "
                    f"{name}={actual}; leave it at {typed(default)}, or set {name} to "
                    f"{' or '.join(allowed)}"
                )


def _changed(
    group: BaseModel, defaults: BaseModel | None, prefix: str
) -> Iterator[tuple[str, object, object, BaseModel, FieldInfo]]:
    """Yield key, value, default, group and field of each setting that was changed."""
    for name, field in type(group).model_fields.items():
        value = getattr(group, name)
        default = field.default if defaults is None else getattr(defaults, name, field.default)
        if isinstance(value, BaseModel):
            nested = default if isinstance(default, BaseModel) else None
            yield from _changed(value, nested, f"{prefix}{name}.")
        elif value != default:
            yield f"{prefix}{name}", value, default, group, field


def value_of(settings: BaseModel, key: str, default: object = None) -> Any:
    """Return the value of a setting by its dotted key; the default if there is none."""
    value: Any = settings
    for name in key.split("."):
        value = getattr(value, name, default) if isinstance(value, BaseModel) else default
    return value
