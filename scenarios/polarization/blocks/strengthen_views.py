"""Strengthen attitudes after many similar views in conversations; off by default."""

import numpy as np

from memopolis.agents.conversation import ANSWERED, split_repeats
from memopolis.agents.everyday import RECEIVED
from memopolis.scenarios.polarization.messages import MESSAGE_TOPICS, WROTE
from memopolis.sim.arrays import Bools, Float32, Floats, Int8, Int32, Ints
from memopolis.sim.block import Block
from memopolis.sim.memory.memory import Added
from memopolis.sim.population import Cohort

LAST = 10  # number of the last views that count (choice: AgentSociety states none)
SIMILAR = 5  # number of similar views above which an attitude strengthens (AgentSociety)
CONVERSATIONS = (RECEIVED, ANSWERED, WROTE)
"""Beginnings of memories of views that friends and persuaders addressed to the citizen."""


class StrengthenViews(Block):
    """Strengthen attitudes after more than five similar views in the last conversations.

    States: sides of the last views, newest first, 0 for none, shape (topics, citizens, `LAST`), and
    whether a view was heard since the last step.

    Source: AgentSociety, arXiv:2502.08691: an attitude strengthens by 0.1 after more than five
    conversations with similar views (recalled). Here a view is similar if it is on the side of the
    citizen's own attitude, and the rule applies on days with a new view on the topic.
    """

    reads = ("attitude",)
    writes = ("attitude",)
    state = ("views", "heard")

    def __init__(self, points: float) -> None:
        self.points = points

    def setup(self) -> None:
        """Subscribe to stored memories."""
        shape = (len(MESSAGE_TOPICS), len(self.population))
        self.views: Int8 = np.zeros((*shape, LAST), np.int8)
        self.heard: Bools = np.zeros(shape, np.bool_)
        self.population.memory.stored.append(self.notice)

    def notice(self, added: Added) -> None:
        """Keep the views of conversations."""
        topics = self.population.memory.topic_numbers
        for place, name in enumerate(MESSAGE_TOPICS):
            about = np.flatnonzero(added.topic == topics.get(name, -1))
            about = about[self._is_spoken(added.text[about])]
            rows, side = added.rows[about], np.sign(added.valence[about])
            for some in split_repeats(rows):
                views = self.views[place, rows[some]]
                views = np.concatenate([side[some][:, None], views[:, :-1]], axis=1)
                self.views[place, rows[some]] = views
            self.heard[place, rows] = True

    def _is_spoken(self, numbers: Int32) -> Bools:
        """Return which texts are of conversations, shape (m,)."""
        texts = self.society.texts
        distinct, back = np.unique(numbers, return_inverse=True)
        spoken = [texts[one].startswith(CONVERSATIONS) for one in distinct.tolist()]
        return np.array(spoken, np.bool_)[back]

    def step(self, citizens: Cohort) -> None:
        """Move attitudes away from 5 where views are similar."""
        for place, name in enumerate(MESSAGE_TOPICS):
            held = citizens[f"attitude.{name}"]
            strengthened = strengthen(held, self.views[place, citizens.rows], points=self.points)
            heard = self.heard[place, citizens.rows]
            citizens[f"attitude.{name}"] = np.where(heard, strengthened, held)
        self.heard[:] = False


def strengthen(attitude: Floats, views: Ints, *, points: float) -> Float32:
    """Move attitudes that more than `SIMILAR` views support by `points` away from 5.

    `views` are sides, 1, -1, or 0 for none, shape (agents, k).
    """
    side = np.sign(attitude - 5)
    similar = (views == side[:, None]).sum(axis=1) > SIMILAR
    moved = np.where(similar & (side != 0), attitude + points * side, attitude)
    return np.clip(moved, 0, 10).astype(np.float32)
