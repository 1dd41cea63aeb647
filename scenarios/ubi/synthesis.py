"""Draw persons and households from the survey: initial ones, and those that move in.

Households are indexed by number and persons by row, so adding an agent leaves all previous ones
unchanged.
"""

from dataclasses import dataclass

import numpy as np

from memopolis.scenarios.synthesis.households import People, draw_to_number
from memopolis.scenarios.ubi.household_traits import draw_households
from memopolis.scenarios.ubi.microdata import Microdata, read_sample
from memopolis.scenarios.ubi.person_traits import draw_persons
from memopolis.scenarios.ubi.town import Town
from memopolis.sim.arrays import Int64, Intp
from memopolis.sim.chance import Chance

GOLDEN = (5**0.5 - 1) / 2


@dataclass(frozen=True, eq=False)
class Inhabitants(People):
    """Citizens and their households, as columns of the status."""

    deposits: Int64  # money of each household in cents, shape (households,)
    debts: Int64  # debt of each household in cents, shape (households,)


def draw_initial_households(agents: int, chance: Chance, town: Town | None = None) -> Inhabitants:
    """Draw households of the town, or the survey, until they have the required number of members.

    They are numbered from 0. Raises ParameterError if `agents` is below 1.
    """
    sample = read_sample()
    (kind,), sizes = draw_to_number(
        agents, sample.size, lambda numbers: (_select_kinds(numbers, sample, chance, town),)
    )
    return _draw_members(sample, kind, sizes, (0, 0), chance, town=town)


def draw_newcomers(
    count: int, chance: Chance, town: Town | None = None, *, first_household: int, first_row: int
) -> Inhabitants:
    """Draw whole households that move in; `household` of a citizen is the row of the household."""
    sample = read_sample()
    kind = _select_kinds(first_household + np.arange(count), sample, chance, town)
    first = (first_household, first_row)
    return _draw_members(sample, kind, sample.size[kind], first, chance, town=town)


def _select_kinds(numbers: Intp, sample: Microdata, chance: Chance, town: Town | None) -> Intp:
    """Select a survey household for each household number.

    Steps of the golden ratio through the households in order of income, from a random start: any
    number of them has about the income distribution of the survey or the town (H. Weyl 1916,
    Mathematische Annalen 77:313-352, doi:10.1007/BF01475864), and further ones leave previous ones
    unchanged.
    """
    start = float(chance.uniform("household kind", [0])[0])
    place = (start + GOLDEN * numbers) % 1.0
    if town is not None:
        return town.select_kinds(np.asarray(place))
    by_income = np.argsort(sample.income, kind="stable")
    return by_income[np.minimum((place * len(sample)).astype(np.intp), len(sample) - 1)]


def _draw_members(
    sample: Microdata,
    kind: Intp,
    sizes: Int64,
    first: tuple[int, int],
    chance: Chance,
    *,
    town: Town | None,
) -> Inhabitants:
    """Draw members of households of given kinds; `first` is the row of household and person."""
    numbers = first[0] + np.arange(len(kind))
    zone = np.zeros(len(kind), np.int16)
    if town is not None:
        zone = town.draw_zones(kind, numbers, chance)
    persons = draw_persons(
        sample, kind, sizes, chance, numbers=numbers, first_row=first[1], zone=zone, town=town
    )
    households, deposits, debts = draw_households(sample, kind, persons, numbers, chance)
    households["zone"] = zone
    return Inhabitants(persons, households, deposits, debts)
