"""Columns of households: home, vehicles, money and evacuation options."""

from functools import lru_cache

import numpy as np

from memopolis.scenarios.synthesis.fitting import FittedWeights
from memopolis.scenarios.synthesis.households import Columns, SurveyHouseholds
from memopolis.scenarios.synthesis.traits import (
    KEPT_FITS,
    ByCounty,
    housing_scores,
    owner_scores,
    race_scores,
    vehicle_scores,
)
from memopolis.sim.arrays import Bools, Float64, Int8, Int64, Intp
from memopolis.sim.chance import Chance
from memopolis.sim.world.place import Place

PETS = 0.57  # share of households with a pet (illustrative)
SECOND_VEHICLE = {"one adult": 0.20, "more": 0.75}
THIRD_VEHICLE = 0.35
"""Probability of a second vehicle, and of a third with three adults (illustrative)."""
WEALTH_YEARS = (0.3, 1.0, 2.0, 3.0)
WEALTH_AGES = (35, 50, 65)
WEALTH_SPREAD = 1.0
OWNER_WEALTH = 2.0
"""Wealth in yearly incomes by age of the first person (under 35, 50, 65, above), standard
deviation of its logarithm, and owners' wealth relative to renters' (illustrative)."""
KIN = (0.55, 0.25)
"""Probit of having family or friends outside the area to stay with: constant and slope with
respect to the income score, about 70% (illustrative; 70% of Florence's shelter sample had none)."""


def draw_households(
    fitted: FittedWeights, zone: Intp, kind: Intp, sizes: Int64, chance: Chance
) -> Columns:
    """Draw the columns of households, given zone, survey household and number of members.

    Members are rows first_row to first_row + size. Income is in dollars of 2018 a year, wealth in
    dollars; housing and race are codes of `HOUSING` and `RACES`.
    """
    sample, place = fitted.sample, fitted.place
    numbers = np.arange(len(zone))
    z = fitted.income_score[kind]
    size = sample.size
    adults, head_age = _count_adults(sample), _list_head_ages(sample)
    km = centre_km(place)

    def draw(purpose: str) -> Float64:
        return chance.uniform(purpose, numbers)

    housing = _fit_housing(fitted).choose(
        zone, housing_scores(z, size[kind], km[zone]), draw("household housing")
    )
    race = _fit_race(fitted).choose(zone, race_scores(z), draw("household race"))
    carless = _fit_carless(fitted).choose(
        zone, vehicle_scores(z, adults[kind], head_age[kind] >= 75), draw("household vehicle")
    )
    owner = _draw_owner(fitted, zone, kind, housing, draw("household owner"))
    income = sample.income[kind]
    first_row = np.cumsum(sizes) - sizes
    return {
        "zone": zone.astype(np.int16),
        "first_row": first_row,
        "size": sizes.astype(np.int16),
        "income": income.astype(np.float32),
        "poor": fitted.poor[kind],
        "vehicles": _draw_vehicles(carless == 1, adults[kind], numbers, chance),
        "housing": housing,
        "owner": owner,
        "race": race,
        "pets": draw("household pets") < PETS,
        "wealth": _draw_wealth(income, head_age[kind], owner, chance).astype(np.float32),
        "kin_elsewhere": chance.normal("household kin", numbers) < KIN[0] + KIN[1] * z,
    }


def centre_km(place: Place) -> Float64:
    """Return the distance of each zone to the nearest central one, km, shape (zones,)."""
    central = place.table["central"].to_numpy(bool)
    return np.asarray(place.distance_km[:, central].min(axis=1))


def _count_adults(sample: SurveyHouseholds) -> Float64:
    """Return the number of adults in each survey household."""
    return sample.sum_persons(sample.youngest >= 18)


def _list_head_ages(sample: SurveyHouseholds) -> Int64:
    """Return the age of the first person of each survey household."""
    return sample.youngest[sample.first[:-1]]


@lru_cache(maxsize=KEPT_FITS)
def _fit_housing(fitted: FittedWeights) -> ByCounty:
    km = centre_km(fitted.place)
    return ByCounty(
        fitted,
        lambda zones: housing_scores(fitted.income_score, fitted.sample.size, km[zones, None]),
        (None, "mobile_homes", "large_buildings"),
    )


@lru_cache(maxsize=KEPT_FITS)
def _fit_race(fitted: FittedWeights) -> ByCounty:
    return ByCounty(
        fitted,
        lambda _: race_scores(fitted.income_score),
        ("white", "black", "hispanic", None),
        weights=fitted.joint * fitted.sample.size,
    )


@lru_cache(maxsize=KEPT_FITS)
def _fit_carless(fitted: FittedWeights) -> ByCounty:
    adults, old = _count_adults(fitted.sample), _list_head_ages(fitted.sample) >= 75
    return ByCounty(
        fitted, lambda _: vehicle_scores(fitted.income_score, adults, old), (None, "no_vehicle")
    )


def _draw_owner(fitted: FittedWeights, zone: Intp, kind: Intp, housing: Int8, u: Float64) -> Bools:
    scores = owner_scores(fitted.income_score[kind], _list_head_ages(fitted.sample)[kind], housing)
    return np.asarray(_fit_owners(fitted).choose(zone, scores, u) == 1)


@lru_cache(maxsize=KEPT_FITS)
def _fit_owners(fitted: FittedWeights) -> ByCounty:
    head_age = _list_head_ages(fitted.sample)
    # A fit to single-family houses alone would bias the constant.
    kinds = np.arange(3)
    return ByCounty(
        fitted,
        lambda _: owner_scores(fitted.income_score[:, None], head_age[:, None], kinds).reshape(
            -1, 2
        ),
        (None, "owners"),
        weights=_split_by_housing(fitted),
    )


def _split_by_housing(fitted: FittedWeights) -> Float64:
    county = fitted.county
    mobile, multi = county["mobile_homes"].to_numpy(), county["large_buildings"].to_numpy()
    split = np.stack([1 - mobile - multi, mobile, multi], axis=1)
    return np.asarray((fitted.joint[:, :, None] * split[:, None, :]).reshape(len(split), -1))


def _draw_vehicles(carless: Bools, adults: Float64, numbers: Intp, chance: Chance) -> Int8:
    second = np.where(adults > 1, SECOND_VEHICLE["more"], SECOND_VEHICLE["one adult"])
    two = chance.uniform("household second vehicle", numbers) < second
    three = chance.uniform("household third vehicle", numbers) < THIRD_VEHICLE
    count = 1 + two + (two & three & (adults > 2))
    return np.where(carless, 0, count).astype(np.int8)


def _draw_wealth(income: Float64, head_age: Int64, owner: Bools, chance: Chance) -> Float64:
    years = np.array(WEALTH_YEARS)[np.searchsorted(WEALTH_AGES, head_age, side="right")]
    normal = chance.normal("household wealth", np.arange(len(income)))
    spread = np.exp(WEALTH_SPREAD * normal) * np.where(owner, OWNER_WEALTH, 1.0)
    return np.asarray(np.maximum(income, 0.0) * years * spread)
