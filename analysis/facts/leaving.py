"""Facts about leaving: who, when, and where to (H-P1, H-P2, H-P3, H-P6)."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.analysis.facts.fact import Fact, Value
from memopolis.analysis.facts.reading import NONE, hours_of, people_at_end, tick_of
from memopolis.analysis.metrics.evacuation import cumulative_share, s_curve_fit, share_by
from memopolis.analysis.metrics.logit import dummies, fit_logit

if TYPE_CHECKING:
    from memopolis.analysis.run.run import Run

ADULT = 18
FAMILY, HOTEL, SHELTER = "family or friends", "hotel", "shelter"
"""Texts of the column `destination`."""


def order_and_leaving(run: "Run", paired: "Run | None" = None) -> Fact:
    """H-P1: more leave under a stricter order, and about half under a mandatory one."""
    del paired
    people = people_at_end(run)
    shares = share_by(people["evacuated"].to_numpy(bool), people["order_zone"].to_numpy(str))
    mandatory, none = shares.get("mandatory", NONE), shares.get("none", NONE)
    voluntary = shares.get("voluntary", NONE)
    inland = people[people["surge_band"] == "none"]
    inland_shares = share_by(inland["evacuated"].to_numpy(bool), inland["order_zone"].to_numpy(str))
    gap = inland_shares.get("voluntary", NONE) - inland_shares.get("none", NONE)
    values = (
        Value("share under a mandatory order", mandatory, 0.40, 0.65, "%"),
        Value("share without an order", none, 0.0, 0.35, "%"),
        Value("mandatory above none", mandatory - none, low=0, unit="pp", strict=True),
        Value("mandatory above voluntary", mandatory - voluntary, low=0, unit="pp", strict=True),
        Value("voluntary against none outside surge bands", gap, -0.05, 0.05, "pp"),
    )
    return Fact("H-P1", "Orders decide who leaves", values, "Darzi 2021; South Carolina officials")


def who_leaves(run: "Run", paired: "Run | None" = None) -> Fact:
    """H-P2: housing and zone matter, age, race and income add little.

    As in a survey one adult answers for a household, the oldest.
    """
    del paired
    people = people_at_end(run)
    adults = people[people["age"] >= ADULT].sort_values(["age", "agent"], ascending=[False, True])
    asked = adults.drop_duplicates("household").sort_values("agent")
    left = asked["evacuated"].to_numpy(bool)
    mobile, surge = asked["mobile_home"].to_numpy(bool), asked["surge_band"].to_numpy(str) != "none"
    first = np.column_stack(
        [
            mobile,
            dummies(asked["order_zone"].to_numpy(str)),
            dummies(asked["surge_band"].to_numpy(str)),
        ]
    )
    rest = np.column_stack(
        [
            asked["age"],
            np.log1p(asked["income"].clip(lower=0)),
            dummies(asked["race"].to_numpy(str)),
        ]
    )
    explained = fit_logit(first.astype(np.float64), left).pseudo_r2
    added = fit_logit(np.column_stack([first, rest]).astype(np.float64), left).pseudo_r2 - explained
    values = (
        Value(
            "mobile homes above others",
            _share(left[mobile]) - _share(left[~mobile]),
            low=0,
            unit="pp",
            strict=True,
        ),
        Value(
            "surge bands above the rest",
            _share(left[surge]) - _share(left[~surge]),
            low=0,
            unit="pp",
            strict=True,
        ),
        Value("pseudo-R2 of order, housing and zone", explained),
        Value("added by age, race and income", added),
        Value("the first above the added", explained - added, low=0, strict=True),
    )
    return Fact(
        "H-P2",
        "Housing and zone matter more than demographics",
        values,
        "Huang, Lindell, Prater 2016",
    )


def when_they_leave(run: "Run", paired: "Run | None" = None) -> Fact:
    """H-P3: an S-curve, most of it soon after the order, little of it at night.

    The 48 hours run from when the order takes effect: officials counted 43 of the final 53%
    (four fifths) by Wednesday morning, some 44 hours after Monday noon. They are taken of those
    whom the order addresses, by their first departure.
    """
    del paired
    people = people_at_end(run)
    under = people[people["order_zone"] == "mandatory"] if run.date_of("ordered") else people[:0]
    ticks = under["left_at"].to_numpy(np.int64)
    ticks = ticks[ticks >= 0]
    soon = NONE
    fit = NONE
    if len(ticks):
        deadline = tick_of(run, "ordered") + 48 / run.hours
        soon = float((ticks < deadline).mean())
        length = int(tick_of(run, "nearest") + 24 / run.hours)
        share = cumulative_share(ticks, len(under), max(length, 4))
        fit = s_curve_fit(hours_of(run, len(share)), share)
    departures = run.measure("departures")
    night = pd.DatetimeIndex(departures.index).hour < 6
    total = departures.sum()
    values = (
        Value("fit of an S-curve, R2", fit, low=0.9),
        Value("departures within 48 h of the order, of all departures", soon, low=0.8, unit="%"),
        Value(
            "departures from midnight to six",
            departures[night].sum() / total if total else NONE,
            high=0.2,
            unit="%",
        ),
    )
    return Fact(
        "H-P3",
        "Departures follow an S-curve by day",
        values,
        "Irene 2011; Marasco 2020; South Carolina officials",
    )


def destinations(run: "Run", paired: "Run | None" = None) -> Fact:
    """H-P6: friends and family before hotels before public shelters."""
    del paired
    people = people_at_end(run)
    where = people.loc[people["evacuated"].to_numpy(bool), "destination"].to_numpy()
    share = {
        number: float((where == number).mean()) if len(where) else NONE
        for number in (FAMILY, HOTEL, SHELTER)
    }
    values = (
        Value("to family or friends", share[FAMILY], unit="%"),
        Value(
            "family or friends above hotels",
            share[FAMILY] - share[HOTEL],
            low=0,
            unit="pp",
            strict=True,
        ),
        Value(
            "hotels above shelters", share[HOTEL] - share[SHELTER], low=0, unit="pp", strict=True
        ),
        Value("to public shelters", share[SHELTER], 0.02, 0.12, "%"),
    )
    return Fact(
        "H-P6", "Family and friends first, shelters last", values, "Smith and McCarty 2009; Wu 2012"
    )


def _share(flags: NDArray[np.bool_]) -> float:
    return float(flags.mean()) if flags.size else NONE
