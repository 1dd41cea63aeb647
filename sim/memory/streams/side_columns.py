"""Side columns: values of memories or agents that only some policies need."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import DTypeLike

from memopolis.sim.arrays import Array, Int64
from memopolis.sim.errors import ParameterError
from memopolis.sim.threads import CACHES

FILL = "fill/"
MEMORIES = "memories/"
AGENTS = "agents/"


@dataclass
class SideColumns:
    """The side columns of some streams."""

    # By slot, each of shape (slots,) or (slots, width).
    memories: dict[str, Array] = field(default_factory=dict)
    # By row, each of shape (agents,) or (agents, width).
    agents: dict[str, Array] = field(default_factory=dict)
    fills: dict[str, int] = field(default_factory=dict)  # value of a new memory or agent, by name

    def __contains__(self, name: object) -> bool:
        return name in self.fills

    def column(
        self,
        columns: dict[str, Array],
        name: str,
        dtype: DTypeLike,
        *,
        fill: int,
        width: int,
        length: int,
    ) -> Array:
        """Return a column of `memories` or `agents`, which is created by its first use."""
        with CACHES:
            column = columns.get(name)
            if column is None:
                if name in self.fills:
                    raise ParameterError(f"{name!r} names a side column of the other kind already")
                shape = (length,) if width == 1 else (length, width)
                column = columns[name] = np.full(shape, fill, dtype)
                self.fills[name] = fill
        if column.dtype != np.dtype(dtype) or column.size != length * width:
            raise ParameterError(
                f"the side column {name!r} holds {column.dtype} of shape {column.shape} already"
            )
        return column

    def fit(self, columns: dict[str, Array], length: int) -> None:
        """Lengthen all columns of `memories` or `agents`."""
        for name, values in columns.items():
            longer = np.empty((length, *values.shape[1:]), values.dtype)
            longer[: len(values)] = values
            longer[len(values) :] = self.fills[name]
            columns[name] = longer

    def move(self, sources: Int64, targets: Int64, vacant: Int64) -> None:
        """Move values of memories between slots; vacant slots get the value of a new memory."""
        for name, values in self.memories.items():
            values[targets] = values[sources]
            values[vacant] = self.fills[name]

    @property
    def nbytes(self) -> int:
        """Bytes of all columns."""
        return sum(v.nbytes for columns in (self.memories, self.agents) for v in columns.values())

    def state(self, slots: int | None = None) -> dict[str, Array]:
        """Return all columns without copies; those of memories up to a number of slots."""
        return {
            **{f"{MEMORIES}{name}": v[:slots] for name, v in self.memories.items()},
            **{f"{AGENTS}{name}": v for name, v in self.agents.items()},
            **{f"{FILL}{name}": np.array([v], np.int64) for name, v in self.fills.items()},
        }

    @classmethod
    def restored(cls, state: Mapping[str, Array]) -> Self:
        """Restore the columns that `state` returned, among other arrays."""
        return cls(
            {name: np.array(values) for name, values in below(state, MEMORIES).items()},
            {name: np.array(values) for name, values in below(state, AGENTS).items()},
            {name: int(values[0]) for name, values in below(state, FILL).items()},
        )


def width_of(values: Array) -> int:
    """Return the number of values of a side column per memory or agent."""
    return int(values.shape[1]) if values.ndim == 2 else 1


def below(state: Mapping[str, Array], prefix: str) -> dict[str, Array]:
    """Return the arrays whose names begin with a prefix, by the rest of the name."""
    return {
        name.removeprefix(prefix): values
        for name, values in state.items()
        if name.startswith(prefix)
    }
