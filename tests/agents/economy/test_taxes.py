"""Income tax by brackets: by hand, exact, and with mistakes in the table."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopolis.agents.economy.taxes import FILING, Brackets
from memopolis.scenarios.ubi.microdata import DATA
from memopolis.sim.errors import DataFileError, ParameterError, SchemaError

SINGLE, JOINT, HEAD = range(len(FILING))
BRACKETS = {year: Brackets.read(DATA / "brackets.csv", year) for year in (2018, 2019, 2024)}

cents = st.integers(0, 10**11)
statuses = st.integers(0, len(FILING) - 1)
years = st.sampled_from(sorted(BRACKETS))


@pytest.mark.parametrize(
    ("filing", "taxable_usd", "tax_usd"),
    [
        # A tenth of 9,700, then .12 of 29,775 and .22 of 10,525.
        (SINGLE, 50_000, 970 + 3_573 + 2_315.5),
        # A tenth of 19,400, then .12 of 59,550 and .22 of 21,050.
        (JOINT, 100_000, 1_940 + 7_146 + 4_631),
        # A tenth of 13,850, then .12 of 39,000 and .22 of 7,150.
        (HEAD, 60_000, 1_385 + 4_680 + 1_573),
        (SINGLE, 0, 0),
        (SINGLE, 9_700, 970),
        # all bands: 970 + 3,573 + 9,839.5 + 18,366 + 13,880 + 107,170 + .37 * 489,700
        (SINGLE, 1_000_000, 970 + 3_573 + 9_839.5 + 18_366 + 13_880 + 107_170 + 181_189),
    ],
)
def test_taxes_of_2019_equal_hand_calculations(
    filing: int, taxable_usd: int, tax_usd: float
) -> None:
    assert BRACKETS[2019].tax(100 * taxable_usd, filing) == round(100 * tax_usd)


def test_the_standard_deduction_is_subtracted_first() -> None:
    taxes = BRACKETS[2019]
    income = np.array([1_220_000, 1_220_100, 2_440_000, 1_835_100])
    filing = np.array([SINGLE, SINGLE, JOINT, HEAD])
    assert taxes.taxable(income, filing).tolist() == [0, 100, 0, 100]
    # 3,000 USD a month are 36,000 a year: 970 + .12 * (23,800 - 9,700) = 2,662, over twelve.
    assert taxes.withheld(300_000, SINGLE) == round(266_200 / 12)


@given(cents, cents, statuses, years)
def test_tax_rises_with_income_and_never_takes_all_of_it(
    one: int, other: int, filing: int, year: int
) -> None:
    low, high = sorted((one, other))
    taxes = BRACKETS[year].tax(np.array([low, high]), filing)
    assert 0 <= taxes[1] - taxes[0] <= 0.37 * (high - low) + 1
    assert taxes[1] <= 0.37 * high + 1


@given(st.integers(1, 6), statuses, years)
def test_tax_is_continuous_at_bracket_limits(band: int, filing: int, year: int) -> None:
    taxes = BRACKETS[year]
    limit = int(taxes.lower[filing, band])
    below, at, above = taxes.tax(np.array([limit - 10_000, limit, limit + 10_000]), filing)
    assert at - below == taxes.rate[filing, band - 1]
    assert above - at == taxes.rate[filing, band]


@given(cents, years)
def test_couples_pay_twice_the_single_tax_on_half_in_the_lower_brackets(
    income: int, year: int
) -> None:
    taxes = BRACKETS[year]
    half = min(income, int(taxes.lower[SINGLE, 5]))
    assert abs(int(taxes.tax(2 * half, JOINT)) - 2 * int(taxes.tax(half, SINGLE))) <= 1


def table(*rows: tuple[object, ...]) -> pd.DataFrame:
    names = ("filing_status", "marginal_rate", "upper_threshold_usd", "standard_deduction_usd")
    return pd.DataFrame(list(rows), columns=names)


JOINT_ROW = ("joint", 0.2, "", 0)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [("single", 0.1, 200, 0), ("single", 0.2, 100, 0), ("single", 0.3, "", 0), JOINT_ROW],
            "row 2, column upper_threshold_usd: 100 is not above the lower limit 200",
        ),
        (
            [("single", 0.1, 100, 0), ("single", 0.2, 100, 0), ("single", 0.3, "", 0), JOINT_ROW],
            "row 2, column upper_threshold_usd: 100 is not above the lower limit 100",
        ),
        ([("single", 0.1, -5, 0), ("single", 0.2, "", 0), JOINT_ROW], "row 1.*-5 is not above"),
        ([("single", 0.1, 0.001, 0), ("single", 0.2, "", 0), JOINT_ROW], "row 1.*is not above"),
        (
            [("single", 0.1, 1e15, 0), ("single", 0.2, "", 0), JOINT_ROW],
            "row 1.*1e\\+15; the",
        ),
        (
            [("single", 1.1, "", 0), JOINT_ROW],
            "row 1, column marginal_rate: 1.1; it must",
        ),
        (
            [("single", -0.1, "", 0), JOINT_ROW],
            "row 1, column marginal_rate: -0.1; it must",
        ),
        ([("single", 0.12345, "", 0), JOINT_ROW], "row 1.*at most four decimals"),
        ([JOINT_ROW, ("single", 0.1, 100, 0)], "row 2: the top bracket is missing"),
        (
            [("single", 0.1, "", 0), ("single", 0.2, 100, 0), JOINT_ROW],
            "row 1, column upper_threshold_usd: empty, but only the last",
        ),
        ([("single", 0.1, "", 0)], "no row with filing_status joint"),
        ([("single", 0.1, 9, 0), ("single", 0.1, "", 1), JOINT_ROW], "from row 1: standard_deduc"),
        ([("alone", 0.1, "", 0), JOINT_ROW], "row 1, column filing_status: 'alone', expected one"),
    ],
)
def test_an_invalid_tax_table_is_refused_in_one_line(
    rows: list[tuple[object, ...]], message: str, tmp_path: Path
) -> None:
    file = tmp_path / "brackets.csv"
    table(*rows).to_csv(file, index=False)
    with pytest.raises(DataFileError, match=message) as caught:
        Brackets.read(file)
    assert "\n" not in str(caught.value)
    assert str(file) in str(caught.value)


def test_heads_of_household_are_taxed_as_singles_by_default() -> None:
    taxes = Brackets.read(table(("single", 0.1, "", 10), JOINT_ROW))
    assert taxes.withheld(np.array([12_000, 12_000]), np.array([SINGLE, HEAD])).tolist() == [
        1_192, 1_192,
    ]  # fmt: skip


def test_a_missing_or_ambiguous_year_is_refused() -> None:
    with pytest.raises(DataFileError, match="no brackets for 2020; available: 2018, 2019, 2024"):
        Brackets.read(DATA / "brackets.csv", 2020)
    with pytest.raises(DataFileError, match="contains the years 2018, 2019, 2024; select one"):
        Brackets.read(DATA / "brackets.csv")


def test_only_whole_cents_of_known_filers_are_taxed() -> None:
    with pytest.raises(SchemaError, match="whole cents"):
        BRACKETS[2019].tax(np.array([1.5]), SINGLE)
    with pytest.raises(ParameterError, match="cents per year must be from 0"):
        BRACKETS[2019].tax(np.array([-1]), SINGLE)
    with pytest.raises(ParameterError, match="filing must be a number below 3"):
        BRACKETS[2019].tax(np.array([1]), 3)
