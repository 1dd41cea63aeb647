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
    that have none; without it, they are a "choice".

    Unknown keys are refused, values cannot be changed later, and an error message is one line with
    the key, the value and what is allowed.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, validate_default=True
    )

    def __init_subclass__(cls, *, origin: Origin = "choice", **options: Any) -> None:
        super().__init_subclass__(**options)
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


class RecordSettings(SettingsGroup):
    """Recorded tables, which never change the results."""

    tables: tuple[RecordTable, ...] = Field(
        ("memories", "agents", "moves", "decisions", "measures", "ledger", "model_calls", "world"),
        "Tables to record, joined by commas, or none; moves has each change of zone and "
        "activity; world includes zones, ties and other static tables, such as weather",
    )
    agents_every: float = Field(
        24.0, "Time between two records of the status of agents", gt=0, le=24 * 366, unit="h"
    )


class PlanRecordSettings(RecordSettings):
    """Recorded tables of a society whose citizens make everyday plans."""

    plans: bool = Field(
        default=False, description="Whether to record choices of everyday plans by the rule"
    )


class SurveySettings(SettingsGroup):
    """Surveys of a run, which never change the results."""

    ask: tuple[str, ...] = Field(
        (),
        "Surveys, joined by commas: ces_d, gun_control, life_satisfaction or TOML files; none "
        "for none",
        names="file",
        words=("ces_d", "gun_control", "life_satisfaction"),
    )
    at: tuple[LocalTime, ...] = Field(
        (), "Dates on which they are asked, as 2019-09-01; none for the last step"
    )
    every: float | None = Field(
        None, "Time between two dates on which they are asked", gt=0, le=8784, unit="h"
    )
    share: float = Field(1.0, "Share of the people who are asked", gt=0, le=1)


class CheckpointSettings(SettingsGroup):
    """Checkpoints, from which a run can be resumed; they never change the results."""

    every: int = Field(
        0, "Steps between two checkpoints; 0 for none", ge=0, le=1_000_000, unit="steps"
    )
    minutes: float = Field(
        10.0,
        "Minutes of wall-clock time between two checkpoints; one is also written after every "
        "1,000 calls of a model. 0 for neither",
        ge=0,
        le=100_000,
        unit="min",
    )
    keep: int = Field(2, "Number of newest checkpoints to keep; 0 for all", ge=0, le=1_000_000)


class MemorySettings(SettingsGroup):
    """Store for a copy of all memories of a recorded run; it never changes the results."""

    store: Literal["arrays", "qdrant"] = Field(
        "arrays",
        "Store of memories: arrays of the process alone, or a copy in Qdrant too",
        names="server",
        words=("arrays",),
    )
    url: Url = Field(
        "",
        "URL of the Qdrant server; http://localhost:6333 if empty",
        names="server",
        words=("",),
        acts_with={"store": ("qdrant",)},
    )
    path: str = Field(
        "none",
        "Folder of Qdrant's local mode, which needs no server, or none",
        names="file",
        words=("none",),
        acts_with={"store": ("qdrant",)},
    )
    collection: str = Field(
        "memopolis",
        "First part of the names of the collections; run folder and population follow",
        names="word",
        acts_with={"store": ("qdrant",)},
    )


class RetentionSettings(SettingsGroup):
    """How memories fade, and which ones agents lose."""

    limit: int = Field(1000, "Maximum number of memories of an agent", ge=1, le=1_000_000)
    evict: Evict = Field(
        "least",
        "Memories that an agent above the limit loses: those of the least activation, by use, "
        "age, importance and emotion, or the oldest",
    )
    decay: float = Field(
        0.5,
        "Exponent with which the activation of a memory falls with age (ACT-R)",
        ge=0.01,
        le=0.99,
        origin="found",
    )
    bad_half_life: float = Field(
        365.0,
        "Time in which the feeling of a bad memory halves",
        gt=0,
        le=1000000000.0,
        unit="d",
        origin="illustrative",
    )
    good_half_life: float = Field(
        730.0,
        "Time in which the feeling of a good memory halves",
        gt=0,
        le=1000000000.0,
        unit="d",
        origin="illustrative",
    )

    @property
    def parameters(self) -> Retention:
        """The settings as parameters of a memory."""
        return Retention(
            decay=self.decay,
            evict=self.evict,
            bad_half_life=self.bad_half_life,
            good_half_life=self.good_half_life,
        )


