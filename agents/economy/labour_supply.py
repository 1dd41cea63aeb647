"""Labour supply: hours and participation by net wages, unearned income and attitude.

Each person has baseline hours. Changes act on them through elasticities at two margins: hours and
participation.
"""

import numpy as np

from memopolis.sim.arrays import Float32, Float64, Floats, Ints

MAX_HOURS = 60.0  # maximum weekly hours that a person wants to work (choice)


def relative_wage(wage: Floats, first_wage: Floats, kept: Floats, first_kept: Floats) -> Floats:
    """Return an hour's net wage in goods relative to the start, in [0.5, 2], shape (agents,).

    `kept` is the share of one more dollar left after taxes. Unknown wages are <= 0; then only the
    shares kept count.
    """
    known = (wage > 0) & (first_wage > 0)
    gross = np.where(known, wage, 1.0) / np.where(known, first_wage, 1.0)
    net = np.maximum(kept, 0) / np.maximum(first_kept, 1e-6)
    return np.clip(gross * net, 0.5, 2.0)


def relative_income(unearned: Floats, income: Floats, least: Floats) -> Floats:
    """Return income with unearned income relative to that without it, in [0.5, 10], (agents,).

    `unearned` is net of the tax that funds it, negative for net payers; `least` bounds income.
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
    """Return the log change of hours, or participation, by constant elasticities, (agents,).

    `wage` and `income` are ratios as from `relative_wage` and `relative_income`; `wish` is the
    attitude to work minus its baseline, in points.

    Source: The labour supply model of the Congressional Budget Office (CBO 2012), with separate
    elasticities at both margins (values recalled); lottery winners also respond at both (Imbens,
    Rubin and Sacerdote 2001). The attitude term is this project's.
    """
    incentives = np.asarray(substitution * np.log(wage) + income_effect * np.log(income))
    return np.asarray(incentives + wish_effect * np.asarray(wish))


def application_probability(
    months: Ints, tightness: float, *, first: float, matching: float, decline: float
) -> Float64:
    """Return the monthly probability of applying, by months of search and vacancies per seeker.

    It is `first` tightness ^ `matching` (1 + months) ^ -`decline`, at most 1, shape (agents,).

    Source: The matching function, with an elasticity to vacancies of .3 to .5 (Petrongolo and
    Pissarides 2001, Journal of Economic Literature 39:390-431), and fewer matches the longer the
    search (Kroft, Lange, Notowidigdo and Katz 2016, Journal of Labor Economics 34:S7-S54; both
    recalled). The power law of duration is this project's.
    """
    searched = 1 + np.maximum(np.asarray(months, np.float64), 0)
    return np.asarray(np.minimum(first * tightness**matching * searched**-decline, 1.0))


def weigh_tenure(months: Ints) -> Float64:
    """Return how likely people leave a job, relative to a new one: (1 + years)^-1/2, (agents,).

    Source: Separations fall with tenure, since poor matches end early: Jovanovic 1979, Journal of
    Political Economy 87:972-990; Farber 1999, Handbook of Labor Economics 3B:2439-2483 (both
    recalled). The power is this project's.
    """
    return np.asarray((1 + np.maximum(np.asarray(months, np.float64), 0) / 12) ** -0.5)


def desired_hours(usual: Floats, change: Floats) -> Float32:
    """Return weekly hours after a log change, in [0, `MAX_HOURS`], shape (agents,)."""
    return np.clip(usual * np.exp(change), 0, MAX_HOURS).astype(np.float32)


def participation(change: Floats) -> Float32:
    """Return the share that still participates after a log change; 1 unless it is negative."""
    return np.minimum(np.exp(change), 1.0).astype(np.float32)


def weigh_work_experience(
    worry: Floats, pay: Floats, *, precaution: float, pay_effect: float
) -> Float32:
    """Return the change of log hours by remembered hardship in [0, 1] and pay in [-1, 1].

    Source: People at risk work more as a precaution (Pijoan-Mas 2006, Review of Economic Dynamics
    9:326-352; Jessen, Rostam-Afschar and Schmitz 2018, Oxford Economic Papers 70:868-891; both
    recalled). That risk and pay are judged by memories is this project's choice, after Malmendier
    and Shen 2018, NBER working paper 24696 (recalled).
    """
    return np.asarray(precaution * worry + pay_effect * pay, np.float32)


def combine_margins(hours: Floats, share: Floats, inclination: Floats, *, least: float) -> Float32:
    """Return the hours of those who participate, 0 for all others and below `least`, (agents,).

    Source: Threshold model: persons whose inclination is below the share participate, so the same
    persons leave first and return first.
    """
    works = (inclination < share) & (hours >= least)
    return np.where(works, hours, 0).astype(np.float32)
