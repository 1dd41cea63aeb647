"""Settings of a scenario: one frozen schema for everything that sets or shows them.

Python keywords, `--set key=value`, TOML files, sweeps, the manifest and the tables in READMEs of
scenarios use these classes, so a setting has one name, one range and one description.
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    Self,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import pydantic
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    PlainSerializer,
    ValidationError,
    model_validator,
)
from pydantic.fields import FieldInfo

from memopolis.sim.clock import parse_date
from memopolis.sim.declarations import FROM_TABLE, find_rows, read_declarations
from memopolis.sim.errors import ParameterError, SettingsError
from memopolis.sim.executors.names import check_name
from memopolis.sim.inline_tables import write_inline
from memopolis.sim.memory.retention.activation import Evict, Retention
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.mind.registry import mind_names
from memopolis.sim.settings_text import Needed, OneOf, check_effect, explain
from memopolis.sim.toml_files import read_toml

type Origin = Literal["found", "computed", "recalled", "illustrative", "calibrated", "choice"]
type RecordTable = Literal[
    "memories", "agents", "moves", "decisions", "measures", "ledger", "model_calls", "world"
]

type Names = Literal["word", "file", "table", "server"]

LocalTime = Annotated[datetime, BeforeValidator(parse_date)]
"""Type of a local date and time: naive, or ISO text."""

Share = Annotated[float, pydantic.Field(ge=0, le=1)]
"""Type of a share or probability."""


def Field[T](  # noqa: N802 - replaces that of pydantic
    default: T,
    description: str,
    *,
    ge: float | None = None,
    gt: float | None = None,
    le: float | None = None,
    unit: str = "",
    origin: Origin | None = None,
    interval: tuple[float, float] | None = None,
    names: Names | None = None,
    words: tuple[str, ...] = (),
    acts_with: Needed | None = None,
) -> T:
    """Declare a setting.

    Args:
        default: The default value.
        description: Description in one line.
        ge: Smallest value allowed.
        gt: Value that it must exceed.
        le: Largest value allowed.
        unit: Unit, such as "1/h"; empty for a share or a name.
        origin: Where the default comes from: "found" in a source, "computed" from data,
            "recalled" and not checked again, "illustrative", "calibrated" on data, or a
            "choice" of the modeller. If omitted, the origin of the class of the group.
        interval: 95 % interval of the posterior of a calibrated number, see `calibrate`.
        names: What a text names: a "word" that the program only looks up, a "file", a "table" (a
            file, or its rows, see `write_inline`) or a "server" (an address, or a model). Required
            for texts, None for other types (see SECURITY.md).
        words: Texts that name no file or server, such as "none".
        acts_with: Values that other settings of the group need for this one to have an effect, by
            key within the group, such as {"model": ("deffuant",)}. Otherwise a changed value is
            refused.
    """
    extra: dict[str, Any] = {"unit": unit, "names": names, "words": list(words)}
    if origin:
        extra["origin"] = origin
    if interval is not None:
        extra["interval"] = interval
    if acts_with:
        extra["acts_with"] = {key: tuple(values) for key, values in acts_with.items()}
    declared: Any = pydantic.Field(
        default, ge=ge, gt=gt, le=le, description=description, json_schema_extra=extra
    )
    field: T = declared
    return field


class SettingsGroup(BaseModel):
    """A group of settings, nested under one name: `needs.hunger_rate`.

    `class Roads(SettingsGroup, origin="illustrative")` sets the origin of all settings of the class
    that have none; without it, they are a "choice". `class Roads(SettingsGroup, table=rows)`
    declares the settings with the value `FROM_TABLE` by the rows of a table, whose key `origin`
    applies to rows without an origin; a row without a default has the default None.

    Unknown keys are refused, values cannot be changed later, and an error message is one line with
    the key, the value and what is allowed.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, validate_default=True
    )

    def __init_subclass__(
        cls, *, origin: Origin = "choice", table: Mapping[str, Any] | None = None, **options: Any
    ) -> None:
        super().__init_subclass__(**options)
        if table is not None:
            for name, row in find_rows(cls, table).items():
                setattr(cls, name, Field(**{"default": None, **row}))
            origin = table.get("origin", origin)
        for value in vars(cls).values():
            if isinstance(value, FieldInfo) and isinstance(value.json_schema_extra, dict):
                value.json_schema_extra.setdefault("origin", origin)

    if not TYPE_CHECKING:  # a signature here would hide the fields from type checkers

        def __init__(self, /, **values: object) -> None:
            try:
                super().__init__(**values)
            except ValidationError as error:
                raise SettingsError(explain(type(self), error)) from None

        # Without this mark, pydantic would create nested groups with this __init__, and keys in
        # messages would lack the name of the group.
        __init__.__pydantic_base_init__ = True

    @model_validator(mode="before")
    @classmethod
    def _read_texts(cls, values: object) -> object:
        if not isinstance(values, Mapping):
            return values
        read = dict(values)
        for name, value in values.items():
            field = cls.model_fields.get(name)
            if field is not None:
                read[name] = _read_value(value, field.annotation)
        return read

    def with_changes(self, changes: Mapping[str, object], /) -> Self:
        """Return these settings with changes, nested or by dotted key, validated again."""
        return type(self)(**merge(_opened(self), nest(changes)))


