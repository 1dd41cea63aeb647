"""How buyers share out their money over sellers, and how sellers serve them in turn."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.agents.economy.hiring import sums_before

FloatArray = NDArray[np.float64]


def shares_by_price(price: ArrayLike, *, sensitivity: float) -> FloatArray:
    """Spend more where it is cheaper.

    Args:
        price: Prices of the sellers that each buyer knows, shape (buyers, sellers).
        sensitivity: How much less is spent for each percent above the mean price of these
            sellers, about, in percent.

    Returns:
        Shares that sum to 1 for each buyer, shape (buyers, sellers).

    Source:
        The softmax of EconAgent (Li et al. 2024, ACL) and AgentSociety, which is over prices
        themselves; here over prices relative to their mean, so that it means the same after
        an inflation.
    """
    prices = np.asarray(price, np.float64)
    relative = prices / prices.mean(axis=1, keepdims=True) - 1
    weight = np.exp(-sensitivity * relative)
    return np.asarray(weight / weight.sum(axis=1, keepdims=True))


def served_in_turn(seller: ArrayLike, asked: ArrayLike, stock: ArrayLike) -> FloatArray:
    """Serve buyers in the order given until a seller's stock is used up.

    Args:
        seller: Number of each buyer's seller, shape (buyers,).
        asked: Units each asks for, shape (buyers,).
        stock: Units each seller has, shape (sellers,).

    Returns:
        Units each buyer gets, shape (buyers,).
    """
    sellers = np.asarray(seller, np.intp)
    units = np.asarray(asked, np.float64)
    order = np.argsort(sellers, kind="stable")
    before = sums_before(sellers[order], units[order])
    left = np.asarray(stock, np.float64)[sellers[order]] - before
    served = np.empty(len(units))
    served[order] = np.clip(left, 0.0, units[order])
    return served


def apportioned(total: ArrayLike, shares: ArrayLike) -> NDArray[np.int64]:
    """Share out whole cents so that nothing is lost by rounding.

    Args:
        total: Cents of each, >= 0, shape (n,).
        shares: Shares >= 0 that sum to 1, shape (n, parts).

    Returns:
        Cents of each part; each row sums to its total, shape (n, parts).
    """
    cents = np.asarray(total, np.int64)
    upto = np.cumsum(np.asarray(shares, np.float64), axis=1)
    edges = np.rint(upto * cents[:, None]).astype(np.int64)
    edges[:, -1] = cents
    # A share that rounds beyond the total would make the last part negative.
    edges = np.minimum(edges, cents[:, None])
    return np.diff(edges, axis=1, prepend=0)
