"""What the folder of a run may make this process do; SECURITY.md states the rules.

A run folder may come from a stranger. Its manifest and its checkpoints name a scenario, which is
code, and settings, some of which name files and servers. Nothing that a folder names is loaded,
read or contacted unless it is harmless or the user asked for the same.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from memopolis.sim.errors import SettingsError, TrustError
from memopolis.sim.scenario_names import find_scenario, installed_scenario, loaded_scenario
from memopolis.sim.settings import dotted, holds_text

if TYPE_CHECKING:
    from memopolis.sim.settings import Settings
    from memopolis.sim.society import Society

_LONGEST = 100
"""Characters of a value that are quoted."""
_KINDS = {"file": "a file", "server": "a server or model"}


@dataclass(frozen=True)
class Outside:
    """A setting that names a file or a server.

    Attributes:
        key: Its dotted key.
        value: What it names.
        kind: "file" or "server".
    """

    key: str
    value: str
    kind: str


@dataclass(frozen=True)
class Trust:
    """What the user allows the folder of a run to name.

    Attributes:
        settings: Settings that the user repeats, nested or by dotted key.
        scenario: The scenario that the user names, a class or a name; None for the run's own.
        everything: Whether the folder may name anything.
    """

    settings: Mapping[str, object] = field(default_factory=dict)
    scenario: "type[Society[Any]] | str | None" = None
    everything: bool = False

    def find(self, reference: str, what: str) -> "type[Society[Any]]":
        """Find a scenario, without running code that only a folder names.

        Args:
            reference: The scenario that the folder names.
            what: What names it, for the message: "the run in runs/a".

        Raises:
            TrustError: If it is neither an installed scenario nor a class that this process has
                loaded already, and the user named no scenario.
            UnknownNameError: If there is no such scenario.
        """
        if self.scenario is not None:
            named = self.scenario
            return find_scenario(named) if isinstance(named, str) else named
        if self.everything:
            return find_scenario(reference)
        found = installed_scenario(reference) or loaded_scenario(reference)
        if found is None:
            named = f"{what} names code that is not an installed scenario: {_cut(reference)}"
            raise TrustError(
                f"{named}; if you know that code, name it with --scenario "
                f"{quote(_cut(reference))}, or pass --trust (in Python scenario=... or trust=True)",
                named,
            )
        return found

    def check(self, settings: "Settings", what: str, folder: Path | None = None) -> None:
        """Refuse settings that name a file, a server or a model, unless the user repeated them.

        Args:
            settings: As a manifest or a saved state has them.
            what: What names them, for the message: "the run in runs/a".
            folder: A folder whose content they may name; None for none.

        Raises:
            TrustError: If one of them was not repeated.
        """
        if self.everything:
            return
        repeated = self._repeated(settings)
        left = [
            one for one in outside(settings) if one.key not in repeated and not _is_in(folder, one)
        ]
        if left:
            each = ", ".join(f"{one.key} = {_cut(one.value)} ({_KINDS[one.kind]})" for one in left)
            named = f"{what} names what is outside of it: {each}"
            sets = " ".join(f"--set {quote(f'{one.key}={_cut(one.value)}')}" for one in left)
            raise TrustError(
                f"{named}; if you know it, repeat it with {sets}, or pass --trust (trust=True in "
                f"Python)",
                named,
            )

    def check_same(self, settings: "Settings", folder: Path) -> None:
        """Refuse to repeat a setting with another value than a run has.

        Raises:
            SettingsError: If a value differs.
        """
        repeated = self._repeated(settings)
        for key in dotted(self.settings):
            if key not in repeated:
                raise SettingsError(
                    f"{key} was given another value than the run in {folder} has, "
                    f"{_value(settings, key)}; a run keeps its settings, `memopolis fork` changes "
                    f"them"
                )

    def _repeated(self, settings: "Settings") -> set[str]:
        """Keys that the user gave the value that the settings have."""
        changed = settings.with_changes(self.settings)
        keys = dotted(self.settings)
        return {key for key in keys if _value(settings, key) == _value(changed, key)}


def outside(settings: "Settings") -> list[Outside]:
    """Settings that name a file or a server, other than the scenario's own defaults.

    A text that declares nothing of itself is taken for a file.

    Args:
        settings: Of any scenario.
    """
    return list(_outside(settings, type(settings)(), ""))


def _outside(group: BaseModel, usual: object, prefix: str) -> Iterator[Outside]:
    for name, declared in type(group).model_fields.items():
        key, value = f"{prefix}{name}", getattr(group, name)
        default = getattr(usual, name, None)
        if isinstance(value, BaseModel):
            yield from _outside(value, default, f"{key}.")
            continue
        names, words = _declared(declared)
        if names == "word" or (names == "file" and value == default):
            continue
        for text in _texts(value):
            if text not in words:
                yield Outside(key, text, names)


def _declared(setting: FieldInfo) -> tuple[str, list[str]]:
    """What a setting says that its text names, and the texts that name nothing."""
    said = setting.json_schema_extra
    facts: dict[str, Any] = said if isinstance(said, dict) else {}
    if facts.get("names") is not None:
        return facts["names"], facts["words"]
    return "file" if holds_text(setting.annotation) else "word", []


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, tuple | list | set | frozenset):
        for one in value:
            yield from _texts(one)
    elif value is not None:
        yield str(value)


def _is_in(folder: Path | None, one: Outside) -> bool:
    """Whether a setting names what a folder contains."""
    if folder is None or one.kind != "file":
        return False
    path = Path(one.value)
    try:
        return path.exists() and path.resolve().is_relative_to(folder.resolve())
    except OSError:  # such as a name that no file may have
        return False


def _value(settings: object, key: str) -> object:
    for name in key.split("."):
        settings = getattr(settings, name, None)
    return settings


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
