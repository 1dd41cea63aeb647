"""A thread that continues the run without a shock, and compares both."""

import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memopolis.analysis.compare.shock_effect import Differences, find_differences
from memopolis.analysis.run.run import Run, load_run
from memopolis.sim.error_places import described
from memopolis.sim.running.by_hand import RunByHand
from memopolis.sim.running.forking import Branch
from memopolis.sim.timeline import Shock

MOST_STEPS = 168  # steps for which a run is continued without a shock: a week of hours
_WAIT = 0.1  # seconds between two looks at the step of the run
_INTERVAL = 3.0  # least seconds between two comparisons while the run is playing


@dataclass(frozen=True, eq=False)
class SentShock:
    """A shock that a visitor sent."""

    shock: Shock
    tick: int  # step in which it happens, from 0
    date: datetime  # when that step begins
    # What follows the run without it; None if that is not possible
    comparison: "Comparison | None" = None
    reason: str = ""  # why it is not possible, in one line; "" otherwise


class Comparison:
    """The run without one shock, up to the step of the run itself.

    It is recorded in a temporary folder, which is removed at the end. Reading its attributes never
    waits: `state` is building, following, stopped or failed, `step` the number of steps done
    without the shock. `latest` returns the run with the shock; `changed` is called after news.
    """

    def __init__(
        self, branch: Branch, tick: int, latest: Callable[[], Run], changed: Callable[[], None]
    ) -> None:
        self.state, self.step, self.error = "building", branch.step, ""
        self.differences: Differences | None = None
        self._branch: Branch | None = branch
        self._tick, self._until = tick, tick + MOST_STEPS
        self._latest, self._changed = latest, changed
        self._later: list[tuple[datetime, Shock]] = []
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="without the shock", daemon=True)

    @property
    def active(self) -> bool:
        """Whether it still follows the run."""
        return self.state in {"building", "following"}

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def add(self, date: datetime, shock: Shock) -> None:
        """Send another shock into this run, too; it must not be in the past of the other run."""
        self._later.append((date, shock))

    def stop(self, *, wait: bool = False) -> None:
        """Stop to follow the run; what was compared stays. With `wait`, until all is removed."""
        self._stopping.set()
        if wait and self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        try:
            with tempfile.TemporaryDirectory(prefix="memopolis-without-") as folder:
                self._follow(Path(folder) / "run")
        except Exception as failure:  # noqa: BLE001 - shown on the page
            self.state, self.error = "failed", described(failure)
        else:
            self.state = "stopped"
        self._branch = None
        self._changed()

    def _follow(self, folder: Path) -> None:
        if self._branch is None or self._stopping.is_set():
            return
        by_hand = self._branch.begin(folder)
        self._branch = None  # the copy holds its arrays now
        try:
            self.state, without = "following", load_run(by_hand)
            compared, last = -1, 0.0
            while not self._stopping.is_set():
                run = self._latest()
                self._catch_up(by_hand, min(run.ticks, self._until))
                is_due = run.ticks == by_hand.step or time.perf_counter() - last >= _INTERVAL
                if by_hand.step > max(compared, self._tick) and is_due:
                    without, compared = without.latest(), by_hand.step
                    self._compare(run, without)
                    last = time.perf_counter()
                if by_hand.step >= self._until:
                    return
                self._stopping.wait(_WAIT)
        finally:
            by_hand.abandon()

    def _catch_up(self, by_hand: RunByHand, step: int) -> None:
        while by_hand.step < step and not self._stopping.is_set():
            while self._later:
                date, shock = self._later.pop(0)
                by_hand.shock(shock, date)
            by_hand.make_step()
            self.step = by_hand.step
            time.sleep(0.001)  # let readers in

    def _compare(self, run: Run, without: Run) -> None:
        step = without.ticks
        self.differences = find_differences(run.until(step), without.until(step), self._tick)
        self._changed()
