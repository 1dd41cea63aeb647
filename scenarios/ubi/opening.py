"""Money at the start: who has how much, and where it comes from."""

from typing import TYPE_CHECKING

import numpy as np

from memopolis.scenarios.ubi.money import Money
from memopolis.scenarios.ubi.settings import BasicIncomeSettings
from memopolis.scenarios.ubi.start import Firms
from memopolis.scenarios.ubi.synthesis import People
from memopolis.sim.world.ledger import Ledger
from memopolis.sim.world.loans import Loans

if TYPE_CHECKING:
    from memopolis.scenarios.ubi.scenario import BasicIncome

OPENING_SHARE = 0.85
"""Households' money at the start over what they would like to have in all (calibrated: spending
of the first year then about equals income, since some never reach their buffer)."""


def open_accounts(
    society: "BasicIncome", people: People, firms: Firms, settings: BasicIncomeSettings
) -> tuple[Money, int]:
    """Open everybody's account and fill it.

    What households owe was lent by the bank; all other money is created without a loan, so
    the government owes nothing. A firm has its buffer and the profit of the month before.

    Args:
        society: Whose households and firms have been made, without accounts.
        people: Deposits and debts of households.
        firms: Wages of firms.
        settings: Buffers.

    Returns:
        The money, and the number of the account of the owners' fund.
    """
    ledger = Ledger()
    bank = int(ledger.open("bank", issuer=True)[0])
    government = int(ledger.open("government")[0])
    fund = int(ledger.open("owners' fund")[0])
    money = Money(ledger, Loans(ledger, bank), bank, government)
    homes = ledger.open("household", len(society.households))
    companies = ledger.open("firm", len(society.firms))
    society.households.memory.columns.arrays["account"][:] = homes
    society.firms.memory.columns.arrays["account"][:] = companies
    # Loans were spent long ago: their money is with whoever has it now.
    lent = money.loans.lend(homes, people.debts, "consumer loan")
    ledger.pay(homes, bank, lent, "opening")
    deposits = _scaled(people, settings)
    profit = firms.wages * (1 / settings.firms.labour_share - 1)
    capital = np.rint(settings.firms.buffer * firms.wages + profit).astype(np.int64)
    needed = int(deposits.sum() + capital.sum()) - int(lent.sum())
    reserve = round(settings.bank.capital * money.loans.total)
    money.loans.create(bank, max(needed, 0) + reserve, "opening")
    ledger.pay(bank, homes, deposits, "opening", short="part")
    ledger.pay(bank, companies, capital, "opening", short="part")
    return money, fund


def _scaled(people: People, settings: BasicIncomeSettings) -> np.ndarray:
    """Deposits in proportion to what households want to have in all.

    Spending would else jump in the first months; how deposits differ between households is
    left as drawn.
    """
    homes, persons = people.households, people.persons
    quintile = homes["quintile"].astype(np.intp)
    month = np.zeros(len(quintile))
    np.maximum.at(month, persons["household"], persons["income"] * 100 / 12)
    buffer = np.array((settings.consumption.buffer[2], *settings.consumption.buffer))
    wanted = float((buffer[quintile] * month).sum())
    factor = OPENING_SHARE * wanted / max(float(people.deposits.sum()), 1.0)
    return np.rint(people.deposits * factor).astype(np.int64)
