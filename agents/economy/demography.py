"""Birth, death and retirement: yearly rates by age and sex, and monthly probabilities.

The rates are those of the United States in 2019, rounded (recalled from vital statistics).
"""

import numpy as np
from numpy.typing import ArrayLike

from memopolis.sim.arrays import Float64, Int64

DEATH_AGES = (0.5, 3.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0)
DEATHS_WOMEN = (507, 21, 12, 37, 80, 144, 304, 670, 1_420, 3_700, 12_500)
DEATHS_MEN = (606, 26, 15, 101, 175, 254, 481, 1_110, 2_160, 5_060, 14_500)
"""Deaths per 100,000 and year at these ages (recalled: National Vital Statistics, rates of 2019
by age group; the split by sex is rounded)."""
MAX_DEATH_RATE = 0.8  # maximum yearly death rate, at high ages (illustrative)

BIRTH_AGES = (18, 20, 25, 30, 35, 40, 45)
BIRTHS = (25.0, 66.6, 93.7, 98.3, 52.8, 12.0)
"""Births per 1,000 women and year by age band: 18 and 19, then bands of five years up to 44
(recalled: National Vital Statistics, 2019)."""

RETIREMENT_AGES = (62, 63, 65, 68, 70)
RETIREMENT_PROBABILITIES = (0.12, 0.06, 0.20, 0.15, 0.20)
"""Probability of retiring at a birthday, from each of these ages on (illustrative)."""
PENSION_SHARE = 0.4
MIN_PENSION, MAX_PENSION = 60_000, 286_100
"""Social security as a share of former wages, and its limits in cents per month (recalled; the
minimum is illustrative)."""


def death_rate(age: ArrayLike, female: ArrayLike) -> Float64:
    """Return the yearly death rate, log-linear between the ages of the table, shape (persons,).

    Source: Rates of the National Vital Statistics System, 2019 (recalled); between ages, mortality
    of B. Gompertz 1825, doi:10.1098/rstl.1825.0026.
    """
    years = np.asarray(age, np.float64)
    by_sex = [np.log(np.array(deaths) / 1e5) for deaths in (DEATHS_MEN, DEATHS_WOMEN)]
    men, women = (np.interp(years, DEATH_AGES, rates) for rates in by_sex)
    beyond = np.maximum(years - DEATH_AGES[-1], 0)
    slope = [(rates[-1] - rates[-2]) / (DEATH_AGES[-1] - DEATH_AGES[-2]) for rates in by_sex]
    log_rate = np.where(female, women + slope[1] * beyond, men + slope[0] * beyond)
    return np.asarray(np.minimum(np.exp(log_rate), MAX_DEATH_RATE))


def birth_rate(age: ArrayLike, female: ArrayLike) -> Float64:
    """Return the yearly birth rate of women from 18 to 44, 0 for all others, shape (persons,).

    Source: National Vital Statistics Reports, births of 2019 (recalled).
    """
    years = np.asarray(age)
    band = np.searchsorted(BIRTH_AGES, years, side="right") - 1
    fertile = (band >= 0) & (band < len(BIRTHS)) & np.asarray(female, np.bool_)
    rate = np.array(BIRTHS)[np.clip(band, 0, len(BIRTHS) - 1)] / 1_000
    return np.where(fertile, rate, 0.0)


def retirement_probability(age: ArrayLike) -> Float64:
    """Return the probability of retiring at a birthday, by the age reached; 0 below 62.

    Source: This project: peaks at 62 and from 65 on, like claims of social security.
    """
    band = np.searchsorted(RETIREMENT_AGES, np.asarray(age), side="right") - 1
    return np.where(band >= 0, np.array(RETIREMENT_PROBABILITIES)[np.maximum(band, 0)], 0.0)


def compute_pension(insured: ArrayLike) -> Int64:
    """Return the pension of persons who retire, cents per month, by their last monthly earnings.

    Source: About .4 of former wages between a minimum and a maximum (recalled), in place of the
    formula by lifetime earnings.
    """
    share = np.rint(PENSION_SHARE * np.asarray(insured, np.int64)).astype(np.int64)
    return np.clip(share, MIN_PENSION, MAX_PENSION)


def monthly_probability(rate: ArrayLike) -> Float64:
    """Convert yearly rates, >= 0, to monthly probabilities: 1 - exp(-rate / 12)."""
    return np.asarray(-np.expm1(-np.asarray(rate, np.float64) / 12))
