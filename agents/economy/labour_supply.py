"""Labour supply: hours and participation by net wages, unearned income and attitude.

Each person has baseline hours. Changes act on them through elasticities at two margins: hours and
participation.
"""

import numpy as np

from memopolis.sim.arrays import Float32, Floats
from memopolis.sim.errors import ParameterError

MAX_HOURS = 60.0  # maximum weekly hours that a person wants to work (choice)


def relative_wage(wage: Floats, first_wage: Floats, kept: Floats, first_kept: Floats) -> Floats:
    """Compare the purchasing power of one hour's net wage with its initial value.

    Returns ratios in [0.5, 2], shape (agents,); if a wage is unknown, of the shares kept alone.

    Args:
        wage: Hourly wage at initial prices, shape (agents,); <= 0 if unknown.
        first_wage: Initial hourly wage, shape (agents,); <= 0 if unknown.
        kept: Share of one more dollar left after taxes, in [0, 1], shape (agents,).
        first_kept: The same at the start, shape (agents,).
    """
    known = (wage > 0) & (first_wage > 0)
    gross = np.where(known, wage, 1.0) / np.where(known, first_wage, 1.0)
    net = np.maximum(kept, 0) / np.maximum(first_kept, 1e-6)
    return np.clip(gross * net, 0.5, 2.0)


def relative_income(unearned: Floats, income: Floats, least: Floats) -> Floats:
    """Compare income with and without additional unearned income.

    Returns ratios in [0.5, 10], shape (agents,).

    Args:
        unearned: Additional unearned income, net of the tax that funds it; negative for net
            payers, any unit, shape (agents,).
        income: Household income at baseline hours without it, same unit, shape (agents,).
        least: Lower bound on income, > 0, shape (agents,).
    """
    base = np.maximum(income, least)
    return np.clip(1 + unearned / base, 0.5, 10.0)


def respond(
    wage: Floats,
    income: Floats,
    wish: Floats,
    *,
    substitution: float,
    income_effect: float,
    wish_effect: float,
) -> Floats:
    """Compute the log change of hours, or of participation, by constant elasticities.

    The result has shape (agents,). Raises ParameterError if an elasticity has the wrong sign.

    Args:
        wage: Ratio of net wages to initial net wages, > 0, shape (agents,).
        income: Ratio of income with and without unearned income, > 0, shape (agents,).
        wish: Attitude to work minus its baseline, in points, shape (agents,).
        substitution: Elasticity with respect to the net wage, >= 0.
        income_effect: Elasticity with respect to unearned income, <= 0.
        wish_effect: Log change per point of attitude.

    Source: The labour supply model of the Congressional Budget Office (CBO 2012), with separate
    elasticities at both margins (values recalled); lottery winners also respond at both (Imbens,
    Rubin and Sacerdote 2001). The attitude term is this project's.
    """
    if substitution < 0 or income_effect > 0:
        raise ParameterError(
            f"substitution is {substitution:g} and income_effect is {income_effect:g}; "
            f"substitution must be >= 0 and income_effect <= 0"
        )
    incentives = np.asarray(substitution * np.log(wage) + income_effect * np.log(income))
    return np.asarray(incentives + wish_effect * np.asarray(wish))


def desired_hours(usual: Floats, change: Floats) -> Float32:
    """Return the weekly hours that participants want to work, in [0, `MAX_HOURS`].

    `usual` are baseline hours, >= 0, and `change` their log change, shape (agents,).
    """
    return np.clip(usual * np.exp(change), 0, MAX_HOURS).astype(np.float32)


def participation(change: Floats) -> Float32:
    """Return the share of former participants that still participate, in [0, 1].

    It is 1 unless the log `change` of participation, shape (agents,), is negative.
    """
    return np.minimum(np.exp(change), 1.0).astype(np.float32)


def weigh_work_experience(
    worry: Floats, pay: Floats, *, precaution: float, pay_effect: float
) -> Float32:
    """Compute the change of log hours by remembered job loss, money troubles and changes of pay.

    The result is in [-pay_effect, precaution + pay_effect], 0 without memories, shape (agents,).
    Raises ParameterError if an effect is negative.

    Args:
        worry: Remembered job loss and money troubles, in [0, 1], shape (agents,).
        pay: Remembered rises minus falls of pay, in [-1, 1], shape (agents,).
        precaution: Increase of log hours at a worry of 1, >= 0.
        pay_effect: Change of log hours at a pay experience of 1, >= 0.

    Source: People at risk work more as a precaution (Pijoan-Mas 2006, Review of Economic Dynamics
    9:326-352; Jessen, Rostam-Afschar and Schmitz 2018, Oxford Economic Papers 70:868-891; both
    recalled). That risk and pay are judged by memories is this project's choice, after Malmendier
    and Shen 2018, NBER working paper 24696 (recalled).
    """
    if precaution < 0 or pay_effect < 0:
        raise ParameterError(
            f"precaution is {precaution:g} and pay_effect is {pay_effect:g}; both must be >= 0"
        )
    return np.asarray(precaution * worry + pay_effect * pay, np.float32)


def combine_margins(hours: Floats, share: Floats, inclination: Floats, *, least: float) -> Float32:
    """Combine both margins: hours of participants, and 0 for all others.

    Returns weekly hours, 0 without work, shape (agents,).

    Args:
        hours: Desired weekly hours of participants, shape (agents,).
        share: Participating share of similar persons, in [0, 1], shape (agents,).
        inclination: Fixed rank among similar persons, in [0, 1), shape (agents,).
        least: Minimum weekly hours of a job, >= 0.

    Source: Threshold model: persons whose inclination is below the share participate, so the same
    persons leave first and return first.
    """
    works = (inclination < share) & (hours >= least)
    return np.where(works, hours, 0).astype(np.float32)
