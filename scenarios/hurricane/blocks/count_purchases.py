"""Count citizens at stores and filling stations, for the measures."""

from memopolis.agents.activities import Activity, mark_activities
from memopolis.agents.ages import SHOPPING_AGE
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort

_BUYING = mark_activities(Activity.SHOP, Activity.STOCK_UP, Activity.FUEL)


class CountPurchases(Block):
    """Mark citizens who are buying in this step."""

    reads = ("doing", "age")
    writes = ("buying",)

    def step(self, citizens: Cohort) -> None:
        """Mark citizens by activity."""
        buying = _BUYING[citizens["doing"]]
        # Accompanying children do not count as visits.
        citizens["buying"] = buying & (citizens["age"] >= SHOPPING_AGE)
