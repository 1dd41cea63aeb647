"""For the time until the real ones are there."""

import threading
from datetime import datetime
from pathlib import Path
from typing import Any

from memopolis.analysis.load import Run
from memopolis.sim.record import Recorder
from memopolis.sim.running.checkpointing import Checkpointing
from memopolis.sim.running.folder import check_unused, owned
from memopolis.sim.running.manifest import read_content
from memopolis.sim.society import Society
from memopolis.sim.timeline import Shock


class RunByHand:
    """As agreed."""

    def __init__(self, society: Society[Any], folder: Path) -> None:
        self.society = society
        self.folder = folder
        self.steps = society.ticks
        self.lock = threading.RLock()
        check_unused(folder)
        self._owned = owned(folder)
        self._owned.__enter__()
        self.recorder = Recorder(folder, society, story={"began": 0, "until": self.steps})
        for name, frame in society.static_tables().items():
            self.recorder.static(name, frame)
        society.recorder = self.recorder

    @property
    def step(self) -> int:
        """Steps done."""
        return round(self.society.time)

    def make_step(self) -> None:
        """One."""
        with self.lock:
            self.society.step()

    def shock(self, shock: Shock, when: datetime | str | None = None) -> int:
        """Note it."""
        when = self.society.clock.date_of(self.step) if when is None else when
        self.society.at(when, shock)
        return self.society.clock.tick_of(when)

    def finish(self) -> None:
        """End."""
        self.recorder.succeed()
        self._owned.__exit__(None, None, None)

    def stop(self) -> None:
        """Break off."""
        Checkpointing(self.society, self.recorder).write()
        self.recorder.break_off("interrupted", "stopped by the user")
        self._owned.__exit__(None, None, None)


class UnderWay:
    """As agreed."""

    def __init__(self, by_hand: RunByHand) -> None:
        self._by_hand = by_hand

    def now(self) -> Run:
        """What stands."""
        with self._by_hand.lock:
            self._by_hand.recorder.position()
        manifest = read_content(self._by_hand.folder) | {"ticks": self._by_hand.step}
        return Run(self._by_hand.folder, manifest)
