"""One visitor of the page: the watch, the chosen citizen and the selected tab."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from nicegui import background_tasks, ui
from nicegui.slot import Slot

from memopolis.analysis.run.run import Run
from memopolis.commands.run import seed_of
from memopolis.commands.shown_text import one_line
from memopolis.dashboard.watch.live import LiveWatch
from memopolis.dashboard.watch.watch import Watch
from memopolis.sim.errors import MemopolisError

type Callback = Callable[[], Awaitable[None] | None]
"""Callback of a panel, called without arguments after each change."""

# Some threads wait for a model's answer while others read.
_READERS = ThreadPoolExecutor(4, thread_name_prefix="reader")

CITIZEN = "citizen"
"""Name of the tab of the chosen citizen."""


@dataclass(eq=False)
class _Listener:
    """A panel's callback, and the latest moment for which it was called."""

    callback: Callback
    tab: str
    slot: Slot
    show_error: Callable[[str], None]
    seen: object = None
    running: bool = False


class Viewer:
    """One visitor of the page.

    Attributes:
        watch: The watch.
        agent: unique_id of the chosen citizen, None for no citizen.
        tab: Name of the selected tab.
        changes: Changed settings for the next reset, by dotted key.
        seed: Random seed for the next reset, as typed.
        address: Address of tab and citizen in the browser, "" before anything is shown.
    """

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.agent: int | None = None
        self.tab = ""
        self.address = ""
        self.changes: dict[str, Any] = {}
        self.seed = "" if self.live is None else str(self.live.seed)
        self.on_show: Callable[[str], None] = _ignore
        self._listeners: list[_Listener] = []
        self._building: tuple[str, Callable[[str], None]] = ("", _ignore)

    @property
    def live(self) -> LiveWatch | None:
        """The live watch, None in a replay."""
        return self.watch if isinstance(self.watch, LiveWatch) else None

    @property
    def runs(self) -> tuple[Run, ...]:
        """The runs at the current moment: one, or two side by side."""
        return self.watch.runs()

    def choose(self, agent: int | None) -> None:
        """Choose a citizen and show it; None for no citizen."""
        self.agent = agent
        if agent is not None:
            self.show(CITIZEN)
        self.refresh()

    def show(self, tab: str) -> None:
        """Show a tab by its name: map, network, citizens, citizen, shocks or settings."""
        self.tab = tab
        self.on_show(tab)
        self.refresh()

    def on_change(self, callback: Callback) -> None:
        """Call a function of a panel after each change of the moment or of the chosen citizen.

        It is called only while the panel's tab is shown. A coroutine function is not called again
        before it has ended; it is called once more if something changed meanwhile.
        """
        tab, show_error = self._building
        self._listeners.append(_Listener(callback, tab, ui.context.slot, show_error))

    async def work[T](self, ask: Callable[[], T]) -> T:
        """Run a function, which must not change the page, in another thread."""
        return await asyncio.get_running_loop().run_in_executor(_READERS, ask)

    def reset(self) -> str:
        """Start a new run with the settings and the seed that the visitor changed.

        Returns:
            "" if a new society is being built, else an error in one line.
        """
        if self.live is None:
            return "a replayed run cannot be reset"
        try:
            self.live.reset(self.changes, typed_seed(self.seed))
        except MemopolisError as error:
            return line_of(error)
        self.changes.clear()
        return ""

    @contextmanager
    def building(self, tab: str, show_error: Callable[[str], None]) -> Iterator[None]:
        """Build a panel of a tab; its callbacks belong to that tab."""
        before, self._building = self._building, (tab, show_error)
        try:
            yield
        finally:
            self._building = before

    def refresh(self) -> None:
        """Call the panels of the selected tab that are out of date."""
        now = (self.watch.version, self.agent)
        for listener in list(self._listeners):
            if listener.tab in {"", self.tab} and listener.seen != now and not listener.running:
                listener.seen = now
                self._call(listener)

    def close(self) -> None:
        """Forget all panels, because the visitor has left."""
        self._listeners.clear()

    def _call(self, listener: _Listener) -> None:
        try:
            with listener.slot:
                result = listener.callback()
        except Exception as error:  # noqa: BLE001 - the other panels still work
            listener.show_error(line_of(error))
            return
        if inspect.isawaitable(result):
            listener.running = True
            background_tasks.create(self._await(listener, result))
        else:
            listener.show_error("")

    async def _await(self, listener: _Listener, result: Awaitable[None]) -> None:
        try:
            with listener.slot:
                await result
            listener.show_error("")
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001 - as above
            listener.show_error(line_of(error))
        finally:
            listener.running = False


def line_of(error: BaseException) -> str:
    """Format an error in one line of at most 300 characters."""
    return one_line(str(error).strip() or type(error).__name__, most=300)


def typed_seed(text: str) -> int | None:
    """Parse a typed seed; None for an empty text.

    Raises:
        SettingsError: If it is not a whole number of 0 or more.
    """
    return seed_of(text.strip() or None, name="the seed")


def _ignore(_: str) -> None:
    """Do nothing; used until the page is built."""
