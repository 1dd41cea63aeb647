"""Update feelings towards the other party by its recalled messages."""

from dataclasses import dataclass

import numpy as np

from memopolis.agents.attitude_models import friedkin_johnsen
from memopolis.agents.joining import extend_rows, read_rows
from memopolis.scenarios.polarization.attitudes import UpdateAttitudes
from memopolis.sim.arrays import Float32, Floats, Int8
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population

MAIN = 0  # position of the topic of the messages that change warmth
LIKING = (38.5, 45.3)
"""Liking, from 0 to 100, of a stranger with whom one agrees on nothing, and how much more one likes
a stranger with whom one agrees on everything: 5.44 X + 6.62 on a scale from 2 to 14 (Byrne and
Nelson 1965, doi:10.1037/h0022073)."""


@dataclass(eq=False, repr=False)
class UpdateWarmth(Block):
    """Change warmth by encounters with the other side that were recalled today.

    The state `start` has warmth before the first update, to which it stays attached, (citizens,).
    """

    reads = ("side", "warmth", "attitude")
    writes = ("warmth",)
    state = ("start",)

    attitudes: UpdateAttitudes
    others: tuple[Population, ...]

    def setup(self) -> None:
        """Allocate initial warmth."""
        self.start: Float32 = np.full(len(self.population), np.nan, np.float32)

    def step(self, citizens: Cohort) -> None:
        """Weigh the liking that messages by authors of the other side invite."""
        sided = citizens.where(citizens["side"] != 0)
        if not len(sided):
            return
        stream = sided.stream
        ids = self.attitudes.recalled[MAIN, sided.rows]
        opposed = self._list_sides()[stream.column("actor", ids)] * sided["side"][:, None] < 0
        weight = np.where(opposed, self.attitudes.weight[MAIN, sided.rows], 0)
        held, known = sided["warmth"], read_rows(self.start, sided.rows, np.nan)
        start = np.where(np.isnan(known), held, known)
        self.start = extend_rows(self.start, len(self.population), np.nan)
        self.start[sided.rows] = start
        own = (sided[f"attitude.{self.attitudes.subject.main}"] - 5) / 5
        stance = np.nan_to_num(stream.column("valence", ids))
        opinion = self.attitudes.settings.opinion
        warmer = friedkin_johnsen(
            held,
            start,
            like(stance, own[:, None]),
            weight,
            susceptibility=opinion.susceptibility,
            own_weight=opinion.own_weight,
        )
        moved = np.where(weight.sum(axis=1) > 0, np.clip(warmer, 0, 100), held)
        sided["warmth"] = moved.astype(np.float32)

    def _list_sides(self) -> Int8:
        """Return sides by unique_id; the last entry, of id -1, is 0."""
        populations = (self.population, *self.others)
        side = np.zeros(max(int(p.ids.max()) for p in populations) + 2, np.int8)
        for population in populations:
            side[population.ids] = population["side"]
        return side


def like(stance: Floats, own: Floats) -> Floats:
    """Compute how much readers like the authors of messages, by similarity of stances, 0 to 100.

    Source: Byrne and Nelson 1965, doi:10.1037/h0022073, who vary the share of attitudes on which
    two strangers agree; the distance on one attitude in its place is this project's.
    """
    least, more = LIKING
    return np.asarray(least + more * (1 - np.abs(stance - own) / 2))
