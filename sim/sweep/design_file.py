"""Read the design of a sweep from a TOML file, for `memopolis sweep`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memopolis.sim.errors import ParameterError
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.sweep.design import Design
from memopolis.sim.sweep.design_toml import DesignToml
from memopolis.sim.sweep.factors import plain
from memopolis.sim.sweep.factors_by_origin import factors_by_origin

_PLAIN = ("sampling", "samples", "replications", "seed", "seeds", "outcomes")
KEYS = ("scenario", *_PLAIN, "settings", "factors", "points", "vary")
"""Keys and tables allowed at the top of a design file."""

_ENDS = {"low", "high"}


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
