"""The fields of a settings form, one per setting, the most used first."""

from collections.abc import Iterator
from dataclasses import dataclass
from inspect import getdoc
from typing import Literal

from pydantic import BaseModel

from memopolis.dashboard.settings.scale import Scale
from memopolis.sim.settings import Settings
from memopolis.sim.settings_text import SettingRow, describe

type Form = Literal["slider", "number", "choice", "switch", "text", "lines"]
"""Control of a setting; "slider" has a field for the number, "lines" takes TOML."""

MOST_USED = "most_used"
"""Name of the section of the settings that are changed most."""
GENERAL = "general"
"""Name of the section of settings that every society has."""
FIRST = ("agents", "days")


@dataclass(frozen=True)
class SettingField:
    """One setting in the form.

    Attributes:
        row: Its row in the schema of settings.
        form: How it is typed.
        scale: Values of the slider's places; None without a slider.
    """

    row: SettingRow
    form: Form
    scale: Scale | None = None

    @property
    def key(self) -> str:
        """Name of the setting, after its group and a dot."""
        return self.row.key

    @property
    def facts(self) -> str:
        """Type, range, unit and origin in one line."""
        row = self.row
        allowed = f"{row.type}, {row.range}" if row.range else row.type
        unit = f" ({row.unit})" if row.unit else ""
        return f"{allowed}{unit} · origin: {row.origin}"

    def matches(self, words: str) -> bool:
        """Return whether every typed word is in the name, the description or the unit."""
        text = f"{self.key} {self.key.replace('_', ' ')} {self.row.description} {self.row.unit}"
        return all(word in text.lower() for word in words.lower().split())


@dataclass(frozen=True)
class Section:
    """Settings that are shown together.

    Attributes:
        name: Name of the group, `MOST_USED` or `GENERAL`.
        description: Description in one line.
        fields: In the order declared.
    """

    name: str
    description: str
    fields: tuple[SettingField, ...]

    @property
    def title(self) -> str:
        """Heading of the section; groups have the name they have in a settings file."""
        return {MOST_USED: "Most used", GENERAL: "General"}.get(self.name, self.name)


def sections_of(kind: type[Settings]) -> list[Section]:
    """Return all settings of a scenario by section.

    First come the settings that are changed most: how many agents, how many days, and the
    scenario's own that belong to no group; then the scenario's own groups, then what every
    society has.
    """
    by_group: dict[str, list[SettingField]] = {}
    for row in describe(kind):
        group, _, _ = row.key.rpartition(".")
        by_group.setdefault(group, []).append(field_of(row))
    lone, own = by_group.pop("", []), _own(kind)
    used = sorted((f for f in lone if f.key in own and _is_open(f)), key=_rank)
    general = [field for field in lone if field not in used]
    common = {name for name in by_group if name.partition(".")[0] in Settings.model_fields}
    return [
        Section(MOST_USED, "Size, length and settings of the scenario", tuple(used)),
        *(_section(kind, g, f) for g, f in by_group.items() if g not in common),
        Section(GENERAL, "Settings of every society", tuple(general)),
        *(_section(kind, g, f) for g, f in by_group.items() if g in common),
    ]


def field_of(row: SettingRow) -> SettingField:
    """Return the field of one setting."""
    scale = Scale.of(row) if row.type in {"number", "whole number"} else None
    if row.type.startswith(("number", "whole number")):
        return SettingField(row, "number" if scale is None else "slider", scale)
    forms: dict[str, Form] = {
        "choice": "choice",
        "true or false": "switch",
        "groups by name": "lines",
    }
    return SettingField(row, forms.get(row.type, "text"))


def _own(kind: type[Settings]) -> set[str]:
    """Return the names that the scenario's class declares or redeclares, and the first choices."""
    mine = [cls for cls in kind.__mro__ if issubclass(cls, Settings) and cls is not Settings]
    return {*FIRST, *(name for cls in mine for name in cls.__annotations__)}


def _is_open(field: SettingField) -> bool:
    """Return whether a setting is a single plain value."""
    row = field.row
    return field.form != "lines" and (row.low is None or row.low != row.high)


def _rank(field: SettingField) -> int:
    return FIRST.index(field.key) if field.key in FIRST else len(FIRST)


def _section(kind: type[BaseModel], name: str, fields: list[SettingField]) -> Section:
    group: type[BaseModel] = kind
    for part in name.split("."):
        inner = group.model_fields[part].annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            group = inner
    return Section(name, next(_lines(group), ""), tuple(fields))


def _lines(group: type[BaseModel]) -> Iterator[str]:
    yield from (getdoc(group) or "").splitlines()
