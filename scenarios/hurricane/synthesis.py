"""Draw a town of people: whole households of the survey, fitted to the real zones.

Households are drawn by household number and people's traits by row, so one more agent leaves
everybody before unchanged. Shares hold of the real population the agents stand for; a sample
of agents scatters around them.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.scenarios.hurricane.fitting import Fitted, fit
from memopolis.scenarios.hurricane.household_traits import draw_households
from memopolis.scenarios.hurricane.microdata import Sample, read_sample, shipped_sample
from memopolis.scenarios.hurricane.person_traits import draw_persons
from memopolis.scenarios.hurricane.traits import KEPT_FITS, OCCUPATIONS
from memopolis.scenarios.hurricane.zones import (
    is_shipped,
    read_counties,
    read_place,
    shipped_place,
)
from memopolis.sim.chance import Chance, options_of
from memopolis.sim.errors import ParameterError
from memopolis.sim.world.place import Place
from memopolis.sim.world.ties import Ties
from memopolis.sim.world.ties_built import colleagues, friends, groups

Columns = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class People:
    """The people of a run and their households, as columns.

    Attributes:
        place: Where they live.
        persons: Columns by name, each of shape (agents,); see `person_traits.draw_persons`.
        households: Columns by name, each of shape (households,); see
            `household_traits.draw_households`.
        weight: Real people each agent stands for.
    """

    place: Place
    persons: Columns
    households: Columns
    weight: float

    def __len__(self) -> int:
        return len(self.persons["household"])


def synthesise(
    place: str | Place,
    agents: int,
    chance: Chance,
    *,
    sample: Sample | None = None,
    counties: pd.DataFrame | None = None,
) -> People:
    """Draw people and households for a place.

    The last household is cut so that exactly `agents` people result: it keeps its first
    members, adults before dependants. With one more agent it has one member more.

    Args:
        place: "charleston", "columbia" or a place made by `zones.read_place`.
        agents: People of all ages, >= 1.
        chance: Luck of the run.
        sample: Households to draw from; South Carolina's by default.
        counties: Marginals by county; the project's own by default.

    Returns:
        The people, numbered household by household.

    Raises:
        ParameterError: If `agents` is below 1, or marginals are impossible together.
        UnknownNameError: If there is no such place.
    """
    if agents < 1:
        raise ParameterError(f"agents is {agents}; at least 1 is needed")
    where = read_place(place) if isinstance(place, str) else place
    if sample is None and counties is None and is_shipped(where):
        fitted = _fit_shipped(where.name)
    else:
        fitted = fit(
            where,
            read_sample() if sample is None else sample,
            read_counties() if counties is None else counties,
        )
    zone, kind = _drawn(fitted, agents, chance)
    sizes = fitted.sample.size[kind]
    sizes[-1] -= sizes.sum() - agents
    households = draw_households(fitted, zone, kind, sizes, chance)
    persons = draw_persons(fitted, kind, households, chance)
    weight = float(where.population.sum()) / agents
    return People(where, persons, households, weight)


def tie(people: People, chance: Chance) -> Ties:
    """Tie people to their household, friends near them in place and age, and colleagues.

    Args:
        people: As `synthesise` gives them.
        chance: Luck of the run.

    Returns:
        Ties of the kinds "household", "friend" (about 5 each) and "colleague" (up to 10 who
        work in the same zone and occupation); the numbers are illustrative.
    """
    persons = people.persons
    household = persons["household"]
    work = persons["workplace"].astype(np.int64) * len(OCCUPATIONS) + persons["occupation"]
    return Ties(
        len(people),
        {
            "household": groups(household),
            "friend": friends(
                people.place, persons["zone"], persons["age"], chance, groups=household
            ),
            "colleague": colleagues(np.where(persons["employed"], work, -1), chance),
        },
    )


@cache
def _fit_shipped(place: str) -> Fitted:
    """The fit of one of the project's places, which is the same in every run."""
    return fit(shipped_place(place), shipped_sample(), read_counties())


def _drawn(
    fitted: Fitted, agents: int, chance: Chance
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Zone and survey household of each household, as many as hold the agents."""
    edges, mean = _edges(fitted)
    size = fitted.sample.size
    many = int(agents / mean * 1.05) + 50
    while True:
        numbers = np.arange(many)
        zone = chance.choice("household zone", numbers, fitted.zone_share)
        kind = options_of(edges, zone, chance.uniform("household kind", numbers))
        total = np.cumsum(size[kind])
        if total[-1] >= agents:
            needed = int(np.searchsorted(total, agents)) + 1
            return zone[:needed], kind[:needed]
        many *= 2


@lru_cache(maxsize=KEPT_FITS)
def _edges(fitted: Fitted) -> tuple[NDArray[np.float64], float]:
    """Where each household of the survey ends between 0 and 1, by zone, and their mean size."""
    edges = np.cumsum(fitted.weights, axis=1)
    edges /= edges[:, -1:]
    return edges, float((fitted.joint @ fitted.sample.size).sum())
