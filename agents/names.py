"""Names that tell people apart in texts; they carry no meaning in any model."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.chance import Chance
from memopolis.sim.world.columns import Column, read_table

NAMES = Path(__file__).parent / "data" / "names.csv"
"""Common given and family names in the United States (recalled); columns kind and name."""


def names_of(
    gender: ArrayLike, household: NDArray[Any], chance: Chance, *, first_row: int = 0
) -> NDArray[np.object_]:
    """Give everybody a given name and the family name of the household.

    Args:
        gender: "female" or another text, shape (citizens,).
        household: Number of each one's household, shape (citizens,).
        chance: Luck of the run.
        first_row: Row of the first of them; those who join later have a luck of their own.

    Returns:
        Names such as "Mary Smith", shape (citizens,); two people may have the same.
    """
    names = _names()
    family = _drawn(names["family"], "household name", household, chance)
    rows = first_row + np.arange(len(household))
    women, men = (_drawn(names[kind], "person name", rows, chance) for kind in ("female", "male"))
    given = np.where(np.asarray(gender) == "female", women, men)
    return np.asarray(given + " " + family)


def with_family_name(
    names: NDArray[np.object_], relatives: NDArray[np.object_]
) -> NDArray[np.object_]:
    """Give each the family name of a relative.

    Args:
        names: Names such as "Mary Smith", shape (citizens,).
        relatives: Name of one relative of each, shape (citizens,).
    """
    both = [
        f"{name.split(' ')[0]} {relative.rpartition(' ')[2]}"
        for name, relative in zip(names.tolist(), relatives.tolist(), strict=True)
    ]
    return np.array(both, object)


@cache
def _names() -> dict[str, NDArray[np.object_]]:
    """Names by kind, read once: children are named every month."""
    table = read_table(NAMES, {"kind": Column("text"), "name": Column("text")})
    return {str(kind): part.to_numpy(object) for kind, part in table.groupby("kind")["name"]}


def _drawn(
    names: NDArray[np.object_], purpose: str, rows: NDArray[Any], chance: Chance
) -> NDArray[np.object_]:
    number = (chance.uniform(purpose, rows) * len(names)).astype(np.intp)
    drawn: NDArray[np.object_] = np.asarray(names[number])
    return drawn
