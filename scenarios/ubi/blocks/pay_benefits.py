"""Existing transfers: pensions, unemployment compensation, and means-tested benefits."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.economy.benefits import means_tested_benefit, unemployment_benefit
from memopolis.scenarios.ubi.government_settings import BenefitSettings
from memopolis.scenarios.ubi.money import Money, read_price_level, rescale, sum_by_group
from memopolis.scenarios.ubi.people import Labour
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population

type Cents = NDArray[np.int64]


@dataclass(eq=False, repr=False)
class PayBenefits(Block):
    """Pay existing transfers in full, on credit if necessary."""

    reads = ("support",)
    writes = ("benefits",)

    settings: BenefitSettings
    money: Money
    citizens: Population
    households: Population

    def step(self, government: Cohort) -> None:
        """Pay pensions and unemployment compensation, then means-tested benefits.

        All but pensions are scaled by the factor that the government's reviews change.
        """
        homes = self.households.cohort()
        rows = homes.rows
        support = float(government.status["support"][0])
        jobless = rescale(self._compute_unemployment_pay()[rows], support)
        price = read_price_level(self.society) if self.settings.indexed else 1.0
        pension = rescale(homes.status["pension"], price)
        own = homes.status["wages"] + homes.status["dividends"] + pension + jobless
        if self.settings.counts_basic_income:
            own = own + homes.status["basic_income"]
        help_due = means_tested_benefit(
            rescale(homes.status["assistance"], price),
            own,
            disregard=round(price * self.settings.disregard_cents),
            phase_out=self.settings.phase_out,
        )
        help_due = rescale(help_due, support)
        account = homes.status["account"].astype(np.intp)
        benefits = np.zeros(len(rows), np.int64)
        for why, cents in (
            ("pension", pension),
            ("unemployment pay", jobless),
            ("means-tested help", help_due),
        ):
            benefits += self.money.government_pays(account, cents, why)
        homes.status["benefits"] = benefits
        government.status["benefits"] = int(benefits.sum())

    def _compute_unemployment_pay(self) -> Cents:
        """Compute unemployment compensation by household, and store the pay it is based on."""
        status = self.citizens.cohort().status
        pay = status["pay"]
        status["insured"] = insured = np.where(pay > 0, pay, status["insured"])
        due = unemployment_benefit(
            insured,
            status["spell"],
            replacement=self.settings.replacement,
            most=round(100 * self.settings.most_unemployment),
            months=self.settings.unemployment_months,
        )
        due[status.codes("labour") != Labour.UNEMPLOYED] = 0
        return sum_by_group(due, status["household"], len(self.households))
