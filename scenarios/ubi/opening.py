"""Initial distribution of money."""

import numpy as np

from memopolis.scenarios.ubi.money import Money
from memopolis.scenarios.ubi.settings import BasicIncomeSettings
from memopolis.scenarios.ubi.start import Firms
from memopolis.scenarios.ubi.synthesis import People
from memopolis.sim.population import Population
from memopolis.sim.world.ledger import Ledger
from memopolis.sim.world.loans import Loans

OPENING_SHARE = 0.85
"""Initial money of households relative to their target buffers (calibrated: spending of the first
year then about equals income, since some households never reach their buffer)."""


def open_accounts(
    people: People,
    firms: Firms,
    settings: BasicIncomeSettings,
    *,
    households: Population,
    companies: Population,
) -> tuple[Money, int]:
    """Open all accounts and fund them.

    Household debts are loans of the bank; all other money is created without a loan, so the
    government starts without debt. A firm has its buffer and one month's profit.

    Args:
        people: Deposits and debts of households.
        firms: Wages of firms.
        settings: Buffers.
        households: Population of households, whose column `account` is set.
        companies: Population of firms, whose column `account` is set.

    Returns:
        The money, and the number of the account of the owners' fund.
    """
    ledger = Ledger()
    bank = int(ledger.open("bank", issuer=True)[0])
    government = int(ledger.open("government")[0])
    fund = int(ledger.open("owners' fund")[0])
    money = Money(ledger, Loans(ledger, bank), bank, government)
    homes = ledger.open("household", len(households))
    company_accounts = ledger.open("firm", len(companies))
    households.memory.columns.arrays["account"][:] = homes
    companies.memory.columns.arrays["account"][:] = company_accounts
    # Loans were spent in the past: the money belongs to its current holders.
    lent = money.loans.lend(homes, people.debts, "consumer loan")
    ledger.pay(homes, bank, lent, "opening")
    deposits = _scale_deposits(people, settings)
    profit = firms.wages * (1 / settings.firms.labour_share - 1)
    capital = np.rint(settings.firms.buffer * firms.wages + profit).astype(np.int64)
    needed = int(deposits.sum() + capital.sum()) - int(lent.sum())
    reserve = round(settings.bank.capital * money.loans.total)
    money.loans.create(bank, max(needed, 0) + reserve, "opening")
    ledger.pay(bank, homes, deposits, "opening", short="part")
    ledger.pay(bank, company_accounts, capital, "opening", short="part")
    return money, fund


def _scale_deposits(people: People, settings: BasicIncomeSettings) -> np.ndarray:
    """Scale deposits to the sum of target buffers, which keeps differences between households.

    Otherwise spending would jump in the first months.
    """
    homes, persons = people.households, people.persons
    quintile = homes["quintile"].astype(np.intp)
    month = np.zeros(len(quintile))
    np.maximum.at(month, persons["household"], persons["income"] * 100 / 12)
    buffer = np.array((settings.consumption.buffer[2], *settings.consumption.buffer))
    target = float((buffer[quintile] * month).sum())
    factor = OPENING_SHARE * target / max(float(people.deposits.sum()), 1.0)
    return np.rint(people.deposits * factor).astype(np.int64)
