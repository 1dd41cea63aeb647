"""Figures of an evacuation: shares by order, departures, trips, and vehicles."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from memopolis.analysis.facts.aftermath import daily_ratio
from memopolis.analysis.facts.clearing import MEASURE, describe_clearance
from memopolis.analysis.figures.lines import ORDERS, Panel, days_of, looks_of
from memopolis.analysis.figures.over_time import date_axes, draw_over_time
from memopolis.analysis.figures.small_groups import drop_small
from memopolis.analysis.figures.style import COLOURS, canvas, percent
from memopolis.analysis.run.run import Run

ON_THE_ROAD = "vehicles_on_the_road"  # measure of the vehicles on the way out
_NAMES = {"mandatory": "mandatory order", "voluntary": "voluntary order", "none": "no order"}


def evacuated_share(run: Run) -> Figure:
    """Draw the evacuated share over time, by the order for the zone of residence."""
    groups = [group for group in run.groups("evacuated_share") if group]
    groups = drop_small(run, "citizen", "order_zone", groups) or [""]
    names = {group: _named(run, group) for group in groups}
    series = {name: run.measure("evacuated_share", group) for group, name in names.items()}
    colours = {name: ORDERS[group] for group, name in names.items() if group in ORDERS}
    looks = looks_of(list(series), colours)
    bands = {
        names[group]: bound_shares(series[names[group]], count)
        for group, count in _count_households(run, groups).items()
    }
    return draw_over_time(
        run,
        "Evacuated share by order",
        "Share of citizens who have left because of the storm, by the order for their zone; in "
        "brackets: number of residents; area: 95% interval over households",
        Panel(series, "Evacuated share", share=True, looks=looks, bands=bands),
    )


def departures(run: Run) -> Figure:
    """Draw departures over time, and by hour of the day."""
    left = run.measure("departures")
    figure, (over_time, by_hour) = canvas(
        "Departures",
        "Number of citizens; a citizen who leaves twice counts twice",
        rows=2,
        height=2.6,
    )
    width = run.hours / 24
    over_time.bar(days_of(left.index), left.to_numpy(), width=width, align="edge", color=COLOURS[0])
    over_time.set_ylabel(f"Citizens in {run.hours:g} h")
    date_axes(run, over_time)
    counts = left.groupby(pd.DatetimeIndex(left.index).hour).sum().reindex(range(24), fill_value=0)
    share, hours = (counts / max(counts.sum(), 1)).to_numpy(), np.arange(24)
    night = hours < 6
    by_hour.bar(hours + 0.5, share, width=0.9, color=np.where(night, COLOURS[6], COLOURS[5]))
    by_hour.set_xlim(0, 24)
    by_hour.set_xticks(range(0, 25, 3), [f"{hour}:00" for hour in range(0, 25, 3)])
    by_hour.set_xlabel(
        f"Hour of departure, local time; dark: 0:00 to 6:00, {share[night].sum():.1%} of departures"
    )
    by_hour.set_ylabel("Share of departures")
    by_hour.yaxis.set_major_formatter(percent)
    return figure


def trips_and_visits(run: Run, paired: Run) -> Figure:
    """Draw daily trips and store visits of a run, relative to its pair without storm and orders."""
    names = {"trips": "trips", "store_visits": "store visits"}
    series = {label: daily_ratio(run, paired, name) for name, label in names.items()}
    for values in series.values():
        values.index += pd.Timedelta(hours=12)
    return draw_over_time(
        run,
        "Trips and store visits, relative to the same days without a storm",
        "Daily total relative to that of the paired run (same seed, no storm, no orders)",
        Panel(
            series,
            share=True,
            reference=1,
            limits=(0, 1.05 * max(v.max() for v in series.values())),
        ),
    )


def roads_out(run: Run) -> Figure:
    """Draw vehicles on the way out over time, and those that have left by road."""
    people = float(run.facts["people_per_agent"]) / 1_000
    roads = [road for road in run.groups(MEASURE) if road]
    left = {road: people * run.measure(MEASURE, road).fillna(0) for road in roads}
    cleared = describe_clearance(run)
    return draw_over_time(
        run,
        "Vehicles on the way out of the region",
        "Thousands of vehicles, scaled to the population" + (f"; {cleared}" if cleared else ""),
        Panel({"": people * run.measure(ON_THE_ROAD)}, "On the way, at the end of the hour"),
        Panel(left, "Left so far, by road"),
    )


def bound_shares(shares: pd.Series, count: int) -> pd.DataFrame:
    """Compute the 95 % interval, low and high, of shares of `count` independent households.

    Source: Jeffreys interval: Brown, Cai and DasGupta 2001, doi:10.1214/ss/1009213286 (recalled).
    """
    from scipy.special import betaincinv

    successes = shares.to_numpy() * count
    failures = count - successes
    low, high = (betaincinv(successes + 0.5, failures + 0.5, q) for q in (0.025, 0.975))
    low, high = np.where(successes > 0, low, 0.0), np.where(failures > 0, high, 1.0)
    return pd.DataFrame({"low": low, "high": high}, index=shares.index)


def _count_households(run: Run, groups: Sequence[str]) -> dict[str, int]:
    """Return the number of households by order for their zone; none if they are not recorded."""
    if not run.has("agents_citizen", "order_zone", "household"):
        return {}
    first = run.first_rows("citizen")
    counts = first.groupby("order_zone", observed=True)["household"].nunique()
    return {group: int(counts[group]) for group in groups if group in counts}


def _named(run: Run, order: str) -> str:
    """Return the label of a group with its size."""
    name = _NAMES.get(order, order or "everyone")
    if not run.has("agents_citizen", "order_zone"):
        return name
    zones = run.first_rows("citizen")["order_zone"]
    return f"{name} ({(zones == order).sum() if order else len(zones):,})"
