"""Memories whose importance grows with the size of an event, a decision or a figure."""

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from memopolis.agents.economy.experience import encode_change
from memopolis.agents.economy.policy import INFLATION_TARGET, NATURAL_UNEMPLOYMENT
from memopolis.agents.economy.wellbeing import compute_salience
from memopolis.sim.arrays import Float32, Floats, Intp
from memopolis.sim.mind.mind import Decisions
from memopolis.sim.population import Cohort

type Sizes = float | Floats
"""One value, or shape (agents,)."""


@dataclass(frozen=True)
class Importance:
    """Importance of a memory by the size of an event (illustrative)."""

    least: float  # minimum
    most: float  # maximum of the part that depends on size
    scale: float  # size at which that part reaches 1 - 1/e of its maximum

    def of(self, size: Sizes) -> float | Float32:
        """Return the importance of events by their sizes, whose sign does not matter."""
        added = compute_salience(np.asarray(size), scale=self.scale, most=self.most)
        return self.least + (added if added.ndim else float(added))


def remember_by_size(
    agents: Cohort, topic: str, text: str, valence: Sizes, importance: Importance
) -> None:
    """Store one memory per agent, more important the larger its valence, clipped to [-1, 1]."""
    if len(agents):
        clipped = np.clip(valence, -1, 1)
        agents.stream.add(topic, text, importance=importance.of(clipped), valence=clipped)


OF_DECISION = Importance(least=0.1, most=0.5, scale=0.2)  # importance by the log change of a level


@dataclass(frozen=True)
class DecisionTexts:
    """Reasons for a level, such as hours or spending, and texts of memories by reason."""

    reasons: tuple[str, ...]  # reasons of the rule; the first is the neutral one
    lower: tuple[str, ...]  # texts of a lower level
    none: tuple[str, ...]  # texts of a level of 0
    higher: tuple[str, ...]  # texts of a higher level

    @classmethod
    def read(cls, decision: str) -> "DecisionTexts":
        """Read the texts of a decision from `decisions.csv`."""
        with Path(__file__).with_name("decisions.csv").open(encoding="utf-8", newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["decision"] == decision]
        columns = (tuple(r[key] for r in rows) for key in ("reason", "lower", "none", "higher"))
        return cls(*columns)

    def number(self, decisions: Decisions) -> Intp:
        """Return the number of each agent's reason, 0 for reasons of a model."""
        numbers = {reason: number for number, reason in enumerate(self.reasons)}
        places = np.array([numbers.get(one, 0) for one in decisions.reasons], np.intp)
        return np.asarray(places[decisions.reason])


def remember_decisions(
    agents: Cohort,
    level: Floats,
    before: Floats,
    texts: DecisionTexts,
    reason: Intp,
    *,
    topic: str,
    least: float,
) -> Float32:
    """Let agents remember decisions that differ by more than `least` from the last one remembered.

    Comparing with the last remembered level lets a slow change be noticed once it has added up.
    `before` is that level, NaN before the first, and the result the next one, shape (agents,).
    """
    lower, higher, none = (
        agents.population.society.texts.intern_many(some)[reason]
        for some in (texts.lower, texts.higher, texts.none)
    )
    level, before = level.astype(np.float64), before.astype(np.float64)
    first = np.isnan(before)
    before = np.where(first, level, before)
    size = np.abs(level - before) / np.maximum(np.maximum(level, before), 1e-9)
    noted = size > least
    if noted.any():
        chosen = np.where(level < before, np.where(level > 0, lower, none), higher)[noted]
        importance = OF_DECISION.of(np.log1p(size[noted]))
        agents.where(noted).stream.add(
            topic, chosen.astype(np.int32), importance=importance, valence=0.0
        )
    return np.where(noted | first, level, before).astype(np.float32)


# Figures that institutions remember as good or bad news.


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
