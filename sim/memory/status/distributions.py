"""What the start values of an attribute are drawn from.

    class Villager(Citizen):
        faith: str = attribute(Choice(["none", "old", "new"], p=[0.5, 0.3, 0.2]))
        age: int = attribute(Uniform(18, 90, whole=True))

A draw is a function of seed, attribute and row: one more agent or attribute changes nobody
else's value.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError

LEAST_MASS = 1e-9
"""Least probability of the interval that a normal distribution is cut to."""


class Distribution[T](ABC):
    """What values are drawn from."""

    @property
    @abstractmethod
    def default(self) -> T:
        """A typical value, whose type is that of the column."""

    @abstractmethod
    def draw(self, chance: Chance, purpose: str, rows: NDArray[np.intp]) -> NDArray[Any]:
        """Draw a value a row.

        Args:
            chance: Whose luck it is.
            purpose: What the draw is for; other purposes are independent of it.
            rows: Rows of the agents, shape (n,).

        Returns:
            Values, shape (n,).
        """


class Choice[T](Distribution[T]):
    """One of several options.

    Args:
        options: What to choose from: texts, numbers, or other values of one type.
        p: Probability of each, summing to one; None if all are equally likely.

    Raises:
        ParameterError: If there is no option, options are of several types, or the
            probabilities are not as many, below 0, or do not sum to one.
    """

    def __init__(self, options: Sequence[T], p: Sequence[float] | None = None) -> None:
        if isinstance(options, str) or not len(options):
            raise ParameterError(f"a choice needs a list of at least one option, given {options!r}")
        plain = np.asarray(options, object).tolist() if hasattr(options, "dtype") else list(options)
        self.options = of_one_type(plain)
        self.p = np.full(len(plain), 1 / len(plain)) if p is None else _shares(p, len(plain))

    def __repr__(self) -> str:
        return f"Choice({self.options!r}, p={self.p.tolist()})"

    @property
    def default(self) -> T:
        """The likeliest option, the first of several."""
        option: T = self.options[int(np.argmax(self.p))]
        return option

    def draw(self, chance: Chance, purpose: str, rows: NDArray[np.intp]) -> NDArray[Any]:
        """Draw an option a row; arguments as in `Distribution.draw`."""
        options = np.empty(len(self.options), object)
        options[:] = self.options
        if isinstance(self.options[0], bool | int | float):
            options = np.array(self.options)
        drawn: NDArray[Any] = options[chance.choice(purpose, rows, self.p)]
        return drawn


class Uniform(Distribution[Any]):
    """Any number of an interval, all equally likely.

    Args:
        low: Least number.
        high: Greatest number, which is itself drawn only where numbers are whole.
        whole: Whether to draw whole numbers.

    Raises:
        ParameterError: If `low` is not below `high`, or one is no finite number (or, with
            `whole`, no whole one).
    """

    def __init__(self, low: float, high: float, *, whole: bool = False) -> None:
        for bound in (low, high):
            if not np.isfinite(bound) or (whole and bound != int(bound)):
                needed = "whole" if whole else "finite"
                raise ParameterError(f"a uniform distribution needs {needed} bounds, given {bound}")
        if not low < high:
            raise ParameterError(f"a uniform distribution needs low < high, given {low} and {high}")
        self.low, self.high, self.whole = low, high, whole

    def __repr__(self) -> str:
        return f"Uniform({self.low}, {self.high}, whole={self.whole})"

    @property
    def default(self) -> float:
        """The middle."""
        middle = (self.low + self.high) / 2
        return int(middle) if self.whole else float(middle)

    def draw(self, chance: Chance, purpose: str, rows: NDArray[np.intp]) -> NDArray[Any]:
        """Draw a number a row; arguments as in `Distribution.draw`."""
        u = chance.uniform(purpose, rows)
        if not self.whole:
            # What is kept as float32 would else round up to `high` now and then.
            below = np.nextafter(np.float32(self.high), np.float32(-np.inf))
            return np.minimum(self.low + u * (self.high - self.low), float(below))
        span = int(self.high) - int(self.low) + 1
        return np.asarray(int(self.low) + np.floor(u * span), np.int64)


class Normal(Distribution[Any]):
    """A normal distribution, cut to an interval if one is given.

    Args:
        mean: Mean before the cut.
        sd: Standard deviation before the cut, > 0.
        low: Least number; None for no bound.
        high: Greatest number; None for no bound.
        whole: Whether to round to whole numbers.

    Raises:
        ParameterError: If `sd` is not positive, `low` is not below `high`, or numbers hardly
            ever lie between them.

    Source:
        The inverse of the distribution function: mean + sd * Phi^-1(u), with u uniform
        between Phi((low - mean) / sd) and Phi((high - mean) / sd).
    """

    def __init__(
        self,
        mean: float,
        sd: float,
        *,
        low: float | None = None,
        high: float | None = None,
        whole: bool = False,
    ) -> None:
        if not np.isfinite(mean) or not 0 < sd < np.inf:
            raise ParameterError(
                f"a normal distribution needs a mean and sd > 0, given {mean} and {sd}"
            )
        self.mean, self.sd, self.whole = mean, sd, whole
        self.low = -np.inf if low is None else float(low)
        self.high = np.inf if high is None else float(high)
        if not self.low < self.high:
            raise ParameterError(f"a normal distribution needs low < high, given {low} and {high}")
        below, above = self._shares
        if above - below < LEAST_MASS:
            raise ParameterError(
                f"a normal distribution of {mean} +- {sd} hardly ever lies in {low} to {high}"
            )

    def __repr__(self) -> str:
        return f"Normal({self.mean}, {self.sd}, low={self.low}, high={self.high})"

    @cached_property
    def _shares(self) -> tuple[float, float]:
        """Probabilities of less than `low` and of less than `high`."""
        from scipy.special import ndtr

        z = (np.array([self.low, self.high]) - self.mean) / self.sd
        below, above = ndtr(z).tolist()
        return below, above

    @property
    def default(self) -> float:
        """The mean, or the bound next to it."""
        mean = min(max(self.mean, self.low), self.high)
        return round(mean) if self.whole else float(mean)

    def draw(self, chance: Chance, purpose: str, rows: NDArray[np.intp]) -> NDArray[Any]:
        """Draw a number a row; arguments as in `Distribution.draw`."""
        from scipy.special import ndtri

        below, above = self._shares
        # Half a step of the 53 bits of u: never 0 nor 1, which would be infinite.
        u = chance.uniform(purpose, rows) + 2.0**-54
        x = self.mean + self.sd * ndtri(below + u * (above - below))
        x = np.clip(x, self.low, self.high)
        if not self.whole:
            return np.asarray(x, np.float64)
        inside = np.clip(np.rint(x), np.ceil(self.low), np.floor(self.high))
        return np.asarray(inside, np.int64)


def _shares(p: Sequence[float], options: int) -> NDArray[np.float64]:
    given = np.asarray(p, np.float64)
    if given.shape != (options,):
        raise ParameterError(f"{options} options need {options} probabilities, given {len(p)}")
    if not (given >= 0).all() or abs(given.sum() - 1) > 1e-6:
        raise ParameterError(
            f"probabilities are at least 0 and sum to one, given {given.tolist()}, "
            f"which sum to {given.sum():g}"
        )
    return given


def of_one_type(values: list[Any]) -> list[Any]:
    """Give the values, whole numbers among others made numbers like these.

    Raises:
        ParameterError: If they are of several types.
    """
    kinds = {type(value) for value in values}
    if kinds == {int, float}:
        return [float(value) for value in values]
    if len(kinds) > 1:
        names = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise ParameterError(f"values to draw from are of one type, given {names}")
    return values
