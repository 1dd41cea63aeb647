"""Facts H-P1 to H-P11: an evacuation and its aftermath, ties and talk, computed from tables.

Each fact takes a run and, where a baseline is needed, the paired run: same seed and settings,
without storm and orders. Real figures and their sources are in the scenario's README.
"""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.agents.ages import ADULT
from memopolis.analysis.facts.aftermath import feelings, mobility_back, returns, stocking_up
from memopolis.analysis.facts.clearing import clearing
from memopolis.analysis.facts.fact import Fact, make_fact
from memopolis.analysis.facts.reading import NONE, hours_of, outcome_of, people_at_end, tick_of
from memopolis.analysis.facts.social_life import friendships, talks
from memopolis.analysis.metrics.curves import fit_s_curve, pseudo_r2
from memopolis.analysis.run.run import Run
from memopolis.sim.errors import ParameterError

# Facts about who leaves, when, and where to (H-P1, H-P2, H-P3, H-P6).

FAMILY, HOTEL, SHELTER = "family or friends", "hotel", "shelter"
"""Texts of the column `destination`."""
AWAY = "away at the closest pass, under a mandatory order"
"""Number of H-P1 beside the share that ever left: some come back, or leave too late."""
DISTANCE = "distance to the sea and leaving without any order, r"
"""Number of H-P1 that needs a run without orders."""


def order_and_leaving(run: Run, _paired: Run | None = None) -> Fact:
    """H-P1: stricter orders make more people leave; about half leave under a mandatory one.

    Some numbers need runs with other orders, see `hurricane.orders_table`.
    """
    people = people_at_end(run)
    mandatory, voluntary, none = _shares_by_order(people)
    _, inland_voluntary, inland_none = _shares_by_order(people[people["surge_band"] == "none"])
    gap = inland_voluntary - inland_none
    beach = people[people["surge_band"] == "A"]
    on_beach, *_ = _shares_by_order(beach)
    numbers = {
        "share under a mandatory order": mandatory,
        "share without an order": none,
        "mandatory minus none": mandatory - none,
        "mandatory minus voluntary": mandatory - voluntary,
        "voluntary minus none, outside surge bands": gap,
        DISTANCE: NONE,
        "share of surge band A under a mandatory order": on_beach,
        AWAY: _share_away(run),
    }
    return make_fact("H-P1", numbers)


def _share_away(run: Run) -> float:
    """Return the share away at the closest pass of those under a mandatory order."""
    groups = run.groups("away_share") if "away_share" in run.measured else []
    at = int(tick_of(run, "nearest")) if run.date_of("nearest") else -1
    away = run.measure("away_share", "mandatory") if "mandatory" in groups else pd.Series([])
    return float(away.iloc[at]) if 0 <= at < len(away) else NONE


def _shares_by_order(people: pd.DataFrame) -> list[float]:
    """Return the evacuated shares under a mandatory, a voluntary and no order."""
    shares = people["evacuated"].astype(bool).groupby(people["order_zone"].astype(str)).mean()
    return [float(shares.get(order, NONE)) for order in ("mandatory", "voluntary", "none")]


def who_leaves(run: Run, _paired: Run | None = None) -> Fact:
    """H-P2: housing and zone matter; age, race and income add little.

    As in surveys, one adult answers for a household: the oldest.
    """
    people = people_at_end(run)
    adults = people[people["age"] >= ADULT].sort_values(["age", "agent"], ascending=[False, True])
    respondents = adults.drop_duplicates("household").sort_values("agent")
    left = respondents["evacuated"].to_numpy(bool)
    mobile = respondents["mobile_home"].to_numpy(bool)
    surge = respondents["surge_band"].to_numpy(str) != "none"
    first = pd.get_dummies(respondents[["order_zone", "surge_band"]], drop_first=True)
    first["mobile"] = mobile
    rest = pd.get_dummies(respondents[["race"]], drop_first=True)
    rest["age"] = respondents["age"]
    rest["income"] = np.log1p(respondents["income"].clip(lower=0))
    explained = pseudo_r2(first.to_numpy(np.float64), left)
    every = pd.concat([first, rest], axis=1)
    added = pseudo_r2(every.to_numpy(np.float64), left) - explained
    by_home, by_surge = (_share(left[own]) - _share(left[~own]) for own in (mobile, surge))
    numbers = {
        "mobile homes minus other homes": by_home,
        "surge bands minus other zones": by_surge,
        "pseudo-R2 of order, housing and zone": explained,
        "pseudo-R2 added by age, race and income": added,
        "the former minus the latter": explained - added,
    }
    return make_fact("H-P2", numbers)


def when_they_leave(run: Run, _paired: Run | None = None) -> Fact:
    """H-P3: an S-curve, most of it soon after the order, little of it at night.

    The 48 hours start when the order takes effect: officials counted 43 of the final 53%
    (four fifths) by Wednesday morning, about 44 hours after Monday noon. Only people whom the order
    addresses are counted, at their first departure.
    """
    people = people_at_end(run)
    under = people[people["order_zone"] == "mandatory"] if run.date_of("ordered") else people[:0]
    ticks = under["left_at"].to_numpy(np.int64)
    ticks = ticks[ticks >= 0]
    soon = fit = NONE
    if len(ticks):
        deadline = tick_of(run, "ordered") + 48 / run.hours
        soon = float((ticks < deadline).mean())
        length = max(int(tick_of(run, "nearest") + 24 / run.hours), 4)
        counts = np.bincount(ticks[ticks < length], minlength=length)
        fit = fit_s_curve(hours_of(run, length), np.cumsum(counts) / len(under))
    departures = run.measure("departures")
    night = pd.DatetimeIndex(departures.index).hour < 6
    at_night = departures[night].sum() / departures.sum() if departures.sum() else NONE
    numbers = {
        "fit of an S-curve, R2": fit,
        "share of departures within 48 h of the order": soon,
        "share of departures between 0:00 and 6:00": at_night,
    }
    return make_fact("H-P3", numbers)


