"""Count who is at a store or filling station, for the measures."""

import numpy as np

from memopolis.agents.activities import Activity
from memopolis.agents.citizen import SHOPPING_AGE
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort

_BUYING = (Activity.SHOP, Activity.STOCK_UP, Activity.FUEL)


class CountPurchases(Block):
    """Mark citizens who are buying in this step."""

    reads = ("doing", "age")
    writes = ("buying",)

    def step(self, citizens: Cohort) -> None:
        """Mark by activity."""
        buying = np.isin(citizens.status.codes("doing"), _BUYING)
        # Children come along: theirs is no visit of its own.
        citizens.status["buying"] = buying & (citizens.status["age"] >= SHOPPING_AGE)
