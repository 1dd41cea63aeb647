"""Friedkin and Johnsen's model: social influence with attachment to initial opinions."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from memopolis.agents.attitude_models import (
    friedkin_johnsen,
    friedkin_johnsen_limit,
)
from memopolis.agents.opinion.model import (
    Ties,
    check_shape,
    make_averaging,
    read_opinions,
    simulate,
)
from memopolis.sim.arrays import Float64
from memopolis.sim.errors import ParameterError


@dataclass(frozen=True, eq=False)
class FriedkinJohnsen:
    """Social influence with stubbornness: x(t+1) = A W x(t) + (I - A) x(0).

    Source: Friedkin and Johnsen 1990, doi:10.1080/0022250X.1990.9990069; DeGroot 1974,
    doi:10.1080/01621459.1974.10480137 (both recalled).
    """

    # Diagonal of A, in [0, 1], one value or shape (agents,); 1 gives DeGroot's model
    susceptibility: float | Float64 = 0.5
    own_weight: float = 0.0  # weight of the agent's own opinion in addition to ties, >= 0

    def __post_init__(self) -> None:
        part, own = np.asarray(self.susceptibility), self.own_weight
        if not np.all((part >= 0) & (part <= 1)) or not 0 <= own < np.inf:
            raise ParameterError(
                f"susceptibility is {self.susceptibility} and own_weight is {own}; susceptibility "
                "must be in [0, 1] and own_weight finite and >= 0"
            )

    def evolve(self, start: ArrayLike, ties: Ties, *, steps: int) -> Float64:
        """Simulate opinions with simultaneous updates, shape (steps + 1, agents)."""
        first = read_opinions(start)
        check_shape(self.susceptibility, len(first), "susceptibility")
        hear = make_averaging(ties, len(first))

        def change(opinions: Float64, _: int) -> Float64:
            moved = friedkin_johnsen(
                opinions,
                first,
                *hear(opinions),
                susceptibility=self.susceptibility,
                own_weight=self.own_weight,
            )
            return np.asarray(moved, np.float64)

        return simulate(first, change, steps=steps)

    def limit(self, start: ArrayLike, ties: ArrayLike) -> Float64:
        """Return the limit in closed form: (I - A W)^-1 (I - A) x(0), shape (agents,).

        `ties` are weights, whose rows are normalized. Raises ParameterError if a susceptibility is
        1.
        """
        first = read_opinions(start)
        part = np.broadcast_to(np.asarray(self.susceptibility, np.float64), first.shape)
        if (part >= 1).any():
            raise ParameterError("susceptibility must be below 1 for the closed form")
        weights = np.asarray(ties, np.float64)
        make_averaging(weights, len(first))  # for its checks
        weights = weights + self.own_weight * np.eye(len(first))
        total = weights.sum(axis=1)
        alone = np.diag((total == 0).astype(np.float64))  # agents without neighbours
        weights = weights / np.where(total > 0, total, 1)[:, None] + alone
        return np.asarray(friedkin_johnsen_limit(first, weights, part), np.float64)
