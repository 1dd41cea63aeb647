"""Connections to one server: clients of the package openai, and the event loop they live in."""

import asyncio
import threading
import weakref
from collections.abc import Coroutine
from typing import Any

from memopolis.sim.errors import ServerError
from memopolis.sim.model_server.key import KEY, PUBLIC, KeyMask, LogMask, read_key


class BackgroundLoop:
    """An event loop in a thread of its own, which ends with the program."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="memopolis-models", daemon=True
        )
        self._thread.start()

    def run[T](self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the loop and return its result. An interrupt cancels it."""
        doing = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return doing.result()
        except BaseException:
            doing.cancel()
            raise

    def stop(self) -> None:
        """End loop and thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        if threading.current_thread() is not self._thread:
            self._thread.join()
            self._loop.close()


class Connection:
    """Clients for one server, each with a pool of connections of its own; they run in `loop`.

    `largest` is the maximum number of bytes read of an answer, whatever its status, and `retries`
    the number of tries of a client after the first. Raises ServerError if the server needs a key
    and there is none.
    """

    def __init__(self, url: str, *, largest: int, pools: int = 1, retries: int = 0) -> None:
        import openai

        from memopolis.sim.model_server.guarded import GuardedClient

        key = read_key()
        if not key and url == PUBLIC:
            raise ServerError(f"{url} needs a key in the environment variable {KEY}")
        mask = KeyMask(key)
        self.clients: list[Any] = [
            openai.AsyncOpenAI(
                base_url=url,
                api_key=key or "none",
                max_retries=retries,
                http_client=GuardedClient(largest=largest, mask=mask),
            )
            for _ in range(pools)
        ]
        self.loop = BackgroundLoop()
        self._end = weakref.finalize(self, _end, self.loop, self.clients, LogMask(mask))

    def close(self) -> None:
        """Close the connections and end the thread."""
        self._end()


def _end(loop: BackgroundLoop, clients: list[Any], log_mask: LogMask) -> None:
    for client in clients:
        loop.run(client.close())
    loop.stop()
    log_mask.remove()
