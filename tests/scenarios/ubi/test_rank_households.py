"""Quintiles follow the mean income of about a year, without the basic income."""

from typing import Any

import pytest
from tests.scenarios.ubi.street import give, live, set_status, street

from memopolis.scenarios.ubi.blocks.rank_households import YEAR, RankHouseholds


def ranked(**changes: Any) -> Any:
    made = street()
    give(made, "household", RankHouseholds(made.citizens))
    set_status(made, "household", **changes)
    live(made)
    return made


def quintiles(made: Any, population: str = "household") -> list[int]:
    return [int(one) for one in made.population(population).cohort()["quintile"]]


def test_households_are_ranked_by_income_and_their_members_with_them() -> None:
    made = ranked(disposable=[300_000, 100_000, 200_000])
    assert quintiles(made) == [4, 1, 2]
    assert quintiles(made, "citizen") == [4, 1, 1, 1, 2]


def test_a_single_month_hardly_changes_the_rank() -> None:
    made = ranked(disposable=[300_000, 100_000, 200_000])
    set_status(made, "household", disposable=[0, 100_000, 200_000])
    live(made)
    assert quintiles(made) == [4, 1, 2]
    mean = made.households.cohort()["own_income"]
    assert mean.tolist() == pytest.approx([300_000 * (1 - 1 / YEAR), 100_000, 200_000])


def test_the_basic_income_changes_no_rank() -> None:
    made = ranked(disposable=[300_000, 400_000, 200_000], basic_income=[0, 300_000, 0])
    assert quintiles(made) == [4, 1, 2]


def test_mean_incomes_are_indexed_to_prices() -> None:
    made = ranked(disposable=[300_000, 100_000, 200_000])
    set_status(made, "statistics_bureau", price_level=[1.5])
    set_status(made, "household", disposable=[450_000, 150_000, 300_000])
    live(made)
    assert made.households.cohort()["own_income"].tolist() == [450_000, 150_000, 300_000]
