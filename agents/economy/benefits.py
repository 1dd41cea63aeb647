"""Transfers of the old law, and the rate of a tax that pays for a new one."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

type Cents = NDArray[np.int64]

SNAP_MOST = (192, 353, 505, 642, 762, 914, 1_011, 1_155)
"""Food stamps a month at no income by size of the household, USD of 2019 (recalled: USDA)."""
SNAP_EACH_MORE = 144
"""The same for each further person (recalled: USDA)."""


def snap_most(size: ArrayLike) -> Cents:
    """Food stamps a month at no income.

    Args:
        size: People in each household, >= 1, shape (households,).

    Returns:
        Cents a month, shape (households,).

    Source:
        USDA, allotments of fiscal year 2019 (recalled).
    """
    people = np.asarray(size, np.int64)
    listed = np.array(SNAP_MOST)[np.clip(people, 1, len(SNAP_MOST)) - 1]
    dollars: Cents = listed + SNAP_EACH_MORE * np.maximum(people - len(SNAP_MOST), 0)
    return 100 * dollars


def means_tested(most: ArrayLike, income: ArrayLike, *, disregard: int, phase_out: float) -> Cents:
    """Help that falls as income rises: most - phase_out * (income - disregard), not below 0.

    Args:
        most: Cents a month at no income, shape (households,).
        income: Cents a month of other income, >= 0, shape (households,).
        disregard: Cents a month of income that cost no help.
        phase_out: Help lost for a cent of income above that, in [0, 1].

    Returns:
        Whole cents a month, shape (households,).

    Source:
        One schedule for food stamps (a loss of .3 after deductions), supplemental security
        income (.5 above 65 USD) and the rest: this project, a simplification.
    """
    above = np.maximum(np.asarray(income, np.int64) - disregard, 0)
    return np.maximum(np.asarray(most, np.int64) - np.rint(phase_out * above).astype(np.int64), 0)


def most_help(received: ArrayLike, income: ArrayLike, *, disregard: int, phase_out: float) -> Cents:
    """Help at no income that gives, at the income observed, the help observed.

    Args:
        received: Cents a month observed, > 0, shape (households,).
        income: Cents a month of other income, shape (households,).
        disregard: As in `means_tested`.
        phase_out: As in `means_tested`.

    Returns:
        Cents a month, shape (households,).
    """
    above = np.maximum(np.asarray(income, np.int64) - disregard, 0)
    return np.asarray(received, np.int64) + np.rint(phase_out * above).astype(np.int64)


def unemployment_pay(
    insured: ArrayLike, spell: ArrayLike, *, replacement: float, most: int, months: int
) -> Cents:
    """Unemployment compensation: a share of the former pay, up to a limit and for a time.

    Args:
        insured: Cents a month earned before the job was lost, 0 for none, shape (persons,).
        spell: Whole months without a job so far, shape (persons,).
        replacement: Share of the former pay, in [0, 1].
        most: Cents a month at most.
        months: Months for which it is paid.

    Returns:
        Whole cents a month, shape (persons,).

    Source:
        The form of state programmes in the United States: about half of former wages up to a
        maximum, for 26 weeks (recalled).
    """
    share = np.rint(replacement * np.asarray(insured, np.int64)).astype(np.int64)
    return np.where(np.asarray(spell) < months, np.minimum(share, most), 0)


def surtax_rate(cost: int, base: int, *, most: float) -> float:
    """Flat rate at which last month's base would have paid last month's cost.

    Args:
        cost: Cents a month that the policy costs, net of a surplus or deficit carried over.
        base: Cents a month of market income.
        most: Highest rate.

    Returns:
        A share in [0, most]; 0 where there is no base.

    Source:
        This project: a balanced budget with one month's lag.
    """
    return min(max(cost / base, 0.0), most) if base > 0 else 0.0
