"""Parse arms of a comparison: names that the scenario declares, or changes of settings."""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memopolis.sim.errors import ParameterError, UnknownNameError, did_you_mean
from memopolis.sim.files import write_whole, writing_to
from memopolis.sim.settings import nest

if TYPE_CHECKING:
    from memopolis.sim.society_base import SocietyBase

type Changes = Mapping[str, object]
"""Changed settings of an arm by name, nested or by dotted key."""

# A "+" joins changes only before another change or the name of an arm: 1e+3 is one value.
_JOINS = re.compile(r"\+(?=\s*[A-Za-z_])")
_UNSAFE = re.compile(r"[^\w.=+-]+")
ARMS = "arms.json"  # file in the folder of a comparison with the names of its arms
REPLICATES = "seed-*"  # pattern of `replicate_name`
_MOST_BYTES = 2**20  # maximum size of `ARMS`


def read_arms(scenario: "type[SocietyBase[Any]]", texts: Sequence[str]) -> dict[str, Changes]:
    """Parse at least two arms: the name of an arm, `key=value`, or several joined by "+".

    Returns the changes of settings by arm, in the order given.
    """
    named = [text.strip() for text in texts if text.strip()]
    check_arms(named)
    return {text: changes_of(scenario, text) for text in named}


def check_arms(names: Sequence[str]) -> None:
    """Refuse fewer than two arms, and arms of the same name or folder."""
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
    """Return the name of an arm as a folder name, with unsafe characters replaced by "_"."""
    return _UNSAFE.sub("_", arm)


def replicate_name(seed: int) -> str:
    """Return the name of the folder of a run within the folder of its arm."""
    return f"seed-{seed:05}"


def save_arms(folder: Path, names: Sequence[str]) -> None:
    """Save the names of the arms of a comparison in its folder, the reference first."""
    with writing_to(folder / ARMS):
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / ARMS, json.dumps(list(names), indent=1, ensure_ascii=False) + "\n")


def saved_arms(folder: Path) -> dict[str, str]:
    """Return the names of arms by folder name, the reference first; {} if none can be read."""
    file = folder / ARMS
    with suppress(OSError, ValueError, RecursionError):
        if file.stat().st_size <= _MOST_BYTES:
            names = json.loads(file.read_text(encoding="utf-8"))
            if isinstance(names, list):
                return {folder_name(name): name for name in names if isinstance(name, str)}
    return {}


def changes_of(scenario: "type[SocietyBase[Any]]", text: str) -> Changes:
    """Return the settings that an arm changes, nested; see `read_arms`."""
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
