"""Assign agents to parts: by zone, so that parts have nearly equal numbers of agents."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.block import Block
from memopolis.sim.errors import BlockError, SettingsError

if TYPE_CHECKING:
    from memopolis.sim.population import Population
    from memopolis.sim.society_base import SocietyBase

type Owner = NDArray[np.int16]


def check_divisible(society: "SocietyBase[Any]", parts: int) -> None:
    """Refuse to divide a society that cannot be divided into so many parts.

    Raises:
        SettingsError: If there are fewer zones than parts, or a setting does not allow parts.
        BlockError: If a block handles one agent at a time.
    """
    settings = society.settings
    if settings.mind != "rule":
        raise SettingsError(
            f"setting parts is {parts} with mind {settings.mind!r}; a divided society needs the "
            "mind rule, so set mind=rule or parts=1"
        )
    if settings.memory.store != "arrays":
        raise SettingsError(
            f"setting parts is {parts} with memory.store {settings.memory.store!r}; a divided "
            "society needs memory.store=arrays"
        )
    for population in society.populations:
        for block in population.blocks:
            if isinstance(block, Block) and block.acts_alone:
                raise BlockError(
                    f"setting parts is {parts}, but the block {block.name} handles one agent at a "
                    "time; write it with step or with perceive and apply, or set by_row = True"
                )
    zones = None if society.place is None else len(society.place.zones)
    most = len(society.populations[0]) if zones is None else zones
    if parts > most:
        what = "agents" if zones is None else "zones"
        raise SettingsError(
            f"setting parts is {parts}, but the society has {most} {what}; set parts to at most "
            f"{most}"
        )


def assign_owners(society: "SocietyBase[Any]", parts: int) -> dict[str, Owner]:
    """Assign the agents of each divided population to parts.

    A population is divided if its agents have a zone. An agent belongs to the part of its zone.
    Zones are assigned, the largest first, each to the part with the fewest agents so far. Agents
    outside all zones belong to part 0. Without zones, the first population is divided into
    contiguous blocks of rows. Every part stores the memories of all other populations.

    Returns:
        Part of each agent by name of the population, int16, shape (agents,).
    """
    place = society.place
    zones = {one.name: _zones_of(one) for one in society.populations if len(one) > 1}
    zones_by_name = {name: zone for name, zone in zones.items() if zone is not None}
    if place is None or not zones_by_name:
        first = society.populations[0]
        return {first.name: (np.arange(len(first)) * parts // len(first)).astype(np.int16)}
    known = [zone[zone >= 0] for zone in zones_by_name.values()]
    counts = np.bincount(np.concatenate(known), minlength=len(place.zones))
    part_of = _balance(counts, parts)
    return {
        name: np.where(zone >= 0, part_of[zone], 0).astype(np.int16)
        for name, zone in zones_by_name.items()
    }


def _zones_of(population: "Population") -> NDArray[np.int64] | None:
    """Return the zone of each agent: its first attribute with the role "zone"."""
    for name, attribute in population.attributes.items():
        if attribute.role == "zone":
            return population[name].astype(np.int64)
    return None


def _balance(counts: NDArray[np.int64], parts: int) -> NDArray[np.int64]:
    """Return the part of each zone with a number of agents."""
    part_of = np.zeros(len(counts), np.int64)
    agents, zones = [0] * parts, [0] * parts
    for zone in np.argsort(-counts, kind="stable").tolist():
        part = min(range(parts), key=lambda one: (agents[one], zones[one]))
        part_of[zone] = part
        agents[part] += int(counts[zone])
        zones[part] += 1
    return part_of
