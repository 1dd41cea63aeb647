"""Emotional strength: how much a memory moved, from its valence and whether it was urgent.

    strength  = min(1, |valence| + 0.3 if urgent)
    published = |0.5 if positive - 0.3 if negative + 0.3 if urgent|

Both are defined in `feelings.py`; here they are laid out in a table by what a memory keeps. The
published sum gives 0 to a memory that is bad and urgent, so it is not the default.
"""

from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.text import feelings

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

By = Literal["arousal", "published"]

_VALENCES = (np.arange(256).astype(np.uint8).view(np.int8) / 127).tolist()


class Strength(NamedTuple):
    """Emotional strength in a table, as one argument of a compiled function.

    Attributes:
        positive: Bit of that tag in the column `tags`; likewise `negative` and `urgent`.
        negative: See `positive`.
        urgent: See `positive`.
        table: Strength by tags (1 positive, 2 negative, 4 urgent, added) and by the byte of
            the valence, float32, shape (8, 256).
    """

    positive: int
    negative: int
    urgent: int
    table: NDArray[np.float32]


@lru_cache
def strength_table(by: By = "arousal") -> NDArray[np.float32]:
    """Lay emotional strength out by tags and valence.

    Args:
        by: "arousal", this project's, or "published".

    Returns:
        As `Strength.table`, each in [0, 1].

    Raises:
        ParameterError: If `by` is neither.

    Source:
        memtool (the published sum); valence and arousal are kept apart by this project.
    """
    if by not in ("arousal", "published"):
        raise ParameterError(f"strength is by {by!r}; allowed are 'arousal' and 'published'")
    table = np.empty((8, 256), np.float32)
    for marks in range(8):
        positive, negative, urgent = (bool(marks >> bit & 1) for bit in range(3))
        if by == "published":
            table[marks] = abs(
                feelings.published_weight(positive=positive, negative=negative, urgent=urgent)
            )
        else:
            table[marks] = [feelings.strength(v, urgent=urgent) for v in _VALENCES]
    return table


def strength_of(memory: "Memory", by: By = "arousal") -> Strength:
    """The table with the bits that a memory's tags have."""
    positive, negative, urgent = (memory.tags.known(name) for name in feelings.MARKS)
    return Strength(positive, negative, urgent, strength_table(by))


def strength(
    valence: NDArray[np.int8], tags: NDArray[np.uint16], of: Strength
) -> NDArray[np.float32]:
    """Tell how much memories moved, by their columns `valence` and `tags`, shape (m,) each."""
    marks = ((tags & of.positive) > 0) + 2 * ((tags & of.negative) > 0)
    marks = marks + 4 * ((tags & of.urgent) > 0)
    return np.asarray(of.table[marks, valence.view(np.uint8)], np.float32)
