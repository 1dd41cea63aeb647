"""The bank sets its rate of interest from inflation and unemployment of the last month."""

import numpy as np

from memopolis.agents.economy.interest import policy_rate
from memopolis.scenarios.ubi.firm_settings import BankSettings
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population


class SetRate(Block):
    """Follow the published figures, which are fractions and not percent."""

    reads = ()
    writes = ("rate",)

    def __init__(self, settings: BankSettings, bureau: Population) -> None:
        self.settings = settings
        self.bureau = bureau

    def step(self, bank: Cohort) -> None:
        """Set the rate; in the first month nothing has been published."""
        if self.clock.tick == 0:
            return
        published = self.bureau.memory.columns.arrays
        rate = policy_rate(
            float(published["inflation"][0]),
            float(published["unemployment"][0]),
            neutral=self.settings.neutral,
        )
        bank.status["rate"] = np.full(len(bank), rate)
