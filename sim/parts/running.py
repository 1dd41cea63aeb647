"""Divide a society into parts during a run; part 0 is in this process and records the run.

The other parts are local processes, each behind a pipe, or actors of a cluster.
"""

import asyncio
import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from itertools import chain
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import cloudpickle
import numpy as np
from numpy.typing import NDArray

from memopolis.sim.block import Block
from memopolis.sim.errors import BlockError, PartLostError, SettingsError
from memopolis.sim.executors.named import dask_client, ray_cluster
from memopolis.sim.executors.processes import IN_A_SCRIPT, process_context, take_environment
from memopolis.sim.memory.streams.owned_streams import join_streams, select_owned
from memopolis.sim.memory.streams.side_columns import below
from memopolis.sim.memory.streams.stream import Streams
from memopolis.sim.memory.views.base_stream import CohortStream
from memopolis.sim.parts.division import Division
from memopolis.sim.parts.link import Channel, Hub
from memopolis.sim.parts.serving import Start, Usage, serve, usage_of
from memopolis.sim.recording.stopping import StopRun, end_with_parent, ignore_interrupts
from memopolis.sim.scenario_reference import FROM_FILE
from memopolis.sim.state.state import State, state_of

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerProcess, SpawnProcess

    from memopolis.sim.population import Population
    from memopolis.sim.recording.rows import DecisionRows
    from memopolis.sim.society_base import SocietyBase


_PATIENCE = 5.0
"""Seconds until a process that does not end by itself is killed."""


class Pipe:
    """One end of a pipe between part 0 and another part."""

    def __init__(self, connection: Connection, name: str) -> None:
        self._connection = connection
        self._name = name
        self._has_answered = False

    def send(self, content: bytes) -> None:
        """Send a message, see `Channel.send`."""
        try:
            self._connection.send_bytes(content)
        except OSError as error:
            raise PartLostError(f"the process of {self._name} has died") from error

    def receive(self) -> bytes:
        """Wait for the next message, see `Channel.receive`."""
        try:
            content = self._connection.recv_bytes()
        except (OSError, EOFError) as error:
            advice = "" if self._has_answered else f" on startup; {IN_A_SCRIPT}"
            raise PartLostError(f"the process of {self._name} has died{advice}") from error
        self._has_answered = True
        return content


@contextmanager
def open_processes(count: int) -> Iterator[Sequence[Pipe]]:
    """Start processes of the parts 1 to `count`, and end them on exit."""
    context = process_context()
    channels: list[Pipe] = []
    connections: list[Connection] = []
    processes: list[ForkServerProcess | SpawnProcess] = []
    try:
        for part in range(1, count + 1):
            local, remote = context.Pipe()
            begin = (remote, dict(os.environ))
            process = context.Process(target=_begin, args=begin, name=f"part-{part}")
            process.start()
            remote.close()
            processes.append(process)
            connections.append(local)
            channels.append(Pipe(local, f"part {part} of the society"))
        yield channels
    finally:
        for connection in connections:
            connection.close()
        for process in processes:
            process.join(_PATIENCE)
            if process.is_alive():
                process.kill()
                process.join()


def _begin(connection: Connection, environment: Mapping[str, str]) -> None:
    """Run a part in a new process until part 0 closes the pipe."""
    take_environment(environment)
    end_with_parent()
    ignore_interrupts()
    try:
        serve(Pipe(connection, "part 0 of the society"))
    except PartLostError:
        return


# Parts of a society on a Dask or Ray cluster, each an actor, to which part 0 sends messages.
#
# The cluster chooses the machines, carries the messages and notices if a worker dies.


type _Messages = SimpleQueue[bytes | None]
"""Messages in order; None after the last."""


class PartActor:
    """Runs a part in a thread of a worker."""

    def __init__(self) -> None:
        self._received: _Messages = SimpleQueue()
        self._sent: _Messages = SimpleQueue()
        ends = _Ends(self._received, self._sent)
        threading.Thread(target=ends.serve, name="part", daemon=True).start()
        weakref.finalize(self, self._received.put, None)

    async def talk(self, content: bytes) -> bytes | None:
        """Send a message to the part, and return its next one; None if it has ended."""
        self._received.put(content)
        return await asyncio.to_thread(self._sent.get)


