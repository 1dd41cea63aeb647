"""Arms of a comparison: a name that the scenario declares, or changes of settings as typed."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memopolis.sim.errors import ParameterError, UnknownNameError, did_you_mean
from memopolis.sim.settings import nest

if TYPE_CHECKING:
    from memopolis.sim.society_base import SocietyBase

type Changes = Mapping[str, object]
"""Settings of an arm that differ from the others', by name, nested or by dotted key."""

# A "+" joins changes only where another change or an arm's name follows: 1e+3 is one value.
_JOINS = re.compile(r"\+(?=\s*[A-Za-z_])")
_UNSAFE = re.compile(r"[^\w.=+-]+")


def read_arms(scenario: "type[SocietyBase[Any]]", texts: Sequence[str]) -> dict[str, Changes]:
    """Read arms as they are typed.

    Args:
        scenario: Whose `arms` can be named.
        texts: Each the name of an arm, `key=value`, or several of both joined by "+".

    Returns:
        Changes of settings by arm, in the order given.

    Raises:
        UnknownNameError: If a name is no arm of the scenario.
        ParameterError: If there are fewer than two arms, or one comes twice.
    """
    named = [text.strip() for text in texts if text.strip()]
    check_arms(named)
    return {text: changes_of(scenario, text) for text in named}


def check_arms(names: Sequence[str]) -> None:
    """Refuse arms that cannot be compared.

    Raises:
        ParameterError: If there are fewer than two arms, or two have one name or folder.
    """
    if len(names) < 2:
        raise ParameterError(
            f"arms are {', '.join(names) or 'none'}; a comparison needs at least two, such as "
            "--arms control,echo"
        )
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ParameterError(f"arms name {', '.join(sorted(twice))} twice; name each once")
    folders = [folder_name(name) for name in names]
    if len(set(folders)) < len(names):
        raise ParameterError(f"arms {', '.join(names)} would share a folder; name them apart")


def folder_name(arm: str) -> str:
    """An arm's name as the name of a folder: what a path may not hold becomes "_"."""
    return _UNSAFE.sub("_", arm)


def changes_of(scenario: "type[SocietyBase[Any]]", text: str) -> Changes:
    """Settings that an arm changes, nested.

    Args:
        scenario: Whose `arms` can be named.
        text: Name of an arm, `key=value`, or several of both joined by "+".

    Raises:
        UnknownNameError: If a name is no arm of the scenario.
        ParameterError: If a change is not written as `key=value`.
    """
    changes: dict[str, object] = {}
    for part in _JOINS.split(text):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            changes |= _named(scenario, key)
        elif not all(key.split(".")):
            raise ParameterError(f"arm {text}: write a change as name=value or group.name=value")
        else:
            changes[key] = value
    return nest(changes)


def _named(scenario: "type[SocietyBase[Any]]", name: str) -> Changes:
    known = scenario.arms
    if name in known:
        return known[name]
    advice = did_you_mean(name, known)
    raise UnknownNameError(
        f"{scenario.__name__} has no arm {name!r}; {advice}there are "
        f"{', '.join(known) or 'none'}, and any setting as key=value"
    )