class LlmSettings(SettingsGroup):
    """Use of a language model; the key comes only from OPENAI_API_KEY."""

    model: str = Field(
        "", "Name of the model; the environment variable MEMOPOLIS_MODEL if empty", names="word"
    )
    base_url: Url = Field(
        "",
        "Server with an OpenAI-compatible API; the environment variable MEMOPOLIS_BASE_URL if "
        "empty",
        names="server",
        words=("",),
    )
    share: Share = Field(1.0, "Share of the agents that use the model")
    blocks: tuple[str, ...] = Field(
        (), "Blocks whose questions go to the model, joined by commas; none for all", names="word"
    )
    classes: tuple[str, ...] = Field(
        (), "Classes of agents that use the model, such as citizen; none for all", names="word"
    )
    in_flight: int = Field(16, "Maximum number of simultaneous calls", ge=1, le=1000)
    rate: float | None = Field(
        None,
        "Maximum number of calls per minute; none for no limit",
        gt=0,
        le=1000000.0,
        unit="1/min",
    )
    timeout: float = Field(60.0, "Maximum time to wait for an answer", gt=0, le=3600, unit="s")
    retries: int = Field(4, "Number of tries after the first", ge=0, le=100)
    max_wait: float = Field(
        600.0,
        "Maximum total time to wait at the request of the server (Retry-After), counted from "
        "the start or the resumption of the run",
        ge=0,
        le=1000000.0,
        unit="s",
    )
    temperature: float = Field(0.0, "Sampling temperature", ge=0, le=2)
    max_tokens: int = Field(256, "Maximum number of tokens of an answer", ge=1, le=100_000)
    context_tokens: int = Field(
        600,
        "Approximate maximum number of tokens of memories in addition to recalled ones",
        ge=0,
        le=1_000_000,
    )
    budget_tokens: int | None = Field(
        None, "Maximum number of tokens of a run, prompts and answers; none for no limit", ge=0
    )
    budget_calls: int | None = Field(
        None, "Maximum number of calls of a run; none for no limit", ge=0
    )
    price_in: float = Field(
        0.0, "Price of tokens of prompts; 0 if unknown", ge=0, le=1000000.0, unit="USD/million"
    )
    price_out: float = Field(
        0.0, "Price of tokens of answers; 0 if unknown", ge=0, le=1000000.0, unit="USD/million"
    )
    fallback: Literal["rule", "error"] = Field(
        "rule", "If an answer is unusable: the rule decides, or the run ends"
    )
    min_answered: float = Field(
        0.5,
        "Share of any 50 consecutive questions that the model must have answered; below it, the"
        " run stops and can be resumed. 0 for none",
        ge=0,
        le=1,
    )
    prompts: str = Field(
        "none",
        "Folder of prompts that replace the shipped ones, or none",
        names="file",
        words=("none",),
    )
    cassette: str = Field(
        "none",
        "File in which answers are recorded, or from which they are replayed; or none",
        names="file",
        words=("none",),
    )
    replay: bool = Field(
        default=False, description="Whether all answers come from the cassette, as with mind replay"
    )


class ArchetypeSettings(SettingsGroup):
    """Groups of similar agents for the archetype mind."""

    by: tuple[str, ...] = Field(
        ("attitude", "emotion", "gender", "age"),
        "Attributes to group by, the most important first, joined by commas",
        names="word",
    )
    bins: int = Field(5, "Intervals into which numbers are divided", ge=1, le=1000)
    least: int = Field(100, "Minimum size of a group", ge=1, le=10_000_000)
    answers: int = Field(
        5, "Answers of the model for a group; with 1, a rating has a spread", ge=1, le=100
    )


def _check_executor(name: str) -> str:
    try:
        check_name(name)
    except ParameterError as error:
        raise ValueError(str(error)) from None
    return name


ALL_RESIDENTS = "all"
"""Value of the setting `agents` for one agent per resident of the place."""


class Settings(SettingsGroup):
    """Settings of every society; a scenario adds its own."""

    origins: ClassVar[Mapping[str, Origin]] = {}
    """Origins of the defaults that a scenario gives to settings of a group, by key, where they are
    no "choice"."""

    agents: int = Field(
        1000, "Citizens; all for one per resident of the place", ge=1, le=10_000_000
    )
    days: float = Field(7.0, "Length of the run", gt=0, le=36_600, unit="d")
    start: LocalTime = Field(datetime(2026, 1, 1), "Local date and time of the start")
    tick: float = Field(1.0, "Length of a step", gt=0, le=8784, unit="h")
    recall: Literal["scored", "none", "random"] = Field(
        "scored",
        "Memories that agents recall: the best ones, only those of the current step, or random "
        "ones",
    )
    mind: Annotated[str, OneOf(mind_names)] = Field(
        "rule",
        "Mind that answers the agents' questions: rules, a language model for each agent, its "
        "recorded answers, a model for groups of similar agents, or a registered mind of your "
        "own",
        names="server",
        words=("rule",),
    )
    news: str = Field(
        "default",
        "News of the scenario (default), none, or a CSV file",
        names="file",
        words=("default", "none"),
    )
    profiles: str = Field(
        "none",
        "Profiles of people: none, a CSV, Parquet or JSON file, or rows as JSON",
        names="table",
        words=("none",),
    )
    new_columns: bool = Field(
        default=False,
        description="Whether unknown columns of the profiles become new attributes; otherwise "
        "they are refused",
    )
    memories: str = Field(
        "none",
        "Memories of people from before the start: none, a CSV, Parquet or JSON file, or rows "
        "as JSON",
        names="table",
        words=("none",),
    )
    embedder: str = Field(
        "static",
        "Name of the embedder, which turns texts into vectors",
        names="server",
        words=("static", "minilm"),
    )
    retrieval: dict[str, Profile] = Field({}, "Custom retrieval profiles, by name", names="word")
    memory: MemorySettings = MemorySettings()
    retention: RetentionSettings = RetentionSettings()
    threads: int = Field(
        0,
        "Most threads that share the work of thousands of agents; 0 for one per core. Results "
        "do not depend on it",
        ge=0,
        le=256,
    )
    parts: int = Field(
        1,
        "Number of processes among which the memories of the agents are divided, by zone. "
        "Results do not depend on it",
        ge=1,
        le=256,
    )
    executor: Annotated[str, AfterValidator(_check_executor), PlainSerializer(without_password)] = (
        Field(
            "processes",
            "Where parts run: in local processes, or on the workers of a Dask or Ray cluster, as "
            "dask=ADDRESS or ray=ADDRESS; without an address on this machine. Results do not depend"
            " on it",
            names="server",
            words=("processes", "dask", "ray"),
        )
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
        return origin is dict or any(holds_text(argument) for argument in inner)
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
