"""Columns of households: members, filing, pensions, help, capital, money and debts."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.economy.benefits import most_help, snap_most
from memopolis.agents.economy.taxes import FILING
from memopolis.scenarios.ubi.government_settings import BenefitSettings
from memopolis.scenarios.ubi.microdata import ASSISTANCE, Microdata
from memopolis.scenarios.ubi.people import ADULT
from memopolis.sim.chance import Chance

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
Cents = NDArray[np.int64]
Columns = dict[str, NDArray[Any]]

PENSIONS = ("social_security", "pension", "veterans")
"""What a household gets every month whatever it earns; the government pays all of it."""
CAPITAL = ("interest", "dividends")
MOST_HELP = 250_000
"""Cents of means-tested help a month above which none is assumed (illustrative)."""
MONTHS_OF_MONEY = (0.5, 1.0, 1.5, 2.5, 5.0)
MONEY_SPREAD = 1.2
"""Median of deposits in months of income by quintile, and standard deviation of the logarithm
(illustrative; the Survey of Consumer Finances 2019 has medians of about 800 to 70,000 USD,
recalled)."""
LEAST_INCOME = 50_000
"""Cents a month that deposits and debts of those with less follow (illustrative)."""
INDEBTED = (0.4, 0.5, 0.6, 0.6, 0.6)
MONTHS_OF_DEBT, DEBT_SPREAD = 1.0, 0.8
"""Share of households with debts by quintile, their median in months of income and standard
deviation of the logarithm: debts of consumers, without mortgages (illustrative)."""


def draw_households(
    sample: Microdata, kind: IntArray, persons: Columns, numbers: IntArray, chance: Chance
) -> tuple[Columns, Cents, Cents]:
    """Draw the columns of households, their money and their debts.

    Args:
        sample: Households of the survey.
        kind: Household of the survey of each household, shape (households,).
        persons: Columns of their members, as `draw_persons` gives them.
        numbers: Row of each household, ascending without gaps, shape (households,).
        chance: Luck of the run; drawn by the household's row.

    Returns:
        Columns of `people.Household`, then deposits and debts in cents, shape (households,).
        `capital` is dollars of interest and dividends a year, which weigh the household's
        claim on profits.
    """
    home = persons["household"] - numbers[0]
    size = np.bincount(home, minlength=len(kind))
    adults = np.bincount(home, weights=persons["age"] >= ADULT, minlength=len(kind))
    quintile = np.zeros(len(kind), np.uint8)
    quintile[home] = persons["quintile"]
    filing = np.array([FILING.index(name) for name in sample.units["filing"].tolist()])
    income = np.maximum(np.rint(sample.income()[kind] * 100 / 12).astype(np.int64), LEAST_INCOME)
    columns: Columns = {
        "size": size.astype(np.int16),
        "adults": adults.astype(np.int16),
        "filing": filing[sample.head_unit[kind]].astype(np.uint8),
        "quintile": quintile,
        "capital": sample.income(CAPITAL)[kind].astype(np.float32),
        "pension": _monthly(sample, PENSIONS)[kind],
        "assistance": _assistance(sample, kind, size, numbers, chance),
    }
    return columns, *_money(income, quintile.astype(np.intp) - 1, numbers, chance)


def _assistance(
    sample: Microdata, kind: IntArray, size: IntArray, numbers: IntArray, chance: Chance
) -> Cents:
    """Help a month at no other income.

    Who has help in the survey gets at its observed income just that help, up to `MOST_HELP`.
    Of the others a share would take up food stamps.
    """
    rules = BenefitSettings()
    received = _monthly(sample, ASSISTANCE)[kind]
    market = ("wage_head", "wage_spouse", "self_employed_head", "self_employed_spouse", *CAPITAL)
    other = _monthly(sample, (*market, *PENSIONS, "unemployment"))[kind]
    known = most_help(received, other, disregard=rules.disregard_cents, phase_out=rules.phase_out)
    takes = chance.uniform("household help", numbers) < rules.take_up
    help_at_most = np.where(received > 0, known, np.where(takes, snap_most(size), 0))
    return np.minimum(help_at_most, MOST_HELP)


def _monthly(sample: Microdata, kinds: tuple[str, ...]) -> Cents:
    return np.rint(sample.income(kinds) * 100 / 12).astype(np.int64)


def _money(
    income: Cents, quintile: IntArray, numbers: IntArray, chance: Chance
) -> tuple[Cents, Cents]:
    """Deposits and debts in cents, log-normal about months of income."""

    def lognormal(purpose: str, median: NDArray[Any], spread: float) -> FloatArray:
        return median * np.exp(spread * chance.normal(purpose, numbers))

    months = np.array(MONTHS_OF_MONEY)[quintile]
    deposits = income * lognormal("household deposits", months, MONEY_SPREAD)
    debts = income * lognormal("household debts", np.full(len(income), MONTHS_OF_DEBT), DEBT_SPREAD)
    owes = chance.uniform("household owes", numbers) < np.array(INDEBTED)[quintile]
    return np.rint(deposits).astype(np.int64), np.rint(np.where(owes, debts, 0)).astype(np.int64)
