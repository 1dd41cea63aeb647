"""Emotional strength of a memory, from its valence and tags.

    strength  = min(1, |valence| + 0.3 if urgent)
    published = |0.5 if positive - 0.3 if negative + 0.3 if urgent|

The published strength is 0 for a memory that is negative and urgent, so it is not the default.

Source:
    memtool (the published sum); this project separates valence and arousal.
"""

from functools import lru_cache
from typing import Literal, NamedTuple, get_args

import numpy as np

from memopolis.sim.arguments import check_choice
from memopolis.sim.arrays import Array, Float32
from memopolis.sim.memory.streams.tags import TagNames

By = Literal["arousal", "published"]

# Tags that strength is computed from, in the order of their bits in a table.
MARKS = ("positive", "negative", "urgent")


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
