"""The number of memories of a search, and the width of its results."""

from typing import TYPE_CHECKING, Any

from memopolis.sim.whole_numbers import whole_number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memopolis.sim.memory.streams.stream import Streams

WIDEST = 1000
"""Results have exactly k columns up to this k; a larger k gives no more than there are."""

_MOST = 2**63 - 1


def check_count(k: Any) -> int:
    """Return k as an int.

    Raises:
        ParameterError: If k is not an integer >= 1.
    """
    return whole_number("k", k, least=1, most=_MOST)


def width_of(k: Any, held: int) -> int:
    """Return the width of results: k, limited to the existing memories beyond `WIDEST`.

    Args:
        k: Maximum number of memories, >= 1.
        held: Number of memories of the agent with most.

    Raises:
        ParameterError: If k is not an integer >= 1.
    """
    count = check_count(k)
    return count if count <= WIDEST else max(1, min(count, held))


def most_held(streams: "Streams", rows: "NDArray[np.int64]") -> int:
    """Return the number of memories of the agent with most."""
    return int(streams.spans(rows).max(initial=0))
