"""Threat follows what is recalled of the forecast, at home, and the order is one cue of several."""

from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from memopolis.scenarios.hurricane.blocks.stay_or_go import StayOrGo
from memopolis.scenarios.hurricane.forecast import (
    make_forecasts,
    rank_dependent_mean,
    shore_factor,
    surge_impact,
    wind_impact,
)
from memopolis.scenarios.hurricane.padm import (
    AMPLE_HOURS,
    Pace,
    believed_impact,
    leaving_probability,
    perceived_threat,
)
from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.scenarios.hurricane.track import DATA, Track
from memopolis.scenarios.places.zones import read_place
from memopolis.sim.chance import Chance

PACE = Pace(every=3, wait=4, night=0.1, evening=0.4, too_late=12)


def row(*values: float) -> Any:
    return np.array([values], np.float32)


def test_a_new_forecast_replaces_an_older_one_as_that_fades() -> None:
    old, new = 0.8, 0.1
    equal = believed_impact(row(0.5, 0.5), row(old, new), doubt=0.2)[0]
    faded = believed_impact(row(0.05, 0.5), row(old, new), doubt=0.2)[0]
    assert new < faded < equal < old


def test_without_reports_nothing_is_expected_and_each_report_convinces_more() -> None:
    assert believed_impact(row(0, 0), row(1, 1), doubt=0.2)[0] == 0
    one = believed_impact(row(0.4, 0), row(1, 1), doubt=0.2)[0]
    two = believed_impact(row(0.4, 0.4), row(1, 1), doubt=0.2)[0]
    assert 0 < one < two < 1


def test_threat_rises_with_the_impact_ever_less() -> None:
    threat = perceived_threat(np.array([0, 0.3, 0.6, 0.9], np.float32), scale=0.3)
    assert threat[0] == 0
    assert (np.diff(threat) > 0).all()
    assert (np.diff(threat, 2) < 0).all()


def test_people_hurry_if_little_time_is_left_but_not_in_gales() -> None:
    ready = np.ones(5, np.bool_)
    left = np.array([0, 0.4, 0.7, 1, 3], np.float32) * np.float32(AMPLE_HOURS)
    chance = leaving_probability(ready, 10, left, PACE)
    assert chance[0] == 0
    # The mean time until a decision is in proportion to the time left, until that is ample.
    waits = -PACE.every / np.log1p(-chance[1:])
    assert waits == pytest.approx(PACE.wait * np.array([0.4, 0.7, 1, 1]), rel=1e-4)
    assert (leaving_probability(ready, 3, left, PACE)[1:] < chance[1:]).all()


def test_impacts_lie_between_the_bounds_of_warnings_and_bands() -> None:
    assert wind_impact(np.array([30.0, 34.0, 65.0, 96.0, 140.0])) == pytest.approx(
        [0, 0, 0.5, 1, 1]
    )
    wind, inf = np.full(3, 60.0), np.inf
    flood = surge_impact(wind, np.array([34.0, 83.0, inf]), np.array([64.0, 113.0, inf]))
    assert flood == pytest.approx([26 / 30, 0, 0])


def test_unlikely_harm_counts_for_more_than_its_probability_and_likely_harm_for_less() -> None:
    rare, likely, certain = (
        rank_dependent_mean(np.array([[0.0], [1.0]]), np.array([1 - p, p]))[0]
        for p in (0.05, 0.9, 1.0)
    )
    assert rare > 0.05
    assert likely < 0.9
    assert certain == pytest.approx(1)
    equal = rank_dependent_mean(np.full((3, 2), 0.4), np.array([0.2, 0.5, 0.3]))
    assert equal == pytest.approx([0.4, 0.4])


def test_the_wind_at_homes_falls_inland_to_that_over_land() -> None:
    factor = shore_factor(np.array([0.0, 5.0, 20.0, 500.0, np.nan]))
    assert factor[0] == factor[4] == 1
    assert (np.diff(factor[:4]) < 0).all()
    assert factor[3] == pytest.approx(0.8)


def test_the_forecast_impact_falls_from_the_coast_inland_and_grows_with_the_storm() -> None:
    place, start = read_place("charleston"), datetime(2016, 9, 30)
    tick = 24 * 7
    by_storm = {}
    for factor in (0.7, 1.0):
        track = Track.read("matthew")
        scaled = type(track)(**{**vars(track), "wind_kt": factor * track.wind_kt})
        forecasts = make_forecasts(scaled, place, start, 240, Chance(1))
        assert ((forecasts.impact >= 0) & (forecasts.impact <= 2)).all()
        by_storm[factor] = forecasts.impact[tick]
    band = place.table["band"].to_numpy(str)
    mean = [by_storm[1.0][band == name].mean() for name in ("A", "B", "C", "none")]
    assert (np.diff(mean) < 0).all()
    assert (by_storm[1.0] > by_storm[0.7]).all()


def question_of(society: Hurricane, number: int) -> dict[str, float]:
    citizens = society.population("citizen")
    (block,) = (one for one in citizens.blocks if isinstance(one, StayOrGo))
    known = block.perceive(citizens.at(np.array([number]))).known
    return {name: float(known[name][0]) for name in ("threat", "order", "hours_left", "exposure")}


