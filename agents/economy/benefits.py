"""Existing transfers, and the rate of a tax that funds a new one."""

import numpy as np
from numpy.typing import ArrayLike

from memopolis.sim.arrays import Cents

MAX_SNAP = (192, 353, 505, 642, 762, 914, 1_011, 1_155)
"""Maximum food stamps per month by household size, USD of 2019 (recalled: USDA)."""
MAX_SNAP_FURTHER = 144  # additional maximum for each further person (recalled: USDA)


def max_snap(size: ArrayLike) -> Cents:
    """Return the food stamps at zero income of households by size, cents per month.

    Source: USDA, allotments of fiscal year 2019 (recalled).
    """
    people = np.asarray(size, np.int64)
    listed = np.array(MAX_SNAP)[np.clip(people, 1, len(MAX_SNAP)) - 1]
    dollars: Cents = listed + MAX_SNAP_FURTHER * np.maximum(people - len(MAX_SNAP), 0)
    return 100 * dollars


def means_tested_benefit(
    most: ArrayLike, income: ArrayLike, *, disregard: int, phase_out: float
) -> Cents:
    """Compute most - phase_out * (income - disregard), at least 0, whole cents per month.

    `phase_out` is the benefit lost per cent of income above the `disregard`.

    Source: One schedule for food stamps (a reduction rate of .3 after deductions), supplemental
    security income (.5 above 65 USD) and other transfers: this project's simplification.
    """
    above = np.maximum(np.asarray(income, np.int64) - disregard, 0)
    return np.maximum(np.asarray(most, np.int64) - np.rint(phase_out * above).astype(np.int64), 0)


def implied_max_benefit(
    received: ArrayLike, income: ArrayLike, *, disregard: int, phase_out: float
) -> Cents:
    """Invert `means_tested_benefit`: the benefit at zero income that explains one received."""
    above = np.maximum(np.asarray(income, np.int64) - disregard, 0)
    return np.asarray(received, np.int64) + np.rint(phase_out * above).astype(np.int64)


def unemployment_benefit(
    insured: ArrayLike, spell: ArrayLike, *, replacement: float, most: int, months: int
) -> Cents:
    """Compute a share of former pay, up to `most`, for a number of `months`, whole cents per month.

    `insured` is the monthly pay of the lost job, 0 for none; `spell` counts whole months without a
    job.

    Source: Typical state programmes in the United States: about half of former wages up to a
    maximum, for 26 weeks (recalled).
    """
    share = np.rint(replacement * np.asarray(insured, np.int64)).astype(np.int64)
    return np.where(np.asarray(spell) < months, np.minimum(share, most), 0)


INSURED_MONTHS = 6
"""Mean age in months of the wages that benefits are based on; states in the United States use the
last quarters (choice)."""


def adapt_insured(insured: ArrayLike, pay: ArrayLike) -> Cents:
    """Return the mean pay of recent months with pay, cents, unchanged in months without.

    The first pay counts in full. Shape (persons,).
    """
    before, now = np.asarray(insured, np.int64), np.asarray(pay, np.int64)
    mean = before + np.rint((now - before) / INSURED_MONTHS).astype(np.int64)
    return np.where(now > 0, np.where(before > 0, mean, now), before)


def surtax_rate(cost: int, base: int, *, most: float) -> float:
    """Compute the rate that pays a monthly cost from market income, in [0, most]; 0 without income.

    Source: This project: a balanced budget with one month's lag.
    """
    return min(max(cost / base, 0.0), most) if base > 0 else 0.0
