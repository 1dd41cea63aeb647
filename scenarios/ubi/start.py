"""The initial economy: firms, employers, and prices at which demand equals output."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.economy.production import compute_labour
from memopolis.scenarios.ubi.firm_settings import FirmSettings
from memopolis.scenarios.ubi.household_settings import GOODS
from memopolis.scenarios.ubi.people import Labour
from memopolis.sim.chance import Chance

SECTOR_SHARES = (0.128, 0.333, 0.168, 0.371)
"""Shares of food, housing, transport and other goods in spending (found: CEX 2022)."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Firms:
    """Initial firms.

    Attributes:
        sector: Kind of goods, shape (firms,).
        expected: Expected monthly sales in units, shape (firms,).
        productivity: Units produced per hour of weighted labour, of all firms.
        employer: Row of each citizen's firm, -1 for none, shape (citizens,).
        wages: Monthly wages in cents, shape (firms,).
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
    """Create firms with power-law sizes, and assign employed citizens to them.

    Args:
        labour: Labour market status of each citizen, shape (citizens,).
        wanted_hours: Desired weekly hours, shape (citizens,).
        skill: Hourly wage in USD, shape (citizens,).
        settings: Number and sizes of firms, and the wage share of output.
        chance: Random streams of the run.

    Returns:
        The firms. With a price of 1 USD and the wages of the data, profits have the share of output
        that the settings define. Each firm's workers produce its expected sales, up to one job.
    """
    count = max(len(GOODS), round(len(labour) / settings.citizens))
    sector = _sectors(count)
    size = _sizes(sector, settings.size_exponent)
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


def _sectors(count: int) -> NDArray[np.uint8]:
    """Assign sectors by shares of spending, at least one firm each, evenly over the rows."""
    upto = np.cumsum(SECTOR_SHARES) / np.sum(SECTOR_SHARES)
    # Steps of the golden ratio distribute any number of firms evenly.
    place = (0.5 + np.arange(count) * (5**0.5 - 1) / 2) % 1
    sector = np.searchsorted(upto, place, "right")
    sector[: len(GOODS)] = np.arange(len(GOODS))
    return sector.astype(np.uint8)


def _sizes(sector: NDArray[np.uint8], exponent: float) -> Floats:
    """Compute each firm's share of total output."""
    size = np.zeros(len(sector))
    for number, share in enumerate(SECTOR_SHARES):
        rows = np.flatnonzero(sector == number)
        weight = (1.0 + np.arange(len(rows))) ** -exponent
        size[rows] = share * weight / weight.sum()
    return size / size.sum()
