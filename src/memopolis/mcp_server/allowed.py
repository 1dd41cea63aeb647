"""What a client may set where it makes a run: no model, no file, and not too much of it."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memopolis.sim.errors import SettingsError
from memopolis.sim.settings import Settings, nest

MOST_AGENT_STEPS = 5_000_000
"""Agents times steps of a run that a client may ask for."""

_OF_WHO_STARTS = ("mind", "llm", "archetype", "embedder")


def check_changes(changes: Mapping[str, object]) -> dict[str, object]:
    """Refuse settings that would ask a model, or read a file.

    Args:
        changes: Settings by name, nested or by dotted key.

    Returns:
        The same, nested.

    Raises:
        SettingsError: If one of them is such a setting, or names a file.
    """
    nested = nest(changes)
    for name in _OF_WHO_STARTS:
        if name in nested:
            raise SettingsError(
                f"{name} cannot be set here: models belong to who starts the server"
            )
    for key, text in _texts(nested, ""):
        if not _is_plain(text):
            raise SettingsError(
                f"{key} was given {text[:80]!r}; a text may only be a word, a number or a date "
                "here, no file"
            )
    return nested


def check_size(settings: Settings) -> None:
    """Refuse a run that is too large to wait for, or that a model would take part in.

    Raises:
        SettingsError: If agents times steps are more than `MOST_AGENT_STEPS`, or the mind is
            not the rule mind.
    """
    work = settings.agents * settings.days * 24 / settings.tick
    if work > MOST_AGENT_STEPS:
        raise SettingsError(
            f"{settings.agents:,} agents for {settings.days:g} days are {work:,.0f} agent-steps; "
            f"at most {MOST_AGENT_STEPS:,} are made here, so set fewer agents or days"
        )
    if settings.mind != "rule":
        raise SettingsError(f"the run's mind is {settings.mind}; only runs by rule are made here")


def _texts(value: object, key: str) -> Iterator[tuple[str, str]]:
    """Every text of the changes, with the name of its setting."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, Mapping):
        for name, one in value.items():
            yield from _texts(one, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one, key)


def _is_plain(text: str) -> bool:
    words = all(c.isalnum() or c in " _-+:," for c in text)
    return _is_number(text) or (words and not Path(text).is_file())


def _is_number(text: Any) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
