"""Units of relevance: V counts twentieths of a full match, so that it stays an integer."""

import math
from typing import NamedTuple

from memopolis.sim.memory.text.relevance import FULL

OWN = 20
"""Weight of a memory's own relevance in V."""

SCALE = OWN * FULL
"""V of a memory with every piece of the query and nothing else."""


class Shares(NamedTuple):
    """Further summands of V, in twentieths of a full match, so that V stays an integer.

    Attributes:
        neighbours: Share lent by a neighbour one away, 0 for none.
        actor: Share of a memory by the named actor.
        date: Share of a memory of the named date.
    """

    neighbours: int = 10
    actor: int = 5
    date: int = 4

    @property
    def next_but_one(self) -> int:
        """Share lent by a neighbour two away: 0.8 of the nearer one."""
        return (8 * self.neighbours + 5) // 10


USUAL = Shares()
"""Half, a quarter and a fifth of a full match."""


def twentieths(share: float) -> int:
    """Round a share of a full match to integer twentieths, halves up."""
    return math.floor(OWN * share + 0.5)
