"""Pages, ids and eviction of streams."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.streams.layout import BYTES, COLUMNS
from memopolis.sim.memory.streams.stream import Streams


def batch(streams: Streams, rows: NDArray[np.int64], start: int = 0) -> None:
    """Append one memory a row, its columns telling which it is."""
    counts: dict[int, int] = {}
    ids = np.zeros(len(rows), np.int32)
    for i, row in enumerate(rows.tolist()):
        ids[i] = streams.next[row] + counts.get(row, 0)
        counts[row] = counts.get(row, 0) + 1
    columns: dict[str, NDArray[Any]] = {
        name: np.zeros(len(rows), dtype) for name, dtype in COLUMNS.items()
    }
    columns["text"] = np.arange(start, start + len(rows), dtype=np.int32)
    columns["actor"] = rows.astype(np.int32)
    columns["place"] = (ids % 1000).astype(np.int16)
    streams.append(rows, ids, columns)


@pytest.mark.parametrize("limit", [1, 2, 31, 32, 33, 64, 100])
def test_streams_hold_the_latest_memories_of_each(limit: int) -> None:
    rng = np.random.default_rng(limit)
    streams = Streams(5, limit)
    lived: list[list[int]] = [[] for _ in range(5)]
    written = 0
    for _ in range(60):
        rows = rng.integers(0, 5, rng.integers(0, 25))
        batch(streams, rows, written)
        for i, row in enumerate(rows.tolist()):
            lived[row].append(written + i)
        written += len(rows)
    for row in range(5):
        slots, starts = streams.live(np.array([row]))
        assert streams.at("text", slots).tolist() == lived[row][-limit:]
        assert (streams.at("actor", slots) == row).all()
        assert starts.tolist() == [0, min(limit, len(lived[row]))]
        first = len(lived[row]) - starts[1]
        assert not streams.holds(row, first - 1)
        assert streams.holds(row, [first, len(lived[row]) - 1]).all()
        assert not streams.holds(row, len(lived[row]))
    rows, ids = streams.held()
    assert streams.get("place", rows, ids).tolist() == (ids % 1000).tolist()


def test_a_batch_longer_than_the_limit_keeps_its_end() -> None:
    streams = Streams(1, 40)
    batch(streams, np.zeros(500, np.int64))
    slots, _ = streams.live(np.array([0]))
    assert streams.at("text", slots).tolist() == list(range(460, 500))
    assert streams.first([0]).tolist() == [460]


def test_pages_of_full_streams_are_reused() -> None:
    streams = Streams(3, 100)
    for _ in range(150):
        batch(streams, np.arange(3))
    packed = len(streams.state()["words"])
    for _ in range(500):
        batch(streams, np.arange(3))
    assert len(streams.state()["words"]) == packed


def test_memories_take_32_bytes_and_little_more_when_lengths_differ() -> None:
    rng = np.random.default_rng(0)
    streams = Streams(300, 1000)
    lengths = rng.integers(1, 1001, 300)
    for number in range(1000):
        batch(streams, np.flatnonzero(lengths > number))
    held = lengths.sum()
    assert BYTES == 32
    assert streams.state()["words"].nbytes / held < 34
    assert streams.nbytes / held < 40


def test_an_agent_without_memories_needs_little_memory() -> None:
    assert Streams(10_000).nbytes / 10_000 < 20


def test_streams_grow_by_agents() -> None:
    streams = Streams(0)
    streams.grow(2)
    batch(streams, np.array([1, 1, 0]))
    streams.grow(4)
    batch(streams, np.array([3, 1]))
    assert streams.counts(np.arange(4)).tolist() == [1, 3, 0, 1]
    with pytest.raises(ParameterError, match="4 already"):
        streams.grow(3)


def test_a_state_of_arrays_is_restored() -> None:
    streams = Streams(4, 50)
    for _ in range(70):
        batch(streams, np.array([0, 2, 2]))
    state = streams.state()
    assert all(isinstance(values, np.ndarray) for values in state.values())
    other = Streams(1)
    other.restore(state)
    for row in range(4):
        mine, _ = streams.live(np.array([row]))
        theirs, _ = other.live(np.array([row]))
        for name in COLUMNS:
            assert np.array_equal(streams.at(name, mine), other.at(name, theirs))
    batch(other, np.array([0, 3]))
    assert other.counts([0, 3]).tolist() == [50, 1]


@pytest.mark.parametrize(("agents", "limit"), [(-1, 10), (1, 0)])
def test_invalid_sizes_are_refused(agents: int, limit: int) -> None:
    with pytest.raises(ParameterError):
        Streams(agents, limit)
