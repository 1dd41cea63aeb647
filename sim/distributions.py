"""Distributions of the start values of an attribute.

    class Villager(Citizen):
        faith: str = attribute(Choice(["none", "old", "new"], p=[0.5, 0.3, 0.2]))
        age: int = attribute(Uniform(18, 90, whole=True))

A draw depends on seed, attribute and row only: another agent or attribute changes no other
value.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError, UnknownNameError

if TYPE_CHECKING:
    from memopolis.sim.world.frames import Source

LEAST_MASS = 1e-9  # least probability of the interval to which a normal distribution is truncated


class Distribution[T](ABC):
    """A distribution of start values."""

    @property
    @abstractmethod
    def default(self) -> T:
        """A typical value, which determines the type of the column."""

    @abstractmethod
    def draw(self, chance: Chance, purpose: str, rows: NDArray[np.intp]) -> NDArray[Any]:
        """Draw one value per row, shape (n,), from the random stream named by `purpose`."""


class Choice[T](Distribution[T]):
    """A choice among options of one type with probabilities `p`, by default equal ones."""

    def __init__(self, options: Sequence[T], p: Sequence[float] | None = None) -> None:
        if isinstance(options, str) or not len(options):
            raise ParameterError(f"a choice needs a list of at least one option, got {options!r}")
        plain = np.asarray(options, object).tolist() if hasattr(options, "dtype") else list(options)
        self.options = _of_one_type(plain)
        self.p = np.full(len(plain), 1 / len(plain)) if p is None else _shares(p, len(plain))

    def __repr__(self) -> str:
        return f"Choice({self.options!r}, p={self.p.tolist()})"

    @property
    def default(self) -> T:
        """The most likely option, the first if there are several."""
        option: T = self.options[int(np.argmax(self.p))]
        return option

    def draw(self, chance: Chance, purpose: str, rows: NDArray[np.intp]) -> NDArray[Any]:
        """Draw one option per row; arguments as in `Distribution.draw`."""
        options = np.empty(len(self.options), object)
        options[:] = self.options
        if isinstance(self.options[0], bool | int | float):
            options = np.array(self.options)
        drawn: NDArray[Any] = options[chance.choice(purpose, rows, self.p)]
        return drawn


class Uniform(Distribution[Any]):
    """A uniform distribution over an interval; `high` is excluded unless numbers are whole."""

    def __init__(self, low: float, high: float, *, whole: bool = False) -> None:
        for bound in (low, high):
            if not np.isfinite(bound) or (whole and bound != int(bound)):
                needed = "whole" if whole else "finite"
                raise ParameterError(f"a uniform distribution needs {needed} bounds, got {bound}")
        if not low < high:
            raise ParameterError(f"a uniform distribution needs low < high, got {low} and {high}")
        self.low, self.high, self.whole = low, high, whole

    def __repr__(self) -> str:
        return f"Uniform({self.low}, {self.high}, whole={self.whole})"

    @property
    def default(self) -> float:
        """The middle."""
        middle = (self.low + self.high) / 2
        return int(middle) if self.whole else float(middle)

    def draw(self, chance: Chance, purpose: str, rows: NDArray[np.intp]) -> NDArray[Any]:
        """Draw one number per row; arguments as in `Distribution.draw`."""
        u = chance.uniform(purpose, rows)
        if not self.whole:
            # Otherwise a float32 column would sometimes round up to `high`.
            below = np.nextafter(np.float32(self.high), np.float32(-np.inf))
            return np.minimum(self.low + u * (self.high - self.low), float(below))
        span = int(self.high) - int(self.low) + 1
        return np.asarray(int(self.low) + np.floor(u * span), np.int64)


class Normal(Distribution[Any]):
    """A normal distribution of mean and sd before truncation to an interval, None for no bound.

    With `whole`, numbers are rounded.

    Source: The inverse of the distribution function: mean + sd * Phi^-1(u), with u uniform between
    Phi((low - mean) / sd) and Phi((high - mean) / sd).
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
                f"a normal distribution needs a mean and sd > 0, got {mean} and {sd}"
            )
        self.mean, self.sd, self.whole = mean, sd, whole
        self.low = -np.inf if low is None else float(low)
        self.high = np.inf if high is None else float(high)
        if not self.low < self.high:
            raise ParameterError(f"a normal distribution needs low < high, got {low} and {high}")
        below, above = self._shares
        if above - below < LEAST_MASS:
            raise ParameterError(
                f"a normal distribution of {mean} +- {sd} has almost no probability between {low} "
                f"and {high}"
            )

    def __repr__(self) -> str:
        return f"Normal({self.mean}, {self.sd}, low={self.low}, high={self.high})"

    @cached_property
    def _shares(self) -> tuple[float, float]:
        """Probabilities below `low` and below `high`."""
        from scipy.special import ndtr

        z = (np.array([self.low, self.high]) - self.mean) / self.sd
        below, above = ndtr(z).tolist()
        return below, above

    @property
    def default(self) -> float:
        """The mean, or the nearest bound."""
        mean = min(max(self.mean, self.low), self.high)
        return round(mean) if self.whole else float(mean)

    def draw(self, chance: Chance, purpose: str, rows: NDArray[np.intp]) -> NDArray[Any]:
        """Draw one number per row; arguments as in `Distribution.draw`."""
        from scipy.special import ndtri

        below, above = self._shares
        # Half a step of the 53 bits of u: never 0 or 1, which would be infinite.
        u = chance.uniform(purpose, rows) + 2.0**-54
        x = self.mean + self.sd * ndtri(below + u * (above - below))
        x = np.clip(x, self.low, self.high)
        if not self.whole:
            return np.asarray(x, np.float64)
        inside = np.clip(np.rint(x), np.ceil(self.low), np.floor(self.high))
        return np.asarray(inside, np.int64)