def without_password(url: str) -> str:
    """Remove user, password and query from a URL."""
    address, _, _ = url.partition("?")
    scheme, separator, rest = address.partition("://")
    return f"{scheme}{separator}{rest.rpartition('@')[2]}"


Url = Annotated[str, PlainSerializer(without_password)]
"""Type of an address; passwords in it are kept out of the manifest."""

TABLE = read_declarations(__file__, "settings.toml")


class RecordSettings(SettingsGroup, table=TABLE["record"]):
    """Recorded tables, which never change the results."""

    tables: tuple[RecordTable, ...] = FROM_TABLE
    agents_every: float = Field(
        24.0, "Time between two records of the status of agents", gt=0, le=24 * 366, unit="h"
    )


class PlanRecordSettings(RecordSettings, table=TABLE["plan_record"]):
    """Recorded tables of a society whose citizens make everyday plans."""

    plans: bool = FROM_TABLE


class SurveySettings(SettingsGroup, table=TABLE["survey"]):
    """Surveys of a run, which never change the results."""

    ask: tuple[str, ...] = FROM_TABLE
    at: tuple[LocalTime, ...] = FROM_TABLE
    every: float | None = FROM_TABLE
    share: float = FROM_TABLE


class CheckpointSettings(SettingsGroup, table=TABLE["checkpoint"]):
    """Checkpoints, from which a run can be resumed; they never change the results."""

    every: int = FROM_TABLE
    minutes: float = FROM_TABLE
    keep: int = FROM_TABLE


class MemorySettings(SettingsGroup, table=TABLE["memory"]):
    """Store for a copy of all memories of a recorded run; it never changes the results."""

    store: Literal["arrays", "qdrant"] = FROM_TABLE
    url: Url = FROM_TABLE
    path: str = FROM_TABLE
    collection: str = FROM_TABLE


class RetentionSettings(SettingsGroup, table=TABLE["retention"]):
    """How memories fade, and which ones agents lose."""

    limit: int = FROM_TABLE
    evict: Evict = FROM_TABLE
    decay: float = FROM_TABLE
    bad_half_life: float = FROM_TABLE
    good_half_life: float = FROM_TABLE

    @property
    def parameters(self) -> Retention:
        """The settings as parameters of a memory."""
        return Retention(
            decay=self.decay,
            evict=self.evict,
            bad_half_life=self.bad_half_life,
            good_half_life=self.good_half_life,
        )


class LlmSettings(SettingsGroup, table=TABLE["llm"]):
    """Use of a language model; the key comes only from OPENAI_API_KEY."""

    model: str = FROM_TABLE
    base_url: Url = FROM_TABLE
    share: Share = FROM_TABLE
    blocks: tuple[str, ...] = FROM_TABLE
    classes: tuple[str, ...] = FROM_TABLE
    in_flight: int = FROM_TABLE
    rate: float | None = FROM_TABLE
    timeout: float = FROM_TABLE
    retries: int = FROM_TABLE
    max_wait: float = FROM_TABLE
    temperature: float = FROM_TABLE
    max_tokens: int = FROM_TABLE
    context_tokens: int = FROM_TABLE
    budget_tokens: int | None = FROM_TABLE
    budget_calls: int | None = FROM_TABLE
    price_in: float = FROM_TABLE
    price_out: float = FROM_TABLE
    fallback: Literal["rule", "error"] = FROM_TABLE
    min_answered: float = FROM_TABLE
    prompts: str = FROM_TABLE
    cassette: str = FROM_TABLE
    replay: bool = FROM_TABLE


