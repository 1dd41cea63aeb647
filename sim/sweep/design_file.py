"""Read the design of a sweep from a TOML file, for `memopolis sweep`."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memopolis.sim.errors import DataFileError, ParameterError, did_you_mean, reason_of
from memopolis.sim.sweep.design import Design
from memopolis.sim.sweep.factors import plain

_PLAIN = ("sampling", "samples", "replications", "seed", "seeds", "outcomes")
KEYS = ("scenario", *_PLAIN, "settings", "factors", "points")
"""Keys and tables allowed at the top of a design file."""

_ENDS = {"low", "high"}


def design_from_file(path: str | Path) -> Design:
    """Read a design from a TOML file; `Design.planned` checks its scenario and settings.

    It has `scenario`, and optionally `sampling`, `samples`, `replications`, `seed`, `seeds`,
    `outcomes`, and tables `settings`, `factors` and `points`. The path of a scenario file may be
    relative to the folder of the design.

    Raises:
        DataFileError: If the file is missing, not TOML, or has an unknown or invalid entry; the
            message contains the line.
    """
    path = Path(path)
    text, content = _toml(path)
    for key in content:
        if key not in KEYS:
            advice = did_you_mean(key, KEYS) or "settings go below [settings]; "
            raise DataFileError(
                f"{_at(path, text, key)}: a design has no key {key!r}; {advice}allowed are "
                f"{', '.join(KEYS)}"
            )
    if not isinstance(content.get("scenario"), str):
        raise DataFileError(f'{path}: it lacks the scenario; write scenario = "hurricane"')
    options = {key: content[key] for key in _PLAIN if key in content}
    try:
        return Design(
            _resolve_scenario(path, content["scenario"]),
            settings=plain(_table(content, "settings")),
            factors=_factors(content),
            **options,
        )
    except ParameterError as error:
        key = next((k for k in _named_in(str(error)) if _line(text, k)), "")
        raise DataFileError(f"{_at(path, text, key)}: {error}") from None


def _toml(path: Path) -> tuple[str, dict[str, Any]]:
    """Return the text of a file and its parsed content."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        return text, tomllib.loads(text)
    except OSError as error:
        raise DataFileError(f"cannot read the design {path}: {reason_of(error)}") from None
    except ValueError as error:  # invalid TOML or UTF-8
        raise DataFileError(f"the design {path} is not valid TOML: {error}") from None
    except RecursionError:
        raise DataFileError(f"the design {path} is not valid TOML: nested too deeply") from None


def _resolve_scenario(path: Path, scenario: str) -> str:
    """Return the path of a scenario file, also relative to the folder of the design."""
    file, colon, name = scenario.partition(".py")
    near = path.parent / f"{file}.py"
    if colon and not Path(f"{file}.py").is_file() and near.is_file():
        return f"{near}{name}"
    return scenario


def _factors(content: Mapping[str, Any]) -> Any:
    """Return factors by dotted key, or the list of points."""
    points = content.get("points", [])
    if content.get("sampling", "grid") != "points":
        if points:
            raise ParameterError('the design lists points; set sampling = "points"')
        return _flat(_table(content, "factors"))
    if _table(content, "factors"):
        raise ParameterError('sampling is "points"; remove [factors] and list the [[points]]')
    if not isinstance(points, list) or not all(isinstance(point, dict) for point in points):
        raise ParameterError("points must be a list of tables; write [[points]] above each")
    return [_flat(point) for point in points]


def _flat(table: Mapping[str, Any], group: str = "") -> dict[str, Any]:
    """Flatten groups of factors to dotted keys; a table with low or high is a range."""
    flat: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, dict) and not _ENDS & set(value):
            flat |= _flat(value, f"{group}{name}.")
        else:
            flat[f"{group}{name}"] = value
    return flat


def _table(content: Mapping[str, Any], name: str) -> dict[str, Any]:
    table = content.get(name, {})
    if not isinstance(table, dict):
        raise ParameterError(f"{name} is {table!r}; write a table below [{name}]")
    return dict(table)


def _named_in(message: str) -> list[str]:
    """Return the words of a message that may be keys of the file, such as "decision.spread"."""
    words = re.findall(r"[A-Za-z_][\w.]*", message)
    return [part for word in words for part in (word, word.rpartition(".")[2])]


def _line(text: str, key: str) -> int:
    """Return the line of a key or table, from 1; 0 if there is none."""
    wanted = re.compile(rf"""\s*(?:\[+\s*)?["']?{re.escape(key)}["']?\s*[\].=]""")
    lines = enumerate(text.splitlines(), 1)
    return next((number for number, line in lines if wanted.match(line)), 0)


def _at(path: Path, text: str, key: str) -> str:
    number = _line(text, key) if key else 0
    return f"{path}, line {number}" if number else str(path)
