"""A design in a TOML file, as `memopolis sweep` takes it."""

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
"""What a design's file may say at its top."""

_ENDS = {"low", "high"}


def design_from_file(path: str | Path) -> Design:
    """Read a design.

    Args:
        path: A TOML file with `scenario`, and perhaps `sampling`, `samples`, `replications`,
            `seed`, `seeds`, `outcomes`, and tables `settings`, `factors` and `points`. A scenario
            of a file may be named as seen from the design's folder.

    Returns:
        The design; its scenario and settings are checked by `Design.planned`.

    Raises:
        DataFileError: If the file is missing, no TOML, or says what no design has; the message
            names the line.
    """
    path = Path(path)
    text, told = _toml(path)
    for key in told:
        if key not in KEYS:
            advice = did_you_mean(key, KEYS) or "settings go below [settings]; "
            raise DataFileError(
                f"{_at(path, text, key)}: no part of a design is called {key!r}; {advice}there "
                f"are {', '.join(KEYS)}"
            )
    if not isinstance(told.get("scenario"), str):
        raise DataFileError(f'{path}: it lacks the scenario; write scenario = "hurricane"')
    given = {key: told[key] for key in _PLAIN if key in told}
    try:
        return Design(
            _beside(path, told["scenario"]),
            settings=plain(_table(told, "settings")),
            factors=_factors(told),
            **given,
        )
    except ParameterError as error:
        key = next((k for k in _named_in(str(error)) if _line(text, k)), "")
        raise DataFileError(f"{_at(path, text, key)}: {error}") from None


def _toml(path: Path) -> tuple[str, dict[str, Any]]:
    """The text of a file, and what it says."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        return text, tomllib.loads(text)
    except OSError as error:
        raise DataFileError(f"cannot read the design {path}: {reason_of(error)}") from None
    except ValueError as error:  # both what TOML refuses and what is no UTF-8
        raise DataFileError(f"the design {path} is no TOML: {error}") from None
    except RecursionError:
        raise DataFileError(f"the design {path} is no TOML: it is nested too deep") from None


def _beside(path: Path, scenario: str) -> str:
    """A scenario; where its file does not lie here, it is looked for beside the design."""
    file, colon, name = scenario.partition(".py")
    near = path.parent / f"{file}.py"
    if colon and not Path(f"{file}.py").is_file() and near.is_file():
        return f"{near}{name}"
    return scenario


def _factors(told: Mapping[str, Any]) -> Any:
    """Factors by dotted key, or the points where these are listed."""
    points = told.get("points", [])
    if told.get("sampling", "grid") != "points":
        if points:
            raise ParameterError('points are listed, so write sampling = "points"')
        return _flat(_table(told, "factors"))
    if _table(told, "factors"):
        raise ParameterError("points are listed below [[points]], so [factors] is left out")
    if not isinstance(points, list) or not all(isinstance(point, dict) for point in points):
        raise ParameterError("points are listed, each below its own [[points]]")
    return [_flat(point) for point in points]


def _flat(table: Mapping[str, Any], group: str = "") -> dict[str, Any]:
    """Groups of factors as dotted keys; a table with low or high is a range."""
    flat: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, dict) and not _ENDS & set(value):
            flat |= _flat(value, f"{group}{name}.")
        else:
            flat[f"{group}{name}"] = value
    return flat


def _table(told: Mapping[str, Any], name: str) -> dict[str, Any]:
    table = told.get(name, {})
    if not isinstance(table, dict):
        raise ParameterError(f"{name} is {table!r}; write a table, below [{name}]")
    return dict(table)


def _named_in(message: str) -> list[str]:
    """Words of a message that may be keys of the file, such as "samples" or "decision.spread"."""
    words = re.findall(r"[A-Za-z_][\w.]*", message)
    return [part for word in words for part in (word, word.rpartition(".")[2])]


def _line(text: str, key: str) -> int:
    """Line in which a key is set or a table opened, from 1; 0 if there is none."""
    wanted = re.compile(rf"""\s*(?:\[+\s*)?["']?{re.escape(key)}["']?\s*[\].=]""")
    lines = enumerate(text.splitlines(), 1)
    return next((number for number, line in lines if wanted.match(line)), 0)


def _at(path: Path, text: str, key: str) -> str:
    number = _line(text, key) if key else 0
    return f"{path}, line {number}" if number else str(path)
