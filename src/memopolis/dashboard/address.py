"""The address of the page: this machine only, by default."""

import errno
import socket
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Self

from memopolis.sim.errors import ParameterError, reason_of

PORT = 8765  # default port of the page
LOCAL = ("127.0.0.1", "localhost", "::1")  # names of the loopback interface
_TRIED = 100  # number of ports to try in turn


@dataclass(frozen=True)
class Address:
    """Where the page is served."""

    host: str = LOCAL[0]  # address at which the server listens
    port: int = PORT

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    def listen(self) -> "Listener":
        """Listen at the first port from `port` on that is free; at any, if `port` is 0.

        The port stays reserved, so servers that start at the same time get different ports. Raises
        ParameterError if the host is not an address of this machine, or no port is free.
        """
        candidates = range(self.port, min(self.port + _TRIED, 65_536)) if self.port else (0,)
        for candidate in candidates:
            listener = self._listening(candidate)
            if listener is not None:
                return Listener(Address(self.host, int(listener.getsockname()[1])), listener)
        raise ParameterError(
            f"no port from {self.port} to {candidates[-1]} is free; choose another with --port"
        )

    def _listening(self, port: int) -> socket.socket | None:
        """Return a socket bound to a port; None if the port is taken or forbidden."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        with ExitStack() as opened:
            listener = opened.enter_context(socket.socket(family))
            # As usual for servers: a port is free even if a connection was closed a moment ago.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            # Connections inherit this; a server that receives only the socket cannot set it.
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                listener.bind((self.host, port))
                # Two sockets may be bound to a port while neither listens.
                listener.listen()
            except OSError as error:
                if error.errno in (errno.EADDRINUSE, errno.EACCES):
                    return None
                raise ParameterError(
                    f"--host {self.host} cannot be listened at: {_reason(error)}; this machine "
                    f"alone is {LOCAL[0]}"
                ) from None
            opened.pop_all()
            return listener


@dataclass(frozen=True)
class Listener:
    """A reserved port; a context manager that releases it at the end."""

    address: Address  # address of the socket
    socket: socket.socket  # the listening socket

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()


def _reason(error: OSError) -> str:
    # Errors of a name lookup have other numbers.
    if isinstance(error, socket.gaierror):
        return str(error.strerror)
    return reason_of(error)
