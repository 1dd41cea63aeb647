"""Divide a society into parts during a run; part 0 is in this process and records the run."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any

import cloudpickle
import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.streams.owned_streams import join_streams, select_owned
from memopolis.sim.memory.streams.side_columns import below
from memopolis.sim.memory.streams.stream import Streams
from memopolis.sim.memory.views.base_stream import CohortStream
from memopolis.sim.parts.division import Division
from memopolis.sim.parts.link import Channel, Hub
from memopolis.sim.parts.serving import Start, Usage, usage_of
from memopolis.sim.parts.workers import open_on_dask, open_on_ray, open_processes
from memopolis.sim.recording.stopping import StopRun
from memopolis.sim.scenario_reference import FROM_FILE
from memopolis.sim.state.state import State, state_of

if TYPE_CHECKING:
    from memopolis.sim.recording.rows import DecisionRows
    from memopolis.sim.society_base import SocietyBase
from typing import TYPE_CHECKING

from memopolis.sim.block import Block
from memopolis.sim.errors import BlockError, SettingsError

if TYPE_CHECKING:
    from memopolis.sim.population import Population
    from memopolis.sim.society_base import SocietyBase

# Assign agents to parts: by zone, so that parts have nearly equal numbers of agents.

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


@contextmanager
def divided(society: "SocietyBase[Any]") -> Iterator[None]:
    """Divide a society into the parts of its settings, and join it again at the end.

    Raises:
        SettingsError: If the society cannot be divided.
        ExtraError: If the package of the executor is not installed.
        ServerError: If a cluster does not answer.
        PartLostError: If the process of a part has died.
    """
    parts = society.settings.parts
    check_divisible(society, parts)
    threads = [population.memory.threads for population in society.populations]
    with open_channels(society.settings.executor, parts - 1) as channels:
        root = RootDivision(society, Hub(channels))
        society.division = society.root = root
        try:
            yield
            root.join()
        except StopRun:  # between two steps
            root.join()
            raise
        finally:
            society.division = society.root = None
            for population, number in zip(society.populations, threads, strict=True):
                population.memory.owners = None
                population.memory.open_stream = CohortStream
                population.memory.threads = number


def open_channels(executor: str, count: int) -> AbstractContextManager[Sequence[Channel]]:
    """Start the parts 1 to `count` on an executor, see the setting."""
    name, _, address = executor.partition("=")
    if name == "processes":
        return open_processes(count)
    return (open_on_dask if name == "dask" else open_on_ray)(address, count)


class RootDivision(Division):
    """Part 0, which commands all others.

    Args:
        society: The society, with the streams of all agents.
        hub: Link to the other parts.
    """

    def __init__(self, society: "SocietyBase[Any]", hub: Hub) -> None:
        self._hub = hub
        owners = assign_owners(society, hub.parts)
        scenario, state = _dump(type(society)), state_of(society)
        for part in range(1, hub.parts):
            own = _state_of_part(state, owners, part)
            hub.send(part, "start", Start(part, hub.parts, scenario, own, owners))
        hub.answers()
        super().__init__(society, owners, hub)

    def step(self) -> None:
        """Make a step in all parts."""
        self._hub.command("step", self._society.interventions)
        self._society.step()

    def decisions(self) -> "list[DecisionRows]":
        """Return the decisions that the other parts have made for their agents in this step."""
        return list(chain.from_iterable(self._hub.answers()))

    @contextmanager
    def whole(self) -> Iterator[None]:
        """Collect the streams of all parts in this process for a while."""
        self.join()
        yield
        self.drop_others()

    def join(self) -> None:
        """Collect the streams of all parts in this process."""
        self._hub.command("streams")
        answers = self._hub.answers()
        for population in self.divided():
            memory = population.memory
            each = [memory.streams.state(), *(one[population.name] for one in answers)]
            whole = Streams(0)
            whole.restore(join_streams(each, memory.owners.owner))
            memory.streams = whole

    def usage(self) -> list[Usage]:
        """Return how much memory each part uses."""
        self._hub.command("usage")
        return [usage_of(self._society), *self._hub.answers()]

    @property
    def exchanged(self) -> int:
        """Bytes that part 0 has sent and received so far."""
        return self._hub.bytes


def _state_of_part(state: State, owners: dict[str, NDArray[np.int16]], part: int) -> State:
    """Return a state with the streams that a part owns."""
    arrays = dict(state.arrays)
    for name, owner in owners.items():
        prefix = f"{name}/memory/streams/"
        own = select_owned(below(arrays, prefix), owner == part)
        arrays |= {f"{prefix}{key}": values for key, values in own.items()}
    return State(arrays, state.plain)


def _dump(scenario: type[Any]) -> bytes:
    """Pickle the class of a society: by name if other processes can import it, else by value."""
    module = scenario.__module__
    if module.startswith(FROM_FILE):
        cloudpickle.register_pickle_by_value(sys.modules[module])
    content: bytes = cloudpickle.dumps(scenario)
    return content