class ArchetypeSettings(SettingsGroup, table=TABLE["archetype"]):
    """Groups of similar agents for the archetype mind."""

    by: tuple[str, ...] = FROM_TABLE
    bins: int = FROM_TABLE
    least: int = FROM_TABLE
    answers: int = FROM_TABLE


def _check_executor(name: str) -> str:
    try:
        check_name(name)
    except ParameterError as error:
        raise ValueError(str(error)) from None
    return name


ALL_RESIDENTS = "all"
"""Value of the setting `agents` for one agent per resident of the place."""


class Settings(SettingsGroup, table=TABLE["settings"]):
    """Settings of every society; a scenario adds its own."""

    origins: ClassVar[Mapping[str, Origin]] = {}
    """Origins of the defaults that a scenario gives to settings of a group, by key, where they are
    no "choice"."""

    agents: int = FROM_TABLE
    days: float = FROM_TABLE
    start: LocalTime = Field(datetime(2026, 1, 1), "Local date and time of the start")
    tick: float = FROM_TABLE
    recall: Literal["scored", "none", "random"] = FROM_TABLE
    mind: Annotated[str, OneOf(mind_names)] = FROM_TABLE
    news: str = FROM_TABLE
    profiles: str = FROM_TABLE
    new_columns: bool = FROM_TABLE
    memories: str = FROM_TABLE
    embedder: str = FROM_TABLE
    retrieval: dict[str, Profile] = FROM_TABLE
    memory: MemorySettings = MemorySettings()
    retention: RetentionSettings = RetentionSettings()
    threads: int = FROM_TABLE
    parts: int = FROM_TABLE
    executor: Annotated[str, AfterValidator(_check_executor), PlainSerializer(without_password)] = (
        FROM_TABLE
    )
    record: RecordSettings = RecordSettings()
    checkpoint: CheckpointSettings = CheckpointSettings()
    llm: LlmSettings = LlmSettings()
    archetype: ArchetypeSettings = ArchetypeSettings()
    survey: SurveySettings = SurveySettings()

    @model_validator(mode="before")
    @classmethod
    def _write_tables(cls, values: object) -> object:
        if not isinstance(values, Mapping):
            return values
        return {
            name: write_inline(value) if name in ("profiles", "memories") else value
            for name, value in values.items()
        }

    @model_validator(mode="before")
    @classmethod
    def _count_agents(cls, values: object) -> object:
        if isinstance(values, Mapping) and values.get("agents") == ALL_RESIDENTS:
            place = cls.model_fields.get("place")
            default = None if place is None else place.default
            return {**values, "agents": cls.count_residents(str(values.get("place", default)))}
        return values

    @classmethod
    def count_residents(cls, place: str, /) -> int:
        """Return the agents for `agents=all`; scenarios with a place override this."""
        del place
        raise SettingsError(
            "agents=all means one agent per resident of a place, and this scenario has no place; "
            "set a number of agents"
        )

    @model_validator(mode="after")
    def _refuse_executor_without_parts(self) -> Self:
        if self.parts == 1 and self.executor != "processes":
            raise SettingsError(
                f"setting executor is {self.executor!r}, which has no effect with parts=1; set "
                "parts to at least 2"
            )
        return self

    @model_validator(mode="after")
    def _refuse_new_columns_without_profiles(self) -> Self:
        if self.new_columns and self.profiles == "none":
            raise SettingsError(
                "setting new_columns is True, which has no effect with profiles=none; set profiles "
                "to a file"
            )
        return self

    @model_validator(mode="after")
    def _refuse_without_effect(self) -> Self:
        check_effect(self)
        return self


