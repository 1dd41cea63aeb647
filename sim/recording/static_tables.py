"""Tables that are recorded once: those of the scenario, and its place and its ties, if any."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

if TYPE_CHECKING:
    from memopolis.sim.society_base import SocietyBase
    from memopolis.sim.world.place import Place
    from memopolis.sim.world.ties import Ties

MOST_TIED = 400
"""People whose ties are recorded where the scenario does not record all (choice)."""


def static_tables(society: "SocietyBase[Any]") -> dict[str, pd.DataFrame]:
    """Gather the tables of a society that do not change in a run.

    Args:
        society: Built.

    Returns:
        By name: what `Society.static_tables` gives; where that says nothing of them, also
        `zones`, of its place, and `ties`, among at most `MOST_TIED` of its first population.
        None if the world is not to be recorded.
    """
    if "world" not in society.settings.record.tables:
        return {}
    found = dict(society.static_tables())
    if society.place is not None and "zones" not in found:
        found["zones"] = zones_table(society.place)
    people = society.populations[0] if society.populations else None
    if people is not None and len(people.ties) and "ties" not in found:
        found["ties"] = ties_table(people.ties, people.ids)
    return found


def zones_table(place: "Place") -> pd.DataFrame:
    """The zones of a place in the order of their numbers, as its own table has them."""
    zones = place.table.copy()
    zones["label"] = place.labels
    zones["number"] = np.arange(len(zones))
    return zones


def ties_table(ties: "Ties", ids: NDArray[np.int64]) -> pd.DataFrame:
    """Ties among some who hang together, each tie of a kind once.

    Args:
        ties: Of a population.
        ids: unique_id by row.

    Returns:
        Columns source, target (unique_id) and kind; no rows where nobody is tied.
    """
    chosen = ties.hanging_together(MOST_TIED)
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
