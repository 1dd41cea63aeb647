"""The people of a run at a moment: who is there, and how they are."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from memopolis.analysis.tables import ranks
from memopolis.sim.errors import UnknownNameError

if TYPE_CHECKING:
    from memopolis.analysis.run_people import RunPeople

ZONE = "Zone"
"""How descriptions of attributes begin that hold the number of a zone."""
AWAY = "away"
"""Name of the zone -1."""


def people_of(run: "RunPeople", population: str) -> pd.DataFrame:
    """Gather who is there; as `Run.people`."""
    population = population or first_population(run)
    found = run.rows.newest(f"agents_{population}", run.ticks).to_pandas()
    if found.empty:
        found = never_changing(run, population)
    return described(run, population, found)


def first_population(run: "RunPeople") -> str:
    """Name of the population that tables take for the people.

    Raises:
        UnknownNameError: If there is none.
    """
    if not run.populations:
        raise UnknownNameError(f"the society of {run.folder} has no population")
    return run.populations[0]


def described(run: "RunPeople", population: str, status: pd.DataFrame) -> pd.DataFrame:
    """Put names, zones and times beside a status.

    Args:
        run: Whose people they are.
        population: Whose members they are.
        status: Columns tick, agent and attributes, shape (people,).
    """
    found = status.sort_values("agent", ignore_index=True)
    agents, ticks = found.pop("agent"), found.pop("tick")
    names = found.pop("name").astype(str) if "name" in found else agents.map(run.name_of)
    times = run.time_of(ticks).where(ticks >= 0)
    first: dict[str, Any] = {"agent": agents, "name": names, "tick": ticks, "time": times}
    zone = _zone_attribute(run, population)
    if zone in found:
        first["zone"] = found[zone]
        first["zone_name"] = zones_by_name(run, found[zone])
    rest = found.drop(columns=[name for name in first if name in found])
    return pd.concat([pd.DataFrame(first), rest], axis=1)


def zones_by_name(run: "RunPeople", zones: pd.Series) -> pd.Series:
    """Names of zones by their numbers; -1 is away."""
    numbers = np.unique(zones.to_numpy())
    names = {n: run.place_name(int(n)) if n >= 0 else AWAY for n in numbers.tolist()}
    return zones.map(names).astype(object)


def is_zone(run: "RunPeople", population: str, attribute: str) -> bool:
    """Whether an attribute holds the number of a zone, by what it says it is."""
    return description_of(run, population, attribute).startswith(ZONE)


def description_of(run: "RunPeople", population: str, attribute: str) -> str:
    """What an attribute says it is, "" where it says nothing."""
    return str(run.attributes(population).get(attribute, {}).get("description", ""))


def _zone_attribute(run: "RunPeople", population: str) -> str:
    """The attribute that says where somebody is now, else the first that names a zone."""
    declared = run.attributes(population)
    zones = [name for name in declared if is_zone(run, population, name)]
    now = [name for name in zones if str(declared[name]["description"]).startswith("Zone now")]
    return str((now or zones or [""])[0])


def changing_in(run: "RunPeople", population: str) -> frozenset[str]:
    """Attributes that change in the whole of a run, for whomever.

    The manifest says so of each that a block writes, or that differed between two records; the
    records are compared where it says nothing, as in runs of older versions.
    """
    name = f"agents_{population}"
    declared = run.attributes(population)
    known = {c for c, one in declared.items() if "changes" in one}
    unsaid = sorted(run.rows.columns(name) - known - {"tick", "agent"})
    changing = {c for c in known if declared[c]["changes"]}
    if unsaid:
        rows = run.rows.read(name, unsaid)
        order = np.lexsort([rows["tick"].to_numpy(), rows["agent"].to_numpy()])
        same = np.diff(rows["agent"].to_numpy()[order]) == 0
        values = ((c, ranks(rows[c])[order]) for c in unsaid)
        changing |= {c for c, by_agent in values if (same & (np.diff(by_agent) != 0)).any()}
    return frozenset(changing)


def never_changing(run: "RunPeople", population: str) -> pd.DataFrame:
    """What is known of people of whom no status is recorded yet.

    Returns:
        Columns tick (-1), agent and the attributes that never change.
    """
    first = run.first_rows(population)
    stays = [name for name in first if name not in run.changing(population)]
    return first[stays].assign(tick=np.int32(-1))
