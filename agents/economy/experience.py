"""Experience effects: expectations and caution formed from remembered events, weighed by age."""

import numpy as np
from numpy.typing import ArrayLike

from memopolis.agents.experience import Experience
from memopolis.sim.arrays import Array, Bools, Float32, Float64, Floats
from memopolis.sim.memory.retrieval.filter import Filter
from memopolis.sim.population import Cohort


def weigh_experience(age: ArrayLike, *, span: float, curvature: float) -> Float64:
    """Weigh experiences by age in steps: ((span - age) / span) ** curvature, 0 beyond the span.

    Source: Malmendier and Nagel 2011, Quarterly Journal of Economics 126:373-416, where the span is
    the age of a person (recalled).
    """
    left = np.clip(1 - np.asarray(age, np.float64) / span, 0, 1)
    return np.asarray(np.where(left > 0, left**curvature, 0.0))


def average_experience(value: Floats, weight: Floats, neutral: float | Floats = 0.0) -> Float64:
    """Average experiences, shape (agents, k), by weights >= 0; `neutral` for agents without any.

    Source: Experience-based expectations: Malmendier and Nagel 2011 (recalled).
    """
    total = weight.sum(axis=1)
    summed = (weight * np.where(weight > 0, value, 0.0)).sum(axis=1)
    return np.where(total > 0, summed / np.where(total > 0, total, 1.0), neutral)


def blend_expectation(present: Floats, experience: Floats, *, share: float) -> Float64:
    """Move from a present figure to the mean experience by a share in [0, 1], shape (agents,).

    Source: Expectations that combine experience with a published forecast: Malmendier and Nagel
    2016, Quarterly Journal of Economics 131:53-87 (recalled).
    """
    return np.asarray(present + share * (np.asarray(experience) - present), np.float64)


def accumulate_experience(
    valence: Floats, importance: Floats, weight: Floats
) -> tuple[Float64, Float64]:
    """Return good and bad experience: 1 - exp(-sum of weight importance |valence|), (agents,).

    Source: This project; saturating, so that no number of events has an unlimited effect.
    """
    size = np.where(weight > 0, weight * importance * valence, 0.0)
    good, bad = np.maximum(size, 0).sum(axis=1), np.maximum(-size, 0).sum(axis=1)
    return 1 - np.exp(-good), 1 - np.exp(-bad)


def find_range(value: Floats, counted: Bools) -> tuple[Float64, Float64]:
    """Return the lowest and the highest of the values that count, NaN without any."""
    low = np.where(counted, value, np.inf).min(axis=1, initial=np.inf)
    high = np.where(counted, value, -np.inf).max(axis=1, initial=-np.inf)
    some = counted.any(axis=1)
    return np.where(some, low, np.nan), np.where(some, high, np.nan)


def encode_change(change: ArrayLike, *, scale: float) -> Float64:
    """Express a change as a valence: change over scale, clipped to [-1, 1]."""
    return np.clip(np.asarray(change, np.float64) / scale, -1, 1)


def decode_change(valence: ArrayLike, *, scale: float) -> Float64:
    """Return the change that a valence expresses; the inverse of `encode_change`."""
    return np.asarray(np.nan_to_num(np.asarray(valence, np.float64)) * scale)


def before_now(cohort: Cohort, topic: str | None = None) -> Filter:
    """Return a filter of memories from earlier steps, of one topic or all."""
    return Filter(topic=topic, ticks=(-(2**31), cohort.population.memory.now - 1))


class AgedExperience(Experience):
    """Recalled memories whose weight depends on their age alone.

    Retrieval chooses the memories; its scores do not count a second time.
    """

    @property
    def valence(self) -> Array:
        """Valence of each memory, 0 without one, shape (agents, k)."""
        return self.column("valence")

    def weigh(self, *topics: str, span: float, curvature: float) -> Float64:
        """Return the weight of each memory by age, 0 for other topics, shape (agents, k)."""
        age = np.maximum(self._agents.population.memory.now - self.column("time"), 0)
        weight = weigh_experience(age, span=span, curvature=curvature)
        return np.where(self.about(*topics), weight, 0.0)

    def accumulate(self, *topics: str, span: float, curvature: float) -> tuple[Float32, Float32]:
        """Return good and bad experience of some topics, in [0, 1), each of shape (agents,)."""
        weight = self.weigh(*topics, span=span, curvature=curvature)
        good, bad = accumulate_experience(self.valence, self.column("importance"), weight)
        return good.astype(np.float32), bad.astype(np.float32)
