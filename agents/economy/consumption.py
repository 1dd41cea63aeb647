"""Level and composition of household spending.

A household spends its usual income, part of the deviation of current from usual income, and part
of its money in excess of a buffer, but at least subsistence as far as its means allow.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from memopolis.sim.arrays import Cents, Float32, Float64, Floats, Ints
from memopolis.sim.errors import ParameterError

POVERTY_FIRST_PERSON = 12_490 / 12
POVERTY_FURTHER_PERSON = 4_420 / 12
"""Poverty guideline of 2019 in USD per month: first person, and each further person (Department
of Health and Human Services, recalled)."""


def poverty_line(size: Ints, price: float = 1.0) -> Float64:
    """Return the monthly income below which a household is poor, cents, shape (households,).

    `size` is the number of members, `price` the price level, 1 in 2019.

    Source: HHS poverty guideline 2019, 48 states: 12,490 + 4,420 per further person (recalled).
    """
    people = np.maximum(np.asarray(size, np.float64), 1)
    return 100 * price * (POVERTY_FIRST_PERSON + POVERTY_FURTHER_PERSON * (people - 1))


def adapt_usual_income(usual: Floats, income: Floats, *, half_life: float, growth: float) -> Floats:
    """Adapt usual income to current income.

    Returns the new usual income, shape (households,). Raises ParameterError if half_life or growth
    is not above 0.

    Args:
        usual: Previous usual income, shape (households,).
        income: Income of this month, shape (households,).
        half_life: Months until half of a change is adapted to, > 0.
        growth: Price level relative to the previous month, > 0; usual income is indexed to it.

    Source: Adaptive expectations of permanent income (Friedman 1957), exponential.
    """
    if half_life <= 0 or growth <= 0:
        raise ParameterError(f"half_life is {half_life}, growth is {growth}; both must be > 0")
    kept = 0.5 ** (1 / half_life)
    return np.asarray(kept * usual * growth + (1 - kept) * income)


def buffer_spending(
    income: Floats, usual: Floats, deposit: Floats, *, mpc: Floats, buffer: Floats, pace: float
) -> Floats:
    """Compute spending that smooths income and targets a buffer of money.

    Returns c = usual + mpc (income - usual) + pace (deposit - buffer usual), at least 0, shape
    (households,).

    Args:
        income: Disposable income of this month, shape (households,).
        usual: Usual disposable income, shape (households,).
        deposit: Money before the income of this month, >= 0, shape (households,).
        mpc: Marginal propensity to consume out of income changes, in [0, 1], shape
            (households,).
        buffer: Target buffer in months of usual income, >= 0, shape (households,).
        pace: Share of money in excess of the buffer that is spent per month, in [0, 1].

    Source: Linear form of the consumption rule of a buffer-stock saver (Carroll 1997); propensities
    that depend on income replace its curvature.
    """
    excess = deposit - buffer * np.maximum(usual, 0)
    return np.maximum(usual + mpc * (income - usual) + pace * excess, 0)


def raise_buffer(buffer: Floats, worry: Floats, *, caution: float) -> Floats:
    """Raise the target buffer by remembered hardship.

    The result has shape (households,); unchanged without memories. Raises ParameterError if caution
    is negative.

    Args:
        buffer: Target buffer in months of usual income, >= 0, shape (households,).
        worry: Remembered job loss and money troubles, in [0, 1], shape (households,).
        caution: Relative increase of the buffer at a worry of 1, >= 0.

    Source: The target buffer of a buffer-stock saver rises with risk: Carroll 1997, Quarterly
    Journal of Economics 112:1-55 (recalled). Risk is judged by memories here.
    """
    if caution < 0:
        raise ParameterError(f"caution is {caution:g}; it must be >= 0")
    return np.asarray(buffer * (1 + caution * worry))


def restrain_spending(spending: Floats, worry: Floats, *, restraint: float) -> Floats:
    """Reduce spending by remembered hardship.

    The result has shape (households,); unchanged without memories. Raises ParameterError if
    restraint is out of range.

    Args:
        spending: Desired spending, >= 0, shape (households,).
        worry: Remembered job loss and money troubles, in [0, 1], shape (households,).
        restraint: Relative reduction at a worry of 1, in [0, 1].

    Source: Those who experienced unemployment spend less for years, beyond the effect of income:
    Malmendier and Shen 2018, "Scarred Consumption", NBER working paper 24696 (recalled).
    """
    if not 0 <= restraint <= 1:
        raise ParameterError(f"restraint is {restraint:g}; it must be in [0, 1]")
    return np.asarray(spending * (1 - restraint * worry))


def spending_share(
    wish: Floats, need: Floats, means: Floats, demand: float | Floats = 1.0
) -> Float32:
    """Compute the share of its means that a household spends.

    The result is in [0, 1], 0 without means, shape (households,).

    Args:
        wish: Desired spending, shape (households,).
        need: Subsistence, shape (households,).
        means: Available money, shape (households,).
        demand: Demand shock as a factor, >= 0, one value or shape (households,).
    """
    spent = np.maximum(wish * demand, need)
    some = means > 0
    return np.where(some, np.clip(spent / np.where(some, means, 1), 0, 1), 0).astype(np.float32)


def shortfall(need: Floats, means: Floats) -> Cents:
    """Compute how much a household lacks for subsistence, which it asks the bank for.

    The result is whole cents, shape (households,). Both amounts are in cents: subsistence of the
    month, and available money.
    """
    return np.ceil(np.maximum(need - means, 0)).astype(np.int64)


def split_budget(
    budget: Cents, limits: Sequence[Floats], shares: Sequence[Mapping[str, float]]
) -> dict[str, Cents]:
    """Split budgets over kinds of goods, by shares that depend on the budget.

    The result is cents by kind of goods, which sum to the budget; rounding goes to the last kind.
    Raises ParameterError if shares are negative, do not sum to 1, name different goods, or if their
    number does not exceed that of limits by one.

    Args:
        budget: Cents to spend, >= 0, shape (households,).
        limits: Budgets up to which all but the last of the shares apply, ascending, cents, each
            of shape (households,).
        shares: Shares of goods in spending up to the first limit, between each limit and the
            next, and beyond the last.

    Source: Piecewise linear Engel curves; with one limit the linear expenditure system (Stone
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


def econagent_share(price: float, wealth: Floats, income: Floats) -> Float32:
    """Compute the share of wealth and income spent, by the rule of EconAgent.

    The result is in [0, 1], multiples of 0.02; 1 if means are below the price, shape (agents,).
    Raises ParameterError if the price is not above 0.

    Args:
        price: Price of a unit of goods, > 0.
        wealth: Available money, >= 0, same unit, shape (agents,).
        income: Income of the month, >= 0, shape (agents,).

    Source: EconAgent (Li et al., ACL 2024), code: (price / (wealth + income))^0.1 on a grid of
    0.02; the lower bound of one price on means is this project's.
    """
    if price <= 0:
        raise ParameterError(f"price is {price}; it must be > 0")
    means = np.maximum(np.maximum(wealth, 0) + np.maximum(income, 0), price)
    share = (price / means) ** _POWER
    return np.asarray(np.clip(np.round(share / _GRID) * _GRID, 0, 1), np.float32)


def _check_shares(limits: Sequence[Floats], shares: Sequence[Mapping[str, float]]) -> None:
    if len(shares) != len(limits) + 1 or len({tuple(one) for one in shares}) != 1:
        kinds = "; ".join(", ".join(one) for one in shares)
        raise ParameterError(
            f"shares are given for {kinds}, with {len(limits)} limits; all must name the same "
            "goods, and there must be one more of them than limits"
        )
    for one in shares:
        if min(one.values()) < 0 or abs(sum(one.values()) - 1) > _ROUNDING:
            raise ParameterError(f"shares of goods are {dict(one)}; they must be >= 0 and sum to 1")


_ROUNDING = 1e-6
_POWER = 0.1
_GRID = 0.02
