"""A town that a test can make slow, failing or deadly; it is named by its file."""

import errno
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from memopolis.agents.blocks.needs import Needs
from memopolis.agents.citizen import Citizen
from memopolis.sim.block import Block
from memopolis.sim.measures import Measure
from memopolis.sim.settings import Field, Settings
from memopolis.sim.society import Society

PAUSE = "TOWN_PAUSE"
"""Environment variable of the seconds that a step waits; no setting, so that the runs are equal."""


class TownSettings(Settings):
    """What may go wrong."""

    mood: str = Field("good", "good, failing, leaving, deadly, or full")
    spare: str = Field("none", "File whose being there keeps a run from going wrong")
    rate: float = Field(0.1, "Anything that may be varied", ge=0)


class GoWrong(Block):
    """Be slow, or go wrong in the sixth step."""

    def step(self, cohort: Any) -> None:
        settings: Any = self.society.settings
        cohort["social"] = cohort["social"] * (1 - settings.rate)
        time.sleep(float(os.environ.get(PAUSE, "0")))
        if self.clock.tick != 5 or Path(settings.spare).exists():
            return
        if settings.mood == "deadly":
            os.kill(os.getpid(), signal.SIGKILL)
        if settings.mood == "full":
            raise OSError(errno.ENOSPC, "No space left on device")
        if settings.mood == "leaving":
            sys.exit("a mistake of the user's")
        if settings.mood == "failing":
            raise ZeroDivisionError("a mistake\nof the user's")


class Town(Society[TownSettings]):
    """A few citizens with needs."""

    measures = (Measure("social", "social"), Measure("hunger", "hunger"))

    def build(self, settings: TownSettings) -> None:
        """Let them live."""
        self.populate(Citizen, settings.agents, blocks=[Needs(), GoWrong()])
