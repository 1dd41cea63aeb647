"""The economy at the start: firms, who works where, and prices at which demand meets output."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.economy.production import labour_of
from memopolis.scenarios.ubi.firm_settings import FirmSettings
from memopolis.scenarios.ubi.people import GOODS, Labour
from memopolis.sim.chance import Chance

SECTOR_SHARES = (0.128, 0.333, 0.168, 0.371)
"""Shares of food, housing, transport and other goods in spending (found: CEX 2022)."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Firms:
    """Firms at the start.

    Attributes:
        sector: Kind of goods of each, shape (firms,).
        expected: Units it expects to sell in a month, shape (firms,).
        productivity: Units made by an hour of weighted work, of all firms.
        employer: Row of each citizen's firm, -1 for none, shape (citizens,).
        wages: Wages of a month in cents, shape (firms,).
    """

    sector: NDArray[np.uint8]
    expected: Floats
    productivity: float
    employer: NDArray[np.int32]
    wages: NDArray[np.int64]


def make_firms(
    labour: NDArray[np.integer],
    wanted_hours: NDArray[np.floating],
    skill: NDArray[np.floating],
    settings: FirmSettings,
    chance: Chance,
) -> Firms:
    """Make firms whose sizes fall as a power of their rank, and give the employed a job.

    Args:
        labour: Standing of each citizen, shape (citizens,).
        wanted_hours: Hours a week each wants, shape (citizens,).
        skill: Hourly wage of each in USD, shape (citizens,).
        settings: Number and sizes of firms, and the share of wages in output.
        chance: Luck of the run.

    Returns:
        The firms. A price of 1 USD and wages as in the data leave the share set of output as
        profit; each firm's workers make what it expects to sell, within a job.
    """
    count = max(len(GOODS), round(len(labour) / settings.citizens))
    sector = _sectors(count)
    size = _sizes(sector, settings.size_exponent)
    employed = np.flatnonzero((labour == Labour.EMPLOYED) & (wanted_hours > 0))
    order = employed[chance.order("first employer", employed)]
    work = labour_of(wanted_hours[order], skill[order])
    total = float(work.sum())
    # Along a line of all work, each worker stands where his middle lies.
    middle = (np.cumsum(work) - work / 2) / max(total, 1e-9)
    employer = np.full(len(labour), -1, np.int32)
    firm = np.minimum(np.searchsorted(np.cumsum(size), middle, "right"), count - 1)
    employer[order] = firm
    wages = np.rint(100 * np.bincount(firm, work, minlength=count)).astype(np.int64)
    productivity = 1 / settings.labour_share
    return Firms(sector, size * total * productivity, productivity, employer, wages)


def _sectors(count: int) -> NDArray[np.uint8]:
    """Sectors by the shares of spending, at least one firm each, mixed over the rows."""
    upto = np.cumsum(SECTOR_SHARES) / np.sum(SECTOR_SHARES)
    # Steps of the golden ratio spread any number of firms evenly.
    place = (0.5 + np.arange(count) * (5**0.5 - 1) / 2) % 1
    sector = np.searchsorted(upto, place, "right")
    sector[: len(GOODS)] = np.arange(len(GOODS))
    return sector.astype(np.uint8)


def _sizes(sector: NDArray[np.uint8], exponent: float) -> Floats:
    """Share of each firm in all output."""
    size = np.zeros(len(sector))
    for number, share in enumerate(SECTOR_SHARES):
        rows = np.flatnonzero(sector == number)
        weight = (1.0 + np.arange(len(rows))) ** -exponent
        size[rows] = share * weight / weight.sum()
    return size / size.sum()
