"""Level and composition of household spending.

A household spends its usual income, part of the deviation of current from usual income, and part
of its money in excess of a buffer, but at least subsistence as far as its means allow.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from memopolis.sim.arrays import Cents, Float32, Float64, Floats, Ints

POVERTY_FIRST_PERSON = 12_490 / 12
POVERTY_FURTHER_PERSON = 4_420 / 12
"""Poverty guideline of 2019 in USD per month: first person, and each further person (Department
of Health and Human Services, recalled)."""


def poverty_line(size: Ints, price: float = 1.0) -> Float64:
    """Return the monthly income below which a household is poor, cents, shape (households,).

    Source: HHS poverty guideline 2019, 48 states: 12,490 + 4,420 per further person (recalled).
    """
    people = np.maximum(np.asarray(size, np.float64), 1)
    return 100 * price * (POVERTY_FIRST_PERSON + POVERTY_FURTHER_PERSON * (people - 1))


def adapt_usual_income(usual: Floats, income: Floats, *, half_life: float, growth: float) -> Floats:
    """Adapt usual income, indexed to price `growth`, to income; half of a gap in `half_life`.

    Source: Adaptive expectations of permanent income (Friedman 1957), exponential.
    """
    kept = 0.5 ** (1 / half_life)
    return np.asarray(kept * usual * growth + (1 - kept) * income)


def buffer_spending(
    income: Floats, usual: Floats, deposit: Floats, *, mpc: Floats, buffer: Floats, pace: float
) -> Floats:
    """Return usual + mpc (income - usual) + pace (deposit - buffer usual), at least 0.

    `buffer` is in months of usual income; `pace` is the share of excess money spent per month.

    Source: Linear form of the consumption rule of a buffer-stock saver (Carroll 1997); propensities
    that depend on income replace its curvature.
    """
    excess = deposit - buffer * np.maximum(usual, 0)
    return np.maximum(usual + mpc * (income - usual) + pace * excess, 0)


def raise_buffer(buffer: Floats, worry: Floats, *, caution: float) -> Floats:
    """Raise the target buffer by hardship remembered, in [0, 1]: buffer (1 + caution worry).

    Source: The target buffer of a buffer-stock saver rises with risk: Carroll 1997, Quarterly
    Journal of Economics 112:1-55 (recalled). Risk is judged by memories here.
    """
    return np.asarray(buffer * (1 + caution * worry))


def restrain_spending(spending: Floats, worry: Floats, *, restraint: float) -> Floats:
    """Reduce spending by remembered hardship, `worry` in [0, 1]: spending (1 - restraint worry).

    Source: Those who experienced unemployment spend less for years, beyond the effect of income:
    Malmendier and Shen 2018, "Scarred Consumption", NBER working paper 24696 (recalled).
    """
    return np.asarray(spending * (1 - restraint * worry))


def spending_share(
    wish: Floats, need: Floats, means: Floats, demand: float | Floats = 1.0
) -> Float32:
    """Return the share of means spent on the wish times a demand shock, or at least on needs."""
    spent = np.maximum(wish * demand, need)
    some = means > 0
    return np.where(some, np.clip(spent / np.where(some, means, 1), 0, 1), 0).astype(np.float32)


def shortfall(need: Floats, means: Floats) -> Cents:
    """Return what households lack for subsistence, and ask the bank for, in whole cents."""
    return np.ceil(np.maximum(need - means, 0)).astype(np.int64)


def split_budget(
    budget: Cents, limits: Sequence[Floats], shares: Sequence[Mapping[str, float]]
) -> dict[str, Cents]:
    """Split cents over kinds of goods, by shares that depend on the budget; the sum is exact.

    `shares` apply up to the first of the ascending `limits`, between each limit and the next, and
    beyond the last. Rounding goes to the last kind.

    Source: Piecewise linear Engel curves; with one limit the linear expenditure system (Stone
    1954), scaled down below subsistence.
    """
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
    """Return the share of wealth and income spent by EconAgent's rule; 1 if below the price.

    Source: EconAgent (Li et al., ACL 2024), code: (price / (wealth + income))^0.1 on a grid of
    0.02; the lower bound of one price on means is this project's.
    """
    means = np.maximum(np.maximum(wealth, 0) + np.maximum(income, 0), price)
    share = (price / means) ** 0.1
    return np.asarray(np.clip(np.round(share / 0.02) * 0.02, 0, 1), np.float32)
