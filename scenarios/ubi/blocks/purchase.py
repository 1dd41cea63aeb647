"""Government buys goods for what its ordinary budget leaves, over the cycle."""

import numpy as np

from memopolis.scenarios.ubi.government_settings import PurchaseSettings
from memopolis.scenarios.ubi.last_month import price_level
from memopolis.scenarios.ubi.money import Money
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort


class Purchase(Block):
    """Set what is spent on goods this month; `ConsumeGoods` then serves it among households.

    The ordinary budget is that without the policy: taxes without the surtax, less benefits
    and interest. What it leaves, at the prices of the start, is smoothed over years, so that
    the government goes on buying when revenue falls; a surplus or deficit that has built up is
    spent or saved over some years more. So the ordinary budget is balanced over the cycle and
    steadies it, and the policy's own is not touched.
    """

    reads = (
        "revenue", "policy_tax", "benefits", "interest", "basic_income", "purchases", "deficit",
    )  # fmt: skip
    writes = ("purchases", "deficit")
    state = ("expected", "saved", "left", "begun")

    def __init__(self, settings: PurchaseSettings, money: Money) -> None:
        self.settings = settings
        self.money = money

    def setup(self) -> None:
        """Begin without expectations and without savings."""
        self.expected = np.zeros(1)
        self.saved = np.zeros(1, np.int64)
        self.left = np.zeros(1, np.int64)
        self.begun = np.zeros(1, np.bool_)

    def step(self, government: Cohort) -> None:
        """Book last month's purchases, plan this month's, and have the money for them."""
        status = government.status
        if self.begun[0]:
            self.saved = self.saved + self.left - status["purchases"]
        left = status["revenue"] - status["policy_tax"] - status["benefits"] - status["interest"]
        price = price_level(self.society)
        weight = self.settings.memory if self.begun[0] else 0.0
        self.expected = weight * self.expected + (1 - weight) * left / price
        plan = self.expected * price + self.saved / self.settings.horizon
        planned = np.maximum(np.rint(plan), 0).astype(np.int64)
        self.money.fund_government(int(planned[0]))
        status["purchases"] = planned
        # What could not be bought is taken out again by `ConsumeGoods`.
        status["deficit"] = planned - left - status["policy_tax"] + status["basic_income"]
        self.left = left
        self.begun = np.ones(1, np.bool_)
