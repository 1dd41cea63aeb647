"""Count who is at a store or filling station, for the measures."""

import numpy as np

from memopolis.agents.activities import Activity
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort

_BUYING = (Activity.SHOP, Activity.STOCK_UP, Activity.FUEL)


class CountPurchases(Block):
    """Mark citizens who are buying in this step."""

    reads = ("doing",)
    writes = ("buying",)

    def step(self, citizens: Cohort) -> None:
        """Mark by activity."""
        citizens.status["buying"] = np.isin(citizens.status.codes("doing"), _BUYING)
