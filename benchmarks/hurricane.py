"""Speed and size of the hurricane: `python benchmarks/hurricane.py [--quick]`.

Each row is measured in its own process on one thread, in seconds of processor time, so that other
work on the machine does not count. Recorded and unrecorded runs alternate; the median of their
ratios is printed.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from own_process import measure as measured
from own_process import peak_gb, resident
from rich.console import Console
from rich.table import Table

measure = partial(measured, __file__)

TARGET_RATE = 500_000
TARGET_SECONDS, TARGET_GB = 120, 1.5
TARGET_RECORDING = 1.15
TARGET_AGENT_BYTES = 1_500


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out the 100,000 citizens")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        sys.stdout.write(json.dumps(MEASURES[arguments.measure]()))
        return
    table = Table(title="The hurricane, one thread")
    for column in ("what", "measured", "target"):
        table.add_column(column)
    rates, recordings = [], []
    for _ in range(5):
        plain, recorded = measure("hours"), measure("recorded")
        rates.append(plain["rate"])
        recordings.append(recorded["seconds"] / plain["seconds"])
    rate = statistics.median(rates)
    table.add_row(
        "10,000 citizens, two weeks by the hour",
        f"{rate:,.0f} agent-steps/s",
        f">= {TARGET_RATE:,}",
    )
    table.add_row(
        "the same recorded, time over unrecorded",
        f"{statistics.median(recordings):.2f}",
        f"<= {TARGET_RECORDING}",
    )
    agent = measure("agent")
    table.add_row(
        "an agent before its first memory",
        f"{agent['bytes']:,.0f} bytes",
        f"<= {TARGET_AGENT_BYTES:,}",
    )
    buffer = measure("buffer")
    table.add_row(
        "memory added by weeks 3 and 4 of recording over the unrecorded run",
        f"{buffer['mb']:.0f} MB",
        "<= 40 MB: the buffers",
    )
    if not arguments.quick:
        large = measure("large")
        table.add_row(
            "100,000 citizens, two weeks, recorded",
            f"{large['seconds']:.0f} s, {large['gb']:.2f} GB",
            f"<= {TARGET_SECONDS} s, {TARGET_GB} GB",
        )
    Console(width=100).print(table)


def hours(agents: int = 10_000) -> dict[str, float]:
    """Time two weeks without recording."""
    from memopolis.scenarios.hurricane import Hurricane

    society = Hurricane(agents=agents, rng=1, threads=1)
    started = time.process_time()
    while society.running:
        society.step()
    seconds = time.process_time() - started
    return {"rate": agents * society.ticks / seconds, "seconds": seconds}


def recorded(agents: int = 10_000) -> dict[str, float]:
    """Time two weeks with recording."""
    from memopolis.scenarios.hurricane import Hurricane

    society = Hurricane(agents=agents, rng=1, threads=1)
    with tempfile.TemporaryDirectory() as folder:
        started = time.process_time()
        society.run(Path(folder) / "run")
        return {"seconds": time.process_time() - started, "gb": peak_gb()}


def large() -> dict[str, float]:
    """Measure time and memory of 100,000 citizens, recorded."""
    return recorded(100_000)


def agent() -> dict[str, float]:
    """Measure the resident bytes of an agent after building, from two sizes in one process."""
    from memopolis.agents.citizen import Citizen
    from memopolis.sim.settings import Settings
    from memopolis.sim.society import Society

    few = Society[Settings](rng=1)
    few.populate(Citizen, 1_000)
    before = resident()
    many = Society[Settings](rng=1)
    many.populate(Citizen, 200_000)
    return {"bytes": (resident() - before) / 200_000}


def buffer(agents: int = 5_000) -> dict[str, float]:
    """Measure the memory that recording adds in the last two of four weeks.

    By then the buffer of every table has been full once.
    """
    from memopolis.scenarios.hurricane import Hurricane

    grown = []
    with tempfile.TemporaryDirectory() as folder:
        for record in (False, True):
            at: dict[int, float] = {}

            def note(done: int, _all: int, _date: object, at: dict[int, float] = at) -> None:
                at[done] = resident() / 1e6

            tables = "memories,agents,decisions,measures,ledger" if record else "none"
            society = Hurricane(
                agents=agents, rng=1, threads=1, days=28, **{"record.tables": tables}
            )
            society.run(Path(folder) / f"run-{record}", progress=note)
            grown.append(at[max(at)] - at[max(at) // 2])
    return {"mb": grown[1] - grown[0]}


MEASURES = {"hours": hours, "recorded": recorded, "large": large, "agent": agent, "buffer": buffer}

if __name__ == "__main__":
    main()
