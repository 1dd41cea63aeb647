"""Cognition of institutions: attitudes and thoughts from memories, without emotions."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from memopolis.agents.appraisal import Attitude
from memopolis.agents.attitude_rules import OpinionSettings
from memopolis.agents.block_settings import CognitionSettings
from memopolis.agents.blocks import cognition
from memopolis.sim.arrays import Array
from memopolis.sim.population import Cohort


class ReviewAttitudes(cognition.UpdateAttitudes):
    """Recall memories and update attitudes once a day, or once a step if steps are longer."""

    reads: ClassVar[tuple[str, ...]] = ("attitude", "conviction")

    def __init__(self, settings: CognitionSettings, attitudes: Sequence[Attitude]) -> None:
        # Models of opinion describe how people influence each other.
        super().__init__(settings.model_copy(update={"opinion": OpinionSettings()}), attitudes)

    def who(self, institutions: Cohort) -> Cohort:
        """Select the agents whose hour it is."""
        return self.chance.daily(institutions, first=16, span=4)


class Reflect(cognition.Think):
    """Form one thought about the day, or a longer step, and remember it."""

    reads: ClassVar[tuple[str, ...]] = ("attitude",)
    writes: ClassVar[tuple[str, ...]] = ("thought", "intention")
    institution: ClassVar[bool] = True

    def who(self, institutions: Cohort) -> Cohort:
        """Select the agents whose hour it is, one of the two hours from `think_at`."""
        return self.chance.daily(institutions, first=self.think_at, span=2)

    def feelings(self, institutions: Cohort) -> dict[str, Array]:
        """Return no emotion for each agent."""
        return {"word": np.zeros(len(institutions), np.uint8)}
