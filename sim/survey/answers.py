"""Answers of agents to one item of a survey."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.mind.mind import Decisions
from memopolis.sim.survey.item import Item
from memopolis.sim.survey.survey import Survey


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers of all agents asked to one item.

    Attributes:
        survey: The survey.
        item: The item.
        decisions: As the mind decided.
        value: Ratings on their scale, numbers of options, NaN for texts, shape (agents,).
        text: Texts written out, "" where the item is none, length agents.
    """

    survey: Survey
    item: Item
    decisions: Decisions
    value: NDArray[np.float32]
    text: tuple[str, ...]
