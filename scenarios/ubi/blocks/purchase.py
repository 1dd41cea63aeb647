"""Government purchases of goods, smoothed over the business cycle."""

from dataclasses import dataclass

import numpy as np

from memopolis.scenarios.ubi.government_settings import PurchaseSettings
from memopolis.scenarios.ubi.money import Money, read_price_level
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort


@dataclass(eq=False, repr=False)
class Purchase(Block):
    """Plan this month's purchases, which `ConsumeGoods` carries out.

    The ordinary budget excludes the policy: taxes without the surtax, minus benefits and
    interest. Its balance at constant prices is smoothed over years, so that purchases continue
    when revenue falls; an accumulated surplus or deficit is worked off over further years. The
    ordinary budget is thus balanced over the cycle and stabilizes it. The policy's own budget is
    not affected.
    """

    reads = (
        "revenue", "policy_tax", "benefits", "interest", "basic_income", "purchases", "deficit",
    )  # fmt: skip
    writes = ("purchases", "deficit")
    state = ("expected", "saved", "left", "begun")

    settings: PurchaseSettings
    money: Money

    def setup(self) -> None:
        """Start without expectations and savings."""
        self.expected = np.zeros(1)
        self.saved = np.zeros(1, np.int64)
        self.left = np.zeros(1, np.int64)
        self.begun = np.zeros(1, np.bool_)

    def step(self, government: Cohort) -> None:
        """Record last month's purchases, plan this month's, and fund them."""
        status = government.status
        if self.begun[0]:
            self.saved = self.saved + self.left - status["purchases"]
        left = status["revenue"] - status["policy_tax"] - status["benefits"] - status["interest"]
        price = read_price_level(self.society)
        weight = self.settings.memory if self.begun[0] else 0.0
        self.expected = weight * self.expected + (1 - weight) * left / price
        plan = self.expected * price + self.saved / self.settings.horizon
        planned = np.maximum(np.rint(plan), 0).astype(np.int64)
        self.money.fund_government(int(planned[0]))
        status["purchases"] = planned
        # `ConsumeGoods` subtracts what could not be bought.
        status["deficit"] = planned - left - status["policy_tax"] + status["basic_income"]
        self.left = left
        self.begun = np.ones(1, np.bool_)
