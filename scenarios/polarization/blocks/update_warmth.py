"""Update feelings towards the other party by its recalled messages."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memopolis.scenarios.polarization.attitudes import UpdateAttitudes
from memopolis.scenarios.polarization.messages import MESSAGE_TOPICS
from memopolis.scenarios.polarization.settings import WarmthSettings
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population

Floats = NDArray[np.floating]

ON_GUNS = MESSAGE_TOPICS.index("gun_control")
"""Topic of the messages that change warmth."""
MIN_RANGE = 1e-6
"""Lower bound of the range of hostile stances, which avoids division by 0."""


@dataclass(eq=False, repr=False)
class UpdateWarmth(Block):
    """Change warmth by messages of the other side that were recalled today."""

    reads = ("side", "warmth")
    writes = ("warmth",)

    settings: WarmthSettings
    attitudes: UpdateAttitudes
    others: tuple[Population, ...]

    def step(self, citizens: Cohort) -> None:
        """Weigh the tone of recalled messages by authors of the other side."""
        sided = citizens.where(citizens.status["side"] != 0)
        if not len(sided):
            return
        stream = sided.memory.stream
        ids = self.attitudes.recalled[ON_GUNS, sided.rows]
        actor = stream.column("actor", ids)
        opposed = self._list_sides()[actor] * sided.status["side"][:, None] < 0
        sided.status["warmth"] = update_warmth(
            sided.status["warmth"],
            tone(np.nan_to_num(stream.column("valence", ids)), hostile=self.settings.hostile),
            np.where(opposed, self.attitudes.weight[ON_GUNS, sided.rows], 0),
            rate=self.settings.rate,
        )

    def _list_sides(self) -> NDArray[np.int8]:
        """Return sides by unique_id; the last entry, of id -1, is 0."""
        populations = (self.population, *self.others)
        side = np.zeros(max(int(p.ids.max()) for p in populations) + 2, np.int8)
        for population in populations:
            side[population.ids] = population.memory.columns.arrays["side"]
        return side


def tone(stance: Floats, *, hostile: float) -> NDArray[np.float32]:
    """Compute how friendly a message sounds to the other side.

    Args:
        stance: In [-1, 1], any shape.
        hostile: Absolute stance from which it is hostile, in (0, 1].

    Returns:
        1 up to a stance of `hostile`, falling from there to -1 at stance 1.

    Source:
        This project, illustrative: civil opponents warm (Levy 2021, doi:10.1257/aer.20191777;
        Balietti et al. 2021, doi:10.1073/pnas.2112552118; both recalled), extreme ones do not.
    """
    beyond = np.maximum(np.abs(stance) - hostile, 0) / max(1 - hostile, MIN_RANGE)
    return np.asarray(np.maximum(1 - 2 * beyond, -1), np.float32)


def update_warmth(
    warmth: Floats, tones: Floats, weight: Floats, *, rate: float
) -> NDArray[np.float32]:
    """Update a feeling thermometer by recalled messages.

    Args:
        warmth: In [0, 100], shape (agents,).
        tones: In [-1, 1], shape (agents, k).
        weight: >= 0, 0 for irrelevant memories, shape (agents, k).
        rate: Points added by friendly messages of large weight, >= 0.

    Returns:
        warmth + rate (1 - exp(-W)) sum(w tone) / W with W = sum(w), in [0, 100], shape
        (agents,); unchanged without relevant memories.

    Source:
        This project, illustrative; a weighted average as in Anderson 1971,
        doi:10.1037/h0030852.
    """
    total = weight.sum(axis=1)
    mean = (weight * tones).sum(axis=1) / np.where(total > 0, total, 1)
    moved = warmth + rate * (1 - np.exp(-total)) * mean
    return np.clip(moved, 0, 100).astype(np.float32)
