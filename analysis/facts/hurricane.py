"""Facts H-P1 to H-P8: what an evacuation and its aftermath look like, read from tables.

Each function takes a run and, where a baseline is needed, the paired run: same seed and
settings, without storm and orders. Real figures and their sources stand in the scenario's
README; the tolerances here are those of its table of stylised facts.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.analysis.facts.fact import Fact, Value
from memopolis.analysis.metrics.evacuation import cumulative_share, s_curve_fit, share_by
from memopolis.analysis.metrics.logit import dummies, fit_logit
from memopolis.analysis.metrics.recovery import first_back, fit_recovery, ratio, share_left

if TYPE_CHECKING:
    from memopolis.analysis.load import Run

Float = NDArray[np.float64]

NAN = float("nan")
ADULT = 18
GALE_KT = 34.0
"""Wind over land from which a storm counts as arrived."""
ADVISORY_HOURS = 6.0
"""Time between two advisories: a peak so close to the closest pass counts as at it."""
FAMILY, HOTEL, SHELTER = 1, 2, 3
"""Numbers of destinations in the column `destination`."""


def has_storm(run: "Run") -> bool:
    """Whether a storm comes near in a run."""
    if not run.facts.get("nearest") or "measures" not in run.tables:
        return False
    return "evacuated_share" in set(run.measures["measure"].unique())


def facts_of(run: "Run", paired: "Run | None" = None) -> list[Fact]:
    """All facts of a run; those that need the paired run have no values without it."""
    return [fact(run, paired) for fact in FACTS]


def order_and_leaving(run: "Run", paired: "Run | None" = None) -> Fact:
    """H-P1: more leave under a stricter order, and about half under a mandatory one."""
    del paired
    people = _at_end(run)
    shares = share_by(people["evacuated"].to_numpy(bool), people["order_zone"].to_numpy(str))
    mandatory, none = shares.get("mandatory", NAN), shares.get("none", NAN)
    voluntary = shares.get("voluntary", NAN)
    inland = people[people["surge_band"] == "none"]
    there = share_by(inland["evacuated"].to_numpy(bool), inland["order_zone"].to_numpy(str))
    gap = abs(there.get("voluntary", NAN) - there.get("none", NAN))
    values = (
        Value("share under a mandatory order", mandatory, 0.40, 0.65, "%"),
        Value("share without an order", none, 0.0, 0.35, "%"),
        Value("mandatory above none", mandatory - none, low=0, unit="pp", strict=True),
        Value("mandatory above voluntary", mandatory - voluntary, low=0, unit="pp", strict=True),
        Value("voluntary against none outside surge bands", gap, high=0.05, unit="pp"),
    )
    return Fact("H-P1", "Orders decide who leaves", values, "Darzi 2021; South Carolina officials")


def who_leaves(run: "Run", paired: "Run | None" = None) -> Fact:
    """H-P2: housing and zone matter, age, race and income add little.

    As in a survey one adult answers for a household, the oldest.
    """
    del paired
    people = _at_end(run)
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
            _mean(left[mobile]) - _mean(left[~mobile]),
            low=0,
            unit="pp",
            strict=True,
        ),
        Value(
            "surge bands above the rest",
            _mean(left[surge]) - _mean(left[~surge]),
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
    people = _at_end(run)
    under = people[people["order_zone"] == "mandatory"] if run.facts.get("ordered") else people[:0]
    ticks = under["left_at"].to_numpy(np.int64)
    ticks = ticks[ticks >= 0]
    soon = NAN
    fit = NAN
    if len(ticks):
        deadline = _tick(run, "ordered") + 48 / run.hours
        soon = float((ticks < deadline).mean())
        length = int(_tick(run, "nearest") + 24 / run.hours)
        share = cumulative_share(ticks, len(under), max(length, 4))
        fit = s_curve_fit(_hours(run, len(share)), share)
    departures = run.measure("departures")
    night = pd.DatetimeIndex(departures.index).hour < 6
    total = departures.sum()
    values = (
        Value("fit of an S-curve, R2", fit, low=0.9),
        Value("gone 48 h after the order took effect, of all who go", soon, low=0.8, unit="%"),
        Value(
            "departures from midnight to six",
            departures[night].sum() / total if total else NAN,
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


def stocking_up(run: "Run", paired: "Run | None" = None) -> Fact:
    """H-P4: visits to stores and filling stations rise before arrival, then collapse.

    Arrival is the first gale in any zone. The rise is the higher of the two days before it.
    """
    before = during = each = NAN
    if paired is not None:
        arrival = _arrival(run)
        day = round(24 / run.hours)
        ratios = [_visits(run, paired, arrival - n * day, arrival - (n - 1) * day) for n in (1, 2)]
        before = max(ratios)
        during = _visits(run, paired, arrival, arrival + day)
        nearer = arrival - day * (1 + ratios.index(before))
        present = 1 - run.measure("away_share").to_numpy()[max(nearer, 0) : nearer + day].mean()
        each = before / present if present > 0 else NAN
    values = (
        Value("visits on one of the last 2 days before arrival", before, 1.3, 2.2, "x"),
        Value("the same for each person still there", each, unit="x"),
        Value("visits on the day from arrival", during, high=1.0, unit="x", strict=True),
    )
    return Fact("H-P4", "People stock up, then stores empty", values, "Placed, Irma 2017")


def mobility_back(run: "Run", paired: "Run | None" = None) -> Fact:
    """H-P5: fewest trips on the day of the closest pass, back within days.

    A run that ends before trips are back counts as back on the day after its end.
    """
    trough = back = NAN
    if paired is not None:
        ratios = daily_ratio(run, paired, "trips")
        pass_day = pd.Timestamp(run.facts["nearest"]).normalize()
        if pass_day in ratios.index:
            at = int(ratios.index.get_loc(pass_day))  # type: ignore[arg-type]
            values_ = ratios.to_numpy()
            trough = float(int(np.nanargmin(values_)) - at)
            days = first_back(values_, at, 0.9)
            back = float(days if days > 0 else len(values_) - at)
    values = (
        Value("trough after the closest pass", trough, 0, 0, "days"),
        Value("back at 90% of the baseline", back, 1, 4, "days"),
    )
    return Fact(
        "H-P5",
        "Mobility collapses and comes back",
        values,
        "facts on mobility after storms; Yabe 2020",
    )


def destinations(run: "Run", paired: "Run | None" = None) -> Fact:
    """H-P6: friends and family before hotels before public shelters."""
    del paired
    people = _at_end(run)
    where = people.loc[people["evacuated"].to_numpy(bool), "destination"].to_numpy()
    share = {
        number: float((where == number).mean()) if len(where) else NAN
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


def returns(run: "Run", paired: "Run | None" = None) -> Fact:
    """H-P7: once orders are lifted returns saturate exponentially."""
    del paired
    tau = fit = NAN
    away = run.measure("away_share").to_numpy()
    begin = _tick(run, "lifted") if run.facts.get("lifted") else _tick(run, "nearest")
    after = away[int(begin) :] if begin >= 0 else away[:0]
    if len(after) >= 3 and after[0] > 0:
        _, tau, fit = fit_recovery(_hours(run, len(after)), 1 - after / after[0])
    values = (
        Value("fit of the saturating curve, R2", fit, low=0.9),
        Value("hours after which 63% are back", tau, unit="h"),
    )
    return Fact("H-P7", "Returns saturate exponentially", values, "Yabe et al. 2020")


def feelings(run: "Run", paired: "Run | None" = None) -> Fact:
    """H-P8: fear peaks by the closest pass and fades; attitudes stay moved.

    Shifts are from the paired run, or from the first step without one. What is left at the end
    is relative to the largest shift, so that fear and attitudes compare.
    """
    fear = _shift(run, paired, "fear")
    nearest = _tick(run, "nearest")
    peak = int(fear.argmax())
    later = int(nearest + 72 / run.hours)
    faded = fear[later] / fear[peak] if later < len(fear) and fear[peak] > 0 else NAN
    left = share_left(fear)
    trust = share_left(_shift(run, paired, "government_trust")) - left
    prepared = share_left(_shift(run, paired, "emergency_preparedness")) - left
    values = (
        Value(
            "peak of fear after the closest pass",
            (peak - nearest) * run.hours,
            high=ADVISORY_HOURS,
            unit="h",
        ),
        Value("fear left three days after the closest pass", faded, high=0.5, unit="%"),
        Value("trust shift lasts longer than fear's", trust, low=0, unit="pp", strict=True),
        Value(
            "preparedness shift lasts longer than fear's", prepared, low=0, unit="pp", strict=True
        ),
    )
    return Fact("H-P8", "Fear passes, attitudes stay", values, "this project's design")


FACTS: tuple[Callable[..., Fact], ...] = (
    order_and_leaving,
    who_leaves,
    when_they_leave,
    stocking_up,
    mobility_back,
    destinations,
    returns,
    feelings,
)
"""Every fact, in order."""


def daily_ratio(run: "Run", paired: "Run", measure: str) -> pd.Series:
    """Daily sum of a measure relative to the paired run's, whole days only."""
    per_day = round(24 / run.hours)
    series = run.measure(measure)
    stormy = series.resample("D").sum()[series.resample("D").size() == per_day]
    calm = paired.measure(measure).resample("D").sum().reindex(stormy.index, fill_value=0)
    return pd.Series(ratio(stormy.to_numpy(), calm.to_numpy()), index=stormy.index)


