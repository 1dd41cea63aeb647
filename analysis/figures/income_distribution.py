"""Draw the distributions of income and spending of households, beside those of a survey."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from memopolis.analysis.figures.lines import QUINTILES, value_axis
from memopolis.analysis.figures.style import COLOURS, INK, canvas, percent
from memopolis.analysis.metrics.livelihoods import YEAR, find_policy_month, read_real_amounts
from memopolis.analysis.run.run import Run

_PRICES = 255.657 / 229.594  # dollars of 2019 per dollar of 2012 (Bureau of Labor Statistics)
_SURVEY = {
    "income": (10_171, 27_743, 46_777, 73_970, 158_024),
    "spending": (22_154, 32_632, 43_004, 59_980, 99_368),
}
"""Income after taxes and spending by quintile of income, dollars of 2012 a year (Consumer
Expenditure Survey)."""
_COLOURS = {"income": COLOURS[0], "spending": COLOURS[1]}
_EDGES = np.geomspace(200, 50_000, 31)  # dollars a month


def income_and_spending(run: Run) -> Figure:
    """Draw income and spending of households in the last year before a policy, or of the run."""
    amounts = read_year(run, last=find_policy_month(run) or None)
    figure, (left, right) = canvas(
        "Income and spending of households",
        "Means of a year at prices of the start, USD a month, before any basic income; points: "
        "Consumer Expenditure Survey 2012 by quintile of income, in dollars of 2019",
        columns=2,
        shared=False,
    )
    _draw_distribution(left, amounts)
    _draw_quintiles(right, amounts)
    return figure


def read_year(run: Run, *, last: int | None) -> pd.DataFrame:
    """Return mean income and spending of each household in the year before a month, USD a month.

    None for the last year of the run. Households that were there in half of it count.
    """
    columns = {}
    for name, table in zip(
        _SURVEY, read_real_amounts(run, "disposable", "consumption"), strict=True
    ):
        end = len(table) if last is None else last
        year = table.iloc[max(end - YEAR, 0) : end] / 100
        columns[name] = year.mean().where(year.notna().sum() >= len(year) / 2)
    return pd.DataFrame(columns).dropna()


def _draw_distribution(axes: Axes, amounts: pd.DataFrame) -> None:
    for name, colour in _COLOURS.items():
        held = np.clip(amounts[name], _EDGES[0], _EDGES[-1])
        share = np.histogram(held, _EDGES)[0] / max(len(held), 1)
        axes.stairs(share, _EDGES, color=colour, alpha=0.16, fill=True)
        axes.stairs(share, _EDGES, color=colour, lw=1.8, label=name)
    axes.set_xscale("log")
    ticks = (300, 1_000, 3_000, 10_000, 30_000)
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.minorticks_off()
    axes.yaxis.set_major_formatter(percent)
    axes.set_xlabel("USD a month")
    axes.set_ylabel("Share of households")
    axes.legend(frameon=False)


def _draw_quintiles(axes: Axes, amounts: pd.DataFrame) -> None:
    rank = amounts["income"].rank(method="first", pct=True)
    fifth = np.minimum((rank * len(QUINTILES)).to_numpy().astype(np.intp), len(QUINTILES) - 1)
    place = np.arange(len(QUINTILES))
    for number, (name, colour) in enumerate(_COLOURS.items()):
        mean = amounts[name].groupby(fifth).mean().reindex(place)
        at = place + 0.4 * (number - 0.5)
        axes.bar(at, mean, width=0.36, color=colour)
        surveyed = np.array(_SURVEY[name]) * _PRICES / YEAR
        axes.plot(at, surveyed, "o", color=INK, mec="white", ms=6)
    axes.set_xticks(place, list(QUINTILES))
    axes.set_xlabel("Fifth of households by income")
    value_axis(axes, unit="USD a month")
