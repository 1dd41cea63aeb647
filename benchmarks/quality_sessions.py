"""Rank sessions, and measure the rankings."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from quality_shapes import Stream


def session_of(stream: Stream) -> NDArray[np.int64]:
    """Return the number of the session of each memory, shape (memories,)."""
    begins = [not memory.continues for memory in stream.memories]
    return np.cumsum(begins, dtype=np.int64) - 1


def by_session(ranking: NDArray[np.int64], sessions: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rank sessions by their best turn.

    Args:
        ranking: Turns, best first.
        sessions: Session of each turn of the stream.
    """
    ranked = sessions[ranking]
    _, first = np.unique(ranked, return_index=True)
    return ranked[np.sort(first)]


def ndcg(ranking: NDArray[np.int64], evidence: Sequence[int], k: int) -> float:
    """Compute the normalised discounted cumulative gain of the first k items, 0..1.

    The gain of an item is 1 if it is evidence, else 0.

    Source: K. Järvelin, J. Kekäläinen (2002), doi:10.1145/582415.582418.
    """
    discounts = 1 / np.log2(np.arange(k) + 2)
    gains = np.isin(ranking[:k], evidence)
    return float(discounts[: len(gains)][gains].sum() / discounts[: len(evidence)].sum())
