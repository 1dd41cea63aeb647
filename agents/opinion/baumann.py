"""Baumann's model: the active address those like them, and like minds drive each other on."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.agents.attitude_checks import check_reinforcement
from memopolis.agents.opinion.model import Floats, fits, path, started
from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError

_LARGEST = 700.0
"""Greatest logarithm of a number of 64 bits, rounded down."""
_CLOSEST = 1e-9
"""Distance at which two count as of one mind: homophily is a power of the distance."""


@dataclass(frozen=True)
class Baumann:
    """Radicalization on a network that activity and homophily make anew in each step.

    dx_i/dt = -x_i + K sum_j A_ij(t) tanh(alpha x_j).

    Attributes:
        controversy: alpha >= 0, how soon a mild opinion convinces as an extreme one does.
        homophily: beta >= 0: an active agent picks j by |x_i - x_j|^-beta.
        coupling: K >= 0, how much others count.
        reciprocity: r in [0, 1], chance that one who addresses another also hears it.
        contacts: m >= 1, others that an active agent addresses.
        least_activity: epsilon in (0, 1), least chance to be active in a step.
        exponent: gamma > 1, activity falls as a^-gamma on [epsilon, 1].
        step: dt in (0, 1], length of a step.

    Raises:
        ParameterError: If a number is out of range.

    Source:
        Baumann, Lorenz-Spreen, Sokolov, Starnini 2020, PRL 124, 048301,
        doi:10.1103/PhysRevLett.124.048301; numbers, and that it is the addressed who hear, from
        a public replication (Seldon). Here integrated by Euler steps.
    """

    controversy: float = 3.0
    homophily: float = 3.0
    coupling: float = 3.0
    reciprocity: float = 0.5
    contacts: int = 10
    least_activity: float = 0.01
    exponent: float = 2.1
    step: float = 0.05

    def __post_init__(self) -> None:
        check_reinforcement(self.coupling, self.controversy, self.step)
        whole = self.contacts >= 1 and float(self.contacts).is_integer()
        if not 0 <= self.homophily < np.inf or not 0 <= self.reciprocity <= 1 or not whole:
            raise ParameterError(
                f"homophily {self.homophily}, reciprocity {self.reciprocity}, contacts "
                f"{self.contacts}: at least 0, in [0, 1] and a whole number from 1 are needed"
            )
        if not 0 < self.least_activity < 1 or not self.exponent > 1:
            raise ParameterError(
                f"least activity {self.least_activity}, exponent {self.exponent}: one between 0 "
                f"and 1 and one above 1 are needed"
            )
        if (1 - self.exponent) * np.log(self.least_activity) > _LARGEST:
            raise ParameterError(
                f"least activity {self.least_activity}, exponent {self.exponent}: activities "
                "would differ beyond numbers of 64 bits; raise the least or lower the exponent"
            )

    def activity(self, agents: int, *, seed: int = 0) -> Floats:
        """Draw how active each is.

        Args:
            agents: How many there are.
            seed: Names the luck.

        Returns:
            Chance to be active in a step, in [epsilon, 1], density ~ a^-gamma, shape (agents,).
        """
        u = Chance(seed).uniform("opinion.activity", np.arange(agents))
        power = 1 - self.exponent
        lowest = self.least_activity**power
        return np.asarray((lowest + u * (1 - lowest)) ** (1 / power))

    def evolve(
        self, start: ArrayLike, *, steps: int, seed: int = 0, activity: ArrayLike | None = None
    ) -> Floats:
        """Let the active address others, and all change by what they hear, in each step.

        Args:
            start: Opinions, 0 is neutral, shape (agents,); uniform on [-1, 1] in the publication.
            steps: Number of steps; time goes from 0 to steps * dt.
            seed: Names the luck.
            activity: Chance of each to be active in a step, in [0, 1], shape (agents,); that of
                `activity` unless given.

        Returns:
            Shape (steps + 1, agents), the start first.

        Raises:
            ParameterError: If an argument is out of range or does not fit.
        """
        first, chance = started(start), Chance(seed)
        agents = len(first)
        lively = np.asarray(
            self.activity(agents, seed=seed) if activity is None else activity, np.float64
        )
        fits(lively, agents, "activity")
        rows = np.arange(agents)

        def change(opinions: Floats, step: int) -> Floats:
            active = np.flatnonzero(chance.uniform("opinion.active", rows, step) < lively)
            hearer, heard = self._heard(opinions, active, chance, step)
            return self._moved(opinions, hearer, heard)

        return path(first, change, steps=steps)

    def _heard(
        self, opinions: Floats, active: NDArray[np.intp], chance: Chance, step: int
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Who hears whom in a step, each pair once."""
        agents = len(opinions)
        addressed = [self._addressed(opinions, row, chance, step) for row in active]
        if not addressed:
            return np.empty(0, np.intp), np.empty(0, np.intp)
        hearer = np.concatenate(addressed)
        heard = np.repeat(active, [len(rows) for rows in addressed])
        back = chance.uniform("opinion.back", heard * agents + hearer, step) < self.reciprocity
        pairs = np.concatenate([hearer * agents + heard, (heard * agents + hearer)[back]])
        return np.divmod(np.unique(pairs), agents)

    def _addressed(self, opinions: Floats, row: int, chance: Chance, step: int) -> NDArray[np.intp]:
        """Whom one active agent addresses, drawn one after another without return.

        The first of exponential waiting times that run at the weights (Efraimidis and Spirakis
        2006, doi:10.1016/j.ipl.2005.11.003, recalled), in logarithms.
        """
        agents = len(opinions)
        u = chance.uniform("opinion.contacts", np.arange(agents), step, int(row))
        apart = np.maximum(np.abs(opinions - opinions[row]), _CLOSEST)
        wait = np.log(-np.log1p(-u) + np.finfo(float).tiny) + self.homophily * np.log(apart)
        wait[row] = np.inf
        some = min(self.contacts, agents - 1)
        return np.argpartition(wait, some - 1)[:some] if some else np.empty(0, np.intp)

    def _moved(self, opinions: Floats, hearer: NDArray[np.intp], heard: NDArray[np.intp]) -> Floats:
        """One step of `attitude_models.baumann`, of few ties among many.

        The push of all that one hears goes in as if one voice of weight 1 had said it.
        """
        said = np.tanh(self.controversy * opinions[heard])
        push = np.bincount(hearer, weights=said, minlength=len(opinions))
        return opinions + self.step * (self.coupling * push - opinions)
