"""The bank sets its interest rate from expected inflation and published unemployment."""

from dataclasses import dataclass

from memopolis.agents.economy.interest import policy_rate
from memopolis.scenarios.ubi.firm_settings import BankSettings
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population


@dataclass(eq=False, repr=False)
class SetRate(Block):
    """Set the interest rate by figures that are fractions, not percentages."""

    reads = ("expected_inflation",)
    writes = ("rate",)

    settings: BankSettings
    bureau: Population

    def step(self, bank: Cohort) -> None:
        """Set the rate; there are no published figures in the first month."""
        if self.clock.tick == 0:
            return
        published = self.bureau.memory.columns.arrays
        rate = policy_rate(
            float(bank.status["expected_inflation"][0]),
            float(published["unemployment"][0]),
            neutral=self.settings.neutral,
        )
        bank.status["rate"] = rate
