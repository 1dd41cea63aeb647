"""The shipped sample of households has the incomes of the survey it comes from."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from memopolis.scenarios.synthesis.microdata import NATIONAL_FILE
from memopolis.scenarios.ubi.microdata import (
    MARKET,
    MONEY,
    PRICES,
    read_microdata,
    read_sample,
    static_gini,
    static_rate,
)
from memopolis.sim.errors import DataFileError, ParameterError
from memopolis.sim.statistics.inequality import gini

SAMPLE = read_sample()


def test_households_have_the_people_and_adults_of_the_survey() -> None:
    # The survey's means are 2.505 and 1.902.
    assert len(SAMPLE) == 4_000
    assert SAMPLE.size.mean() == pytest.approx(2.505, abs=0.05)
    assert SAMPLE.adults.mean() == pytest.approx(1.902, abs=0.03)
    assert SAMPLE.size.sum() == len(SAMPLE.unit) == SAMPLE.units["persons"].sum()


def test_ginis_equal_those_of_the_survey() -> None:
    money = np.sum([SAMPLE.units[kind] for kind in MONEY], axis=0)
    market = np.sum([SAMPLE.units[kind] for kind in MARKET], axis=0)
    wages = SAMPLE.units["wage_head"] + SAMPLE.units["wage_spouse"]
    assert static_gini(0) == pytest.approx(0.482, abs=0.015)
    assert gini(np.maximum(money, 0)) == pytest.approx(0.558, abs=0.015)
    assert gini(np.maximum(market, 0)) == pytest.approx(0.632, abs=0.015)
    assert gini(wages[wages > 0]) == pytest.approx(0.511, abs=0.015)


def test_quintiles_equal_those_of_the_survey() -> None:
    income = np.sort(SAMPLE.income / SAMPLE.price())
    quintiles = np.array([part.sum() for part in np.array_split(income, 5)])
    means = [11_300, 30_500, 51_500, 81_200, 185_000]
    assert quintiles / (len(income) / 5) == pytest.approx(means, rel=0.02)
    assert quintiles / income.sum() == pytest.approx([0.031, 0.085, 0.143, 0.226, 0.515], abs=0.01)


def test_the_static_effect_of_a_basic_income() -> None:
    assert static_gini(12_000) == pytest.approx(0.397, abs=0.01)
    assert 0.39 <= static_gini(12_000) <= 0.41
    assert static_gini(12_000, "tax") == pytest.approx(0.357, abs=0.01)
    assert static_rate(12_000) == pytest.approx(0.359, abs=0.01)
    assert static_gini(6_000) == pytest.approx(0.433, abs=0.01)
    assert static_gini(6_000, "tax") == pytest.approx(0.416, abs=0.01)
    assert static_rate(6_000) == pytest.approx(0.180, abs=0.005)


def test_no_basic_income_changes_nothing() -> None:
    assert static_gini(0, "tax") == static_gini(0)


def test_impossible_amounts_are_refused() -> None:
    with pytest.raises(ParameterError, match="amount is -1; it must be at least 0"):
        static_gini(-1)
    with pytest.raises(ParameterError, match="times all market income"):
        static_gini(100_000, "tax")


def test_money_is_converted_to_2019_by_survey_year() -> None:
    years = SAMPLE.units["year"][SAMPLE.head_unit]
    assert SAMPLE.price().tolist() == [PRICES[year] for year in years.tolist()]
    assert {
        year: round(255.657 / index, 4)
        for year, index in {2012: 229.594, 2013: 232.957, 2014: 236.736}.items()
    } == PRICES


def unit(**changes: object) -> dict[str, object]:
    blank = dict.fromkeys(pd.read_csv(NATIONAL_FILE, nrows=0).columns, 0)
    return blank | {"year": 2013, "filing": "single", "age_head": 40, "persons": 1} | changes


def written(folder: Path, *units: dict[str, object]) -> Path:
    file = folder / "units.csv"
    pd.DataFrame(list(units)).to_csv(file, index=False)
    return file


def test_members_by_hand(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        unit(household=7, age_head=16, wage_head=100),
        unit(
            household=7, filing="joint", age_spouse=38, persons=5, under_6=1, under_18=2,
            aged_18_20=1, wage_head=1_000, self_employed_head=-50, self_employed_spouse=30,
        ),
        unit(household=9, age_head=17),
    )  # fmt: skip
    result = read_microdata(file)
    # Household 9 has no adult. Adults come first, then the young ones.
    assert len(result) == 1
    assert result.size.tolist() == [6]
    assert result.youngest.tolist() == [40, 38, 18, 16, 6, 0]
    assert result.oldest.tolist() == [40, 38, 20, 16, 17, 5]
    assert result.wage.tolist() == [1_000, 30, 0, 100, 0, 0]
    assert result.income.tolist() == [1_080]


def test_an_invalid_file_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match="row 1, column filing: 'both', expected one of"):
        read_microdata(written(tmp_path, unit(filing="both")))
    with pytest.raises(DataFileError, match="no household has an adult"):
        read_microdata(written(tmp_path, unit(age_head=17)))
