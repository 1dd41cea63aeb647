"""The bank remembers published inflation and unemployment, and its losses."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from memopolis.agents.economy.experience import encode_change
from memopolis.agents.economy.interest import INFLATION_TARGET, NATURAL_UNEMPLOYMENT
from memopolis.agents.economy.wellbeing import compute_salience
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population

INFLATION_SCALE = 0.1
"""Distance of yearly inflation from its target at which the valence is 1 or -1 (choice)."""
UNEMPLOYMENT_SCALE = 0.08
"""The same for unemployment (choice)."""
LOSS_SCALE = 0.03
"""Share of loans written off in a month at which the valence is -1 (illustrative)."""
NEAR = 0.1
"""Absolute valence up to which a figure is near its neutral value (illustrative)."""
LEAST, MOST, SCALE = 0.15, 0.75, 0.3
"""Minimum importance, maximum of the part that depends on size, and its scale in units of valence
(illustrative)."""

INFLATION = (
    "Inflation was below our target.",
    "Inflation was near our target.",
    "Inflation was above our target.",
)
UNEMPLOYMENT = (
    "Unemployment was low.",
    "Unemployment was at a usual level.",
    "Unemployment was high.",
)
LOSSES = "Borrowers could not repay us, and we wrote off their loans."


@dataclass(frozen=True)
class Remembered:
    """A figure that one institution remembers.

    Attributes:
        topic: Topic of the memory.
        text: Text.
        valence: In [-1, 1]: the size of the figure; negative if it is bad news.
    """

    topic: str
    text: str
    valence: float

    def store(self, institution: Cohort) -> None:
        """Store the memory, the more important the larger its size."""
        valence = float(np.clip(self.valence, -1, 1))
        size = float(compute_salience(np.array([valence]), scale=SCALE, most=MOST)[0])
        institution.memory.stream.add(
            self.topic, self.text, importance=LEAST + size, valence=valence
        )


def describe_figure(
    topic: str, texts: tuple[str, str, str], value: float, neutral: float, *, scale: float
) -> Remembered:
    """Describe a figure as low, usual or high; high figures are bad news.

    Args:
        topic: Topic of the memory.
        texts: Texts of low, usual and high figures.
        value: The figure, a fraction.
        neutral: Its neutral value.
        scale: Distance from neutral at which the valence is 1 or -1.
    """
    size = float(encode_change(value - neutral, scale=scale))
    place = 1 if abs(size) <= NEAR else 2 if size > 0 else 0
    return Remembered(topic, texts[place], -size)


class RememberCredit(Block):
    """Store last month's published figures and write-offs, at the start of the bank's month."""

    reads: ClassVar[tuple[str, ...]] = ("written_off", "loans")

    def __init__(self, bureau: Population) -> None:
        self.bureau = bureau

    def step(self, bank: Cohort) -> None:
        """Remember; there are no published figures in the first month."""
        if self.clock.tick == 0:
            return
        published = self.bureau.memory.columns.arrays
        for one in (
            describe_figure(
                "inflation",
                INFLATION,
                float(published["inflation"][0]),
                INFLATION_TARGET,
                scale=INFLATION_SCALE,
            ),
            describe_figure(
                "unemployment",
                UNEMPLOYMENT,
                float(published["unemployment"][0]),
                NATURAL_UNEMPLOYMENT,
                scale=UNEMPLOYMENT_SCALE,
            ),
        ):
            one.store(bank)
        lost = float(bank.status["written_off"][0]) / max(float(bank.status["loans"][0]), 1.0)
        if lost > 0:
            Remembered("default", LOSSES, -float(encode_change(lost, scale=LOSS_SCALE))).store(bank)
