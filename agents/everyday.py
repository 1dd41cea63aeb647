"""What citizens remember of everyday life: which plans, places and people were pleasant.

Memories of completed plans have a valence: how pleasant the occasion was. It depends on a fixed
taste for the plan, a fixed quality of the place, the rapport between two people, and chance. So
citizens learn their own likings from memories.
"""

from typing import TYPE_CHECKING, Any

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

    Args:
        agents: The agents.
        experience: What they recalled.
    """

    def __init__(self, agents: Cohort, experience: Experience) -> None:
        self.experience = experience
        texts = agents.population.society.texts
        templates = [text for plan in PLANS for text in plan.memories]
        own = texts.intern_many(templates)
        others = texts.intern_many([RECEIVED + name_friend(text) for text in templates])
        recalled, capacity = experience.column("text"), texts.capacity
        self.own = _Reports(_find_plans(own, capacity)[recalled])
        self.others = _Reports(_find_plans(others, capacity)[recalled])

    def attitudes(self) -> NDArray[np.float32]:
        """Return the mean remembered valence of each plan, 0 if unknown, shape (agents, plans)."""
        weight = self.experience.weights
        total = self.own.sum(weight)
        valence = self.own.sum(weight * self.experience.column("valence"))
        return (valence / np.where(total > 0, total, 1)).astype(np.float32)

    def norms(self) -> NDArray[np.float32]:
        """Return how often others were remembered to follow each plan, shape (agents, plans).

        Shares of the recalled reports of others; 0 without any.
        """
        count = self.others.count()
        return (count / np.maximum(count.sum(axis=1), 1)[:, None]).astype(np.float32)


class _Reports:
    """Memories that report a plan.

    Args:
        plan: Number of the plan that each memory reports, -1 for none, shape (agents, k).
    """

    def __init__(self, plan: NDArray[np.integer]) -> None:
        self._agents, k = plan.shape
        self._memories = np.flatnonzero(plan >= 0)
        self._groups = self._memories // k * len(PLANS) + plan.ravel()[self._memories]

    def sum(self, values: NDArray[np.floating]) -> NDArray[np.float64]:
        """Sum values of memories by agent and plan, shape (agents, plans)."""
        return self._by_plan(values.ravel()[self._memories])

    def count(self) -> NDArray[np.integer]:
        """Count memories by agent and plan, shape (agents, plans)."""
        return self._by_plan(None)

    def _by_plan(self, values: NDArray[np.floating] | None) -> NDArray[Any]:
        total = np.bincount(self._groups, values, minlength=self._agents * len(PLANS))
        return total.reshape(self._agents, len(PLANS))


def _find_plans(templates: NDArray[np.int32], capacity: int) -> NDArray[np.int8]:
    """Return the plan that each text reports, -1 for none.

    Args:
        templates: Numbers of the texts of all plans, in the order of plans, shape (templates,).
        capacity: Upper bound of the numbers of texts.

    Returns:
        Shape (capacity + 1,), by number of the text; the last is that of no text.
    """
    plan = np.repeat(np.arange(len(PLANS)), [len(one.memories) for one in PLANS])
    plans = np.full(capacity + 1, -1, np.int8)
    plans[templates] = plan
    return plans


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
