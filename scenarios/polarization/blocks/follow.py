"""Rewire follows: unfollow dissimilar citizens and follow recommended ones."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memopolis.scenarios.polarization.blocks.read_feed import ReadFeed
from memopolis.scenarios.polarization.ranking import draw_least_preferred, log_preference
from memopolis.scenarios.polarization.settings import FeedSettings
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort


@dataclass(eq=False, repr=False)
class Follow(Block):
    """Let some citizens unfollow one citizen and follow an author shown by the feed today."""

    reads = ("attitude",)

    settings: FeedSettings
    feed: ReadFeed

    def step(self, citizens: Cohort) -> None:
        """Rewire the follows of randomly drawn citizens."""
        movers = self.chance.some(citizens, self.settings.rewire, "rewire")
        shown = self.feed.shown[movers.rows]
        some = (shown >= 0).any(axis=1)
        movers, shown = movers.where(some), shown[some]
        if len(movers) and self.feed.follows.shape[1]:
            new = draw_shown(shown, self.chance.uniform(movers, "whom"))
            self.feed.follows[movers.rows, self._choose_unfollowed(movers)] = new

    def _choose_unfollowed(self, movers: Cohort) -> NDArray[np.intp]:
        """Choose the place to be replaced in each list of follows; empty places come first."""
        follows = self.feed.follows[movers.rows]
        own = (movers.status["attitude.gun_control"] - 5) / 5
        preferred = log_preference(
            own[:, None], self.feed.known[follows], strength=self.settings.strength
        )
        left = draw_least_preferred(preferred, self.chance.uniform(movers, "leave"))
        empty = follows < 0
        return np.where(empty.any(axis=1), empty.argmax(axis=1), left)


def draw_shown(shown: NDArray[np.int32], u: NDArray[np.float64]) -> NDArray[np.int32]:
    """Draw one of the authors shown to each reader; each row must have one.

    Args:
        shown: Rows of authors, -1 for none, shape (readers, places).
        u: Uniform draws in [0, 1), shape (readers,).
    """
    present = shown >= 0
    which = (u * present.sum(axis=1)).astype(np.intp)
    place = (np.cumsum(present, axis=1) > which[:, None]).argmax(axis=1)
    return shown[np.arange(len(shown)), place]
