"""The statistics bureau remembers the figures that it published."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from memopolis.agents.economy.experience import encode_change
from memopolis.agents.economy.wellbeing import compute_salience
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort

LEAST, MOST, SCALE = 0.1, 0.5, 0.3
"""Minimum importance, maximum of the part that depends on size, and its scale in units of valence
(illustrative)."""


@dataclass(frozen=True)
class Indicator:
    """A published figure that the bureau remembers and reports.

    Attributes:
        name: Attribute of the bureau.
        title: Name in texts.
        usual: Value at which the valence is 0 (computed: about the mean without the policy).
        scale: Distance from it at which the valence is 1 or -1 (illustrative).
        good: 1 if a higher figure is good news, -1 if it is bad news.
    """

    name: str
    title: str
    usual: float
    scale: float
    good: int

    @property
    def text(self) -> str:
        """Text of the memory; the same each month, so that its number identifies the figure."""
        return f"We published {self.title}."

    def encode(self, value: float) -> float:
        """Express a value as a valence."""
        return self.good * float(encode_change(value - self.usual, scale=self.scale))


INDICATORS = (
    Indicator("unemployment", "the unemployment rate", 0.047, 0.08, -1),
    Indicator("inflation", "the inflation rate", 0.02, 0.1, -1),
    Indicator("poverty", "the poverty rate", 0.21, 0.1, -1),
    Indicator("gini", "the inequality of incomes", 0.44, 0.1, -1),
    Indicator("participation", "the participation in the labour market", 0.65, 0.1, 1),
    Indicator("life_satisfaction", "the life satisfaction of adults", 6.8, 0.5, 1),
)


class RememberFigures(Block):
    """Store the figures of the month, as good or bad news."""

    reads: ClassVar[tuple[str, ...]] = tuple(one.name for one in INDICATORS)

    def step(self, bureau: Cohort) -> None:
        """Remember each figure, the more important the farther it is from its usual value."""
        for one in INDICATORS:
            valence = one.encode(float(bureau.status[one.name][0]))
            size = float(compute_salience(np.array([valence]), scale=SCALE, most=MOST)[0])
            bureau.memory.stream.add("figures", one.text, importance=LEAST + size, valence=valence)
