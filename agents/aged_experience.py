"""Weigh recalled memories by their age, for decisions on steps of a month."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.economy.experience import accumulate_experience, weigh_experience
from memopolis.agents.experience import Experience
from memopolis.sim.memory.retrieval.filter import Filter
from memopolis.sim.population import Cohort


def before_now(cohort: Cohort, topic: str | None = None) -> Filter:
    """Return a filter of memories from earlier steps, which excludes those of this step.

    Args:
        cohort: Agents that recall.
        topic: Topic of the memories; None for all.
    """
    return Filter(topic=topic, ticks=(-(2**31), cohort.population.memory.now - 1))


class AgedExperience(Experience):
    """Recalled memories whose weight depends on their age alone.

    Retrieval chooses the memories; its scores do not count a second time.
    """

    @property
    def valence(self) -> NDArray[Any]:
        """How good each event was, in [-1, 1], 0 without a memory, shape (agents, k)."""
        return self.column("valence")

    def weigh(self, *topics: str, span: float, curvature: float) -> NDArray[np.float64]:
        """Return the weight of each memory by age, 0 for other topics, shape (agents, k)."""
        age = np.maximum(self._agents.population.memory.now - self.column("time"), 0)
        weight = weigh_experience(age, span=span, curvature=curvature)
        return np.where(self.about(*topics), weight, 0.0)

    def accumulate(
        self, *topics: str, span: float, curvature: float
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return good and bad experience of some topics, in [0, 1), each of shape (agents,)."""
        weight = self.weigh(*topics, span=span, curvature=curvature)
        good, bad = accumulate_experience(self.valence, self.column("importance"), weight)
        return good.astype(np.float32), bad.astype(np.float32)
