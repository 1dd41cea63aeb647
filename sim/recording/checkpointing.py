"""Decide when a run writes checkpoints and how many it keeps."""

import time
import warnings
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from memopolis.sim.errors import MemopolisError
from memopolis.sim.recording.recorder import BEGINNING

if TYPE_CHECKING:
    from memopolis.sim.recording.recorder import Recorder
    from memopolis.sim.society_base import SocietyBase

MOST_CALLS = 1_000  # number of calls of a model after which a checkpoint is due

_MINUTE = 60.0


class Checkpointing:
    """Write checkpoints of a run according to its settings, without changing its results."""

    def __init__(self, society: "SocietyBase[Any]", recorder: "Recorder") -> None:
        self._society = society
        self._recorder = recorder
        self._settings = society.settings.checkpoint
        self._last = time.perf_counter()
        self._calls = society.budget.calls_charged
        self._written = recorder.is_continued
        self._at = -1

    def begin(self) -> None:
        """Write a first checkpoint, from which a society of several parts can restart.

        It contains no tables, since the files of the run must not depend on the number of parts.
        """
        from memopolis.sim.state.checkpoints import write_checkpoint

        is_wanted = self._settings.every or self._settings.minutes
        if self._society.settings.parts > 1 and is_wanted and not self._recorder.is_continued:
            position = {**BEGINNING, "mind": self._society.mind.state()}
            write_checkpoint(self._society, self._recorder.folder, position=position)

    def step(self, done: int) -> None:
        """Write a checkpoint if one is due after `done` steps.

        Answers of a model are paid for, so time is not the only measure of what could be lost.
        """
        every, minutes = self._settings.every, self._settings.minutes
        waited = time.perf_counter() - self._last >= minutes * _MINUTE
        asked = self._society.budget.calls_charged - self._calls >= MOST_CALLS
        if (every and done % every == 0) or (minutes and (waited or asked)):
            self.write()

    def end(self) -> None:
        """Write a last checkpoint, so that the run can be extended, if it wrote any before."""
        if self._written:
            self.write()

    def write(self) -> None:
        """Write a checkpoint now, between two steps, and remove the oldest ones.

        If it cannot be written, the run continues: it warns once and notes that in the manifest.
        """
        from memopolis.sim.state.checkpoints import write_checkpoint

        done = round(self._society.time)
        if done == self._at:
            return
        position = self._recorder.position() | {"mind": self._society.mind.state()}
        try:
            with self._whole():
                write_checkpoint(self._society, self._recorder.folder, position=position)
            self._remove_old()
        except (MemopolisError, OSError) as error:
            self._warn(done, error)
        else:
            self._written, self._at = True, done
        self._last = time.perf_counter()
        self._calls = self._society.budget.calls_charged

    def _whole(self) -> AbstractContextManager[None]:
        """Collect the memories of a divided society in this process."""
        root = self._society.root
        return nullcontext() if root is None else root.whole()

    def _remove_old(self) -> None:
        from memopolis.sim.state.checkpoints import checkpoints_of, remove

        keep = self._settings.keep
        if keep:
            for old in checkpoints_of(self._recorder.folder)[:-keep]:
                remove(old)

    def _warn(self, done: int, error: Exception) -> None:
        if "warnings" in self._recorder.entries:
            return
        line = f"no checkpoint could be written after step {done}: {error}; the run continues"
        self._recorder.entries["warnings"] = [line]
        warnings.warn(line, RuntimeWarning, stacklevel=2)
