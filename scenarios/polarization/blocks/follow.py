"""Follow: people leave those who are least like them for others the feed has shown."""

import numpy as np
from numpy.typing import NDArray

from memopolis.scenarios.polarization.blocks.read_feed import ReadFeed
from memopolis.scenarios.polarization.ranking import least_liked, liking
from memopolis.scenarios.polarization.settings import FeedSettings
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort


class Follow(Block):
    """Now and then unfollow somebody, and follow an author the feed has shown today."""

    reads = ("attitude",)

    def __init__(self, settings: FeedSettings, feed: ReadFeed) -> None:
        self.settings = settings
        self.feed = feed

    def step(self, citizens: Cohort) -> None:
        """Rewire the follows of some."""
        movers = self.chance.some(citizens, self.settings.rewire, "rewire")
        shown = self.feed.shown[movers.rows]
        some = (shown >= 0).any(axis=1)
        movers, shown = movers.where(some), shown[some]
        if len(movers) and self.feed.follows.shape[1]:
            new = one_of(shown, self.chance.uniform(movers, "whom"))
            self.feed.follows[movers.rows, self._left(movers)] = new

    def _left(self, movers: Cohort) -> NDArray[np.intp]:
        """Place of the one each unfollows; an empty place is filled first."""
        follows = self.feed.follows[movers.rows]
        own = (movers.status["attitude.gun_control"] - 5) / 5
        preferred = liking(own[:, None], self.feed.known[follows], strength=self.settings.strength)
        left = least_liked(preferred, self.chance.uniform(movers, "leave"))
        empty = follows < 0
        return np.where(empty.any(axis=1), empty.argmax(axis=1), left)


def one_of(shown: NDArray[np.int32], u: NDArray[np.float64]) -> NDArray[np.int32]:
    """Draw one of those shown to each; every row has one.

    Args:
        shown: Rows of authors, -1 for none, shape (readers, places).
        u: Uniform draws in [0, 1), shape (readers,).
    """
    there = shown >= 0
    which = (u * there.sum(axis=1)).astype(np.intp)
    place = (np.cumsum(there, axis=1) > which[:, None]).argmax(axis=1)
    return shown[np.arange(len(shown)), place]
