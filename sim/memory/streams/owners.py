"""Owners of streams in a society that is divided into parts: each stream is stored by one part.

All parts call the same verbs in the same order. What one part reads is exchanged with all others.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import StateError

type Exchange = Callable[[str, Any], list[Any]]
"""Sends a value to all parts, and returns the values of all of them in the order of parts; the
label is the same in all parts."""


class Owners:
    """The owner of each agent's stream: a part, int16, shape (agents,).

    `part` of `parts` runs in this process and exchanges values with the others, unless `is_local`:
    then the running code handles agents of this part only.
    """

    def __init__(
        self, owner: NDArray[np.int16], *, part: int, parts: int, exchange: Exchange
    ) -> None:
        self.owner = owner
        self.part = part
        self.parts = parts
        self.exchange = exchange
        self.is_local = False

    def grow(self, agents: int) -> None:
        """Distribute agents that join the society evenly over the parts, by row."""
        joined = np.arange(len(self.owner), agents) % self.parts
        self.owner = np.append(self.owner, joined.astype(np.int16))

    def mine(self, rows: int | NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        """Return whether this part owns the stream of each row, shape of `rows`."""
        return np.asarray(self.owner[rows] == self.part)

    def check(self, rows: Any) -> None:
        """Refuse to read streams that other parts own."""
        if not np.all(self.owner[rows] == self.part):
            raise StateError(
                "with parts > 1, this reads memories that another part stores: read them with "
                "search, recommend, today, contextual, column or read of a cohort, or in a block "
                "with by_row"
            )

    def share(
        self, label: str, rows: NDArray[np.int64], values: Sequence[NDArray[Any]], fills: Any = None
    ) -> list[NDArray[Any]]:
        """Exchange arrays, (own,) or (own, k), and return those of all rows, (n,) or (n, most).

        `label` is for messages; `fills` are values of arrays where k of another part is smaller.
        """
        received = self.exchange(label, list(values))
        owner = self.owner[rows]
        joined = []
        for number, own in enumerate(values):
            each = [one[number] for one in received]
            width = (max(one.shape[1] for one in each),) if own.ndim > 1 else ()
            shape = (len(rows), *width)
            whole = np.full(shape, 0 if fills is None else fills[number], own.dtype)
            for part, one in enumerate(each):
                at = np.flatnonzero(owner == part)
                if whole.ndim == 1:
                    whole[at] = one
                else:
                    whole[at, : one.shape[1]] = one
            joined.append(whole)
        return joined
