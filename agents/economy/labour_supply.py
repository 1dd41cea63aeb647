"""How much people want to work: net wages, unearned income and the wish to work.

Everybody has hours that it would work with nothing changed. What changes moves them by
elasticities, at two margins: whether to work at all, and how long.
"""

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError

type Floats = NDArray[np.floating]

MOST_HOURS = 60.0
"""Most hours a week that anybody wants to work (choice)."""


def wage_change(
    wage: Floats, first_wage: Floats, kept: Floats, first_kept: Floats, *, bound: float = 2.0
) -> Floats:
    """Compare what an hour of work buys with what it bought at the start.

    Args:
        wage: Hourly wage at the prices of the start, shape (agents,); 0 or less where unknown.
        first_wage: The one it had, shape (agents,); 0 or less where unknown.
        kept: Part of one more dollar that taxes leave, in [0, 1], shape (agents,).
        first_kept: The part they left at the start, shape (agents,).
        bound: Greatest ratio told of, and its inverse the least, > 1.

    Returns:
        Ratios in [1 / bound, bound], of the parts kept alone where a wage is unknown, shape
        (agents,).

    Raises:
        ParameterError: If the bound is not above 1.
    """
    if bound <= 1:
        raise ParameterError(f"bound is {bound}; more than 1 is needed")
    known = (wage > 0) & (first_wage > 0)
    gross = np.where(known, wage, 1.0) / np.where(known, first_wage, 1.0)
    net = np.maximum(kept, 0) / np.maximum(first_kept, 1e-6)
    return np.clip(gross * net, 1 / bound, bound)


def income_change(unearned: Floats, income: Floats, least: Floats) -> Floats:
    """Compare income with and without what came on top of it.

    Args:
        unearned: Income without work that came on top, net of the tax that pays for it; below
            0 for who pays more than it gets, any unit, shape (agents,).
        income: What the household has at usual hours without it, same unit, shape (agents,).
        least: Income below which none is told of, > 0, shape (agents,).

    Returns:
        Ratios in [0.5, 10], shape (agents,).
    """
    base = np.maximum(income, least)
    return np.clip(1 + unearned / base, 0.5, 10.0)


def wanted_hours(
    usual: Floats,
    wage: Floats,
    income: Floats,
    wish: Floats,
    *,
    substitution: float,
    income_effect: float,
    wish_effect: float,
) -> NDArray[np.float32]:
    """Hours a week somebody who works wants to work.

    Args:
        usual: Hours with nothing changed, >= 0, shape (agents,).
        wage: Ratio of net wages to those of the start, > 0, shape (agents,).
        income: Ratio of income with and without what came on top, > 0, shape (agents,).
        wish: Attitude towards work less the one at which the usual hours are worked, in
            points, shape (agents,).
        substitution: Elasticity of hours in the net wage, >= 0.
        income_effect: Elasticity of hours in unearned income, <= 0.
        wish_effect: Logarithm of hours that a point of the attitude adds.

    Returns:
        In [0, `MOST_HOURS`], shape (agents,).

    Raises:
        ParameterError: If an elasticity has the wrong sign.

    Source:
        Constant elasticities, as in the labour supply model of the Congressional Budget Office
        (CBO 2012; elasticities recalled). The term of the attitude is this project's.
    """
    change = _by_money(wage, income, substitution, income_effect) + wish_effect * np.asarray(wish)
    return np.clip(usual * np.exp(change), 0, MOST_HOURS).astype(np.float32)


def participation(
    wage: Floats,
    income: Floats,
    wish: Floats,
    *,
    substitution: float,
    income_effect: float,
    wish_effect: float,
) -> NDArray[np.float32]:
    """Share of those who worked or looked for work who still do.

    Args:
        wage: As in `wanted_hours`; so are the others.
        income: Ratio of income.
        wish: Attitude towards work, less the usual one.
        substitution: Elasticity of participation in the net wage, >= 0.
        income_effect: Elasticity of participation in unearned income, <= 0.
        wish_effect: Logarithm of participation that a point of the attitude adds.

    Returns:
        In [0, 1], shape (agents,): 1 where nothing has changed, or for the better.

    Raises:
        ParameterError: If an elasticity has the wrong sign.

    Source:
        Elasticities of the decision to work, apart from those of hours: CBO 2012; lottery
        winners respond at both margins (Imbens, Rubin and Sacerdote 2001).
    """
    change = _by_money(wage, income, substitution, income_effect) + wish_effect * np.asarray(wish)
    return np.minimum(np.exp(change), 1.0).astype(np.float32)


def chosen_hours(
    hours: Floats, share: Floats, inclination: Floats, *, least: float
) -> NDArray[np.float32]:
    """Join both margins: who does not take part, or wants very little, wants no work.

    Args:
        hours: Hours a week wanted by who takes part, shape (agents,).
        share: Share of people like it who take part, in [0, 1], shape (agents,).
        inclination: Its own place among people like it, drawn once from [0, 1), shape (agents,).
        least: Hours a week below which nobody takes a job, >= 0.

    Returns:
        Hours a week, 0 for no work, shape (agents,).

    Source:
        A threshold model: the share takes part whose lasting inclination lies below it, so
        that the same people stop first, and come back first.
    """
    works = (inclination < share) & (hours >= least)
    return np.where(works, hours, 0).astype(np.float32)


def _by_money(wage: Floats, income: Floats, substitution: float, income_effect: float) -> Floats:
    """Logarithm of what wages and income change, by constant elasticities."""
    if substitution < 0 or income_effect > 0:
        raise ParameterError(
            f"the substitution effect is {substitution:g} and the income effect "
            f"{income_effect:g}; at least 0 and at most 0 are needed"
        )
    return np.asarray(substitution * np.log(wage) + income_effect * np.log(income))
