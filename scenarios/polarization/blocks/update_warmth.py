"""Update feelings towards both parties by their recalled messages."""

from dataclasses import dataclass

import numpy as np

from memopolis.agents.attitude_models import friedkin_johnsen
from memopolis.scenarios.polarization.attitudes import UpdateAttitudes
from memopolis.scenarios.polarization.start import THERMOMETERS
from memopolis.sim.arrays import Floats, Int8
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population

MAIN = 0  # position of the topic of the messages that change warmth
LIKING = (38.5, 45.3)
"""Liking, from 0 to 100, of a stranger with whom one agrees on nothing, and how much more one likes
a stranger with whom one agrees on everything: 5.44 X + 6.62 on a scale from 2 to 14 (Byrne and
Nelson 1965, doi:10.1037/h0022073)."""


@dataclass(eq=False, repr=False)
class UpdateWarmth(Block):
    """Change thermometers of both parties by messages of their authors that were recalled today."""

    reads = ("side", "warmth", "in_warmth", "attitude", "pid")
    writes = THERMOMETERS

    attitudes: UpdateAttitudes
    others: tuple[Population, ...]

    def step(self, citizens: Cohort) -> None:
        """Weigh the liking that messages by authors of either side invite."""
        recalled = self.attitudes.weight[MAIN, citizens.rows].sum(axis=1) > 0
        sided = citizens.where((citizens["side"] != 0) & recalled)
        if not len(sided):
            return
        stream = sided.stream
        ids = self.attitudes.recalled[MAIN, sided.rows]
        agree = self._list_sides()[stream.column("actor", ids)] * sided["side"][:, None]
        own = (sided[f"attitude.{self.attitudes.subject.main}"] - 5) / 5
        invited = like(np.nan_to_num(stream.column("valence", ids)), own[:, None])
        opinion = self.attitudes.settings.opinion
        for name, is_author in zip(THERMOMETERS, (agree < 0, agree > 0), strict=True):
            warmer = friedkin_johnsen(
                sided[name],
                self.attitudes.find_disposition(name, sided),
                invited,
                np.where(is_author, self.attitudes.weight[MAIN, sided.rows], 0),
                susceptibility=opinion.susceptibility,
                own_weight=opinion.own_weight,
            )
            self.attitudes.keep_considerations(name, sided)
            sided[name] = np.clip(warmer, 0, 100).astype(np.float32)

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
