"""Settings as somebody types them: checked at once, nothing lost, only changes given on."""

import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from memopolis.dashboard.settings.fields import SettingField, sections_of
from memopolis.dashboard.settings.text import text_of, toml_lines
from memopolis.sim.errors import SettingsError
from memopolis.sim.settings import Settings, nest

WHOLE = ""
"""Key of what is wrong with several settings together."""
_ABOUT = re.compile(r"settings? ([\w.]+)(?: was given|:| has no)|([\w.]+)=")
_MORE = re.compile(r" \(and \d+ more\)$")


class Draft:
    """What is typed into a settings form.

    Args:
        kind: The scenario's class of settings.
        now: Settings to begin with, None for the defaults.

    Attributes:
        kind: As given.
        sections: Every setting, in the order in which a form shows them.
        fields: Every field by its key.
        typed: What is in each field that was touched, as it was typed.
        errors: What is wrong, one line by key; under `WHOLE` what no single field can help.
        settings: The settings that all of it makes; None while something is wrong.
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
        """Begin anew with other settings; what was typed is forgotten."""
        self.typed.clear()
        for key in self.fields:
            value = value_at(now, key)
            if value != value_at(self._defaults, key):
                self.typed[key] = text_of(value)
        self._check()

    def write(self, key: str, text: str) -> None:
        """Put a text into a field, and check everything.

        Args:
            key: Key of a setting.
            text: As typed; "none" or nothing where the setting may have no value.
        """
        self.typed[key] = text
        self._check()

    def back(self, key: str) -> None:
        """Put the default into a field again."""
        self.typed.pop(key, None)
        self._check()

    def clear(self) -> None:
        """Put the defaults into all fields."""
        self.typed.clear()
        self._check()

    def text(self, key: str) -> str:
        """What a field shows."""
        return self.typed.get(key, self.default(key))

    def default(self, key: str) -> str:
        """The default of a setting as it would be typed."""
        return text_of(value_at(self._defaults, key))

    def changed(self, key: str) -> bool:
        """Whether a field says something else than its default, be it wrong."""
        if key not in self.typed:
            return False
        if key in self.errors or self.settings is None:
            return self.typed[key].strip() != self.default(key)
        return bool(value_at(self.settings, key) != value_at(self._defaults, key))

    def changes_of(self, now: Settings) -> dict[str, object]:
        """What makes these settings of others, by dotted key, as the settings class takes it.

        Args:
            now: The settings that are to be changed.

        Raises:
            SettingsError: If one is wrong.
        """
        settings = self.settings
        if settings is None:
            raise SettingsError(next(iter(self.errors.values())))
        differ = [k for k in self.fields if value_at(settings, k) != value_at(now, k)]
        return {k: self._given(k) if k in self.typed else self.default(k) for k in differ}

    def toml(self) -> str:
        """The changed settings as a TOML file that `--settings` reads; "" while one is wrong."""
        if self.settings is None:
            return ""
        plain = nest({key: self._plain(key) for key in self.typed if self.changed(key)})
        return "\n".join(toml_lines(plain)).strip() + "\n" if plain else ""

    def command(self, scenario: str, seed: int) -> str:
        """The command line that makes the same run without the page; "" while one is wrong.

        Args:
            scenario: What `memopolis run` takes for a scenario.
            seed: The run's seed.
        """
        if self.settings is None:
            return ""
        words = ["memopolis", "run", scenario]
        for key, text in self._texts():
            words += [f"--{key}", text] if key in {"agents", "days"} else ["--set", f"{key}={text}"]
        return shlex.join([*words, "--seed", str(seed)])

    def _check(self) -> None:
        """Let the settings class say what is wrong, field by field."""
        self.errors, self.settings = {}, None
        given = self._read()
        for _ in range(len(given) + 1):
            try:
                settings = self._defaults.with_changes(given)
            except SettingsError as error:
                key = _about(str(error), self.fields)
                self.errors.setdefault(key, _MORE.sub("", str(error)))
                # Without it the next one that is wrong is found.
                given.pop(key, None)
            else:
                self.settings = None if self.errors else settings
                return

    def _read(self) -> dict[str, object]:
        """What was typed, as the settings class takes it, but for what cannot be read at all."""
        given: dict[str, object] = {}
        for key in self.typed:
            try:
                given[key] = self._given(key)
            except tomllib.TOMLDecodeError as error:
                self.errors[key] = f"setting {key} takes lines of TOML; {error}"
        return given

    def _given(self, key: str) -> object:
        field, text = self.fields[key], self.typed[key].strip()
        if field.form == "lines":
            return tomllib.loads("" if text == "none" else text)
        if not text and (field.row.type == "list" or field.row.type.endswith("or none")):
            return "none"
        return text

    def _plain(self, key: str) -> object:
        """A valid value as JSON has it; what is secret in it is left out, as in the manifest."""
        if self.fields[key].form == "lines":
            return self._given(key)
        plain: Any = self.settings.model_dump(mode="json") if self.settings else {}
        for name in key.split("."):
            plain = plain[name]
        return plain

    def _texts(self) -> Iterator[tuple[str, str]]:
        """Changed settings as they are typed after `--set`."""
        for key in self.typed:
            if self.changed(key):
                yield from _flat(key, self._plain(key))


def value_at(settings: Settings, key: str) -> Any:
    """The value of a setting by its dotted key."""
    value: Any = settings
    for name in key.split("."):
        value = getattr(value, name)
    return value


def _about(message: str, known: Mapping[str, object]) -> str:
    """Key of the setting that a message is about; `WHOLE` if it is about none of those known."""
    found = _ABOUT.match(message)
    key = (found[1] or found[2]) if found else ""
    while key and key not in known:
        key = key.rpartition(".")[0]
    return key or WHOLE


def _flat(key: str, value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping) and value:
        for name, item in value.items():
            yield from _flat(f"{key}.{name}", item)
    else:
        yield key, text_of(value)
