"""Draw a synthetic population: whole households of the survey, fitted to real zones.

Households are indexed by number and persons by row, so adding an agent leaves all previous ones
unchanged. Marginals apply to the real population that the agents represent; a sample of agents
varies around them.
"""

from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from memopolis.scenarios.places.zones import is_shipped, shipped_place
from memopolis.scenarios.synthesis.counties import read_counties
from memopolis.scenarios.synthesis.fitting import FittedWeights, fit
from memopolis.scenarios.synthesis.household_traits import draw_households
from memopolis.scenarios.synthesis.households import ADULT, People, draw_to_number
from memopolis.scenarios.synthesis.microdata import read_national_sample, read_sample
from memopolis.scenarios.synthesis.person_traits import draw_persons
from memopolis.scenarios.synthesis.social_life import (
    OTHER_EDUCATION,
    OTHER_GENDER,
    SocialLife,
    rank_income,
)
from memopolis.scenarios.synthesis.social_life import draw_ties as draw_all_ties
from memopolis.scenarios.synthesis.traits import KEPT_FITS
from memopolis.sim.arrays import Float64, Int32, Intp
from memopolis.sim.chance import Chance, options_of
from memopolis.sim.world.place import Place
from memopolis.sim.world.ties import Ties
from memopolis.sim.world.ties_social import Labels


@dataclass(frozen=True, eq=False)
class Residents(People):
    """People and households of a place; see `draw_persons` and `draw_households` for the columns.

    Attributes:
        place: Zones.
        weight: Real people per agent.
    """

    place: Place
    weight: float


def draw_residents(place: Place, agents: int, chance: Chance) -> Residents:
    """Draw people and households of a place, household by household; see `draw_to_number`."""
    fitted = fit_place(place)
    (zone, kind), sizes = draw_to_number(
        agents, fitted.sample.size, lambda numbers: _draw_kinds(fitted, numbers, chance)
    )
    households = draw_households(fitted, zone, kind, sizes, chance)
    persons = draw_persons(fitted, kind, households, chance)
    weight = float(place.population.sum()) / agents
    return Residents(persons, households, place, weight)


def draw_adults(place: Place, adults: int, chance: Chance) -> Residents:
    """Draw the adults of whole households; columns of households count adults alone."""
    fitted = fit_place(place)
    sample = fitted.sample
    of_age = sample.sum_persons(sample.youngest >= ADULT).astype(np.int64)
    (zone, kind), _ = draw_to_number(
        adults, of_age, lambda numbers: _draw_kinds(fitted, numbers, chance)
    )
    households = draw_households(fitted, zone, kind, sample.size[kind], chance)
    persons = draw_persons(fitted, kind, households, chance)
    kept = np.flatnonzero(persons["age"] >= ADULT)
    weight = float(place.population.sum()) / len(persons["age"]) * len(kept) / adults
    persons = {name: values[kept[:adults]] for name, values in persons.items()}
    size = np.bincount(persons["household"], minlength=len(kind))
    households |= {"size": size.astype(np.int16), "first_row": np.cumsum(size) - size}
    return Residents(persons, households, place, weight)


def compute_adult_share(place: Place) -> float:
    """Compute the share of adults among the people of a place."""
    fitted = fit_place(place)
    sample, weight = fitted.sample, fitted.joint.sum(axis=0)
    adults = sample.sum_persons(sample.youngest >= ADULT)
    return float(weight @ adults / (weight @ sample.size))


def draw_ties(people: Residents, employer: Int32, chance: Chance) -> Ties:
    """Draw the ties of people, given the number of each one's firm, -1 for none."""
    persons, homes = people.persons, people.households
    household = persons["household"]
    education = np.where(persons["age"] >= ADULT, persons["education"].astype(np.int64), -1)
    own = SocialLife(
        household=household,
        age=persons["age"],
        place=people.place,
        zone=persons["zone"],
        employer=employer,
        school=np.where(persons["pupil"], persons["zone"], -1),
        descent=persons["race"],
        has_moved=homes["kin_elsewhere"][household],
        traits=(
            Labels(persons["female"], OTHER_GENDER),
            Labels(education, OTHER_EDUCATION),
            rank_income(homes["income"][household]),
        ),
    )
    return draw_all_ties(own, chance)


@lru_cache(maxsize=KEPT_FITS)
def fit_place(place: Place) -> FittedWeights:
    """Fit the survey's households to a place; the last fits are kept."""
    if is_shipped(place):
        return _fit_shipped(place.name)
    return fit(place, read_national_sample(), read_counties())


@cache
def _fit_shipped(place: str) -> FittedWeights:
    """Fit a shipped place once per process."""
    return fit(shipped_place(place), read_sample(), read_counties())


def _draw_kinds(fitted: FittedWeights, numbers: Intp, chance: Chance) -> tuple[Intp, Intp]:
    """Draw zone and survey household of households, given their numbers."""
    zone = chance.choice("household zone", numbers, fitted.zone_share)
    return zone, options_of(_edges(fitted), zone, chance.uniform("household kind", numbers))


@lru_cache(maxsize=KEPT_FITS)
def _edges(fitted: FittedWeights) -> Float64:
    """Return cumulative weights of survey households by zone."""
    edges = np.cumsum(fitted.weights, axis=1)
    return np.asarray(edges / edges[:, -1:])
