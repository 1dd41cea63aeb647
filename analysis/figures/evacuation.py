"""Figures of departures and evacuated shares."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from memopolis.analysis.figures.lines import ORDERS, lines
from memopolis.analysis.figures.style import COLOURS, canvas, percent
from memopolis.analysis.figures.times import days_of, mark_dates, span, time_axis
from memopolis.analysis.metrics.evacuation import by_hour_of_day

if TYPE_CHECKING:
    from memopolis.analysis.run.run import Run

_NAMES = {"mandatory": "mandatory order", "voluntary": "voluntary order", "none": "no order"}


def evacuated_share(run: "Run") -> Figure:
    """Draw the evacuated share over time, by the order for the zone of residence."""
    figure, (axes,) = canvas(
        "Evacuated share by order",
        "share of citizens who have left because of the storm, by the order for their zone; in "
        "brackets: number of residents",
    )
    groups = [group for group in run.groups("evacuated_share") if group] or [""]
    names = {group: _named(run, group) for group in groups}
    series = {name: run.measure("evacuated_share", group) for group, name in names.items()}
    lines(axes, series, {name: ORDERS[g] for g, name in names.items() if g in ORDERS})
    axes.yaxis.set_major_formatter(percent)
    axes.set_ylabel("evacuated share")
    time_axis(axes, *span(run))
    mark_dates(axes, run)
    return figure


def departures(run: "Run") -> Figure:
    """Draw departures over time, and by hour of the day."""
    left = run.measure("departures")
    figure, (over_time, by_hour) = canvas(
        "Departures",
        "number of citizens; repeated departures count again",
        rows=2,
        height=2.6,
    )
    width = run.hours / 24
    over_time.bar(days_of(left.index), left.to_numpy(), width=width, align="edge", color=COLOURS[0])
    over_time.set_ylabel(f"citizens in {run.hours:g} h")
    time_axis(over_time, *span(run))
    mark_dates(over_time, run)
    hours = np.asarray(pd.DatetimeIndex(left.index).hour, np.float64)
    share = by_hour_of_day(left.to_numpy(), hours)
    night = np.arange(24) < 6
    by_hour.bar(
        np.arange(24) + 0.5, share, width=0.9, color=np.where(night, COLOURS[6], COLOURS[5])
    )
    by_hour.set_xlim(0, 24)
    by_hour.set_xticks(range(0, 25, 3), [f"{hour}:00" for hour in range(0, 25, 3)])
    by_hour.set_xlabel(
        "hour of departure, local time; dark: 0:00 to 6:00,  "
        f"{share[night].sum():.1%} of departures"
    )
    by_hour.set_ylabel("share of departures")
    by_hour.yaxis.set_major_formatter(percent)
    return figure


def _named(run: "Run", order: str) -> str:
    """Return the label of a group with its size."""
    name = _NAMES.get(order, order or "everyone")
    if not run.has("agents_citizen", "order_zone"):
        return name
    zones = run.first_rows("citizen")["order_zone"]
    return f"{name} ({(zones == order).sum() if order else len(zones):,})"