def _at_end(run: "Run") -> pd.DataFrame:
    people = run.agents_of("citizen")
    last: pd.DataFrame = people[people["tick"] == people["tick"].max()]
    return last


def _hours(run: "Run", ticks: int) -> Float:
    return np.arange(ticks, dtype=np.float64) * run.hours


def _mean(flags: NDArray[np.bool_]) -> float:
    return float(flags.mean()) if flags.size else NAN


def _tick(run: "Run", fact: str) -> float:
    when = pd.Timestamp(run.facts[fact])
    return float((when - pd.Timestamp(run.start)) / pd.Timedelta(hours=run.hours))


def _arrival(run: "Run") -> int:
    if "weather" in run.tables:
        gale = run.weather.loc[run.weather["wind_kt"] >= GALE_KT, "tick"]
        if len(gale):
            return int(gale.min())
    return int(_tick(run, "nearest"))


def _visits(run: "Run", paired: "Run", first: int, last: int) -> float:
    first = max(first, 0)
    sums = [r.measure("store_visits").to_numpy()[first:last].sum() for r in (run, paired)]
    return float(sums[0] / sums[1]) if sums[1] else NAN


def _shift(run: "Run", paired: "Run | None", measure: str) -> Float:
    moved: Float = run.measure(measure).to_numpy(np.float64)
    if paired is None:
        return np.asarray(moved - moved[0])
    calm: Float = paired.measure(measure).to_numpy(np.float64)
    length = min(len(moved), len(calm))
    return np.asarray(moved[:length] - calm[:length])
