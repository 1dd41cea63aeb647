"""Figures that institutions remember as good or bad news."""

from dataclasses import dataclass

from memopolis.agents.economy.experience import encode_change
from memopolis.agents.economy.policy import INFLATION_TARGET, NATURAL_UNEMPLOYMENT
from memopolis.scenarios.ubi.memories import Importance, remember_by_size
from memopolis.sim.population import Cohort

NEAR = 0.1  # absolute valence up to which a figure is near its usual value (illustrative)
OF_FIGURE = Importance(least=0.15, most=0.75, scale=0.3)  # importance of a figure by its valence


@dataclass(frozen=True)
class Indicator:
    """A figure that is good or bad news."""

    name: str  # attribute of the bureau, or topic of the memory
    usual: float  # value at which the valence is 0
    scale: float  # distance from it at which the valence is 1 or -1
    good: int  # 1 if a higher figure is good news, -1 if it is bad news

    def encode(self, value: float) -> float:
        """Express a value as a valence."""
        return self.good * float(encode_change(value - self.usual, scale=self.scale))


@dataclass(frozen=True)
class Figure(Indicator):
    """A figure that an institution remembers."""

    texts: tuple[str, str, str]  # texts of bad, usual and good news

    def remember(self, institution: Cohort, value: float) -> None:
        """Let an institution remember a value."""
        valence = self.encode(value)
        place = 1 if abs(valence) <= NEAR else 2 if valence > 0 else 0
        remember_by_size(institution, self.name, self.texts[place], valence, OF_FIGURE)


# The scales of inflation and unemployment are choices, the other scales and the usual poverty rate
# are illustrative.
INFLATION = Figure(
    "inflation", INFLATION_TARGET, 0.1, -1,
    (
        "Inflation was above our target.",
        "Inflation was near our target.",
        "Inflation was below our target.",
    ),
)  # fmt: skip
UNEMPLOYMENT = Figure(
    "unemployment", NATURAL_UNEMPLOYMENT, 0.08, -1,
    (
        "Unemployment was high.",
        "Unemployment was at a usual level.",
        "Unemployment was low.",
    ),
)  # fmt: skip
POVERTY = Figure(
    "poverty", 0.21, 0.1, -1,
    (
        "Many people were poor.",
        "Poverty was at a usual level.",
        "Few people were poor.",
    ),
)  # fmt: skip
BUDGET = Figure(
    "budget", 0.0, 0.2, 1,
    (
        "Our spending exceeded our revenue.",
        "Our budget was nearly balanced.",
        "Our revenue exceeded our spending.",
    ),
)  # fmt: skip
"""Revenue minus spending, as a share of revenue."""
REACTION = Figure(
    "reaction", 0.0, 0.1, 1,
    (
        "People think less of us and of our policy than before.",
        "People think of us as before.",
        "People think better of us and of our policy than before.",
    ),
)  # fmt: skip
"""Change of mean attitudes in a quarter, in points."""
