"""Allocation of spending to sellers, and of goods to buyers."""

import numpy as np
from numpy.typing import ArrayLike

from memopolis.agents.economy.firms import sum_previous
from memopolis.sim.arrays import Float64, Int64


def compute_spending_shares(price: ArrayLike, *, sensitivity: float) -> Float64:
    """Return the shares of a buyer's spending by seller, a softmax of prices, (buyers, sellers).

    Spending falls by about `sensitivity` percent per percent above the mean price of these sellers.

    Source: The softmax of EconAgent (Li et al. 2024, ACL) and AgentSociety, which use absolute
    prices; here relative to the mean, so that the rule is invariant to inflation.
    """
    prices = np.asarray(price, np.float64)
    relative = prices / prices.mean(axis=1, keepdims=True) - 1
    weight = np.exp(-sensitivity * relative)
    return np.asarray(weight / weight.sum(axis=1, keepdims=True))


def serve_in_order(seller: ArrayLike, asked: ArrayLike, stock: ArrayLike) -> Float64:
    """Return the units that buyers receive, in order, until their seller's stock is used up."""
    sellers = np.asarray(seller, np.intp)
    units = np.asarray(asked, np.float64)
    order = np.argsort(sellers, kind="stable")
    before = sum_previous(sellers[order], units[order])
    left = np.asarray(stock, np.float64)[sellers[order]] - before
    served = np.empty(len(units))
    served[order] = np.clip(left, 0.0, units[order])
    return served


def split_cents(total: ArrayLike, shares: ArrayLike) -> Int64:
    """Split totals, (n,), by shares, (n, parts), into whole cents without rounding loss."""
    cents = np.asarray(total, np.int64)
    upto = np.cumsum(np.asarray(shares, np.float64), axis=1)
    edges = np.rint(upto * cents[:, None]).astype(np.int64)
    edges[:, -1] = cents
    # Rounding beyond the total would make the last share negative.
    edges = np.minimum(edges, cents[:, None])
    return np.diff(edges, axis=1, prepend=0)