def destinations(run: Run, _paired: Run | None = None) -> Fact:
    """H-P6: friends and family before hotels before public shelters."""
    people = people_at_end(run)
    where = people.loc[people["evacuated"].to_numpy(bool), "destination"].to_numpy()
    share = {place: _share(where == place) for place in (FAMILY, HOTEL, SHELTER)}
    numbers = {
        "to family or friends": share[FAMILY],
        "family or friends minus hotels": share[FAMILY] - share[HOTEL],
        "hotels minus shelters": share[HOTEL] - share[SHELTER],
        "to public shelters": share[SHELTER],
    }
    return make_fact("H-P6", numbers)


def _share(flags: NDArray[np.bool_]) -> float:
    return float(flags.mean()) if flags.size else NONE


FACTS: tuple[Callable[[Run, Run | None], Fact], ...] = (
    order_and_leaving,
    who_leaves,
    when_they_leave,
    stocking_up,
    mobility_back,
    destinations,
    returns,
    feelings,
    clearing,
    friendships,
    talks,
)
"""All facts, in order."""
ORDERS = ("mandatory", "voluntary", "none")  # arms that `effect_of_orders` needs
DANGERS = ("disaster", "order", "evacuation")
"""Topics of memories that only a storm causes; earlier storms have other topics."""


def has_storm(run: Run) -> bool:
    """Check whether a storm comes near in a run, and whether it recorded what the facts need."""
    comes = run.date_of("nearest") is not None
    return comes and "agents_citizen" in run.tables and "evacuated_share" in run.measured


def facts_of(run: Run, paired: Run | None = None) -> list[Fact]:
    """Compute all facts of a run; those that need the paired run have no values without it.

    Raises ParameterError if the paired run has another seed or starts at another time.
    """
    if paired is not None:
        check_pair(run, paired)
    return [fact(run, paired) for fact in FACTS]


def check_pair(run: Run, paired: Run) -> None:
    """Refuse a paired run with another seed, start or step length.

    Raises ParameterError if they differ.
    """
    for what in ("seed", "start", "hours"):
        own, other = getattr(run, what), getattr(paired, what)
        if own != other:
            raise ParameterError(
                f"{run.folder} and its pair {paired.folder} differ in {what}: {own} and {other}; "
                "paired runs need the same seed, start and step length"
            )


def no_response(run: Run) -> Fact:
    """Measure what must not change without a storm, apart from the weekly rhythm."""
    fear, prepared = run.measure("fear"), run.measure("emergency_preparedness")
    visits = run.measure("store_visits").resample("D").sum()
    weekly = (visits / visits.shift(7).replace(0, np.nan)).max()
    topics = run.table("memories")["topic"] if "memories" in run.tables else None
    dangers = NONE if topics is None else float(topics.isin(DANGERS).sum())
    rise = float((fear.resample("D").mean() - fear.iloc[0]).max())
    change = abs(float(prepared.iloc[-1] - prepared.iloc[0]))
    numbers = {
        "evacuated share": outcome_of("evacuated_share", "end")(run),
        "departures": outcome_of("departures", "sum")(run),
        "memories of danger": dangers,
        "largest daily rise of fear, points": rise,
        "change of preparedness, points": change,
        "highest ratio of store visits to a week before": weekly,
    }
    return make_fact("no-storm", numbers)


def effect_of_orders(runs: Mapping[str, Run]) -> Fact:
    """Compare the same citizens under each order: the numbers of H-P1 that one run cannot provide.

    They are those whom the mandatory order addresses.
    """
    people = people_at_end(runs["mandatory"])
    addressed = people[people["order_zone"] == "mandatory"]
    inland = addressed[addressed["surge_band"] == "none"]
    strict, mild = (_evacuated(runs[order], addressed) for order in ("mandatory", "voluntary"))
    gap = _evacuated(runs["voluntary"], inland) - _evacuated(runs["none"], inland)
    numbers = {
        "mandatory minus voluntary": strict - mild,
        "voluntary minus none, outside surge bands": gap,
        DISTANCE: _by_distance(runs["none"]),
    }
    return make_fact("H-P1", numbers)


def _evacuated(run: Run, chosen: pd.DataFrame) -> float:
    people = people_at_end(run)
    return float(people.loc[people["agent"].isin(chosen["agent"]), "evacuated"].mean())


def _by_distance(run: Run) -> float:
    """Return the correlation over citizens of evacuation and the home's distance to the sea."""
    people = people_at_end(run)
    distance = people["home"].map(run.zones.set_index("number")["coast_km"].astype(float))
    left = people["evacuated"].astype(float)
    is_constant = left.empty or left.min() == left.max()
    return NONE if is_constant else float(distance.corr(left))
