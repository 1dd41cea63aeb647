"""What citizens remember of everyday life: which plans, places and people were pleasant.

Memories of completed plans have a valence: how pleasant the occasion was. It depends on a fixed
taste for the plan, a fixed quality of the place, the rapport between two people, and chance. So
citizens learn their own likings from memories.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.activities import PLANS, Need
from memopolis.agents.experience import Experience
from memopolis.sim.population import Cohort

if TYPE_CHECKING:
    from memopolis.sim.chance import Chance

RECEIVED = "{actor} told me: "
"""Beginning of memories of what others said."""

QUERIES = {
    Need.HUNGRY: "meals at home and going out to eat",
    Need.SAFE: "shopping, the store, sold out",
    Need.SOCIAL: "friends: meeting them, messages",
    Need.ANYTHING: "free time, staying in, what I enjoyed",
}
"""What citizens recall before they choose a plan, by need; other needs leave no choice."""

NEEDS = tuple(QUERIES)
_QUERY = np.full(len(Need), -1, np.intp)
_QUERY[[int(need) for need in NEEDS]] = np.arange(len(NEEDS))

TASTE = 0.25
"""Standard deviation of the taste for a plan, in units of valence (illustrative)."""
QUALITY = 0.2
"""Standard deviation of the quality of a place (illustrative)."""
RAPPORT = 0.3
"""Standard deviation of the rapport between two people (illustrative)."""
_MIX = 2_654_435_761
"""Multiplier that mixes two rows into one number, whatever the size of the population."""
MOMENT = 0.2
"""Standard deviation of the pleasantness of one occasion (illustrative)."""


def name_friend(text: str) -> str:
    """Replace the person in a template, since a passed-on memory names its reporter."""
    return text.replace("{actor}", "a friend")


def query_of(need: NDArray[np.integer]) -> NDArray[np.intp]:
    """Return the index in `NEEDS` of each need, -1 for those without a query."""
    return np.asarray(_QUERY[need])


class PlanMemories:
    """Which recalled memories report which plan, of the agent itself and of others.

    A plan that the agent shared with a friend is also a plan of that friend.

    Args:
        agents: The agents.
        experience: What they recalled.
    """

    def __init__(self, agents: Cohort, experience: Experience) -> None:
        self.experience = experience
        texts = agents.population.society.texts
        templates = [text for plan in PLANS for text in plan.memories]
        plan = np.repeat(np.arange(len(PLANS)), [len(one.memories) for one in PLANS])
        own = texts.intern_many(templates)
        others = texts.intern_many([RECEIVED + name_friend(text) for text in templates])
        self.own = _find(experience.column("text"), own, plan)
        reported = _find(experience.column("text"), others, plan)
        is_shared = (self.own >= 0) & (experience.column("actor") >= 0)
        self.others = np.where(is_shared, self.own, reported)

    def attitudes(self) -> NDArray[np.float32]:
        """Return the mean remembered valence of each plan, 0 if unknown, shape (agents, plans)."""
        weight = self.experience.weights
        total = self._sum(self.own, weight)
        valence = self._sum(self.own, weight * self.experience.column("valence"))
        return (valence / np.where(total > 0, total, 1)).astype(np.float32)

    def norms(self) -> NDArray[np.float32]:
        """Return how often others were remembered to follow each plan, shape (agents, plans).

        Shares of the recalled reports of others and of plans shared with them; 0 without any.
        """
        count = self._sum(self.others, np.ones(self.others.shape, np.float32))
        return (count / np.maximum(count.sum(axis=1), 1)[:, None]).astype(np.float32)

    def _sum(self, plan: NDArray[np.intp], values: NDArray[np.floating]) -> NDArray[np.float64]:
        """Sum values of memories by agent and plan, shape (agents, plans)."""
        row, place = np.nonzero(plan >= 0)
        group = row * len(PLANS) + plan[row, place]
        total = np.bincount(group, values[row, place], minlength=len(plan) * len(PLANS))
        return total.reshape(len(plan), len(PLANS))


def _find(
    texts: NDArray[np.int32], templates: NDArray[np.int32], plan: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return the plan that each text reports, -1 for none."""
    order = np.argsort(templates, kind="stable")
    place = np.minimum(np.searchsorted(templates[order], texts), len(order) - 1)
    reported = order[place]
    return np.where(templates[reported] == texts, plan[reported], -1)


def draw_pleasantness(
    agents: Cohort,
    plan: NDArray[np.integer],
    *,
    place: NDArray[np.integer],
    partner: NDArray[np.integer],
    usual: NDArray[np.floating],
    chance: "Chance",
    tick: int,
) -> NDArray[np.float32]:
    """Draw how pleasant an occasion was.

    Args:
        agents: The agents.
        plan: Number of the completed plan, shape (agents,).
        place: Zone, -1 for none, shape (agents,).
        partner: Row of the person met, -1 for none, shape (agents,).
        usual: Usual valence of the plan, shape (agents,).
        chance: Random streams of the run.
        tick: Current tick.

    Returns:
        Valence in [-1, 1], shape (agents,).

    Source:
        This project, illustrative: usual valence plus a fixed taste, the fixed quality of the
        place, the fixed rapport of the pair (the same for both), and chance.
    """
    rows = agents.rows.astype(np.int64)
    taste = chance.normal("taste", rows * len(PLANS) + plan)
    quality = chance.normal("quality", np.maximum(place, 0).astype(np.int64) * len(PLANS) + plan)
    low, high = np.minimum(rows, partner), np.maximum(rows, partner)
    rapport = chance.normal("rapport", np.maximum(low, 0) * _MIX + high)
    moment = chance.normal("occasion", rows, tick)
    valence = usual + TASTE * taste + MOMENT * moment
    valence += np.where(place >= 0, QUALITY * quality, 0)
    valence += np.where(partner >= 0, RAPPORT * rapport, 0)
    return np.clip(valence, -1, 1).astype(np.float32)
