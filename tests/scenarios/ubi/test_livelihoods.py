"""Lives in a small society: incomes move, savings buffer them, and long searches go on."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from memopolis.scenarios.ubi.people import Labour
from memopolis.scenarios.ubi.scenario import BasicIncome

MONTHS = 36


@dataclass(frozen=True)
class Lives:
    """Columns by month of a society of 1,000, shape (months, agents) each."""

    households: dict[str, np.ndarray[Any, Any]]
    citizens: dict[str, np.ndarray[Any, Any]]
    firms: dict[str, np.ndarray[Any, Any]]


def stack(rows: list[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    """Stack columns that grow, up to the first length."""
    first = len(rows[0])
    return np.stack([row[:first] for row in rows])


def live(**settings: Any) -> Lives:
    made = BasicIncome(rng=3, agents=1_000, amount=0, days=30 * MONTHS, threads=1, **settings)
    names = {
        "household": ("disposable", "consumption", "alive"),
        "citizen": ("labour", "spell", "household", "alive", "skill", "employer"),
        "firm": ("price", "alive"),
    }
    rows: dict[str, dict[str, list[Any]]] = {
        kind: {name: [] for name in columns} for kind, columns in names.items()
    }
    for _ in range(MONTHS):
        made.step()
        made.money.loans.check()
        for kind, columns in names.items():
            for name in columns:
                rows[kind][name].append(made.population(kind)[name].copy())
    stacked = ({name: stack(each) for name, each in of.items()} for of in rows.values())
    return Lives(*stacked)


@pytest.fixture(scope="module")
def lives() -> Lives:
    return live()


def income_variation(lives: Lives) -> float:
    """Median coefficient of variation of a household's income within the last year."""
    income = lives.households["disposable"][-12:]
    income = income[:, lives.households["alive"][-12:].all(axis=0)]
    mean = income.mean(axis=0)
    return float(np.median(income.std(axis=0)[mean > 0] / mean[mean > 0]))


def test_incomes_vary_within_a_year_by_the_shocks(lives: Lives) -> None:
    assert 0.15 < income_variation(lives) < 0.4
    quiet = live(**{"earnings.transitory": 0, "earnings.permanent": 0, "earnings.paydays": False})
    assert income_variation(quiet) < 0.05


def test_wages_are_reviewed_once_a_year(lives: Lives) -> None:
    skill, labour = lives.citizens["skill"], lives.citizens["labour"]
    working = (labour == Labour.EMPLOYED).all(axis=0) & lives.citizens["alive"].all(axis=0)
    changes = (np.diff(skill[:, working], axis=0) != 0).sum(axis=0)
    assert working.sum() > 100
    assert np.median(changes) == pytest.approx(3, abs=1)


def test_the_long_unemployed_find_work_less_often(lives: Lives) -> None:
    labour, spell = (lives.citizens[name] for name in ("labour", "spell"))
    searching = labour[:-1] == Labour.UNEMPLOYED
    matches = labour[1:] == Labour.EMPLOYED
    short, long = (
        matches[searching & months].mean() for months in (spell[:-1] <= 1, spell[:-1] >= 4)
    )
    assert short > 1.3 * long > 0


def test_spending_falls_less_than_income_when_a_job_is_lost(lives: Lives) -> None:
    labour, house = lives.citizens["labour"], lives.citizens["household"]
    income, spent = (lives.households[name] for name in ("disposable", "consumption"))
    falls = []
    for month in range(6, MONTHS - 3):
        lost = (labour[month - 1] == Labour.EMPLOYED) & (labour[month] == Labour.UNEMPLOYED)
        lost &= labour[month + 1] == Labour.UNEMPLOYED
        homes = house[month][lost & (house[month] < income.shape[1])]
        before, after = slice(month - 3, month), slice(month, month + 3)
        falls.append(
            [column[part][:, homes].sum() for column in (income, spent) for part in (before, after)]
        )
    first, later, bought, buys = np.sum(falls, axis=0)
    assert later / first < 0.92
    assert 0.2 < (1 - buys / bought) / (1 - later / first) < 0.7


def test_firms_raise_and_cut_prices(lives: Lives) -> None:
    price, alive = lives.firms["price"], lives.firms["alive"]
    change = np.diff(price, axis=0)[:, alive.all(axis=0)]
    assert 0.1 < (change != 0).mean() < 0.4
    assert (change[change != 0] < 0).mean() > 0.15
