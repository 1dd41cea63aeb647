"""Restrict the code, files and servers that the folder of a run may name; see SECURITY.md.

A run folder may come from a stranger. Its manifest and its checkpoints name a scenario, which is
code, and settings, some of which name files and servers. Nothing that a folder names is loaded,
read or contacted unless it is harmless or the user named it, too.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from memopolis.sim.errors import SettingsError, TrustError
from memopolis.sim.inline_tables import is_inline
from memopolis.sim.scenario_names import find_scenario, installed_scenario, loaded_scenario
from memopolis.sim.settings import dotted, holds_text
from memopolis.sim.settings_text import value_of

if TYPE_CHECKING:
    from memopolis.sim.settings import Settings
    from memopolis.sim.society import Society

_LONGEST = 100  # maximum number of quoted characters of a value
_KINDS = {"file": "a file", "server": "a server or model"}


@dataclass(frozen=True)
class ExternalSetting:
    """A setting, by its dotted key, that names a file or a server, by its kind."""

    key: str
    value: str
    kind: str


@dataclass(frozen=True)
class Trust:
    """Code, files and servers that the user allows the folder of a run to name."""

    # Settings repeated by the user, nested or by dotted key
    settings: Mapping[str, object] = field(default_factory=dict)
    # Class or name of the scenario given by the user; None for the run's own
    scenario: "type[Society[Any]] | str | None" = None
    everything: bool = False  # whether the folder may name anything

    def find(self, reference: str, what: str) -> "type[Society[Any]]":
        """Find a scenario without running code that only a folder names.

        `what` is the subject of the error message, such as "the run in runs/a". Raises TrustError
        if it is neither an installed scenario nor an already loaded class, and the user named no
        scenario.
        """
        if self.scenario is not None:
            named = self.scenario
            return find_scenario(named) if isinstance(named, str) else named
        if self.everything:
            return find_scenario(reference)
        scenario = installed_scenario(reference) or loaded_scenario(reference)
        if scenario is None:
            named = f"{what} names code that is not an installed scenario: {_cut(reference)}"
            raise TrustError(
                f"{named}; if you know that code, name it with --scenario "
                f"{quote(_cut(reference))}, or pass --trust (in Python scenario=... or trust=True)",
                named,
            )
        return scenario

    def check(self, settings: "Settings", what: str, folder: Path | None = None) -> None:
        """Refuse settings that name a file, a server or a model, unless the user repeated them.

        Settings may name files in `folder`; `what` is the subject of the error message.
        """
        if self.everything:
            return
        repeated = self._repeated(settings)
        left = [
            setting
            for setting in external_settings(settings)
            if setting.key not in repeated and not _is_in(folder, setting)
        ]
        if left:
            each = ", ".join(
                f"{setting.key} = {_cut(setting.value)} ({_KINDS[setting.kind]})"
                for setting in left
            )
            named = f"{what} names files or servers outside of it: {each}"
            sets = " ".join(
                f"--set {quote(f'{setting.key}={_cut(setting.value)}')}" for setting in left
            )
            raise TrustError(
                f"{named}; if you know it, repeat it with {sets}, or pass --trust (trust=True in "
                f"Python)",
                named,
            )

    def check_same(self, settings: "Settings", folder: Path) -> None:
        """Refuse a repeated setting whose value differs from the run's with a `SettingsError`."""
        repeated = self._repeated(settings)
        for key in dotted(self.settings):
            if key not in repeated:
                raise SettingsError(
                    f"{key} is {value_of(settings, key)} in the run in {folder}, and cannot be "
                    f"changed in a resumed or repeated run; use `memopolis fork` to change settings"
                )

    def _repeated(self, settings: "Settings") -> set[str]:
        """Return the keys to which the user gave the same value as the settings."""
        changed = settings.with_changes(self.settings)
        keys = dotted(self.settings)
        return {key for key in keys if value_of(settings, key) == value_of(changed, key)}


def external_settings(settings: "Settings") -> list[ExternalSetting]:
    """Return the settings that name a file or a server, except defaults of the scenario."""
    return list(_outside(settings, type(settings)(), ""))


def _outside(group: BaseModel, usual: object, prefix: str) -> Iterator[ExternalSetting]:
    for name, declared in type(group).model_fields.items():
        key, value = f"{prefix}{name}", getattr(group, name)
        default = getattr(usual, name, None)
        if isinstance(value, BaseModel):
            yield from _outside(value, default, f"{key}.")
            continue
        names, words = _declared(declared)
        if names == "word" or (names in {"file", "table"} and value == default):
            continue
        for text in _texts(value):
            if names == "table" and is_inline(text):
                continue
            if text not in words:
                yield ExternalSetting(key, text, "server" if names == "server" else "file")


def _declared(setting: FieldInfo) -> tuple[str, list[str]]:
    """Return what a setting is declared to name, and the words that name nothing."""
    extra = setting.json_schema_extra
    facts: dict[str, Any] = extra if isinstance(extra, dict) else {}
    if facts.get("names") is not None:
        return facts["names"], facts["words"]
    return "file" if holds_text(setting.annotation) else "word", []


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, tuple | list | set | frozenset):
        for entry in value:
            yield from _texts(entry)
    elif value is not None:
        yield str(value)


def _is_in(folder: Path | None, one: ExternalSetting) -> bool:
    """Whether a setting names a file in a folder."""
    if folder is None or one.kind != "file":
        return False
    path = Path(one.value)
    try:
        return path.exists() and path.resolve().is_relative_to(folder.resolve())
    except OSError:  # such as an invalid file name
        return False


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
