"""The initial economy: firms and employers, prices at which demand equals output, and money."""

from dataclasses import dataclass

import numpy as np

from memopolis.agents.economy.consumption import buffer_spending
from memopolis.agents.economy.firms import compute_labour
from memopolis.scenarios.ubi.firm_settings import FirmSettings
from memopolis.scenarios.ubi.household_settings import GOODS
from memopolis.scenarios.ubi.money import Money
from memopolis.scenarios.ubi.people import Labour
from memopolis.scenarios.ubi.settings import BasicIncomeSettings
from memopolis.scenarios.ubi.synthesis import Inhabitants, draw_patience
from memopolis.sim.arrays import Float64, Floats, Int32, Int64, Ints, UInt8
from memopolis.sim.chance import Chance
from memopolis.sim.population import Population
from memopolis.sim.world.ledger import Ledger
from memopolis.sim.world.loans import Loans

SECTOR_SHARES = (0.128, 0.333, 0.168, 0.371)
"""Shares of food, housing, transport and other goods in spending (found: CEX 2022)."""

AFTER_TAX = 0.85  # disposable income relative to money income at the start (computed)
MAX_LOG_SCALE = 5.0  # maximum log of the factor on initial deposits (choice)


@dataclass(frozen=True, eq=False)
class Firms:
    """Initial firms."""

    sector: UInt8  # kind of goods, shape (firms,)
    expected: Float64  # expected monthly sales in units, shape (firms,)
    productivity: float  # units produced per hour of weighted labour, of all firms
    employer: Int32  # row of each citizen's firm, -1 for none, shape (citizens,)
    wages: Int64  # monthly wages in cents, shape (firms,)


def make_firms(
    labour: Ints, wanted_hours: Floats, skill: Floats, settings: FirmSettings, chance: Chance
) -> Firms:
    """Create firms with power-law sizes, and assign employed citizens to them.

    With a price of 1 USD and the wages of the data, profits have the share of output that the
    settings define. Each firm's workers produce its expected sales, up to one job.
    """
    count = max(len(GOODS), round(len(labour) / settings.citizens))
    sector = _assign_sectors(count)
    size = _compute_sizes(sector, settings.size_exponent)
    employed = np.flatnonzero((labour == Labour.EMPLOYED) & (wanted_hours > 0))
    order = employed[chance.order("first employer", employed)]
    work = compute_labour(wanted_hours[order], skill[order])
    total = float(work.sum())
    # Each worker belongs to the firm in whose share of total labour the worker's midpoint is.
    middle = (np.cumsum(work) - work / 2) / max(total, 1e-9)
    employer = np.full(len(labour), -1, np.int32)
    firm = np.minimum(np.searchsorted(np.cumsum(size), middle, "right"), count - 1)
    employer[order] = firm
    wages = np.rint(100 * np.bincount(firm, work, minlength=count)).astype(np.int64)
    productivity = 1 / settings.labour_share
    return Firms(sector, size * total * productivity, productivity, employer, wages)


def _assign_sectors(count: int) -> UInt8:
    """Assign sectors by shares of spending, at least one firm each, evenly over the rows."""
    upto = np.cumsum(SECTOR_SHARES) / np.sum(SECTOR_SHARES)
    # Steps of the golden ratio distribute any number of firms evenly.
    place = (0.5 + np.arange(count) * (5**0.5 - 1) / 2) % 1
    sector = np.searchsorted(upto, place, "right")
    sector[: len(GOODS)] = np.arange(len(GOODS))
    return sector.astype(np.uint8)


def _compute_sizes(sector: UInt8, exponent: float) -> Float64:
    """Compute each firm's share of total output."""
    size = np.zeros(len(sector))
    for number, share in enumerate(SECTOR_SHARES):
        rows = np.flatnonzero(sector == number)
        weight = (1.0 + np.arange(len(rows))) ** -exponent
        size[rows] = share * weight / weight.sum()
    return size / size.sum()


def open_accounts(
    people: Inhabitants,
    firms: Firms,
    settings: BasicIncomeSettings,
    *,
    households: Population,
    companies: Population,
) -> tuple[Money, int]:
    """Open all accounts and fund them; return the money, and the number of the owners' fund.

    Household debts are loans of the bank; all other money is created without a loan, so the
    government starts without debt. A firm has its buffer and one month's profit. The columns
    `account` of households and companies are set.
    """
    ledger = Ledger()
    bank = int(ledger.open("bank", issuer=True)[0])
    government = int(ledger.open("government")[0])
    fund = int(ledger.open("owners' fund")[0])
    abroad = int(ledger.open("outside world")[0])
    money = Money(ledger, Loans(ledger, bank), bank, government, abroad)
    homes = ledger.open("household", len(households))
    company_accounts = ledger.open("firm", len(companies))
    households["account"] = homes
    companies["account"] = company_accounts
    # Loans were spent in the past: the money belongs to its current holders.
    lent = money.loans.lend(homes, people.debts, "consumer loan")
    ledger.pay(homes, bank, lent, "opening")
    patience = draw_patience(households.cohort().rows, households.society.chance)
    deposits = _scale_deposits(people, settings, patience)
    profit = firms.wages * (1 / settings.firms.labour_share - 1)
    capital = np.rint(settings.firms.buffer * firms.wages + profit).astype(np.int64)
    needed = int(deposits.sum() + capital.sum()) - int(lent.sum())
    reserve = round(settings.bank.capital * money.loans.total)
    money.loans.create(bank, max(needed, 0) + reserve, "opening")
    ledger.pay(bank, homes, deposits, "opening", short="part")
    ledger.pay(bank, company_accounts, capital, "opening", short="part")
    return money, fund


def _scale_deposits(
    people: Inhabitants, settings: BasicIncomeSettings, patience: Float64
) -> np.ndarray:
    """Scale deposits until households plan to spend their income in total.

    Otherwise spending would jump in the first months.
    """
    from scipy.optimize import brentq

    homes, persons = people.households, people.persons
    quintile = homes["quintile"].astype(np.intp)
    month = np.zeros(len(quintile))
    np.maximum.at(month, persons["household"], AFTER_TAX * persons["income"] * 100 / 12)
    rules = settings.consumption
    buffer = np.array((rules.buffer[2], *rules.buffer))[quintile] * patience

    def plan_saving(log_factor: float) -> float:
        money = np.exp(log_factor) * people.deposits
        spent = buffer_spending(
            month, month, money, buffer=buffer, mpc=rules.mpc, liquid=rules.liquid
        )
        return float((month - spent).sum())

    low, high = -MAX_LOG_SCALE, MAX_LOG_SCALE
    if plan_saving(low) <= 0 or plan_saving(high) >= 0:
        return people.deposits
    scaled = people.deposits * np.exp(brentq(plan_saving, low, high))
    return np.asarray(np.rint(scaled), np.int64)
