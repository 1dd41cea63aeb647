"""Profiles: named ways to weigh recency, importance and relevance against each other."""

import math
from dataclasses import dataclass
from typing import Literal

from memopolis.sim.errors import ParameterError


@dataclass(frozen=True, slots=True)
class Profile:
    """How a search scores memories.

    Attributes:
        recency: Weight of recency, >= 0.
        importance: Weight of importance, >= 0.
        relevance: Weight of relevance, >= 0.
        half_life: Hours after which recency is one half, > 0.
        since: Whether recency counts from the last access or from the creation.
        use_neighbours: Whether neighbours of the same interaction lend their relevance.
        use_actor: Whether the actor named in the query counts.
        use_date: Whether the date named in the query counts.

    Raises:
        ParameterError: If a weight is negative or the half-life is not positive.
    """

    recency: float
    importance: float
    relevance: float
    half_life: float = 24.0
    since: Literal["accessed", "created"] = "accessed"
    use_neighbours: bool = True
    use_actor: bool = True
    use_date: bool = True

    def __post_init__(self) -> None:
        for name in ("recency", "importance", "relevance"):
            weight = getattr(self, name)
            if not 0 <= weight < math.inf:
                raise ParameterError(f"weight of {name} is {weight}; a number >= 0 is needed")
        if not 0 < self.half_life < math.inf:
            raise ParameterError(f"half_life is {self.half_life} hours; more than 0 is needed")
        if self.since not in ("accessed", "created"):
            raise ParameterError(f"since is {self.since!r}; allowed are 'accessed' and 'created'")


def half_life_of(decay: float, *, hours: float) -> float:
    """Turn a decay factor into a half-life.

    Args:
        decay: What is left after `hours`, in (0, 1).
        hours: Time in which a weight falls to `decay`, > 0.

    Returns:
        Half-life in hours.

    Raises:
        ParameterError: If `decay` or `hours` is out of range.

    Source:
        decay = 2 ** (-hours / half_life), solved for the half-life.
    """
    if not 0 < decay < 1:
        raise ParameterError(f"decay is {decay}; it lies between 0 and 1")
    if not hours > 0:
        raise ParameterError(f"hours is {hours}; more than 0 is needed")
    return -hours / math.log2(decay)


PROFILES: dict[str, Profile] = {
    "act": Profile(recency=0.5, importance=0.5, relevance=1.0, half_life=24.0),
    "recall": Profile(recency=0.1, importance=0.1, relevance=1.0, half_life=720.0),
}
"""Profiles by name: `act` decides the next step, `recall` answers about the whole past.

Weights of `recall` were found on long conversations with labelled evidence; those of `act`
and both half-lives are illustrative.
"""