RECORDED_OF_MANY: Mapping[str, object] = {"record": {"tables": ("measures", "ledger")}}
"""Default tables of each of many runs: those that do not grow with the number of agents. Other
tables of a thousand runs would fill the disk and take more time than short runs."""


def nest(flat: Mapping[str, object]) -> dict[str, object]:
    """Turn dotted keys into nested ones, as `{"needs.hunger_rate": 0.2}` into `{"needs": ...}`."""
    nested: dict[str, object] = {}
    for key, value in flat.items():
        group, *rest = key.split(".", maxsplit=1)
        inner = nest({rest[0]: value}) if rest else _opened(value)
        nested = merge(nested, {group: inner})
    return nested


def dotted(settings: Mapping[str, object], group: str = "") -> list[str]:
    """Return the dotted keys of settings that are nested or have dotted keys."""
    names: list[str] = []
    for name, value in settings.items():
        inner = isinstance(value, Mapping)
        names += dotted(value, f"{group}{name}.") if inner else [f"{group}{name}"]  # type: ignore[arg-type]
    return names


def merge(base: Mapping[str, object], changes: Mapping[str, object]) -> dict[str, object]:
    """Merge changes into a copy of a base, group by group."""
    merged = dict(base)
    for key, value in changes.items():
        old = merged.get(key)
        if isinstance(old, Mapping) and isinstance(value, Mapping):
            merged[key] = merge(old, value)
        elif key in merged and ((isinstance(old, Mapping) and old) or isinstance(value, Mapping)):
            raise SettingsError(
                f"{key} is given as one value and as a group of settings; "
                f"`memopolis scenarios` shows which it is"
            )
        else:
            merged[key] = value
    return merged


def parse_sets(sets: Iterable[str]) -> dict[str, object]:
    """Parse the values of `--set`, such as "agents=5000", to nested texts by name."""
    values: dict[str, object] = {}
    for text in sets:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not all(key.split(".")):
            raise SettingsError(f"--set {text}: write it as --set name=value or group.name=value")
        if key in values:
            raise SettingsError(f"--set {key} is given twice, as {values[key]} and {value}")
        values[key] = value
    return nest(values)


def load_settings_toml(path: str | Path) -> dict[str, object]:
    """Read a TOML file of settings; its tables are the groups."""
    _, content = read_toml(
        Path(path),
        unreadable=f"cannot read the settings {path}",
        invalid=f"the settings {path} are not valid TOML",
    )
    return nest(content)


def holds_text(kind: object) -> bool:
    """Whether values of a type may contain a text or path that is not one of a few choices."""
    kind = getattr(kind, "__value__", kind)  # of a `type` statement
    origin = get_origin(kind)
    if origin is Literal:
        return False
    if origin is not None:
        inner = get_args(kind)[:1] if origin is Annotated else get_args(kind)
        return origin is dict or any(holds_text(one) for one in inner)
    return kind not in _NO_TEXT


_NO_TEXT = (int, float, bool, datetime, NoneType, ...)


def _opened(value: object) -> Any:
    """Convert groups, mappings and dataclasses to mappings, so that parts can be changed."""
    if isinstance(value, SettingsGroup):
        return {name: _opened(getattr(value, name)) for name in type(value).model_fields}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _opened(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {name: _opened(item) for name, item in value.items()}
    return value


def _read_value(value: object, kind: object) -> object:
    """Convert the texts in a value, which may be a mapping of dataclasses."""
    if isinstance(value, str):
        return _read_text(value, kind)
    if isinstance(value, Mapping) and get_origin(kind) is dict:
        return {name: _read_value(item, get_args(kind)[1]) for name, item in value.items()}
    if isinstance(value, Mapping) and isinstance(kind, type) and is_dataclass(kind):
        hints = get_type_hints(kind)
        return {name: _read_value(item, hints.get(name)) for name, item in value.items()}
    return value


def _read_text(text: str, kind: object) -> object:
    """Convert texts for "no value" and for several values, which pydantic cannot do."""
    options = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    if text == "none" and get_origin(kind) is dict:
        return {}
    if text == "none" and NoneType in options and str not in options:
        return None
    if any(get_origin(option) is tuple for option in options):
        return () if text == "none" else tuple(part.strip() for part in text.split(","))
    return text
