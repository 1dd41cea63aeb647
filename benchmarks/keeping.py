"""Compare saving and loading of memories with pickled objects of the same memories.

The comparison is a store of Python objects: one object per memory, one pickled list per agent. Both
are measured in turn for the same streams, medians over rounds; then the memory alone at full size.
Loaded memories are compared with the saved ones, column by column.
"""

import argparse
import pickle
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from retrieval import build

from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.streams.layout import COLUMNS


@dataclass
class Episode:
    """A memory as an object, with the same columns."""

    text: str
    accessed: int
    importance: float
    kind: str
    actor: int
    time: int
    thought: int
    place: int
    tags: int
    accesses: int
    valence: float
    confidence: float
    topic: str
    emotion: int


def episodes(memory: Memory) -> list[list[Episode]]:
    """Convert memories to objects, one list per agent."""
    rows, ids = memory.streams.listed()[:2]
    columns = memory.streams.all_at(memory.streams.find(rows, ids))
    values = {name: column.tolist() for name, column in columns.items()}
    lists: list[list[Episode]] = [[] for _ in range(len(memory))]
    for at, row in enumerate(rows.tolist()):
        fields = {name: column[at] for name, column in values.items()}
        fields["text"] = memory.texts[fields["text"]]
        fields["topic"] = memory.topics[fields["topic"]]
        lists[row].append(Episode(**fields))
    return lists


def same(one: Memory, other: Memory) -> bool:
    """Return whether all columns of all memories are equal."""
    rows, ids = one.streams.listed()[:2]
    present = other.streams.find(rows, ids)
    slots = one.streams.find(rows, ids)
    return all(
        np.array_equal(one.streams.at(name, slots), other.streams.at(name, present))
        for name in COLUMNS
    )


def seconds(action: Callable[[], object]) -> float:
    """Time a function in seconds."""
    begun = time.perf_counter()
    action()
    return time.perf_counter() - begun


def measure(memory: Memory, rounds: int) -> dict[str, list[float]]:
    """Time both methods in turn."""
    lists = episodes(memory)
    times: dict[str, list[float]] = {"pickle": [], "save": [], "unpickle": [], "load": []}
    for _ in range(rounds):
        with TemporaryDirectory() as folder:
            path, pickled = Path(folder) / "memory", Path(folder) / "objects.pickle"
            times["save"].append(seconds(lambda: memory.save(path)))  # noqa: B023
            times["pickle"].append(
                seconds(lambda: pickled.write_bytes(pickle.dumps(lists)))  # noqa: B023
            )
            times["load"].append(seconds(lambda: Memory.load(path)))  # noqa: B023
            times["unpickle"].append(
                seconds(lambda: pickle.loads(pickled.read_bytes()))  # noqa: B023, S301
            )
    return times


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--agents", type=int, default=1_000, help="agents of the comparison")
    options.add_argument("--full", type=int, default=10_000, help="agents at full size")
    options.add_argument("--memories", type=int, default=1_000)
    options.add_argument("--rounds", type=int, default=3)
    arguments = options.parse_args()
    memory = build(arguments.agents, arguments.memories, 5_000)
    median = {name: statistics.median(t) for name, t in measure(memory, arguments.rounds).items()}
    print(f"\nSaving {arguments.agents:,} agents x {arguments.memories:,} memories, seconds")
    print(f"{'':10}{'objects, pickled':>18}{'memory':>10}{'times faster':>14}")
    for ours, theirs in (("save", "pickle"), ("load", "unpickle")):
        ratio = median[theirs] / median[ours]
        print(f"{ours:10}{median[theirs]:18.2f}{median[ours]:10.3f}{ratio:14.1f}")
    full = build(arguments.full, arguments.memories, 5_000)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "memory"
        saved = seconds(lambda: full.save(path))
        size = sum(file.stat().st_size for file in path.iterdir()) / 1e6
        begun = time.perf_counter()
        other = Memory.load(path)
        loaded = time.perf_counter() - begun
    print(f"{arguments.full:,} agents: save {saved:.2f} s, load {loaded:.2f} s, {size:.0f} MB")
    print(f"loaded bit by bit the same: {same(full, other)}")


if __name__ == "__main__":
    main()
