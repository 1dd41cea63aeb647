"""Earnings over a life and within a year: careers, persistent shocks, hours and paydays."""

from datetime import date

import numpy as np
from numpy.typing import ArrayLike

from memopolis.sim.arrays import Float64, Ints

PEAK_AGE = 50.0
CAREER_CURVE = 0.0006
"""Age at which careers end to rise, and curvature of log wages around it: wages rise by about half
from 20 to 40 and hardly from there on (Murphy and Welch 1990, Journal of Labor Economics 8:202-229,
recalled and rounded)."""
FIRST_AGE, LAST_AGE = 18, 64  # ages over which careers have a mean of 0

PAY_PERIODS = (7, 14, 0)  # days between two paydays; 0 for paid by the month
PAY_SHARES = (0.33, 0.43, 0.24)
"""Shares of workers by pay period; paid by the month here includes twice a month (Bureau of Labor
Statistics, length of pay periods, recalled)."""
MONTH_DAYS = 365.25 / 12


def career(age: ArrayLike) -> Float64:
    """Return the log wage at an age relative to the mean of a working life, shape (persons,).

    Source: Quadratic experience profile of Mincer 1974 (recalled), fixed outside `FIRST_AGE` to
    `LAST_AGE`.
    """
    working = np.arange(FIRST_AGE, LAST_AGE + 1)
    mean = -CAREER_CURVE * float(((working - PEAK_AGE) ** 2).mean())
    years = np.clip(np.asarray(age, np.float64), FIRST_AGE, LAST_AGE)
    return np.asarray(-CAREER_CURVE * (years - PEAK_AGE) ** 2 - mean)


def review_wage(
    wage: ArrayLike, age: ArrayLike, draw: ArrayLike, *, variance: float, mean: float, spread: float
) -> Float64:
    """Change wages for a year: a step of the career, and a persistent shock, shape (persons,).

    `mean` and `spread` are those of log wages in the population. The shock, of a yearly `variance`,
    fades so slowly that inequality is constant: the persistence is sqrt(1 - variance / spread^2),
    .986 for .02 and a spread of .85. `draw` is standard normal.

    Source: Permanent shocks with a yearly variance of about .02 to .03 (Meghir and Pistaferri 2004,
    Econometrica 72:1-32), nearly a random walk (Storesletten, Telmer and Yaron 2004, Journal of
    Monetary Economics 51:609-633; both recalled).
    """
    log_wage = np.log(np.asarray(wage, np.float64))
    years = np.asarray(age, np.float64)
    persistence = np.sqrt(max(1 - variance / spread**2, 0.0))
    own = log_wage - mean - career(years - 1)
    shock = np.sqrt(variance) * np.asarray(draw, np.float64)
    return np.asarray(np.exp(mean + career(years) + persistence * own + shock))


def month_factor(draw: ArrayLike, *, variance: float) -> Float64:
    """Return a month's hours or pay relative to the usual, mean 1, by a standard normal draw.

    Overtime, short weeks, unpaid leave and illness vary hours from month to month; bonuses,
    commissions and tips the pay of an hour. `variance` is that of the log of a year's pay, so a
    month's is twelve times as large.

    Source: Transitory shocks to yearly earnings have variances of .03 to .05, spells without work
    and measurement included (Meghir and Pistaferri 2004, recalled).
    """
    monthly = 12 * variance
    return np.asarray(np.exp(np.sqrt(monthly) * np.asarray(draw, np.float64) - monthly / 2))


def choose_pay_period(draw: ArrayLike) -> Ints:
    """Return the days between two paydays, 0 for paid by the month, by a uniform draw."""
    place = np.searchsorted(np.cumsum(PAY_SHARES), np.asarray(draw), "right")
    return np.array(PAY_PERIODS)[np.minimum(place, len(PAY_PERIODS) - 1)]


def payday_factor(period: Ints, phase: ArrayLike, first: date, after: date) -> Float64:
    """Return the paydays of a calendar month relative to those of a mean month, shape (persons,).

    The month lasts from `first` to the day before `after`; `phase` in [0, 1) is the place of
    paydays in the `period`. Workers paid every two weeks have two or three paydays.

    Source: Months with an additional payday cause much of the variation of income within a year:
    Farrell and Greig 2016, JPMorgan Chase Institute, Paychecks, Paydays and the Online Platform
    Economy (recalled).
    """
    days = np.asarray(period, np.float64)
    by_month = days == 0
    length = np.where(by_month, 1.0, days)
    offset = np.floor(np.asarray(phase, np.float64) * length)
    begin, end = (np.floor((day.toordinal() - 1 - offset) / length) for day in (first, after))
    return np.where(by_month, 1.0, (end - begin) * length / MONTH_DAYS)
