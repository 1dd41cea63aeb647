"""Scores: what the answers to several items come to together."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError

type Float = NDArray[np.float64]


@dataclass(frozen=True)
class Score:
    """The sum of the points of some items.

    Attributes:
        name: Name of the score, such as "total".
        items: Names of the items; () for all that are ratings.
        cut_off: Least sum that counts as a case; None if the score has no such limit.

    Raises:
        ParameterError: If the score has no name.
    """

    name: str
    items: tuple[str, ...] = ()
    cut_off: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", tuple(self.items))
        if not self.name.strip():
            raise ParameterError("a score needs a name")

    def to_dict(self) -> dict[str, Any]:
        """Give the score as plain values."""
        return {"name": self.name, "items": list(self.items), "cut_off": self.cut_off}

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> "Score":
        """Make a score from what `to_dict` gave, or a file says.

        Raises:
            ParameterError: If a field is missing or unknown.
        """
        try:
            return Score(**{**values, "items": tuple(values.get("items", ()))})
        except TypeError as error:
            raise ParameterError(f"cannot make a score from {values!r}: {error}") from None


def points(rating: Float, low: Float, high: Float, turned: NDArray[np.bool_]) -> Float:
    """Count a rating towards a score, turned round where the item is reversed.

    Args:
        rating: In [low, high], NaN where there is none, shape (answers,).
        low: Least rating of each item, shape (answers,).
        high: Greatest rating, shape (answers,).
        turned: Whether the item is reversed, shape (answers,).

    Returns:
        low + high - rating for reversed items, else the rating, shape (answers,).

    Source:
        As for the CES-D: Radloff 1977, doi:10.1177/014662167700100306.
    """
    return np.where(turned, low + high - rating, rating)


def total(points: Float) -> Float:
    """Add up the points of each agent.

    Args:
        points: Points, NaN where there are none, shape (agents, items).

    Returns:
        Sums of shape (agents,); NaN for whom an answer is missing.
    """
    return np.asarray(points.sum(axis=1), np.float64)
