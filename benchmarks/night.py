"""Time what a day adds to memories, and the processing of the night after it.

Prints two tables, one for shared texts and one for distinct texts: time per day of 20 new memories
per agent, for adding, embedding new texts, tags, related memories, clusters and consolidation
(selecting and rehearsing due memories). Medians over days, on one thread, with full streams.
"""

# ruff: noqa: E402 - libraries read these when they are imported
import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import argparse
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from retrieval import build, sentences

from memopolis.sim.memory.context_tags import ContextExtractor
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.night.clusters import cluster
from memopolis.sim.memory.night.related import relate
from memopolis.sim.memory.night.sleep import replay

NEW = 20
HOURS = 24
NIGHT = ("tags", "related memories", "clusters", "consolidation")

Times = dict[str, list[float]]


def day(memory: Memory, texts: NDArray[np.int32], times: Times) -> None:
    """Add a day of memories, texts of shape (NEW, agents), and process the night."""
    rows = np.arange(len(memory))

    def timed(name: str, run: Callable[[], object]) -> None:
        begin = time.perf_counter()
        run()
        times[name].append(time.perf_counter() - begin)

    def add() -> None:
        for number, part in enumerate(texts):
            memory.now += int(number < HOURS)
            memory.stream.add(("social", "mobility")[number % 2], part)
            memory.flush()

    reader = ContextExtractor()
    ticks = np.full(texts.shape, memory.now)
    timed("adding", add)
    memory.now += HOURS - NEW
    timed("embedding", lambda: memory.vectors.rounded(texts.ravel()))
    timed("tags", lambda: reader.read(memory, np.zeros_like(texts), ticks, texts))
    timed("related memories", lambda: relate(memory, rows))
    timed("clusters", lambda: cluster(memory, rows))
    timed("consolidation", lambda: replay(memory, rows, NEW))
    memory.flush()


def measure(agents: int, memories: int, distinct: int, *, days: int, scale: int) -> list[str]:
    """Time some days; return the rows of a table, scaled to more agents."""
    memory = build(agents, memories, distinct)
    rng = np.random.default_rng(11)
    apart = distinct >= agents * memories
    more = sentences(distinct + (days + 1) * NEW * agents)[distinct:] if apart else []
    relate(memory, np.arange(agents))
    cluster(memory, np.arange(agents))
    times: Times = defaultdict(list)
    for number in range(days + 1):
        today = (
            memory.texts.intern_many(more[number * NEW * agents : (number + 1) * NEW * agents])
            if apart
            else rng.integers(0, distinct, NEW * agents).astype(np.int32)
        )
        day(memory, today.reshape(NEW, agents), times)
    medians = {name: statistics.median(values[1:]) for name, values in times.items()}
    whole = scale / agents
    lines = [
        "",
        (
            f"{agents} agents x {memories} memories, {distinct} distinct texts "
            f"({distinct / (agents * memories):.2%} of memories), {NEW} new ones a day"
        ),
        f"{'row':<30}{'us an agent':>13}{f's for {scale} agents':>24}",
    ]
    medians["night in all"] = sum(medians[name] for name in NIGHT)
    for name, seconds in medians.items():
        lines.append(f"{name:<30}{seconds / agents * 1e6:>13.2f}{seconds * whole:>24.2f}")
    each = medians["adding"] / agents / NEW * 1e6
    lines.append(f"adding one memory, in batches of {agents}: {each:.2f} us an agent")
    return lines


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, default=10_000)
    parser.add_argument("--memories", type=int, default=1_000)
    parser.add_argument("--distinct", type=int, default=5_000)
    parser.add_argument("--days", type=int, default=5)
    options = parser.parse_args(arguments)
    agents, memories = options.agents, options.memories
    few = max(1, agents // 100)
    lines = measure(agents, memories, options.distinct, days=options.days, scale=agents)
    lines += measure(few, memories, few * memories, days=options.days, scale=agents)
    print("\n".join(lines).lstrip())


if __name__ == "__main__":
    main()
