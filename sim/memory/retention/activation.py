"""Activation: how available a memory still is, by its use, importance and emotion.

    base level  B = ln(sum over its uses of age ** -d), ages in hours
    activation  A = B + importance * i + emotional strength * e
    retention   1 / (1 + exp((threshold - A) / noise))
    strength    min(1, |valence| + 0.3 if urgent)
    published   |0.5 if positive - 0.3 if negative + 0.3 if urgent|

A memory is used when it is stored, each time it happens again and each time it is recalled. Only
the number n of uses and the ages of the first and the last one are stored, which approximate the
base level:

    B = ln(last ** -d + (n - 1) (first ** (1 - d) - last ** (1 - d)) / ((1 - d) (first - last)))

So a memory fades as a power of its age, and lasts longer the more often it was used. Retention is
the probability that ACT-R retrieves a memory. Nights forget memories of low retention, and an agent
with too many memories loses those of the least activation.

The published emotional strength is 0 for a memory that is negative and urgent, so it is not the
default.

The valence of a memory as it was stored fades, too: that of a bad memory faster than that of a good
one (the fading affect bias).

Source:
    memtool (the published strength); this project separates valence and arousal.
    Anderson and Schooler 1991, doi:10.1111/j.1467-9280.1991.tb00174.x, for the base level with
    d = 0.5. Petrov 2006, Proc. 7th Int. Conf. on Cognitive Modeling, for the approximation with the
    last use exact. Walker and Skowronski 2009 (recalled) for the fading affect bias. The weights of
    importance and emotion, the threshold and both half-lives are illustrative: an unimportant
    memory (0.1) is kept for a day, one of 0.5 for four months, and one of 0.9 for decades.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

import numpy as np

from memopolis.sim.arguments import check_choice, check_positive, check_range
from memopolis.sim.arrays import Array, Float32, Floats, Int32, Ints
from memopolis.sim.memory.streams.encoding import IMPORTANCE, TagNames

Evict = Literal["least", "oldest"]
By = Literal["arousal", "published"]

# Tags that emotional strength is computed from, in the order of their bits in a table.
MARKS = ("positive", "negative", "urgent")

_MOST = 1e6


@dataclass(frozen=True, slots=True)
class Retention:
    """Parameters of activation, and which memories an agent with too many loses.

    Attributes:
        decay: Exponent d of the decay of activation with age, 0 < d < 1.
        importance: Weight of the importance, >= 0.
        emotion: Weight of the emotional strength, >= 0.
        threshold: Activation at which the retention is one half.
        noise: Scale of the logistic noise of activation, > 0.
        evict: Memories that an agent above its limit loses: those of the "least" activation, or
            the "oldest".
        bad_half_life: Days in which the feeling of a bad memory halves, > 0; infinite for never.
        good_half_life: Likewise for a good memory.

    Raises:
        ParameterError: If a number is out of range.
    """

    decay: float = 0.5
    importance: float = 6.0
    emotion: float = 1.0
    threshold: float = -1.0
    noise: float = 0.4
    evict: Evict = "least"
    bad_half_life: float = 365.0
    good_half_life: float = 730.0

    def __post_init__(self) -> None:
        check_range("decay", self.decay, 0.01, 0.99)
        for name in ("importance", "emotion"):
            check_range(name, getattr(self, name), 0, _MOST)
        check_range("threshold", self.threshold, -_MOST, _MOST)
        check_positive("noise", self.noise)
        check_choice("evict", self.evict, get_args(Evict))
        for name in ("bad_half_life", "good_half_life"):
            check_positive(name, getattr(self, name), infinite=True)

    def activation_of(self, retention: float) -> float:
        """Return the activation that has a retention of 0..1."""
        if retention <= 0:
            return -math.inf
        odds = math.inf if retention >= 1 else retention / (1 - retention)
        return self.threshold + self.noise * math.log(odds)


class Fading(NamedTuple):
    """What is left of the valence of memories, as one argument of a compiled function."""

    now: np.int32  # current tick
    # Share left of bad and of good memories by age in ticks, shape (2, ages); greater ages use the
    # last value. One array, since compiled loops would count references of two for each memory.
    left: Float32


def fade_valence(valence: Float32, times: Int32, fading: Fading) -> Float32:
    """Return what is left of valences, -1..1, by the ticks at which memories were stored."""
    ages = np.clip(np.int64(fading.now) - times, 0, fading.left.shape[1] - 1)
    return np.asarray(valence * fading.left[(valence > 0).astype(np.intp), ages], np.float32)


def base_level(first: Floats, last: Floats, uses: Ints, decay: float = 0.5) -> Floats:
    """Compute base-level activation, float64, shape (m,).

    Args:
        first: Hours since the first use, > 0, shape (m,).
        last: Hours since the last use, > 0, at most `first`.
        uses: Number of uses, >= 1.
        decay: Exponent of the decay, 0 < d < 1.
    """
    rest = 1 - decay
    width = first - last
    earlier = np.where(width > 0, first**rest - last**rest, 1.0)
    mean = np.where(width > 0, earlier / (rest * np.where(width > 0, width, 1.0)), last**-decay)
    # For uses at nearly the same time, the difference loses all digits.
    mean = np.clip(mean, first**-decay, last**-decay)
    return np.asarray(np.log(last**-decay + (uses - 1) * mean))


def compute_retention(activation: Floats, parameters: Retention) -> Float32:
    """Return the probability that memories are retrieved, 0..1, shape (m,)."""
    exponent = (parameters.threshold - activation) / parameters.noise
    return np.asarray(1 / (1 + np.exp(np.minimum(exponent, 700.0))), np.float32)


@lru_cache(maxsize=8)
def shortest_lives(parameters: Retention, retention: float) -> Float32:
    """Return the least hours that a memory takes to fade below a retention, by importance code.

    A memory that was used once and without emotion fades first.
    """
    codes = np.arange(IMPORTANCE + 1) / IMPORTANCE
    lasting = parameters.importance * codes - parameters.activation_of(retention)
    hours = np.exp(np.minimum(lasting / parameters.decay, 80.0))
    # Rounded down, so that no memory is left out.
    return np.asarray(0.99 * hours, np.float32)


class Strength(NamedTuple):
    """Emotional strength in a table, as one argument of a compiled function."""

    positive: int  # bit of that tag in the column `tags`; likewise `negative` and `urgent`
    negative: int  # see `positive`
    urgent: int  # see `positive`
    # Strength by marks (1 positive, 2 negative, 4 urgent, added) and by the byte of the valence,
    # float32, shape (8, 256).
    table: Float32


@lru_cache
def strength_table(by: By = "arousal") -> Float32:
    """Build the table of emotional strength in [0, 1] by marks and valence."""
    check_choice("by", by, get_args(By))
    positive, negative, urgent = (np.arange(8)[:, None] >> bit & 1 for bit in range(3))
    if by == "published":
        table = np.abs((0.5 * positive + 0.3 * urgent) - 0.3 * negative)
        return np.broadcast_to(table, (8, 256)).astype(np.float32)
    valence = np.arange(256).astype(np.uint8).view(np.int8) / 127
    return np.asarray(np.minimum(1.0, np.abs(valence) + 0.3 * urgent), np.float32)


def load_strength(tags: TagNames, by: By = "arousal") -> Strength:
    """Return the table with the bits of a memory's tags."""
    positive, negative, urgent = (tags.known(name) for name in MARKS)
    return Strength(positive, negative, urgent, strength_table(by))


def compute_strength(tags: Array, valence: Array, strength: Strength) -> Float32:
    """Return the emotional strength of memories, 0..1, from columns of shape (m,)."""
    bits = (strength.positive, strength.negative, strength.urgent)
    marks = sum(((tags & bit) != 0).astype(np.intp) << place for place, bit in enumerate(bits))
    return np.asarray(strength.table[marks, valence.astype(np.int8).view(np.uint8)])
