"""Read design files: TOML with a scenario, and error messages that name the line."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeGuard, get_args

from pydantic import BaseModel

from memopolis.sim.errors import DataFileError, ParameterError, did_you_mean
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.settings import Origin
from memopolis.sim.settings_text import SettingRow, describe
from memopolis.sim.sweep.design import Design
from memopolis.sim.sweep.factors import Range, plain
from memopolis.sim.toml_files import read_toml


class DesignToml:
    """The content of a design file, a TOML file with a scenario, and other `keys` and tables."""

    def __init__(self, path: Path, keys: Sequence[str]) -> None:
        self._path = path
        self._text, self.content = read_toml(
            path,
            unreadable=f"cannot read the design {path}",
            invalid=f"the design {path} is not valid TOML",
        )
        for key in self.content:
            if key not in keys:
                advice = did_you_mean(key, keys) or "settings go below [settings]; "
                raise DataFileError(
                    f"{self._place(key)}: a design has no key {key!r}; {advice}allowed are "
                    f"{', '.join(keys)}"
                )
        if not isinstance(self.content.get("scenario"), str):
            raise DataFileError(f'{path}: it lacks the scenario; write scenario = "hurricane"')

    @property
    def scenario(self) -> str:
        """The scenario; the path of a scenario file may be relative to the design's folder."""
        scenario = str(self.content["scenario"])
        file, colon, name = scenario.partition(".py")
        near = self._path.parent / f"{file}.py"
        if colon and not Path(f"{file}.py").is_file() and near.is_file():
            return f"{near}{name}"
        return scenario

    def table(self, name: str) -> dict[str, Any]:
        """Return a table, empty if it is missing. Raises ParameterError if it is not a table."""
        table = self.content.get(name, {})
        if not isinstance(table, dict):
            raise ParameterError(f"{name} is {table!r}; write a table below [{name}]")
        return dict(table)

    @contextmanager
    def naming_lines(self) -> Iterator[None]:
        """Convert a `ParameterError` to a `DataFileError` with the line that it is about."""
        try:
            yield
        except ParameterError as error:
            words = re.findall(r"[A-Za-z_][\w.]*", str(error))
            named = [part for word in words for part in (word, word.rpartition(".")[2])]
            key = next((key for key in named if self._line(key)), "")
            raise DataFileError(f"{self._place(key)}: {error}") from None

    def _line(self, key: str) -> int:
        """Return the line of a key or table, from 1; 0 if there is none."""
        wanted = re.compile(rf"""\s*(?:\[+\s*)?["']?{re.escape(key)}["']?\s*[\].=]""")
        lines = enumerate(self._text.splitlines(), 1)
        return next((number for number, line in lines if wanted.match(line)), 0)

    def _place(self, key: str) -> str:
        number = self._line(key) if key else 0
        return f"{self._path}, line {number}" if number else str(self._path)


_PLAIN = ("sampling", "samples", "replications", "seed", "seeds", "outcomes")
KEYS = ("scenario", *_PLAIN, "settings", "factors", "points", "vary")
"""Keys and tables allowed at the top of a design file."""

_ENDS = {"low", "high"}
_VARY = ("origins", "share", "except")
_NUMBERS = ("number", "whole number")


def design_from_file(path: str | Path) -> Design:
    """Read a design from a TOML file; `Design.planned` checks its scenario and settings.

    It has `scenario`, and optionally `sampling`, `samples`, `replications`, `seed`, `seeds`,
    `outcomes`, and tables `settings`, `factors`, `points` and `vary` (see `factors_by_origin`). The
    path of a scenario file may be relative to the folder of the design. A DataFileError contains
    the line of an unknown or invalid entry.
    """
    file = DesignToml(Path(path), KEYS)
    options = {key: file.content[key] for key in _PLAIN if key in file.content}
    with file.naming_lines():
        return Design(
            file.scenario, settings=plain(file.table("settings")), factors=_factors(file), **options
        )


def _factors(file: DesignToml) -> Any:
    """Return factors by dotted key, or the list of points."""
    content = file.content
    points = content.get("points", [])
    if "vary" in content:
        settings = find_scenario(file.scenario).settings_class
        return factors_by_origin(settings, file.table("vary")) | _flat(file.table("factors"))
    if content.get("sampling", "grid") != "points":
        if points:
            raise ParameterError('the design lists points; set sampling = "points"')
        return _flat(file.table("factors"))
    if file.table("factors"):
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


def factors_by_origin(settings: type[BaseModel], asked: Mapping[str, object]) -> dict[str, Range]:
    """Return a range around the default of each numeric setting of some origins, by name.

    This answers which results depend on numbers that were set by hand, without a list of them.

    Settings that are lists, that are 0 by default, or that act only with another value of a setting
    than its default are left out. `asked` has `origins`, such as ["calibrated", "illustrative"];
    `share`, by which defaults are lowered and raised within their limits, in (0, 1); and `except`,
    names of settings to leave out.
    """
    origins, share, left_out = _checked(asked)
    rows = describe(settings)
    defaults = {row.key: row.default for row in rows}
    unknown = sorted(left_out - set(defaults))
    if unknown:
        advice = did_you_mean(unknown[0], list(defaults))
        raise ParameterError(f"vary: except names {unknown[0]!r}, which is no setting; {advice}")
    ranges = {
        row.key: _around(row, share)
        for row in rows
        if row.type in _NUMBERS
        and row.origin in origins
        and row.key not in left_out
        and float(row.default) != 0
        and all(defaults[key] in values for key, values in row.acts_with.items())
    }
    if not ranges:
        raise ParameterError(f"vary: no numeric setting has the origin {' or '.join(origins)}")
    return ranges


def _checked(asked: Mapping[str, object]) -> tuple[Sequence[str], float, set[str]]:
    """Return origins, share and exceptions."""
    unknown = next((key for key in asked if key not in _VARY), None)
    if unknown is not None:
        raise ParameterError(f"vary has no key {unknown!r}; allowed are {', '.join(_VARY)}")
    known = get_args(Origin.__value__)
    origins, share, left_out = asked.get("origins"), asked.get("share"), asked.get("except", [])
    if not _is_texts(origins) or not origins or not set(origins) <= set(known):
        raise ParameterError(
            f"vary: origins is {origins!r}; give a list of some of {', '.join(known)}"
        )
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share < 1:
        raise ParameterError(f"vary: share is {share!r}; give a number above 0 and below 1")
    if not _is_texts(left_out):
        raise ParameterError(f"vary: except is {left_out!r}; give a list of names of settings")
    return origins, float(share), set(left_out)


def _is_texts(value: object) -> TypeGuard[Sequence[str]]:
    return isinstance(value, list | tuple) and all(isinstance(text, str) for text in value)


def _around(row: SettingRow, share: float) -> Range:
    default = float(row.default)
    ends = sorted(float(f"{default * factor:.12g}") for factor in (1 - share, 1 + share))
    whole = row.type == "whole number"
    if whole:  # at least one step to each side
        ends = [min(round(ends[0]), default - 1), max(round(ends[1]), default + 1)]
    low = ends[0] if row.low is None else max(ends[0], row.low)
    high = ends[1] if row.high is None else min(ends[1], row.high)
    return Range(low, high, whole=whole)
