"""Draw people and their households from the survey: those of the start, and those who move in.

Households are drawn by number and people's traits by row, so one more agent leaves everybody
before unchanged.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.scenarios.ubi.household_traits import draw_households
from memopolis.scenarios.ubi.microdata import Microdata, read_microdata
from memopolis.scenarios.ubi.person_traits import draw_persons
from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError

Columns = dict[str, NDArray[Any]]

GOLDEN = (5**0.5 - 1) / 2


@dataclass(frozen=True, eq=False)
class People:
    """Citizens and their households, as columns that status takes as they are.

    Attributes:
        persons: Columns of citizens by name, each of shape (citizens,).
        households: Columns of households by name, each of shape (households,).
        deposits: Money of each household in cents, shape (households,).
        debts: What each household owes in cents, shape (households,).
    """

    persons: Columns
    households: Columns
    deposits: NDArray[np.int64]
    debts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.persons["household"])


@cache
def _own_sample() -> Microdata:
    """The shipped sample, read once: people who move in are drawn from it every month."""
    return read_microdata()


def households_at_start(agents: int, chance: Chance, data: Microdata | None = None) -> People:
    """Draw whole households until they hold as many people as there shall be citizens.

    The last household is cut: it keeps its first members, adults before dependants. With one
    more agent it has one member more.

    Args:
        agents: People of all ages, >= 1.
        chance: Luck of the run.
        data: Households to draw from; the project's own sample by default.

    Returns:
        The people, numbered household by household from 0.

    Raises:
        ParameterError: If `agents` is below 1.
    """
    if agents < 1:
        raise ParameterError(f"agents is {agents}; at least 1 is needed")
    sample = _own_sample() if data is None else data
    many = int(agents / sample.size.mean() * 1.1) + 50
    while True:
        kind = _kinds(np.arange(many), sample, chance)
        total = np.cumsum(sample.size[kind])
        if total[-1] >= agents:
            break
        many *= 2
    kind = kind[: int(np.searchsorted(total, agents)) + 1]
    sizes = sample.size[kind]
    sizes[-1] -= sizes.sum() - agents
    return _people(sample, kind, sizes, (0, 0), chance)


def newcomers(
    count: int,
    chance: Chance,
    *,
    first_household: int,
    first_row: int,
    data: Microdata | None = None,
) -> People:
    """Draw households that move in, whole.

    Args:
        count: How many households, >= 1.
        chance: Luck of the run.
        first_household: Row that the first of them gets.
        first_row: Row that the first of their members gets.
        data: Households to draw from; the project's own sample by default.

    Returns:
        The people; `household` of a citizen is the row that its household gets.
    """
    sample = _own_sample() if data is None else data
    kind = _kinds(first_household + np.arange(count), sample, chance)
    return _people(sample, kind, sample.size[kind], (first_household, first_row), chance)


def _kinds(numbers: NDArray[np.intp], sample: Microdata, chance: Chance) -> NDArray[np.intp]:
    """Household of the survey of each household, by its number.

    Steps by the golden ratio through the households in order of income, from a start drawn by
    chance: any number of them has about the survey's incomes (H. Weyl 1916, Mathematische
    Annalen 77:313-352, doi:10.1007/BF01475864), and further ones change nobody before.
    """
    start = float(chance.uniform("household kind", [0])[0])
    place = (start + GOLDEN * numbers) % 1.0
    by_income = np.argsort(sample.income(), kind="stable")
    return by_income[np.minimum((place * len(sample)).astype(np.intp), len(sample) - 1)]


def _people(
    sample: Microdata,
    kind: NDArray[np.intp],
    sizes: NDArray[np.int64],
    first: tuple[int, int],
    chance: Chance,
) -> People:
    """Draw members of households of given kinds; `first` is the row of household and person."""
    numbers = first[0] + np.arange(len(kind))
    persons = draw_persons(sample, kind, sizes, chance, numbers=numbers, first_row=first[1])
    households, deposits, debts = draw_households(sample, kind, persons, numbers, chance)
    return People(persons, households, deposits, debts)
