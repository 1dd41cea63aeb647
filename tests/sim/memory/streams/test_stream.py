"""Pages, ids and removal of memories of streams."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.streams.layout import BYTES, COLUMNS, PAGE_WORDS
from memopolis.sim.memory.streams.stream import Streams


def batch(streams: Streams, rows: NDArray[np.int64], start: int = 0) -> None:
    """Append one memory per row, with the row and id in its columns."""
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


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_removed_memories_leave_no_gap(share: float) -> None:
    rng = np.random.default_rng(3)
    streams = Streams(5)
    lived: list[dict[int, int]] = [{} for _ in range(5)]
    written = 0
    for _ in range(60):
        rows = rng.integers(0, 5, rng.integers(0, 25))
        for text, row in enumerate(rows.tolist(), start=written):
            lived[row][int(streams.next[row]) + int((rows[: text - written] == row).sum())] = text
        batch(streams, rows, written)
        written += len(rows)
        owners, ids, slots = streams.listed()
        gone = rng.random(len(slots)) < share
        streams.remove(owners[gone], slots[gone])
        for row, number in zip(owners[gone].tolist(), ids[gone].tolist(), strict=True):
            del lived[row][number]
    for row in range(5):
        owners, ids, slots = streams.listed(np.array([row]))
        assert (
            dict(zip(ids.tolist(), streams.at("text", slots).tolist(), strict=True)) == lived[row]
        )
        assert (streams.at("actor", slots) == row).all()
        every = np.arange(-1, streams.next[row] + 2)
        assert streams.holds(row, every).tolist() == [i in lived[row] for i in every.tolist()]
        assert streams.get("text", row, ids).tolist() == list(lived[row].values())
        newest = [i if i in lived[row] else -1 for i in range(streams.next[row])][-3:]
        assert streams.newest(np.array([row]), 3)[0].tolist() == newest
    rows, ids, _ = streams.listed()
    assert streams.get("place", rows, ids).tolist() == (ids % 1000).tolist()


def test_pages_of_removed_memories_are_used_again() -> None:
    streams = Streams(3)
    for number in range(600):
        batch(streams, np.arange(3))
        if number >= 100:
            slots, starts = streams.live(np.arange(3))
            streams.remove(np.arange(3), slots[starts[:-1]])
        if number == 150:
            packed = len(streams.words)
    assert len(streams.words) == packed
    state = streams.state()
    assert len(state["words"]) == 3 * 4 * PAGE_WORDS  # 100 memories are in 4 pages
    other = Streams(1)
    other.restore(state)
    assert np.array_equal(other.listed()[1], streams.listed()[1])


def test_side_columns_move_with_their_memories() -> None:
    streams = Streams(1)
    batch(streams, np.zeros(100, np.int64))
    streams.memory_column("mark", np.int32, fill=-1)[streams.live(np.zeros(1, np.int64))[0]] = (
        np.arange(100)
    )
    slots, _ = streams.live(np.zeros(1, np.int64))
    streams.remove(np.zeros(50, np.int64), slots[::2])
    slots, _ = streams.live(np.zeros(1, np.int64))
    column = streams.memory_column("mark", np.int32, fill=-1)
    assert column[slots].tolist() == list(range(1, 100, 2))
    batch(streams, np.zeros(40, np.int64))
    slots, _ = streams.live(np.zeros(1, np.int64))
    assert column[slots[50:]].tolist() == [-1] * 40


def test_a_memory_continues_no_other_interaction_after_a_removal() -> None:
    streams = Streams(1)
    batch(streams, np.zeros(6, np.int64))
    zero = np.zeros(1, np.int64)
    slots, _ = streams.live(zero)
    # Two interactions: 0 1 2 and 3 4 5.
    streams.put("kind", slots, np.array([0, 128, 128, 0, 128, 128]))
    streams.remove(np.zeros(2, np.int64), slots[[1, 3]])
    assert streams.at("kind", streams.live(zero)[0]).tolist() == [0, 128, 0, 128]


def test_memories_take_36_bytes_and_little_more_when_lengths_differ() -> None:
    rng = np.random.default_rng(0)
    streams = Streams(300, 1000)
    lengths = rng.integers(1, 1001, 300)
    for number in range(1000):
        batch(streams, np.flatnonzero(lengths > number))
    held = lengths.sum()
    assert BYTES == 36
    assert streams.state()["words"].nbytes / held < 38
    assert streams.nbytes / held < 44


def test_an_agent_without_memories_needs_little_memory() -> None:
    assert Streams(10_000).nbytes / 10_000 < 20


def test_streams_grow_by_agents() -> None:
    streams = Streams(0)
    streams.grow(2)
    batch(streams, np.array([1, 1, 0]))
    streams.grow(4)
    batch(streams, np.array([3, 1]))
    assert streams.count[np.arange(4)].tolist() == [1, 3, 0, 1]
    with pytest.raises(ParameterError, match="4 already"):
        streams.grow(3)


def test_a_state_of_arrays_is_restored() -> None:
    streams = Streams(4, 70)
    for _ in range(25):
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
    assert other.count[[0, 3]].tolist() == [26, 1]


@pytest.mark.parametrize(("agents", "limit"), [(-1, 10), (1, 0)])
def test_invalid_sizes_are_refused(agents: int, limit: int) -> None:
    with pytest.raises(ParameterError):
        Streams(agents, limit)
