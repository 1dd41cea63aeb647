"""Memories whose importance grows with the size of an event or of a decision."""

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

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
