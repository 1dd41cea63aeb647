"""Baumann's model: active agents contact similar agents and reinforce each other's opinions."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from memopolis.agents.opinion.model import check_shape, read_opinions, simulate
from memopolis.sim.arrays import Float64, Intp
from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError

_LARGEST = 700.0  # maximum logarithm of a 64-bit float, rounded down
_CLOSEST = 1e-9
"""Minimum distance of two opinions, since homophily uses a negative power of the distance."""


@dataclass(frozen=True)
class Baumann:
    """Radicalization on a network that is redrawn in each step by activity and homophily.

    dx_i/dt = -x_i + K sum_j A_ij(t) tanh(alpha x_j).

    Source: Baumann, Lorenz-Spreen, Sokolov, Starnini 2020, PRL 124, 048301,
    doi:10.1103/PhysRevLett.124.048301; parameters, and the direction of influence from active to
    contacted agents, from a public replication (Seldon). Integrated by Euler steps.
    """

    controversy: float = 3.0  # alpha >= 0, influence of mild opinions relative to extreme ones
    homophily: float = 3.0  # beta >= 0: an active agent picks j with weight |x_i - x_j|^-beta
    coupling: float = 3.0  # K >= 0, strength of social influence
    # r in [0, 1], probability that a contact also influences the active agent
    reciprocity: float = 0.5
    contacts: int = 10  # m >= 1, number of agents that an active agent contacts
    least_activity: float = 0.01  # epsilon in (0, 1), minimum probability of being active in a step
    exponent: float = 2.1  # gamma > 1, activity has density a^-gamma on [epsilon, 1]
    step: float = 0.05  # dt in (0, 1], length of a step

    def __post_init__(self) -> None:
        if not self.coupling >= 0 or not self.controversy >= 0 or not 0 < self.step <= 1:
            raise ParameterError(
                f"coupling is {self.coupling}, controversy is {self.controversy} and step is "
                f"{self.step}; coupling and controversy must be >= 0, and step in (0, 1]"
            )
        whole = self.contacts >= 1 and float(self.contacts).is_integer()
        if not 0 <= self.homophily < np.inf or not 0 <= self.reciprocity <= 1 or not whole:
            raise ParameterError(
                f"homophily is {self.homophily}, reciprocity is {self.reciprocity}, contacts is "
                f"{self.contacts}; homophily must be finite and >= 0, reciprocity in [0, 1] and "
                f"contacts a whole number >= 1"
            )
        if not 0 < self.least_activity < 1 or not self.exponent > 1:
            raise ParameterError(
                f"least_activity is {self.least_activity}, exponent is {self.exponent}; "
                f"least_activity must be between 0 and 1, exponent above 1"
            )
        if (1 - self.exponent) * np.log(self.least_activity) > _LARGEST:
            raise ParameterError(
                f"least_activity is {self.least_activity}, exponent is {self.exponent}: activities "
                "overflow 64-bit floats; raise least_activity or lower exponent"
            )

    def activity(self, agents: int, *, seed: int = 0) -> Float64:
        """Draw the probability of being active in a step, density ~ a^-gamma, shape (agents,)."""
        u = Chance(seed).uniform("opinion.activity", np.arange(agents))
        return compute_activity(u, least=self.least_activity, exponent=self.exponent)

    def evolve(
        self, start: ArrayLike, *, steps: int, seed: int = 0, activity: ArrayLike | None = None
    ) -> Float64:
        """Simulate opinions, 0 is neutral, uniform on [-1, 1] at the start of the publication.

        Returns shape (steps + 1, agents). `activity` is drawn if omitted.
        """
        first, chance = read_opinions(start), Chance(seed)
        agents = len(first)
        active_share = np.asarray(
            self.activity(agents, seed=seed) if activity is None else activity, np.float64
        )
        check_shape(active_share, agents, "activity")
        rows = np.arange(agents)

        def change(opinions: Float64, step: int) -> Float64:
            active = np.flatnonzero(chance.uniform("opinion.active", rows, step) < active_share)
            hearer, heard = self._draw_contacts(opinions, active, chance, step)
            return self._update(opinions, hearer, heard)

        return simulate(first, change, steps=steps)

    def _draw_contacts(
        self, opinions: Float64, active: Intp, chance: Chance, step: int
    ) -> tuple[Intp, Intp]:
        """Return the pairs of influenced and influencing agents in a step, without duplicates."""
        agents = len(opinions)
        addressees = [self._draw_addressees(opinions, row, chance, step) for row in active]
        if not addressees:
            return np.empty(0, np.intp), np.empty(0, np.intp)
        hearer = np.concatenate(addressees)
        heard = np.repeat(active, [len(rows) for rows in addressees])
        back = chance.uniform("opinion.back", heard * agents + hearer, step) < self.reciprocity
        pairs = np.concatenate([hearer * agents + heard, (heard * agents + hearer)[back]])
        return np.divmod(np.unique(pairs), agents)

    def _draw_addressees(self, opinions: Float64, row: int, chance: Chance, step: int) -> Intp:
        """Draw the agents that one active agent contacts, without replacement.

        The smallest of exponential waiting times with the weights as rates (Efraimidis and Spirakis
        2006, doi:10.1016/j.ipl.2005.11.003, recalled), in logarithms.
        """
        agents = len(opinions)
        u = chance.uniform("opinion.contacts", np.arange(agents), step, int(row))
        apart = np.maximum(np.abs(opinions - opinions[row]), _CLOSEST)
        wait = np.log(-np.log1p(-u) + np.finfo(float).tiny) + self.homophily * np.log(apart)
        wait[row] = np.inf
        some = min(self.contacts, agents - 1)
        return np.argpartition(wait, some - 1)[:some] if some else np.empty(0, np.intp)

    def _update(self, opinions: Float64, hearer: Intp, heard: Intp) -> Float64:
        """Apply one step of `attitude_models.baumann` to sparse ties, without a dense matrix."""
        influence = np.tanh(self.controversy * opinions[heard])
        push = np.bincount(hearer, weights=influence, minlength=len(opinions))
        return opinions + self.step * (self.coupling * push - opinions)


def compute_activity(u: Float64, *, least: float, exponent: float) -> Float64:
    """Return activities with a power-law density between `least` and 1, by uniform draws."""
    power = 1 - exponent
    lowest = least**power
    return np.asarray((lowest + u * (1 - lowest)) ** (1 / power))
