"""Time a step of 100,000 citizens: `python benchmarks/steps.py [--agents N]`.

A day of polarization and a month of basic income, recorded, each in its own process on one thread,
in seconds of processor time, so that other work on the machine does not count. The first step,
which fills tables and indexes, is listed separately.
"""

import argparse
import itertools
import json
import statistics
import sys
import tempfile
import time
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from own_process import measure as measured
from own_process import peak_gb
from rich.console import Console
from rich.table import Table

AGENTS = 100_000
TARGETS = {"polarization": ("a day", 3.0), "ubi": ("a month", 5.0)}
TARGET_GB = 6.0
STEPS: dict[str, dict[str, Any]] = {
    "polarization": {"days": 60},
    "ubi": {"days": 360, "start": 6},
}
"""Settings beside the number of citizens; the policy starts halfway."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, default=AGENTS)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        scenario, _, agents = arguments.measure.partition(":")
        sys.stdout.write(json.dumps(steps(scenario, int(agents))))
        return
    table = Table(title=f"A recorded step of {arguments.agents:,} citizens, one thread")
    for column in ("what", "median", "first", "longest", "target", "memory", "target "):
        table.add_column(column)
    for scenario, (span, target) in TARGETS.items():
        measurement = measured(__file__, f"{scenario}:{arguments.agents}")
        table.add_row(
            f"{scenario}, {span}",
            *(f"{measurement[name]:.2f} s" for name in ("median", "first", "longest")),
            f"<= {target:g} s",
            f"{measurement['gb']:.2f} GB",
            f"<= {TARGET_GB:g} GB",
        )
    Console(width=110).print(table)


def steps(scenario: str, agents: int) -> dict[str, float]:
    """Time the steps of a recorded run."""
    from memopolis.sim.scenario_names import find_scenario

    society = find_scenario(scenario)(agents=agents, rng=1, **STEPS[scenario])
    with tempfile.TemporaryDirectory() as folder:
        ends = [time.process_time()]
        society.run(Path(folder) / "run", progress=partial(_note, ends))
    taken = [end - start for start, end in itertools.pairwise(ends)]
    return {
        "median": statistics.median(taken[1:]),
        "first": taken[0],
        "longest": max(taken[1:]),
        "gb": peak_gb(),
    }


def _note(ends: list[float], _done: int, _all: int, _date: datetime) -> None:
    ends.append(time.process_time())


if __name__ == "__main__":
    main()
