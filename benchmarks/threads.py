"""Speed of the hurricane on one and on several threads: `python benchmarks/threads.py`.

Two societies with the same seed make their steps in turn, so that other work on the machine slows
both. Printed are:

- agent-steps per second of processor time of the main thread, which runs all serial code and one
  part of each block that runs in parts: an upper bound, reached if no thread waits for another;
- processor time of all threads, compared with one thread;
- time of the steps in which no thread of either society waited for a processor (Linux);
- whether all status attributes and memories are equal at the end.
"""

import argparse
import hashlib
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from memopolis.scenarios.hurricane import Hurricane

TARGET = 1.7
TARGET_RATE = 1_000_000
DISTURBED = 0.05
"""Share of a step that threads wait for a processor from which it counts as disturbed."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--agents", type=int, nargs="+", default=[10_000, 30_000, 100_000])
    parser.add_argument("--days", type=float, default=7.0)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    table = Table(title=f"The hurricane, {arguments.days:g} days, on {arguments.threads} threads")
    for column in (
        "citizens", "agent-steps/s, one thread", "at most agent-steps/s", "times faster",
        "processor time", "times faster in undisturbed steps", "equal",
    ):  # fmt: skip
        table.add_column(column, justify="right")
    for agents in arguments.agents:
        table.add_row(*compare(agents, arguments.days, arguments.threads))
    table.caption = f"Targets: {TARGET} times faster, {TARGET_RATE:,} agent-steps/s at 100,000"
    Console(width=110).print(table)


def compare(agents: int, days: float, threads: int) -> tuple[str, ...]:
    """Step a society on one thread and one on several, and return a row of the table."""
    pair = [Hurricane(agents=agents, rng=1, days=days, threads=n) for n in (1, threads)]
    ticks = pair[0].ticks
    # By step and society, each of shape (ticks, 2); see `timed_step`.
    spent = np.array([[timed_step(society) for society in pair] for _ in range(ticks)])
    main, total, wall, waiting = np.moveaxis(spent, 2, 0)
    undisturbed = (waiting < DISTURBED * wall).all(axis=1)
    one, several = main.sum(axis=0)
    clear = wall[undisturbed].sum(axis=0)
    ratio = f"{clear[0] / clear[1]:.2f} in {undisturbed.sum()} steps" if undisturbed.any() else "-"
    return (
        f"{agents:,}",
        f"{agents * ticks / one:,.0f}",
        f"{agents * ticks / several:,.0f}",
        f"{one / several:.2f}",
        f"{total[:, 1].sum() / total[:, 0].sum():.2f}",
        ratio,
        "yes" if hash_of(pair[0]) == hash_of(pair[1]) else "NO",
    )


def timed_step(society: Hurricane) -> tuple[float, ...]:
    """Make a step.

    Returns:
        Processor time of this thread and of all threads, time, and time that threads waited for a
        processor, in seconds.
    """
    clocks = time.thread_time, time.process_time, time.perf_counter, without_processor
    before = [clock() for clock in clocks]
    society.step()
    return tuple(clock() - began for clock, began in zip(clocks, before, strict=True))


def without_processor() -> float:
    """Return the seconds that all threads of this process have waited for a processor."""
    tasks = Path("/proc/self/task")
    if not tasks.is_dir():
        return 0.0
    return sum(int((task / "schedstat").read_text().split()[1]) for task in tasks.iterdir()) / 1e9


def hash_of(society: Hurricane) -> str:
    """Hash all status attributes and memories of a society."""
    digest = hashlib.sha256()
    for population in society.populations:
        memory = population.memory
        for name, values in sorted(memory.status.state()["arrays"].items()):
            plain = values.tolist() if values.dtype == object else values.tobytes()
            digest.update(
                name.encode() + (plain if isinstance(plain, bytes) else repr(plain).encode())
            )
        rows, ids = memory.streams.listed()[:2]
        for values in memory.streams.all_at(memory.streams.find(rows, ids)).values():
            digest.update(values.tobytes())
    return digest.hexdigest()


if __name__ == "__main__":
    main()
