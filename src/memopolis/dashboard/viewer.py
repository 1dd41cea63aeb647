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

_PAUSE = 0.01  # seconds in which the map of a new moment is sent, before other panels are computed

CITIZEN = "citizen"  # name of the tab of the chosen citizen


def _ignore(_: object) -> None:
    """Do nothing; used until the page is built."""


@dataclass(eq=False)
class _Listener:
    """A panel's callback, and the latest moment for which it was called."""

    callback: Callback
    place: "PanelPlace"
    slot: Slot
    seen: tuple[int, int | None] | None = None
    running: bool = False
    shown: int = 0


@dataclass(frozen=True)
class PanelPlace:
    """Where a panel is."""

    tab: str = ""  # name of its tab; "" for all tabs
    show_error: Callable[[str], None] = _ignore  # shows an error in place of the panel, "" for none
    # Notes which turn the panel shows, so that the page can mark it as outdated
    mark: Callable[[int], None] = _ignore


class Viewer:
    """One visitor of the page.

    The whole page shows one `moment`; `turn` is the number of moments so far, and the clock and
    each panel have that which they show. `changes`, by dotted key, and `seed`, as typed, are for
    the next reset. `address` is that of tab and citizen in the browser, "" at first.
    """

    def __init__(self, watch: Watch) -> None:
        self.watch, self.moment, self.turn = watch, watch.moment(), 1
        self.agent: int | None = None
        self.tab = ""
        self.address = ""
        self.changes: dict[str, Any] = {}
        self.seed = "" if self.live is None else str(self.live.seed)
        self.on_show: Callable[[str], None] = _ignore
        self._listeners: list[_Listener] = []
        self._building = PanelPlace()

    @property
    def live(self) -> LiveWatch | None:
        """The live watch, None in a replay."""
        return self.watch if isinstance(self.watch, LiveWatch) else None

    @property
    def runs(self) -> tuple[Run, ...]:
        """The runs at the moment of the page: one, or two side by side."""
        return self.moment.runs

    def look(self) -> None:
        """Take the current moment as that of the whole page; `refresh` then updates the panels."""
        now = self.watch.moment()
        if now != self.moment:
            self.moment, self.turn = now, self.turn + 1

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
        self._listeners.append(_Listener(callback, self._building, ui.context.slot))

    async def work[T](self, ask: Callable[[], T]) -> T:
        """Run a function, which must not change the page, in another thread."""
        return await asyncio.get_running_loop().run_in_executor(_READERS, ask)

    def reset(self) -> str:
        """Start a new run with the settings and the seed that the visitor changed.

        Returns "" if a new society is being built, else an error in one line.
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
    def building(self, place: PanelPlace) -> Iterator[None]:
        """Build a panel; its callbacks belong to its place."""
        before, self._building = self._building, place
        try:
            yield
        finally:
            self._building = before

    def refresh(self) -> None:
        """Call the panels of the selected tab that are out of date."""
        now = (self.turn, self.agent)
        for listener in list(self._listeners):
            is_shown = listener.place.tab in {"", self.tab}
            if is_shown and listener.seen != now and not listener.running:
                has_moved = listener.seen is not None and listener.seen[0] != self.turn
                listener.seen = now
                self._call(listener, _PAUSE if has_moved else 0)

    def close(self) -> None:
        """Forget all panels, because the visitor has left."""
        self._listeners.clear()

    def _call(self, listener: _Listener, pause: float) -> None:
        turn = self.turn
        try:
            with listener.slot:
                result = listener.callback()
        except Exception as error:  # noqa: BLE001 - the other panels still work
            listener.place.show_error(line_of(error))
            return
        if inspect.isawaitable(result):
            listener.running = True
            background_tasks.create(self._await(listener, result, turn, pause))
        else:
            self._mark(listener, turn)

    async def _await(
        self, listener: _Listener, result: Awaitable[None], turn: int, pause: float
    ) -> None:
        try:
            await asyncio.sleep(pause)
            with listener.slot:
                await result
            self._mark(listener, turn)
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001 - as above
            listener.place.show_error(line_of(error))
        finally:
            listener.running = False

    def _mark(self, listener: _Listener, turn: int) -> None:
        """Note which turn a panel shows: the oldest of its parts."""
        listener.shown = turn
        parts = [other.shown for other in self._listeners if other.place is listener.place]
        listener.place.show_error("")
        listener.place.mark(min(parts))


def line_of(error: BaseException) -> str:
    """Format an error in one line of at most 300 characters."""
    return one_line(str(error).strip() or type(error).__name__, most=300)


def typed_seed(text: str) -> int | None:
    """Parse a typed seed; None for an empty text.

    Raises SettingsError if it is not a whole number of 0 or more.
    """
    return seed_of(text.strip() or None, name="the seed")
