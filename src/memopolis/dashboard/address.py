"""The address at which the page is served: this machine's own, unless it is told otherwise."""

import errno
import socket
from dataclasses import dataclass

from memopolis.sim.errors import ParameterError, reason_of

PORT = 8765
"""Port of the page unless it is told another one."""
LOCAL = ("127.0.0.1", "localhost", "::1")
"""Names of this machine for itself."""
_TRIED = 100
"""Ports that are tried, one after the other."""


@dataclass(frozen=True)
class Address:
    """Where the page is served.

    Attributes:
        host: Address at which the server listens.
        port: A port.
    """

    host: str = LOCAL[0]
    port: int = PORT

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    def free(self) -> "Address":
        """The first port from `port` on at which nobody listens; any, if `port` is 0.

        Raises:
            ParameterError: If the host is not this machine's, or no port is free.
        """
        candidates = range(self.port, min(self.port + _TRIED, 65_536)) if self.port else (0,)
        for candidate in candidates:
            found = self._bound(candidate)
            if found:
                return Address(self.host, found)
        raise ParameterError(
            f"no port from {self.port} to {candidates[-1]} is free; name another by --port"
        )

    def _bound(self, port: int) -> int:
        """The port, if it can be listened at; 0 if it is taken or forbidden."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        with socket.socket(family) as probe:
            # As servers do: a port whose last connection was closed a moment ago is free.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((self.host, port))
            except OSError as error:
                if error.errno in (errno.EADDRINUSE, errno.EACCES):
                    return 0
                raise ParameterError(
                    f"--host {self.host} cannot be listened at: {_reason(error)}; this machine "
                    f"alone is {LOCAL[0]}"
                ) from None
            return int(probe.getsockname()[1])


def _reason(error: OSError) -> str:
    # Errors of looking up a name have numbers of their own.
    if isinstance(error, socket.gaierror):
        return str(error.strerror)
    return reason_of(error)
