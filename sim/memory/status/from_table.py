"""Start values of an attribute, drawn from a column of a table."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError, UnknownNameError
from memopolis.sim.memory.status.distributions import Distribution, of_one_type

if TYPE_CHECKING:
    from memopolis.sim.world.frames import Source


class FromTable(Distribution[Any]):
    """Values of a column of a table, with equal probabilities or weights.

    Args:
        source: A file (CSV, Parquet or JSON) or a DataFrame.
        column: Name of the column; empty cells are not drawn.
        weights: Name of a column of weights >= 0, such as survey weights.
        together: Attributes of the same table with the same word here are drawn from the same
            row, so that they stay correlated.

    Raises:
        DataFileError: If the file cannot be read.
        UnknownNameError: If there is no such column.
        ParameterError: If the column is empty, or the weights are invalid.
    """

    def __init__(
        self,
        source: "Source",
        column: str,
        *,
        weights: str | None = None,
        together: str = "",
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
        values = of_one_type([cell for cell in cells if cell is not None])
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


def _weights(column: Any, source: str) -> NDArray[np.float64]:
    import pandas as pd

    weights: NDArray[np.float64] = pd.to_numeric(column, errors="coerce").to_numpy(np.float64)
    if not (weights >= 0).all() or not 0 < weights.sum() < np.inf:
        raise ParameterError(
            f"{source}, column {column.name}: weights must be numbers of at least 0, not all 0"
        )
    return weights