class FromTable(Distribution[Any]):
    """Values of a column of a table, with equal probabilities or weights.

    The table is a file (CSV, Parquet or JSON) or a DataFrame; empty cells are not drawn. `weights`
    names a column of weights >= 0, such as survey weights. Attributes of the same table with the
    same word as `together` are drawn from the same row, so that they stay correlated.
    """

    def __init__(
        self, source: "Source", column: str, *, weights: str | None = None, together: str = ""
    ) -> None:
        from memopolis.sim.world.frames import plain_cells, read_frame

        table, name = read_frame(source)
        for required in (column, weights):
            if required is not None and required not in table:
                known = ", ".join(map(str, table.columns))
                raise UnknownNameError(f"{name} has no column {required!r}; there are: {known}")
        self.source, self.column, self.together = name, column, together
        cells = plain_cells(table[column], source=name)
        filled = np.array([cell is not None for cell in cells], np.bool_)
        if not filled.any():
            raise ParameterError(f"{name}, column {column}: all cells are empty")
        values = _of_one_type([cell for cell in cells if cell is not None])
        self._values = np.empty(len(cells), object)
        self._values[filled] = np.fromiter(values, object, len(values))
        self._weights = filled * (1.0 if weights is None else _weights(table[weights], name))

    def __repr__(self) -> str:
        return f"FromTable({self.source!r}, {self.column!r})"

    @property
    def default(self) -> Any:
        """The value of the first row."""
        return next(value for value in self._values if value is not None)

    def draw(self, chance: Chance, purpose: str, rows: NDArray[np.intp]) -> NDArray[Any]:
        """Draw one row of the table per row; arguments as in `Distribution.draw`."""
        if self.together:
            purpose = f"{purpose.partition('.')[0]} together {self.together}"
        drawn = self._values[chance.choice(purpose, rows, self._weights)]
        if isinstance(self.default, bool | int | float):
            return np.array(drawn.tolist(), type(self.default))
        return np.asarray(drawn)


def _shares(p: Sequence[float], options: int) -> NDArray[np.float64]:
    probabilities = np.asarray(p, np.float64)
    if probabilities.shape != (options,):
        raise ParameterError(f"{options} options need {options} probabilities, got {len(p)}")
    if not (probabilities >= 0).all() or abs(probabilities.sum() - 1) > 1e-6:
        raise ParameterError(
            f"probabilities are at least 0 and sum to one, got {probabilities.tolist()}, "
            f"which sum to {probabilities.sum():g}"
        )
    return probabilities


def _of_one_type(values: list[Any]) -> list[Any]:
    """Return values of one type; whole numbers among floats become floats."""
    kinds = {type(value) for value in values}
    if kinds == {int, float}:
        return [float(value) for value in values]
    if len(kinds) > 1:
        names = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise ParameterError(f"values to draw from must be of one type, got {names}")
    return values


def _weights(column: Any, source: str) -> NDArray[np.float64]:
    import pandas as pd

    weights: NDArray[np.float64] = pd.to_numeric(column, errors="coerce").to_numpy(np.float64)
    if not (weights >= 0).all() or not 0 < weights.sum() < np.inf:
        raise ParameterError(
            f"{source}, column {column.name}: weights must be numbers of at least 0, not all 0"
        )
    return weights
