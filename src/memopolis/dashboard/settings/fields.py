"""The fields of a settings form, the most used first, and what is typed in them."""

import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from inspect import getdoc
from typing import Any, Literal

from pydantic import BaseModel

from memopolis.dashboard.settings.text import text_of, toml_lines
from memopolis.sim.errors import SettingsError
from memopolis.sim.settings import Settings, nest
from memopolis.sim.settings_text import SettingRow, describe

type Form = Literal["number", "choice", "switch", "text", "lines"]
"""Control of a setting; "lines" takes TOML."""

MOST_USED = "most_used"  # name of the section of the settings that are changed most
GENERAL = "general"  # name of the section of settings that every society has
FIRST = ("agents", "days")


@dataclass(frozen=True)
class SettingField:
    """One setting in the form."""

    row: SettingRow  # its row in the schema of settings
    form: Form  # how it is typed

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
        return f"{allowed}{unit} · origin: {row.source}"

    def matches(self, words: str) -> bool:
        """Return whether every typed word is in the name, the description or the unit."""
        text = f"{self.key} {self.key.replace('_', ' ')} {self.row.description} {self.row.unit}"
        return all(word in text.lower() for word in words.lower().split())


@dataclass(frozen=True)
class Section:
    """Settings that are shown together."""

    name: str  # name of the group, `MOST_USED` or `GENERAL`
    description: str  # description in one line
    fields: tuple[SettingField, ...]  # in the order declared

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
    if row.type.startswith(("number", "whole number")):
        return SettingField(row, "number")
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


WHOLE = ""  # key of errors that concern several settings
_NAMED_KEY = re.compile(r"settings? ([\w.]+)(?: was given|:| has no)|([\w.]+)=")
_MORE_ERRORS = re.compile(r" \(and \d+ more\)$")


class Draft:
    """The content of a settings form: `typed` texts and `errors` in one line, by key.

    The key `WHOLE` is for errors of several fields; `settings` is None while there is an error.
    """

    def __init__(self, kind: type[Settings], now: Settings | None = None) -> None:
        self.kind = kind
        self.sections = sections_of(kind)
        self.fields: dict[str, SettingField] = {
            field.key: field for section in self.sections for field in section.fields
        }
        self._defaults = kind()
        self.typed: dict[str, str] = {}
        self.errors: dict[str, str] = {}
        self.settings: Settings | None = self._defaults
        if now is not None:
            self.begin(now)

    def begin(self, now: Settings) -> None:
        """Start again from other settings, and forget typed values."""
        self.typed.clear()
        for key in self.fields:
            value = value_at(now, key)
            if value != value_at(self._defaults, key):
                self.typed[key] = text_of(value)
        self._check()

    def write(self, key: str, text: str) -> None:
        """Set the text of a field, and check all settings."""
        self.typed[key] = text
        self._check()

    def back(self, key: str) -> None:
        """Reset a field to its default."""
        self.typed.pop(key, None)
        self._check()

    def clear(self) -> None:
        """Reset all fields to their defaults."""
        self.typed.clear()
        self._check()

    def text(self, key: str) -> str:
        """Return the text of a field."""
        return self.typed.get(key, self.default(key))

    def default(self, key: str) -> str:
        """Return the default of a setting as a text to type."""
        return text_of(value_at(self._defaults, key))

    def changed(self, key: str) -> bool:
        """Return whether a field differs from its default, even if it is invalid."""
        if key not in self.typed:
            return False
        if key in self.errors or self.settings is None:
            return self.typed[key].strip() != self.default(key)
        return bool(value_at(self.settings, key) != value_at(self._defaults, key))

    def changes_of(self, now: Settings) -> dict[str, object]:
        """Return the changes from other settings to these, by dotted key.

        Raises SettingsError if one is wrong.
        """
        settings = self.settings
        if settings is None:
            raise SettingsError(next(iter(self.errors.values())))
        differ = [k for k in self.fields if value_at(settings, k) != value_at(now, k)]
        return {k: self._value_of(k) if k in self.typed else self.default(k) for k in differ}

    def toml(self) -> str:
        """Return the changed settings as a TOML file for `--settings`; "" while one is invalid."""
        if self.settings is None:
            return ""
        plain = nest({key: self._plain(key) for key in self.typed if self.changed(key)})
        return "\n".join(toml_lines(plain)).strip() + "\n" if plain else ""

    def command(self, scenario: str, seed: int) -> str:
        """Return the command line of the same run; "" while a setting is invalid."""
        if self.settings is None:
            return ""
        words = ["memopolis", "run", scenario]
        for key, text in self._texts():
            words += [f"--{key}", text] if key in {"agents", "days"} else ["--set", f"{key}={text}"]
        return shlex.join([*words, "--seed", str(seed)])

    def _check(self) -> None:
        """Validate the settings and assign errors to fields."""
        self.errors, self.settings = {}, None
        typed_values = self._read()
        for _ in range(len(typed_values) + 1):
            try:
                settings = self._defaults.with_changes(typed_values)
            except SettingsError as error:
                key = _key_of_error(str(error), self.fields)
                self.errors.setdefault(key, _MORE_ERRORS.sub("", str(error)))
                # Without it, validation reports the next error.
                typed_values.pop(key, None)
            else:
                self.settings = None if self.errors else settings
                return

    def _read(self) -> dict[str, object]:
        """Return typed values for the settings class, without those that cannot be parsed."""
        typed_values: dict[str, object] = {}
        for key in self.typed:
            try:
                typed_values[key] = self._value_of(key)
            except tomllib.TOMLDecodeError as error:
                self.errors[key] = f"setting {key} takes lines of TOML; {error}"
        return typed_values

    def _value_of(self, key: str) -> object:
        field, text = self.fields[key], self.typed[key].strip()
        if field.form == "lines":
            return tomllib.loads("" if text == "none" else text)
        if not text and (field.row.type == "list" or field.row.type.endswith("or none")):
            return "none"
        return text

    def _plain(self, key: str) -> object:
        """Return a valid value as JSON, without secrets, as in the manifest."""
        if self.fields[key].form == "lines":
            return self._value_of(key)
        plain: Any = self.settings.model_dump(mode="json") if self.settings else {}
        for name in key.split("."):
            plain = plain[name]
        return plain

    def _texts(self) -> Iterator[tuple[str, str]]:
        """Return changed settings in the form of `--set`."""
        for key in self.typed:
            if self.changed(key):
                yield from _flat(key, self._plain(key))


def value_at(settings: Settings, key: str) -> Any:
    """Return the value of a setting by its dotted key."""
    value: Any = settings
    for name in key.split("."):
        value = getattr(value, name)
    return value


def _key_of_error(message: str, known: Mapping[str, object]) -> str:
    """Return the key of the setting in an error message; `WHOLE` if it names none."""
    matched = _NAMED_KEY.match(message)
    key = (matched[1] or matched[2]) if matched else ""
    while key and key not in known:
        key = key.rpartition(".")[0]
    return key or WHOLE


def _flat(key: str, value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping) and value:
        for name, item in value.items():
            yield from _flat(f"{key}.{name}", item)
    else:
        yield key, text_of(value)
