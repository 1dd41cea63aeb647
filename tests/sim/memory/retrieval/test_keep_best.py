"""The best memories kept by the compiled pass are those of a full sort."""

import numpy as np
import pytest
from numpy.typing import NDArray

from memopolis.sim.memory.retrieval.ranking_kernels import BITS, LANES, OUT, keep_best
from memopolis.sim.memory.streams.layout import COLUMNS
from memopolis.sim.memory.streams.stream import Streams


def stored(accessed: NDArray[np.int32]) -> Streams:
    """Return the streams of one agent whose memories were accessed at these ticks."""
    streams = Streams(1)
    number = len(accessed)
    columns = {name: np.zeros(number, dtype) for name, dtype in COLUMNS.items()}
    rows, ids = np.zeros(number, np.int64), np.arange(number, dtype=np.int32)
    streams.append(rows, ids, columns | {"accessed": accessed})
    return streams


@pytest.mark.parametrize("number", [100, 490, 1000])
@pytest.mark.parametrize("k", [1, 8, 40, 200])
@pytest.mark.parametrize("kind", ["distinct", "few values", "high", "negative", "mostly excluded"])
def test_the_best_are_kept_with_ties_by_access_and_id(number: int, k: int, kind: str) -> None:
    draws = np.random.default_rng(1).random((2, number))
    accessed = (draws[1] * 5).astype(np.int32)
    score = {
        "distinct": draws[0],
        "few values": np.floor(draws[0] * 3),
        "high": draws[0] * 1e6,
        "negative": draws[0] - 0.97,
        "mostly excluded": np.where(draws[0] > 0.9, draws[0], OUT),
    }[kind].astype(np.float32)
    padded = np.full((number + BITS - 1) // BITS * BITS, OUT, np.float32)
    padded[:number] = score
    ids, slots, values = np.empty(k, np.int32), np.empty(k, np.int64), np.empty(k, np.float32)
    keys = np.empty(len(padded) + LANES, np.int64)
    scratch = np.empty((3, len(padded)), np.int32), np.empty(len(padded) + BITS, np.float32), keys
    streams = stored(accessed)
    keep_best(streams.view, 0, 0, len(padded), padded, ids, slots, values, *scratch)
    order = np.lexsort((np.arange(number), accessed, score))[::-1]
    best = order[score[order] > OUT][:k]
    np.testing.assert_array_equal(ids[: len(best)], best)
    np.testing.assert_array_equal(values[: len(best)], score[best])
    np.testing.assert_array_equal(slots, streams.locate(np.zeros(1, np.int64), ids[None])[0])
    assert (ids[len(best) :] == -1).all()
    assert (values[len(best) :] == 0).all()
