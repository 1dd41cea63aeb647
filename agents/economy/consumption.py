"""How much households spend, and on what.

A household spends what it is used to, a part of what its income differs from that, and a part
of the money it has beyond its buffer; never less than subsistence, as far as its means go.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError

type Floats = NDArray[np.floating]
type Cents = NDArray[np.int64]

POVERTY_FIRST = 12_490 / 12
POVERTY_NEXT = 4_420 / 12
"""Poverty guideline of 2019 in USD a month: for the first person, and for each one more
(Department of Health and Human Services, recalled)."""


def poverty_line(size: NDArray[np.integer], price: float = 1.0) -> NDArray[np.float64]:
    """Income a month below which a household is poor.

    Args:
        size: Number of members, shape (households,).
        price: Price level, 1 in 2019.

    Returns:
        Cents, shape (households,).

    Source:
        HHS poverty guideline 2019, 48 states: 12,490 + 4,420 a further person (recalled).
    """
    people = np.maximum(np.asarray(size, np.float64), 1)
    return 100 * price * (POVERTY_FIRST + POVERTY_NEXT * (people - 1))


def adapted(usual: Floats, income: Floats, *, half_life: float, growth: float) -> Floats:
    """Get used to an income.

    Args:
        usual: Income one was used to, shape (households,).
        income: Income of this month, shape (households,).
        half_life: Months until half of a change is what one is used to, > 0.
        growth: Price level over that of the month before, > 0; what one is used to keeps its
            value.

    Returns:
        Income one is used to now, shape (households,).

    Raises:
        ParameterError: If a number is not above 0.

    Source:
        Adaptive expectations of permanent income (Friedman 1957), exponential.
    """
    if half_life <= 0 or growth <= 0:
        raise ParameterError(f"half_life {half_life} and growth {growth}: more than 0 is needed")
    kept = 0.5 ** (1 / half_life)
    return np.asarray(kept * usual * growth + (1 - kept) * income)


def buffer_spending(
    income: Floats, usual: Floats, deposit: Floats, *, mpc: Floats, buffer: Floats, pace: float
) -> Floats:
    """Spending that keeps to usual income and to a buffer of money.

    Args:
        income: Disposable income of this month, shape (households,).
        usual: Disposable income one is used to, shape (households,).
        deposit: Money at hand without the income of this month, >= 0, shape (households,).
        mpc: Marginal propensity to consume, of a change of income, in [0, 1], shape
            (households,).
        buffer: Money wanted at hand, in months of usual income, >= 0, shape (households,).
        pace: Part of what lies beyond the buffer that is spent a month, in [0, 1].

    Returns:
        c = usual + mpc (income - usual) + pace (deposit - buffer usual), at least 0, shape
        (households,).

    Source:
        Linear form of the consumption rule of a buffer-stock saver (Carroll 1997), with
        propensities by income in place of its curvature.
    """
    excess = deposit - buffer * np.maximum(usual, 0)
    return np.maximum(usual + mpc * (income - usual) + pace * excess, 0)


def spending_share(
    wish: Floats, need: Floats, means: Floats, demand: float | Floats = 1.0
) -> NDArray[np.float32]:
    """Share of its means that a household spends.

    Args:
        wish: What it would spend, shape (households,).
        need: What it needs for subsistence, shape (households,).
        means: Money at hand, shape (households,).
        demand: Shock to demand, as a factor, >= 0, one or shape (households,).

    Returns:
        In [0, 1], 0 without means, shape (households,).
    """
    spent = np.maximum(wish * demand, need)
    some = means > 0
    return np.where(some, np.clip(spent / np.where(some, means, 1), 0, 1), 0).astype(np.float32)


def shortfall(need: Floats, means: Floats) -> Cents:
    """What a household lacks for subsistence, and asks the bank for.

    Args:
        need: Subsistence of the month in cents, shape (households,).
        means: Money at hand in cents, shape (households,).

    Returns:
        Whole cents, shape (households,).
    """
    return np.ceil(np.maximum(need - means, 0)).astype(np.int64)


def engel_split(
    budget: Cents, limits: Sequence[Floats], shares: Sequence[Mapping[str, float]]
) -> dict[str, Cents]:
    """Split a budget over kinds of goods, by shares that change as it grows.

    Args:
        budget: Cents to spend, >= 0, shape (households,).
        limits: Budgets up to which each of the shares but the last holds, ascending, cents,
            each of shape (households,).
        shares: Shares of the kinds of goods in what is spent up to the first limit, between
            it and the next, ..., and beyond the last.

    Returns:
        Cents by kind of goods, which add up to the budget; the last kind takes the rest of
        the rounding.

    Raises:
        ParameterError: If shares are negative, do not add up to 1, are of different kinds, or
            there is not one more of them than of limits.

    Source:
        Piecewise linear Engel curves; with one limit the linear expenditure system (Stone
        1954), scaled down below subsistence.
    """
    _check_shares(limits, shares)
    edges = [np.zeros(len(budget)), *limits, np.full(len(budget), np.inf)]
    parts = [np.clip(budget, low, np.maximum(low, high)) - low for low, high in pairwise(edges)]
    *kinds, last = shares[0]
    spent: dict[str, Cents] = {}
    for kind in kinds:
        cents = sum(share[kind] * part for share, part in zip(shares, parts, strict=True))
        spent[kind] = np.floor(cents).astype(np.int64)
    spent[last] = np.asarray(budget - sum(spent.values()), np.int64)
    return spent


def econagent_share(
    price: float, wealth: Floats, income: Floats, *, step: float = 0.02
) -> NDArray[np.float32]:
    """Share of wealth and income spent, by the rule of a published society of language models.

    Args:
        price: Price of a unit of goods, > 0.
        wealth: Money at hand, >= 0, same unit, shape (agents,).
        income: Income of the month, >= 0, shape (agents,).
        step: Distance between two shares, > 0.

    Returns:
        In [0, 1] in whole steps, 1 where there is not even the price of a unit, shape
        (agents,).

    Raises:
        ParameterError: If price or step is not above 0.

    Source:
        EconAgent (Li et al., ACL 2024), code: (price / (wealth + income))^0.1 on a grid of
        0.02; the floor of one price under the means is this project's.
    """
    if price <= 0 or step <= 0:
        raise ParameterError(f"price {price} and step {step}: more than 0 is needed")
    means = np.maximum(np.maximum(wealth, 0) + np.maximum(income, 0), price)
    share = (price / means) ** _POWER
    return np.asarray(np.clip(np.round(share / step) * step, 0, 1), np.float32)


def _check_shares(limits: Sequence[Floats], shares: Sequence[Mapping[str, float]]) -> None:
    if len(shares) != len(limits) + 1 or len({tuple(one) for one in shares}) != 1:
        kinds = "; ".join(", ".join(one) for one in shares)
        raise ParameterError(
            f"shares are given for {kinds}, with {len(limits)} limits; the same goods each time "
            "and one more of them than limits are needed"
        )
    for one in shares:
        if min(one.values()) < 0 or abs(sum(one.values()) - 1) > _ROUNDING:
            raise ParameterError(
                f"shares of goods are {dict(one)}; numbers >= 0 that add up to 1 are needed"
            )


_ROUNDING = 1e-6
_POWER = 0.1