def test_threat_is_that_of_the_recalled_forecast_not_of_its_words() -> None:
    society = Hurricane(agents=60, rng=5, days=9, news="none", past_storms="none")
    (block,) = (one for one in society.population("citizen").blocks if isinstance(one, StayOrGo))
    impact = np.full((216, 30), 0.05, np.float32)
    impact[100:] = 1.0
    # Such arrays follow from the settings, and no block may replace them in a run.
    object.__setattr__(block, "impact", impact)
    object.__setattr__(block, "hours_left", np.full((216, 30), 40, np.float32))
    citizens = society.population("citizen").cohort()
    adult = citizens.at(np.flatnonzero(citizens["age"] >= 18)[:1])
    threats = []
    for tick in (50, 110):
        society.run_for(tick - society.clock.tick)
        adult.memory.stream.add("disaster", "A storm comes.", importance=0.5, valence=-0.5)
        society.run_for(2)
        known = question_of(society, int(adult.rows[0]))
        threats.append(known["threat"])
        assert known["hours_left"] == pytest.approx(38, abs=1.5)
    assert 0 < threats[0] < 0.3 < threats[1]


def test_mild_storms_that_are_recalled_lower_the_threat() -> None:
    def threat(past: str) -> float:
        society = Hurricane(agents=60, rng=5, days=9, past_storms=past)
        society.run_for(24 * 6)
        adults = society.population("citizen")
        rows = np.flatnonzero((adults["age"] >= 18) & ~adults["away"])[:25]
        return float(np.mean([question_of(society, int(one))["threat"] for one in rows]))

    assert threat("default") < threat("none")


def evacuate(**settings: Any) -> Any:
    usual: dict[str, Any] = {"agents": 250, "rng": 2, "days": 9, "record": {"tables": ()}}
    society = Hurricane(**(usual | settings))
    leaving = []
    citizens = society.population("citizen")
    for _ in range(society.clock.ticks_of_days(9)):
        society.step()
        leaving.append(citizens["leaving"].sum())
    return np.array(leaving), citizens["evacuated"].copy(), citizens["surge_band"]


def test_threat_and_departures_rise_with_the_strength_of_the_storm_ever_less(
    tmp_path: Path,
) -> None:
    table = pd.read_csv(DATA / "storms" / "dorian.csv")
    threats, shares = [], []
    for factor in (0.6, 1.0, 1.5):
        path = tmp_path / f"{factor}.csv"
        table.assign(wind_kt=factor * table["wind_kt"]).to_csv(path, index=False)
        society = Hurricane(
            agents=250, rng=2, days=9, record={"tables": ()}, storm=str(path), storm_name="Zelda"
        )
        society.run_for(society.clock.ticks_of_days(9))
        citizens = society.population("citizen")
        threats.append(citizens["threat"][citizens["age"] >= 18].mean())
        shares.append(citizens["evacuated"].mean())
    # The order itself lets expect harm, and a further impact adds less threat than the first.
    assert (np.diff(threats) > 0.02).all()
    assert shares[1] - shares[0] > shares[2] - shares[1] > 0


def test_departures_bunch_if_the_order_comes_late(tmp_path: Path) -> None:
    path = tmp_path / "orders.csv"
    path.write_text(
        "announced,effective,area,kind\n2019-09-04 07:00,2019-09-04 12:00,ordered,mandatory\n"
    )

    def peak(leaving: Any) -> float:
        return float(np.convolve(leaving, np.ones(6), "valid").max() / leaving.sum())

    # Departures after the announcement: on the eighth day at 7:00, or on the fifth at 18:30
    late = peak(evacuate(orders=str(path))[0][7 * 24 + 7 :])
    early = peak(evacuate()[0][4 * 24 + 18 :])
    assert late > 0.4
    assert late > 1.5 * early


def test_nearly_all_of_band_a_leave_under_an_order_and_fewer_inland() -> None:
    _, left, band = evacuate()
    share = [left[np.asarray(band) == name].mean() for name in ("A", "B", "C", "none")]
    assert share[0] > 0.75
    assert share[0] > share[1] > share[3]


def test_without_an_order_more_people_leave_at_the_coast_and_for_a_stronger_storm(
    tmp_path: Path,
) -> None:
    table = pd.read_csv(DATA / "storms" / "matthew.csv")
    weak = tmp_path / "weak.csv"
    table.assign(wind_kt=0.5 * table["wind_kt"]).to_csv(weak, index=False)
    _, left, band = evacuate(storm="matthew", orders="none")
    few = evacuate(storm=str(weak), storm_name="Zelda", orders="none")[1]
    coast, inland = (np.isin(band, bands) for bands in (("A", "B"), ("C", "none")))
    assert left[coast].mean() > 1.2 * left[inland].mean()
    assert few.mean() < 0.5 * left.mean()


def test_advice_to_leave_hardly_acts_outside_the_surge_zone_unlike_an_order(
    tmp_path: Path,
) -> None:
    shares = []
    for kind in ("voluntary", "mandatory"):
        path = tmp_path / f"{kind}.csv"
        path.write_text(
            f"announced,effective,area,kind\n2019-09-01 18:30,2019-09-02 12:00,ordered,{kind}\n"
        )
        _, left, band = evacuate(orders=str(path))
        shares.append(left[np.asarray(band) != "A"].mean())
    _, left, band = evacuate(orders="none")
    none = left[np.asarray(band) != "A"].mean()
    voluntary, mandatory = shares
    assert abs(voluntary - none) < 0.1 < mandatory - none


def test_few_people_leave_an_inland_town() -> None:
    _, left, _ = evacuate(place="columbia")
    assert left.mean() < 0.1
