"""When a run writes checkpoints, how many it keeps, and what if one cannot be written."""

import time
import warnings
from typing import TYPE_CHECKING, Any

from memopolis.sim.errors import MemopolisError

if TYPE_CHECKING:
    from memopolis.sim.recording.recorder import Recorder
    from memopolis.sim.society_base import SocietyBase

_MINUTE = 60.0


class Checkpointing:
    """Writes checkpoints of a run as its settings say; they change nothing of what happens.

    Args:
        society: Whose run it is.
        recorder: Of the run; its position is kept with the society's state.
    """

    def __init__(self, society: "SocietyBase[Any]", recorder: "Recorder") -> None:
        self._society = society
        self._recorder = recorder
        self._settings = society.settings.checkpoint
        self._last = time.perf_counter()
        self._written = recorder.goes_on
        self._at = -1

    def step(self, done: int) -> None:
        """Write one if it is time to, after as many steps."""
        every, minutes = self._settings.every, self._settings.minutes
        waited = time.perf_counter() - self._last
        if (every and done % every == 0) or (minutes and waited >= minutes * _MINUTE):
            self.write()

    def end(self) -> None:
        """Write the last one of a run that wrote any, from which it can go on for more days."""
        if self._written:
            self.write()

    def write(self) -> None:
        """Write one now, between two steps, and remove those that are too many.

        A run does not end because a checkpoint cannot be written: that is said once, as a
        warning and in the manifest.

        Raises:
            RunFolderError: If the run's tables cannot be written.
        """
        from memopolis.sim.state.checkpoints import write_checkpoint

        done = round(self._society.time)
        if done == self._at:
            return
        position = self._recorder.position() | {"mind": self._society.mind.state()}
        try:
            write_checkpoint(self._society, self._recorder.folder, position=position)
            self._remove_old()
        except (MemopolisError, OSError) as error:
            self._say(done, error)
        else:
            self._written, self._at = True, done
        self._last = time.perf_counter()

    def _remove_old(self) -> None:
        from memopolis.sim.state.checkpoints import checkpoints_of, remove

        keep = self._settings.keep
        if keep:
            for old in checkpoints_of(self._recorder.folder)[:-keep]:
                remove(old)

    def _say(self, done: int, error: Exception) -> None:
        if "warnings" in self._recorder.story:
            return
        line = f"no checkpoint could be written after step {done}: {error}; the run goes on"
        self._recorder.story["warnings"] = [line]
        warnings.warn(line, RuntimeWarning, stacklevel=2)
