"""Parts of a society in local processes, each connected with part 0 by a pipe."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from memopolis.sim.errors import PartLostError
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
