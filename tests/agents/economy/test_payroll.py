"""Payroll tax, worked out by hand."""

import numpy as np
import pytest

from memopolis.agents.economy.payroll import PayrollTax, additional_medicare
from memopolis.sim.errors import ParameterError


def test_social_security_stops_at_the_cap_and_medicare_does_not() -> None:
    wages = np.array([0, 5_000_000, 13_290_000, 20_000_000])
    # 7.65% of 50,000; of 132,900; then 1.45% of what is above.
    assert PayrollTax.of(2019).tax(wages).tolist() == [0, 382_500, 1_016_685, 1_113_980]


def test_monthly_withholding_is_a_twelfth_of_the_yearly_tax() -> None:
    assert PayrollTax.of(2019).withheld(np.array([400_000])).tolist() == [30_600]
    # 240,000 a year: (8,239.80 + 3,480) / 12 = 976.65
    assert PayrollTax.of(2019).withheld(np.array([2_000_000])).tolist() == [97_665]


def test_additional_medicare_begins_later_for_couples() -> None:
    wages = np.array([21_000_000, 21_000_000, 26_000_000])
    assert additional_medicare(wages, np.array([0, 1, 1])).tolist() == [9_000, 0, 9_000]


def test_caps_of_other_years() -> None:
    assert [PayrollTax.of(year).cap for year in (2018, 2024)] == [12_840_000, 16_860_000]
    with pytest.raises(ParameterError, match="no payroll tax for 2020; use one of 2018"):
        PayrollTax.of(2020)


def test_wages_are_whole_cents() -> None:
    with pytest.raises(ParameterError, match="must be from 0 to"):
        PayrollTax.of(2019).tax(np.array([-1]))
