"""Collect the tables that are recorded once: those of the scenario, its zones and its ties."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

if TYPE_CHECKING:
    from memopolis.sim.society_base import SocietyBase
    from memopolis.sim.world.place import Place
    from memopolis.sim.world.ties import Ties

MOST_TIED = 400
"""Number of agents whose ties are recorded if the scenario does not record all (choice)."""


def static_tables(society: "SocietyBase[Any]") -> dict[str, pd.DataFrame]:
    """Collect the tables of a society that do not change in a run.

    Args:
        society: Society that has been built.

    Returns:
        Tables by name: those of `Society.static_tables`, and unless they include them, `zones` of
        the place and `ties` among at most `MOST_TIED` agents of the first population. Empty if
        the settings do not record the world.
    """
    if "world" not in society.settings.record.tables:
        return {}
    tables = dict(society.static_tables())
    if society.place is not None and "zones" not in tables:
        tables["zones"] = zones_table(society.place)
    people = society.populations[0] if society.populations else None
    if people is not None and len(people.ties) and "ties" not in tables:
        tables["ties"] = ties_table(people.ties, people.ids)
    return tables


def zones_table(place: "Place") -> pd.DataFrame:
    """Return the zones of a place in the order of their numbers."""
    zones = place.table.copy()
    zones["label"] = place.labels
    zones["number"] = np.arange(len(zones))
    return zones


def ties_table(ties: "Ties", ids: NDArray[np.int64]) -> pd.DataFrame:
    """Return the ties among some connected agents, each tie of a kind once.

    Args:
        ties: Ties of a population.
        ids: unique_id by row.

    Returns:
        Columns source, target (unique_id) and kind; no rows if there are no ties.
    """
    chosen = ties.connected_sample(MOST_TIED)
    inside = np.zeros(ties.agents, bool)
    inside[chosen] = True
    parts = []
    for kind, network in ties.items():
        count = network.count(chosen)
        source = np.repeat(chosen, count)
        starts = np.repeat(network.starts[chosen] - np.cumsum(count) + count, count)
        target = network.contacts[starts + np.arange(len(source))]
        once = (source < target) & inside[target]
        ends = {"source": ids[source[once]], "target": ids[target[once]]}
        parts.append(pd.DataFrame(ends).assign(kind=kind))
    return pd.concat(parts, ignore_index=True)
