"""Parts of a society in local processes, each behind a pipe, or as actors of a cluster."""

import asyncio
import os
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from memopolis.sim.errors import PartLostError
from memopolis.sim.executors.clusters import dask_client, ray_cluster
from memopolis.sim.executors.processes import IN_A_SCRIPT, process_context, take_environment
from memopolis.sim.parts.serving import serve
from memopolis.sim.recording.stopping import end_with_parent, ignore_interrupts

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerProcess, SpawnProcess


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
