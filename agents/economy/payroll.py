"""Payroll tax: employee contributions to social security and Medicare, in whole cents."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from memopolis.agents.economy.taxes import BASIS, check_cents
from memopolis.sim.arrays import Cents
from memopolis.sim.errors import ParameterError

SOCIAL_SECURITY = 620
MEDICARE = 145
ADDITIONAL_MEDICARE = 90  # employee rates in basis points (found: Tax-Calculator)
ADDITIONAL_ABOVE = (20_000_000, 25_000_000, 20_000_000)
"""Cents per year above which additional Medicare tax is due, by filing status (found)."""
CAPS = {2018: 12_840_000, 2019: 13_290_000, 2024: 16_860_000}
"""Cents per year up to which social security tax is due, by year (found: Tax-Calculator)."""


@dataclass(frozen=True)
class PayrollTax:
    """Employee share of the payroll tax.

    Source: 26 U.S.C. 3101; caps of the years from Tax-Calculator.
    """

    cap: int  # wages of one job, cents per year, up to which social security tax is due

    @classmethod
    def of(cls, year: int) -> "PayrollTax":
        """Return the payroll tax of a year. Raises ParameterError if its cap is unknown."""
        if year not in CAPS:
            raise ParameterError(
                f"no payroll tax for {year}; use one of {', '.join(map(str, CAPS))}"
            )
        return cls(CAPS[year])

    def tax(self, wages: ArrayLike) -> Cents:
        """Compute 6.2% of yearly wages up to the cap and 1.45% of all, whole cents, (persons,)."""
        cents = check_cents(wages)
        points = SOCIAL_SECURITY * np.minimum(cents, self.cap) + MEDICARE * cents
        return (points + BASIS // 2) // BASIS

    def withheld(self, pay: ArrayLike) -> Cents:
        """Return the tax withheld in a month, a twelfth of that on twelve equal months, cents."""
        return (self.tax(12 * check_cents(pay)) + 6) // 12


def additional_medicare(wages: ArrayLike, filing: ArrayLike) -> Cents:
    """Compute 0.9% of yearly wages above 200,000 USD, 250,000 for couples, cents, shape (units,).

    Source: 26 U.S.C. 3101 (b) (2).
    """
    status = np.asarray(filing, np.intp)
    above = np.maximum(check_cents(wages) - np.array(ADDITIONAL_ABOVE)[status], 0)
    tax: Cents = (ADDITIONAL_MEDICARE * above + BASIS // 2) // BASIS
    return tax
