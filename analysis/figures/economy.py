"""Figures of an economy with money: income, prices, inequality, work, wellbeing, the government."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from memopolis.analysis.compare.intervals import interval_rows
from memopolis.analysis.figures.lines import (
    QUINTILES,
    Panel,
    days_of,
    dotted_line,
    stack,
    value_axis,
)
from memopolis.analysis.figures.over_time import date_axes, draw_over_time
from memopolis.analysis.figures.style import COLOURS, canvas
from memopolis.analysis.labels import a_step
from memopolis.analysis.run.run import Run

CES_D = "ces_d"  # name of the depression survey
_CUT_OFF = 16
_CENTS = 0.01
_OLD_ENOUGH, _TOO_OLD = 18, 65
_TITLES = {
    "disposable": "Disposable income by quintile",
    "consumption": "Consumption by quintile",
    "hours": "Hours worked by quintile",
}
REVENUE = {
    "income_tax": "income tax",
    "payroll_tax": "payroll tax",
    "local_tax": "state and local tax",
    "policy_tax": "surtax",
}
"""Columns of the government's revenue, and their names in figures."""
SPENDING = {
    "benefits": "benefits",
    "basic_income": "basic income",
    "purchases": "purchases",
    "interest": "interest",
}
"""Columns of the government's spending."""


def by_quintile(run: Run, column: str) -> Figure:
    """Draw a mean by quintile of income over time.

    The column is "disposable" or "consumption" of households, or "hours" of citizens.
    """
    if column == "hours":
        people = run.agents_of("citizen", "quintile", "age", column)
        people = people[people["age"].between(_OLD_ENOUGH, _TOO_OLD - 1)]
        subtitle = "Mean of all people aged 18 to 64, employed or not"
        unit, scale = "Hours per week", 1.0
    else:
        people = run.agents_of("household", "quintile", column)
        subtitle = "Mean of households, lowest to highest fifth of income"
        unit, scale = f"USD {a_step(run.hours)}", _CENTS
    series = {name: scale * path for name, path in _quintiles(people, column).items()}
    return draw_over_time(run, _TITLES[column], subtitle, Panel(series, unit=unit))


def prices_and_wages(run: Run) -> Figure:
    """Draw the price level and the nominal and real hourly wage, all 1 at the start."""
    prices, wage = (published(run, name) for name in ("price_level", "wage"))
    nominal = wage / _first(wage)
    level = prices / _first(prices)
    series = {"prices": level, "wage": nominal, "real wage": nominal / level}
    return draw_over_time(
        run,
        "Prices and wages",
        "Index, 1 in the first month; real wage: nominal wage divided by the price level",
        Panel(series, reference=1),
    )


def inequality(run: Run) -> Figure:
    """Draw the Gini coefficient of disposable income and the share of poor households."""
    panels = [Panel({"gini": published(run, "gini")}, "Gini of income")]
    subtitle = "Gini of disposable income, 0 (equal) to 1"
    if run.has("agents_statistics_bureau", "poverty"):
        poverty = {"poverty": published(run, "poverty")}
        panels.append(Panel(poverty, "Poor households", share=True))
        subtitle += "; poor: households below half the median income"
    return draw_over_time(run, "Inequality", subtitle, *panels, height=2.5)


def account(run: Run) -> Figure:
    """Draw the revenue, spending and debt of the government."""
    known = [n for n in (*REVENUE, *SPENDING, "debt") if run.has("agents_government", n)]
    flows = _CENTS * run.agents_of("government", *known).groupby("time")[known].sum()
    figure, panels = canvas(
        "Government revenue, spending and debt",
        f"Revenue and spending {a_step(run.hours)}; debt at the end",
        rows=3,
        height=2.2,
    )
    top = 1.05 * max(flows[[n for n in part if n in known]].sum(axis=1).max() for part in _PARTS)
    for axes, part, label in zip(panels, _PARTS, ("Revenue", "Spending"), strict=False):
        # Flows that are always 0 are left out.
        paid = [name for name in part if name in known and flows[name].abs().max() > 0]
        stack(axes, {part[name]: flows[name] for name in paid}, high=top or 1, step="post")
        value_axis(axes, label=label, unit="USD")
    Panel({"debt": flows["debt"]}, "Debt", "USD").draw(panels[2])
    date_axes(run, *panels)
    return figure


_PARTS = (REVENUE, SPENDING)


def published(run: Run, name: str) -> pd.Series:
    """Return one statistic of the bureau by time."""
    return run.agents_of("statistics_bureau", name).set_index("time")[name].astype(np.float64)


def _first(series: pd.Series) -> float:
    """Return the first value that is not missing and not 0."""
    recorded = series[(series != 0) & series.notna()]
    return float(recorded.iloc[0]) if len(recorded) else float("nan")


def _quintiles(people: pd.DataFrame, column: str) -> dict[str, pd.Series]:
    known = people.astype({"quintile": str})
    known = known[known["quintile"].isin(QUINTILES)]
    mean = known.pivot_table(index="time", columns="quintile", values=column, aggfunc="mean")
    return {name: mean[name] for name in QUINTILES if name in mean}


def wellbeing(run: Run) -> Figure:
    """Draw the depression score of the panel and life satisfaction over time.

    The score comes from the answers of the panel where they were recorded, with its interval over
    people; else from what the statistics bureau publishes.
    """
    figure, (sad, satisfied) = canvas(
        "Depression and life satisfaction",
        "Above: mean CES-D of the panel, 0 to 60 (a case from 16 on); below: mean life "
        "satisfaction, 0 to 10",
        rows=2,
        height=2.5,
    )
    _depression(sad, run)
    satisfaction = {"life satisfaction": published(run, "life_satisfaction")}
    Panel(satisfaction, "Life satisfaction, 0 to 10", zero=False).draw(satisfied)
    date_axes(run, sad, satisfied)
    return figure


def labour_market(run: Run) -> Figure:
    """Draw unemployment, vacancies and participation."""
    return draw_over_time(
        run,
        "Labour market",
        "Above: shares of the labour force; below: share of adults in the labour force",
        Panel({name: published(run, name) for name in ("unemployment", "vacancies")}, share=True),
        Panel({"participation": published(run, "participation")}, "Participation", share=True),
        height=2.5,
    )


def depression_of(run: Run) -> pd.DataFrame:
    """Return the mean CES-D of the panel with its interval over people: mean, low, high by time.

    There are no rows if no agent was asked.
    """
    scores = run.survey_scores if "survey" in run.tables else pd.DataFrame({"survey": []})
    asked = scores[scores["survey"] == CES_D]
    by_time = {time: own["value"] for time, own in asked.groupby("time")} if len(asked) else {}
    return interval_rows(by_time.values(), pd.DatetimeIndex(list(by_time)))


def _depression(axes: Axes, run: Run) -> None:
    asked = depression_of(run)
    if asked.empty:
        # Nothing is published before the first panel.
        score = published(run, "depression")
        Panel({"depression": score[score > 0]}).draw(axes)
    else:
        x, colour = days_of(asked.index), COLOURS[0]
        axes.vlines(x, asked["low"], asked["high"], color=colour, lw=1.2, alpha=0.6)
        axes.plot(x, asked["mean"], "o-", color=colour, ms=4, lw=1.6)
    low, high = axes.get_ylim()
    if high > _CUT_OFF * 0.8:
        dotted_line(axes, _CUT_OFF)
    axes.set_ylim(low, max(high, low + 1))
    axes.set_ylabel("CES-D, 0 to 60")
