"""Compare a society in one process with its parts: `python benchmarks/parts.py [--agents N]`.

Each run is recorded, in a process of its own and in turns; figures are medians. Elapsed and
processor time are those of the steps after the first, without the start of the processes. Memory
is that of the largest part. Bytes exchanged are those that part 0 sends and receives.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil
from own_process import measure as measured
from rich.console import Console
from rich.table import Table

from memopolis.scenarios.hurricane.scenario import Hurricane

PARTS = (1, 2, 4)
MB = 1e6


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, default=10_000)
    parser.add_argument("--steps", type=int, default=48)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        sys.stdout.write(json.dumps(run(*map(int, arguments.measure.split(":")))))
        return
    agents, steps = arguments.agents, arguments.steps
    runs: dict[int, list[dict[str, float]]] = {parts: [] for parts in PARTS}
    for _ in range(arguments.repeats):
        for parts, measurements in runs.items():
            measurements.append(measured(__file__, f"{parts}:{agents}:{steps}"))
    table = Table(title=f"Hurricane, {agents:,} citizens, {steps} steps")
    table.add_column("parts")
    for name in runs[1][0]:
        table.add_column(name, justify="right")
    for parts, measurements in runs.items():
        medians = [statistics.median(one[name] for one in measurements) for name in measurements[0]]
        table.add_row(str(parts), *(f"{value:.3g}" for value in medians))
    Console(width=110).print(table)


def run(parts: int, agents: int, steps: int) -> dict[str, float]:
    """Run and measure a society in parts."""
    society = Hurricane(rng=5, agents=agents, days=steps / 24, threads=1, parts=parts)
    at_start = last = (0.0, 0.0)
    measurements: dict[str, float] = {}

    def progress(done: int, *_: Any) -> None:
        nonlocal at_start, last
        last = time.perf_counter(), _processor_time()
        at_start = at_start if done > 1 else last
        if done == steps:
            memories = [one.memory for one in society.populations]
            streams = [sum(one.streams.nbytes for one in memories)]
            root, exchanges, exchanged = society.root, 0, 0
            if root is not None:
                exchanges, exchanged = root.exchanges, root.exchanged
                streams = [usage.streams for usage in root.usage()]
            measurements["memories, MB"] = max(streams) / MB
            measurements["status, MB"] = sum(one.status.nbytes for one in memories) / MB
            measurements["exchanges a step"] = exchanges / steps
            measurements["exchanged a step, MB"] = exchanged / steps / MB

    with tempfile.TemporaryDirectory() as folder:
        society.run(Path(folder) / "run", progress=progress)
    elapsed, processor = (end - begin for begin, end in zip(at_start, last, strict=True))
    return {"elapsed, s": elapsed, "processor time, s": processor, **measurements}


def _processor_time() -> float:
    """Return the processor time of this process and the parts, in seconds."""
    me = psutil.Process()
    times = [one.cpu_times() for one in (me, *me.children(recursive=True))]
    return float(sum(one.user + one.system for one in times))


if __name__ == "__main__":
    main()
