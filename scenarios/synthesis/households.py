"""Households of a survey and their members, and how a population is drawn from them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np

from memopolis.scenarios.synthesis.tax_units import DEPENDANT, list_members
from memopolis.sim.arrays import Array, Bools, Float64, Int64, Intp
from memopolis.sim.chance import Chance
from memopolis.sim.errors import DataFileError, ParameterError
from memopolis.sim.world.columns import Column, read_table

Columns = dict[str, Array]

ADULT = 18  # age in years from which a person is an adult (choice)


@dataclass(frozen=True, eq=False)
class SurveyHouseholds:
    """Households of a survey and their members, adults first."""

    # Columns of the tax units, each of shape (units,); households are numbered from 0
    units: Columns
    unit: Int64  # tax unit of each person, shape (persons,)
    first: Int64  # number of each household's first person; plus the total at the end
    role: Int64  # HEAD, SPOUSE or DEPENDANT of the tax unit, shape (persons,)
    youngest: Int64  # minimum age of each person
    oldest: Int64  # maximum age; equal to the minimum if the age is known
    wage: Float64  # wages and self-employed income per year, >= 0

    @classmethod
    def read(
        cls,
        path: Path,
        columns: Mapping[str, Column],
        *,
        price: float = 1.0,
        children_last: bool = False,
    ) -> Self:
        """Read tax units, one row each, and join them to households with at least one adult.

        Wages are multiplied by a price. `children_last` puts the children of a household after the
        adult dependants of all its tax units. Raises DataFileError if a value is invalid or no
        household has an adult.
        """
        table = read_table(path, columns, others_kept=True)
        unit = _with_adults({str(name): table[name].to_numpy() for name in table}, str(path))
        earned = (
            price * (unit[f"wage_{who}"] + np.maximum(unit.get(f"self_employed_{who}", 0.0), 0.0))
            for who in ("head", "spouse")
        )
        rows, youngest, oldest, wage, role = list_members(unit, *earned)
        household = unit["household"][rows]
        last = children_last & (youngest < ADULT)
        order = np.lexsort((rows, role == DEPENDANT, last, household))
        return cls(
            units=unit,
            unit=rows[order],
            first=np.concatenate([[0], np.cumsum(np.bincount(household))]),
            role=role[order],
            youngest=youngest[order],
            oldest=oldest[order],
            wage=wage[order],
        )

    def __len__(self) -> int:
        return len(self.first) - 1

    @cached_property
    def size(self) -> Int64:
        """Number of members of each household."""
        return np.diff(self.first)

    @cached_property
    def household(self) -> Int64:
        """Household of each person, shape (persons,)."""
        return np.repeat(np.arange(len(self)), self.size)

    @cached_property
    def head_unit(self) -> Int64:
        """Tax unit of each household's first person, shape (households,)."""
        return self.unit[self.first[:-1]]

    @cached_property
    def coupled(self) -> Bools:
        """Whether each person is the head of a tax unit with a spouse, or the spouse."""
        return np.asarray((self.units["age_spouse"][self.unit] > 0) & (self.role != DEPENDANT))

    @property
    def weight(self) -> Float64:
        """Weight of each household, shape (households,)."""
        raise NotImplementedError

    @property
    def income(self) -> Float64:
        """Yearly income of each household, shape (households,)."""
        raise NotImplementedError

    @property
    def worker(self) -> Bools:
        """Whether a person had earnings in the year, shape (persons,)."""
        raise NotImplementedError

    def sum_persons(self, values: Array) -> Float64:
        """Sum a column of persons by household, shape (households,)."""
        return np.bincount(self.household, weights=values, minlength=len(self))

    def sum_units(self, values: Array) -> Float64:
        """Sum a column of tax units by household, shape (households,)."""
        return np.bincount(self.units["household"], weights=values, minlength=len(self))

    def members(self, kind: Intp, sizes: Int64) -> tuple[Intp, Intp]:
        """Return the position of the household of each person, and the survey person.

        `sizes` are the numbers of members of households to keep, the first ones.
        """
        home = np.repeat(np.arange(len(sizes)), sizes)
        within = np.arange(len(home)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return home, self.first[kind][home] + within

    def draw_ages(self, case: Intp, rows: Intp, chance: Chance) -> Int64:
        """Draw the ages of survey persons, given their rows in the population; shape (persons,)."""
        span = self.oldest[case] - self.youngest[case] + 1
        draw = chance.uniform("person age", rows)
        return self.youngest[case] + np.floor(draw * span).astype(np.int64)


@dataclass(frozen=True, eq=False)
class People:
    """Persons and their households, as columns."""

    persons: Columns  # columns of persons by name, each of shape (persons,)
    households: Columns  # columns of households by name, each of shape (households,)

    def __len__(self) -> int:
        return len(self.persons["household"])


def draw_to_number(
    agents: int, members: Int64, draw: Callable[[Intp], Sequence[Intp]]
) -> tuple[list[Intp], Int64]:
    """Draw households until they have the required number of members; return columns and sizes.

    `draw` returns columns of the households with given numbers, the survey household last;
    `members` counts the members of each survey household. The last household is truncated to its
    first members, so that one more agent adds one member to it. Raises ParameterError if `agents`
    is below 1.
    """
    if agents < 1:
        raise ParameterError(f"agents is {agents}; it must be at least 1")
    many = int(agents / members.mean() * 1.1) + 50
    while True:
        columns = draw(np.arange(many))
        total = np.cumsum(members[columns[-1]])
        if total[-1] >= agents:
            break
        many *= 2
    needed = int(np.searchsorted(total, agents)) + 1
    sizes = members[columns[-1][:needed]]
    sizes[-1] -= sizes.sum() - agents
    return [column[:needed] for column in columns], sizes


def _with_adults(unit: Columns, source: str) -> Columns:
    """Keep tax units of households with an adult head or spouse, and number households from 0."""
    grown = np.maximum(unit["age_head"], unit["age_spouse"]) >= ADULT
    number, household = np.unique(unit["household"], return_inverse=True)
    kept = (np.bincount(household, weights=grown, minlength=len(number)) > 0)[household]
    if not kept.any():
        raise DataFileError(f"{source}: no household has an adult; at least one is required")
    unit = {name: values[kept] for name, values in unit.items()}
    unit["household"] = np.unique(unit["household"], return_inverse=True)[1]
    return unit