class _Ends:
    """The end of the part: the channel to part 0."""

    def __init__(self, received: _Messages, sent: _Messages) -> None:
        self._received = received
        self._sent = sent

    def serve(self) -> None:
        """Run the part until part 0 ends."""
        try:
            with suppress(PartLostError):
                serve(self)
        finally:
            self._sent.put(None)

    def send(self, content: bytes) -> None:
        """Send a message, see `Channel.send`."""
        self._sent.put(content)

    def receive(self) -> bytes:
        """Wait for the next message, see `Channel.receive`."""
        content = self._received.get()
        if content is None:
            raise PartLostError("part 0 of the society has ended")
        return content


class ActorChannel:
    """The end of part 0: messages are calls of an actor, and their results.

    Args:
        talk: Calls the actor; returns a function that waits for the result.
        name: Name of the part, for messages.
    """

    def __init__(self, talk: Callable[[bytes], Callable[[], bytes | None]], name: str) -> None:
        self._talk = talk
        self._name = name
        self._wait: Callable[[], bytes | None] | None = None

    def send(self, content: bytes) -> None:
        """Send a message, see `Channel.send`."""
        try:
            self._wait = self._talk(content)
        except Exception as error:
            raise self._lost(error) from error

    def receive(self) -> bytes:
        """Wait for the next message, see `Channel.receive`."""
        assert self._wait is not None  # noqa: S101 - part 0 speaks first
        try:
            content = self._wait()
        except Exception as error:  # Dask and Ray raise errors of many kinds for a dead worker
            raise self._lost(error) from error
        if content is None:
            raise PartLostError(f"{self._name} has ended")
        return content

    def _lost(self, error: Exception) -> PartLostError:
        return PartLostError(f"the worker of {self._name} has died: {error}")


@contextmanager
def open_on_dask(address: str, count: int) -> Iterator[Sequence[ActorChannel]]:
    """Start actors of the parts 1 to `count` on Dask workers, and end them on exit."""
    with dask_client(address, count) as client:
        client.wait_for_workers(1)
        workers = sorted(client.scheduler_info(n_workers=-1)["workers"])
        futures = [
            client.submit(
                PartActor, actor=True, workers=[workers[number % len(workers)]], pure=False
            )
            for number in range(count)
        ]
        actors = [future.result() for future in futures]

        def channel(number: int) -> ActorChannel:
            actor = actors[number]
            return ActorChannel(lambda content: actor.talk(content).result, _name(number))

        channels = [channel(number) for number in range(count)]
        try:
            yield channels
        finally:
            for future in futures:
                future.release()


@contextmanager
def open_on_ray(address: str, count: int) -> Iterator[Sequence[ActorChannel]]:
    """Start actors of the parts 1 to `count` on Ray workers, and end them on exit."""
    with ray_cluster(address, count) as ray:
        kind = ray.remote(num_cpus=1, scheduling_strategy="SPREAD")(PartActor)
        actors = [kind.remote() for _ in range(count)]

        def channel(number: int) -> ActorChannel:
            def talk(content: bytes) -> Callable[[], Any]:
                reply = actors[number].talk.remote(content)
                return lambda: ray.get(reply)

            return ActorChannel(talk, _name(number))

        try:
            yield [channel(number) for number in range(count)]
        finally:
            for actor in actors:
                with suppress(Exception):  # the cluster may be gone
                    ray.kill(actor)


def _name(number: int) -> str:
    return f"part {number + 1} of the society"


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
    zones = {
        population.name: _zones_of(population)
        for population in society.populations
        if len(population) > 1
    }
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
        part = min(range(parts), key=lambda number: (agents[number], zones[number]))
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
            each = [memory.streams.state(), *(answer[population.name] for answer in answers)]
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
