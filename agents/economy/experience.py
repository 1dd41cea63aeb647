"""Experience effects: expectations and caution formed from remembered events, weighed by age."""

import numpy as np
from numpy.typing import ArrayLike

from memopolis.agents.experience import Experience
from memopolis.sim.arrays import Array, Bools, Float32, Float64, Floats
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.retrieval.filter import Filter
from memopolis.sim.population import Cohort


def weigh_experience(age: ArrayLike, *, span: float, curvature: float) -> Float64:
    """Weigh experiences by their age.

    Returns ((span - age) / span) ** curvature, in [0, 1], not normalized; same shape. Raises
    ParameterError if the span is not positive or the curvature is negative.

    Args:
        age: Steps since each experience, >= 0, any shape.
        span: Age from which experiences have no weight, > 0.
        curvature: 0 for equal weights; the larger, the more recent experiences dominate.

    Source: Malmendier and Nagel 2011, Quarterly Journal of Economics 126:373-416, where the span is
    the age of a person (recalled).
    """
    if span <= 0 or curvature < 0:
        raise ParameterError(
            f"span is {span:g} and curvature is {curvature:g}; span must be > 0, curvature >= 0"
        )
    left = np.clip(1 - np.asarray(age, np.float64) / span, 0, 1)
    return np.asarray(np.where(left > 0, left**curvature, 0.0))


def average_experience(value: Floats, weight: Floats, neutral: float | Floats = 0.0) -> Float64:
    """Average experiences by their weights.

    The result has shape (agents,).

    Args:
        value: Experiences, shape (agents, k).
        weight: Weights >= 0, 0 without an experience, shape (agents, k).
        neutral: Value of agents without experiences, one or shape (agents,).

    Source: Experience-based expectations: Malmendier and Nagel 2011 (recalled).
    """
    total = weight.sum(axis=1)
    summed = (weight * np.where(weight > 0, value, 0.0)).sum(axis=1)
    return np.where(total > 0, summed / np.where(total > 0, total, 1.0), neutral)


def blend_expectation(present: Floats, experience: Floats, *, share: float) -> Float64:
    """Combine a present figure with past experience.

    The result has shape (agents,). Raises ParameterError if the share is out of range.

    Args:
        present: Latest figure, shape (agents,).
        experience: Mean experience, equal to the present figure without any, shape (agents,).
        share: Weight of experience, in [0, 1]; 0 is an expectation by the latest figure alone.

    Source: Expectations that combine experience with a published forecast: Malmendier and Nagel
    2016, Quarterly Journal of Economics 131:53-87 (recalled).
    """
    if not 0 <= share <= 1:
        raise ParameterError(f"share is {share:g}; it must be in [0, 1]")
    return np.asarray(present + share * (np.asarray(experience) - present), np.float64)


def accumulate_experience(
    valence: Floats, importance: Floats, weight: Floats
) -> tuple[Float64, Float64]:
    """Accumulate good and bad experiences.

    Returns the good and bad experience, each 1 - exp(-sum of weight * importance * |valence|), in
    [0, 1), shape (agents,).

    Args:
        valence: In [-1, 1], shape (agents, k).
        importance: In [0, 1], shape (agents, k).
        weight: Weights >= 0, 0 without an experience, shape (agents, k).

    Source: This project; saturating, so that no number of events has an unlimited effect.
    """
    size = np.where(weight > 0, weight * importance * valence, 0.0)
    good, bad = np.maximum(size, 0).sum(axis=1), np.maximum(-size, 0).sum(axis=1)
    return 1 - np.exp(-good), 1 - np.exp(-bad)


def find_range(value: Floats, counted: Bools) -> tuple[Float64, Float64]:
    """Find the lowest and the highest of some experiences.

    Returns the lowest and highest, NaN without any, each of shape (agents,). Values and the flags
    `counted`, which values count, have shape (agents, k).
    """
    low = np.where(counted, value, np.inf).min(axis=1, initial=np.inf)
    high = np.where(counted, value, -np.inf).max(axis=1, initial=-np.inf)
    some = counted.any(axis=1)
    return np.where(some, low, np.nan), np.where(some, high, np.nan)


def encode_change(change: ArrayLike, *, scale: float) -> Float64:
    """Express a change as a valence: change over scale, clipped to [-1, 1].

    The result has the same shape; `decode_change` is the inverse. Raises ParameterError if the
    scale is not positive. `scale` is the change at which the valence is 1, > 0.
    """
    if scale <= 0:
        raise ParameterError(f"scale is {scale:g}; it must be greater than 0")
    return np.clip(np.asarray(change, np.float64) / scale, -1, 1)


def decode_change(valence: ArrayLike, *, scale: float) -> Float64:
    """Return the change that a valence expresses; see `encode_change`."""
    return np.asarray(np.nan_to_num(np.asarray(valence, np.float64)) * scale)


def before_now(cohort: Cohort, topic: str | None = None) -> Filter:
    """Return a filter of memories from earlier steps, which excludes those of this step.

    All topics count if `topic` is None.
    """
    return Filter(topic=topic, ticks=(-(2**31), cohort.population.memory.now - 1))


class AgedExperience(Experience):
    """Recalled memories whose weight depends on their age alone.

    Retrieval chooses the memories; its scores do not count a second time.
    """

    @property
    def valence(self) -> Array:
        """How good each event was, in [-1, 1], 0 without a memory, shape (agents, k)."""
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
