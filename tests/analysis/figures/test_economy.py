"""Figures of an economy: what is drawn is what the tables say, in USD."""

from typing import Any

import pytest

from memopolis.analysis import Run
from memopolis.analysis.figures import economy
from memopolis.analysis.figures.catalogue import draw_figures


def heights(line: Any) -> list[float]:
    return [float(y) for y in line.get_ydata()]


def test_income_by_quintile_is_in_usd_in_ascending_order(monetary: Run) -> None:
    (axes,) = economy.by_quintile(monetary, "disposable").axes
    poorest = monetary.agents_of("household").query("quintile == 'lowest'")["disposable"]
    assert heights(axes.lines[0]) == pytest.approx(list(poorest / 100))
    names = [text.get_text() for text in axes.texts]
    assert names[:5] == ["lowest", "second", "middle", "fourth", "highest"]
    assert axes.get_ylabel() == "USD a month"


def test_hours_are_those_of_people_of_working_age(monetary: Run) -> None:
    (axes,) = economy.by_quintile(monetary, "hours").axes
    assert heights(axes.lines[4])[0] == 36
    assert axes.get_ylabel() == "Hours per week"


def test_real_wages_are_wages_over_prices(monetary: Run) -> None:
    (axes,) = economy.prices_and_wages(monetary).axes
    prices, wage, real = (heights(line) for line in axes.lines[:3])
    assert (prices[0], wage[0], real[0]) == (1, 1, 1)
    assert real[-1] == pytest.approx(wage[-1] / prices[-1])


def test_the_budget_shows_revenue_and_spending(monetary: Run) -> None:
    revenue, spending, debt = economy.account(monetary).axes
    names = [[text.get_text() for text in axes.texts] for axes in (revenue, spending)]
    assert set(names[0]) == {"income tax", "payroll tax", "surtax", "policy starts"}
    assert set(names[1]) == {"benefits", "basic income", "purchases", "interest"}
    assert revenue.get_ylim() == spending.get_ylim()
    assert heights(debt.lines[0])[0] == 4e7


def test_a_run_without_a_panel_shows_published_figures(monetary: Run) -> None:
    assert economy.depression_of(monetary).empty
    sad, satisfied = economy.wellbeing(monetary).axes
    assert heights(sad.lines[0])[0] == 11
    assert heights(satisfied.lines[0])[-1] == pytest.approx(7.1)


def test_unemployment_and_vacancies_share_a_panel(monetary: Run) -> None:
    market, part = economy.labour_market(monetary).axes
    assert len(market.lines) == 3  # two figures and the mark of the policy
    assert heights(part.lines[0])[0] == 0.63


def test_figures_are_found_by_what_was_recorded(monetary: Run, opinionated: Run) -> None:
    assert [caption for _, caption in draw_figures(monetary)] == [
        "Disposable income by quintile",
        "Consumption by quintile",
        "Distributions of income and spending, beside a survey",
        "Hours worked by quintile",
        "Prices and wages",
        "Inequality of income",
        "Labour market",
        "Government revenue and spending",
        "Wellbeing",
    ]
    assert [caption for _, caption in draw_figures(opinionated)] == [
        "Opinions of individual citizens, with the mean of each party",
        "Opinions by party at the start, in the middle and at the end",
        "Correlation of attitudes by the days between, beside panel surveys",
        "Friends, coloured by opinion",
        "Messages read, by side of the author",
    ]
