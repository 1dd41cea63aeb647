"""Names of people, used in texts only; they have no effect in any model."""

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from memopolis.sim.arrays import Array, Intp, Objects
from memopolis.sim.chance import Chance
from memopolis.sim.world.columns import Column, read_table

NAMES = Path(__file__).parent / "data" / "names.csv"
"""Common given and family names in the United States (recalled); columns kind and name."""


def draw_names(
    gender: ArrayLike, household: Array, chance: Chance, *, first_row: int = 0
) -> Objects:
    """Draw a given name for each person and a family name for each household, such as "Mary Smith".

    Later arrivals draw by their own rows, from `first_row` on. Names may repeat, but not among
    those of a household that are named together.
    """
    names = _names()
    family = _draw(names["family"], "household name", household, chance)
    u = chance.uniform("person name", first_row + np.arange(len(household)))
    first_names = np.empty(len(household), object)
    for kind in ("female", "male"):
        (at,) = (np.asarray(gender) == kind).nonzero()
        number = (u[at] * len(names[kind])).astype(np.intp)
        first_names[at] = names[kind][_distinguish(number, household[at], len(names[kind]))]
    return np.asarray(first_names + " " + family)


def _distinguish(number: Intp, household: Array, count: int) -> Intp:
    """Return numbers below a count that differ within households; later ones are replaced.

    Households of more members than `count` have some twice.
    """
    number = number.copy()
    for _ in range(count):
        again = np.ones(len(number), np.bool_)
        again[np.unique(household.astype(np.int64) * count + number, return_index=True)[1]] = False
        number[again] = (number[again] + 1) % count
    return number


def draw_family_names(purpose: str, rows: Array, chance: Chance) -> Objects:
    """Draw a family name for each row, shape (rows,); names may repeat."""
    return _draw(_names()["family"], purpose, rows, chance)


def replace_family_names(names: Objects, relatives: Objects) -> Objects:
    """Replace the family names of people by those of one relative each."""
    both = [
        f"{name.split(' ')[0]} {relative.rpartition(' ')[2]}"
        for name, relative in zip(names.tolist(), relatives.tolist(), strict=True)
    ]
    return np.array(both, object)


@cache
def _names() -> dict[str, Objects]:
    """Read names by kind; cached, since newborns are named every month."""
    table = read_table(NAMES, {"kind": Column("text"), "name": Column("text")})
    return {str(kind): part.to_numpy(object) for kind, part in table.groupby("kind")["name"]}


def _draw(names: Objects, purpose: str, rows: Array, chance: Chance) -> Objects:
    number = (chance.uniform(purpose, rows) * len(names)).astype(np.intp)
    drawn: Objects = np.asarray(names[number])
    return drawn
