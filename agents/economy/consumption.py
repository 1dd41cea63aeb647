"""Level and composition of household spending.

A household spends the income that it expects, and more or less of it by a concave function of its
liquid wealth compared with a buffer, but at least subsistence as far as its means allow.
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

    Source: Adaptive expectations of permanent income (Friedman 1957), exponential; they are optimal
    if shocks are partly permanent and partly transitory (Muth 1960, Journal of the American
    Statistical Association 55:299-306, recalled).
    """
    kept = 0.5 ** (1 / half_life)
    return np.asarray(kept * usual * growth + (1 - kept) * income)


def expect_income(usual: Floats, real: Floats, *, outlook: float) -> Floats:
    """Expect usual income, changed by what is recalled of pay and prices: usual exp(outlook real).

    `real` is recalled changes of pay minus those of prices, each in [-1, 1].

    Source: Those who remember good years expect more: Malmendier and Nagel 2011; who expects higher
    prices expects to afford less and spends less: Coibion, Georgarakos, Gorodnichenko and van Rooij
    2023, American Economic Journal: Macroeconomics 15:109-152 (both recalled).
    """
    return np.asarray(usual * np.exp(outlook * real))


def buffer_spending(
    income: Floats, expected: Floats, money: Floats, *, buffer: Floats, mpc: float, liquid: float
) -> Floats:
    """Return spending as a concave function of liquid wealth, at least 0, shape (households,).

    Wealth is the `money` from before this month and what income brings beyond the `expected`, in
    months of expected income. Spending is expected income plus f(wealth) - f(buffer) of it, where
    f(w) = mpc liquid log(1 + w / liquid): the marginal propensity to consume is `mpc` a month
    without wealth, half of it at `liquid` months, and falls on.

    Source: The concave consumption function of a buffer-stock saver: Carroll 1997, Quarterly
    Journal of Economics 112:1-55; Carroll and Kimball 1996, Econometrica 64:981-992 (both
    recalled). The logarithm is this project's approximation.
    """
    base = np.maximum(expected, 1.0)
    wealth = (money + income - base) / base
    drawn = mpc * _sum_propensity(wealth, liquid) - mpc * _sum_propensity(buffer, liquid)
    return np.asarray(np.maximum(base * (1 + drawn), 0))


def _sum_propensity(wealth: Floats, liquid: float) -> Floats:
    """Return the integral of 1 / (1 + w / liquid) up to a wealth, in which debt counts in full."""
    positive: Floats = np.maximum(wealth, 0)
    total: Floats = np.minimum(wealth, 0) + liquid * np.log1p(positive / liquid)
    return total


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


def substitute_over_time(
    spending: Floats,
    wealth: Floats,
    gap: Floats,
    *,
    elasticity: float,
    persistence: float,
    liquid: float,
) -> Floats:
    """Postpone spending when interest is above neutral, by as much as wealth allows, (households,).

    `gap` is the interest rate minus its neutral value, per year, of which the share `persistence`
    is left after a month: it is expected to last 1 / (12 (1 - persistence)) years in total.
    `wealth` is in months of income. The propensity to consume of `buffer_spending` falls with
    wealth w to liquid / (liquid + w) of that without any; the rest, w / (liquid + w), is the share
    of a household that is not constrained. Only that share substitutes.

    Source: The Euler equation, solved forward. Elasticity of asset holders: Havranek 2015, Journal
    of the European Economic Association 13:1180-1204 (.3 to .4). Households without liquid wealth
    do not substitute: Kaplan, Moll and Violante 2018, American Economic Review 108:697-743
    (recalled).
    """
    years = 1 / (12 * (1 - persistence))
    own: Floats = np.maximum(wealth, 0)
    return np.asarray(spending * np.exp(-elasticity * years * gap * own / (liquid + own)))


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
