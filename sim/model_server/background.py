"""Run an event loop in a separate thread, so that synchronous code can await many answers."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any


class BackgroundLoop:
    """One event loop that lives until it is stopped, in a thread that ends with the program."""

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
