"""Facts about the response to a storm and the recovery from it (H-P4, H-P5, H-P7, H-P8)."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.analysis.facts.fact import Fact, make_fact
from memopolis.analysis.facts.reading import NONE, hours_of, moment_of, tick_of
from memopolis.analysis.metrics.curves import first_back, fit_recovery, share_left
from memopolis.analysis.run.run import Run

GALE_KT = 34.0  # minimum wind over land at the arrival of a storm


def stocking_up(run: Run, paired: Run | None = None) -> Fact:
    """H-P4: visits to stores and filling stations rise before arrival, then collapse.

    Arrival is the first gale in any zone. The rise is the higher of the two days before it.
    """
    before = during = each = NONE
    if paired is not None:
        arrival = _arrival(run)
        day = round(24 / run.hours)
        ratios = [_visits(run, paired, arrival - n * day, arrival - (n - 1) * day) for n in (1, 2)]
        before = max(ratios)
        during = _visits(run, paired, arrival, arrival + day)
        start = arrival - day * (1 + ratios.index(before))
        present = 1 - run.measure("away_share").to_numpy()[max(start, 0) : start + day].mean()
        each = before / present if present > 0 else NONE
    numbers = {
        "visits on the busier of the last 2 days before arrival": before,
        "the same per person still in the region": each,
        "visits in the 24 hours after arrival": during,
    }
    return make_fact("H-P4", numbers)


def mobility_back(run: Run, paired: Run | None = None) -> Fact:
    """H-P5: fewest trips on the day of the closest pass, back within days.

    A run that ends before trips are back counts as back on the day after its end.
    """
    trough = back = NONE
    if paired is not None:
        ratios = daily_ratio(run, paired, "trips")
        pass_day = pd.Timestamp(moment_of(run, "nearest")).normalize()
        if pass_day in ratios.index:
            at = int(ratios.index.get_loc(pass_day))  # type: ignore[arg-type]
            daily = ratios.to_numpy()
            trough = float(int(np.nanargmin(daily)) - at)
            days = first_back(daily, at, 0.9)
            back = float(days if days > 0 else len(daily) - at)
    numbers = {
        "fewest trips, time after the closest pass": trough,
        "time until 90% of the baseline": back,
    }
    return make_fact("H-P5", numbers)


def returns(run: Run, _paired: Run | None = None) -> Fact:
    """H-P7: returns saturate exponentially after orders are lifted."""
    tau = fit = NONE
    away = run.measure("away_share").to_numpy()
    begin = tick_of(run, "lifted") if run.date_of("lifted") else tick_of(run, "nearest")
    after = away[int(begin) :] if begin >= 0 else away[:0]
    if len(after) >= 3 and after[0] > 0:
        _, tau, fit = fit_recovery(hours_of(run, len(after)), 1 - after / after[0])
    numbers = {"fit of the saturating curve, R2": fit, "hours after which 63% are back": tau}
    return make_fact("H-P7", numbers)


def feelings(run: Run, paired: Run | None = None) -> Fact:
    """H-P8: fear peaks by the closest pass and fades; attitudes stay changed.

    Shifts are differences from the paired run, else from the first step. The remaining shift is
    relative to the largest one, so that fear and attitudes are comparable.
    """
    fear = _shift(run, paired, "fear")
    nearest = tick_of(run, "nearest")
    peak = int(fear.argmax())
    later = int(nearest + 72 / run.hours)
    faded = fear[later] / fear[peak] if later < len(fear) and fear[peak] > 0 else NONE
    delay = (peak - nearest) * run.hours
    left = share_left(fear)
    trust = share_left(_shift(run, paired, "government_trust")) - left
    prepared = share_left(_shift(run, paired, "emergency_preparedness")) - left
    numbers = {
        "peak of fear, time after the closest pass": delay,
        "fear left three days after the closest pass": faded,
        "remaining shift of trust minus that of fear": trust,
        "remaining shift of preparedness minus that of fear": prepared,
    }
    return make_fact("H-P8", numbers)


def daily_ratio(run: Run, paired: Run, measure: str) -> pd.Series:
    """Return the daily sum of a measure relative to the paired run's; whole days only."""
    per_day = round(24 / run.hours)
    series = run.measure(measure)
    stormy = series.resample("D").sum()[series.resample("D").size() == per_day]
    calm = paired.measure(measure).resample("D").sum().reindex(stormy.index, fill_value=0)
    return stormy / calm.replace(0, np.nan)


def _arrival(run: Run) -> int:
    if "weather" in run.tables:
        gale = run.weather.loc[run.weather["wind_kt"] >= GALE_KT, "tick"]
        if len(gale):
            return int(gale.min())
    return int(tick_of(run, "nearest"))


def _visits(run: Run, paired: Run, first: int, last: int) -> float:
    first = max(first, 0)
    sums = [r.measure("store_visits").to_numpy()[first:last].sum() for r in (run, paired)]
    return float(sums[0] / sums[1]) if sums[1] else NONE


def _shift(run: Run, paired: Run | None, measure: str) -> NDArray[np.float64]:
    moved: NDArray[np.float64] = run.measure(measure).to_numpy(np.float64)
    if paired is None:
        return np.asarray(moved - moved[0])
    calm: NDArray[np.float64] = paired.measure(measure).to_numpy(np.float64)
    length = min(len(moved), len(calm))
    return np.asarray(moved[:length] - calm[:length])
