"""The government remembers unemployment, poverty, its budget and how people react."""

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from memopolis.agents.economy.experience import encode_change
from memopolis.agents.economy.interest import NATURAL_UNEMPLOYMENT
from memopolis.scenarios.ubi.blocks.remember_credit import (
    UNEMPLOYMENT,
    UNEMPLOYMENT_SCALE,
    Remembered,
    describe_figure,
)
from memopolis.scenarios.ubi.people import ADULT
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population

if TYPE_CHECKING:
    from numpy.typing import NDArray

QUARTER = 3
"""Months between two memories of poverty, the budget and public reaction (choice)."""
USUAL_POVERTY, POVERTY_SCALE = 0.21, 0.1
"""Poverty rate that is neither good nor bad, and the distance from it at which the valence is 1 or
-1 (illustrative)."""
BUDGET_SCALE = 0.2
"""Deficit as a share of revenue at which the valence is -1 (illustrative)."""
REACTION_SCALE = 0.1
"""Change of mean attitudes in a quarter, in points, at which the valence is 1 or -1
(illustrative)."""
NOTICED = 0.1
"""Absolute valence from which a memory names a direction (illustrative)."""
ATTITUDES = ("government_trust", "basic_income")
"""Attitudes of citizens that make up public reaction."""

POVERTY = ("Many people were poor.", "Poverty was at a usual level.", "Few people were poor.")
BUDGET = (
    "Our spending exceeded our revenue.",
    "Our budget was nearly balanced.",
    "Our revenue exceeded our spending.",
)
REACTION = (
    "People think less of us and of our policy than before.",
    "People think of us as before.",
    "People think better of us and of our policy than before.",
)


class RememberPublic(Block):
    """Store last month's unemployment, and each quarter poverty, the budget and public reaction.

    State:
        mood: Mean of the citizens' attitudes at the last memory of reaction, NaN before the first,
            shape (1,).
        balance: Revenue minus spending since the last memory of the budget, in cents, and
            revenue, shape (2,).
    """

    reads: ClassVar[tuple[str, ...]] = ("revenue", "deficit")
    state = ("mood", "balance")

    def __init__(self, citizens: Population, bureau: Population) -> None:
        self.citizens = citizens
        self.bureau = bureau

    def setup(self) -> None:
        """Start without a previous quarter."""
        self.mood: NDArray[np.float64] = np.full(1, np.nan)
        self.balance: NDArray[np.float64] = np.zeros(2)

    def step(self, government: Cohort) -> None:
        """Remember; there is no month before the first."""
        if self.clock.tick == 0:
            return
        published, status = self.bureau.memory.columns.arrays, government.status
        describe_figure(
            "unemployment",
            UNEMPLOYMENT,
            float(published["unemployment"][0]),
            NATURAL_UNEMPLOYMENT,
            scale=UNEMPLOYMENT_SCALE,
        ).store(government)
        flows = (-float(status["deficit"][0]), float(status["revenue"][0]))
        self.balance = self.balance + np.array(flows)
        if self.clock.tick % QUARTER:
            return
        poverty = USUAL_POVERTY - float(published["poverty"][0])
        self._store(government, "poverty", POVERTY, poverty, POVERTY_SCALE)
        budget = self.balance[0] / max(self.balance[1], 1.0)
        self._store(government, "budget", BUDGET, budget, BUDGET_SCALE)
        self.balance = np.zeros(2)
        mood = self._mean_attitude()
        change = 0.0 if np.isnan(self.mood[0]) else mood - self.mood[0]
        self._store(government, "reaction", REACTION, change, REACTION_SCALE)
        self.mood = np.array([mood])

    @staticmethod
    def _store(
        government: Cohort, topic: str, texts: tuple[str, ...], change: float, scale: float
    ) -> None:
        """Store a figure whose valence is the change over the scale."""
        valence = float(encode_change(change, scale=scale))
        place = 1 if abs(valence) < NOTICED else 2 if valence > 0 else 0
        Remembered(topic, texts[place], valence).store(government)

    def _mean_attitude(self) -> float:
        people = self.citizens.cohort()
        adults = people.where(people.status["age"] >= ADULT)
        if not len(adults):
            return 5.0
        each = [adults.status[f"attitude.{name}"].mean(dtype=np.float64) for name in ATTITUDES]
        return float(np.mean(each))
