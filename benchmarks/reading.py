"""Time reading runs at any moment: `python benchmarks/reading.py`.

Reads a hurricane of 10,000 citizens with a daily status, and one of 1,000 with an hourly status,
both finished and in progress. Prints seconds of processor time, so that other work on the machine
does not count; parts of tables are decoded by two threads, which both count.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table

from memopolis.analysis import Run, load_run
from memopolis.analysis.interview.restored_agent import restore_agent
from memopolis.scenarios.hurricane import Hurricane
from memopolis.sim.running.by_hand import RunByHand

RUNS = {"daily": (10_000, 24.0), "hourly": (1_000, 1.0)}
"""Citizens, and hours between two rows of an agent's status."""
TARGETS = {"life": 300, "moment": 50, "look": 10}
"""Milliseconds."""
TIMES = 9


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=float, default=14)
    days = parser.parse_args().days
    table = Table(title="Reading a storm, ms of the processor (median, longest)")
    for column in ("run", "reading", "median", "longest", "target"):
        table.add_column(column)
    with tempfile.TemporaryDirectory() as folder:
        for name, (agents, hours) in RUNS.items():
            where = Path(folder) / name
            looks: list[float] = []
            with RunByHand(_storm(agents, hours), where, days=days) as by_hand:
                run = load_run(by_hand)
                while by_hand.step < by_hand.steps:
                    by_hand.make_step()
                    looks.append(_milliseconds(run.latest))
                    run = run.latest()
                _add(table, f"{name}, under way", "look after a step", looks, "look")
                for reading, taken, target in _readings(run):
                    _add(table, f"{name}, under way", reading, taken, target)
                by_hand.finish()
            for reading, taken, target in (*_readings(load_run(where)), *_slider(load_run(where))):
                _add(table, f"{name}, over", reading, taken, target)
    Console(width=110).print(table)


def _storm(agents: int, hours: float) -> Hurricane:
    return Hurricane(agents=agents, rng=1, record={"agents_every": hours})


def _readings(run: Run) -> Iterable[tuple[str, list[float], str]]:
    first = _milliseconds(lambda: run.life(11))
    yield "the first life", [first], "life"
    yield "a life", [_milliseconds(partial(run.life, 100 + n)) for n in range(TIMES)], "life"
    yield "people", [_milliseconds(run.people) for _ in range(TIMES)], "moment"
    ask = "the hurricane is coming"

    def search(agent: int) -> None:
        restore_agent(run, agent).search(ask)

    searched = [_milliseconds(partial(search, 20 + n)) for n in range(TIMES)]
    yield "memory searched", searched, "life"


def _slider(run: Run) -> Iterable[tuple[str, list[float], str]]:
    """Read a run at successive moments: people, one of their columns, and a measure."""

    def move(step: int) -> None:
        moment = run.until(step)
        moment.people()
        moment.agents_of("citizen", "place")
        moment.measure("evacuated_share")

    steps = [1 + n * (run.ticks - 2) // (TIMES * 3) for n in range(TIMES * 3)]
    move(run.ticks // 2)
    yield "a move of the slider", [_milliseconds(partial(move, s)) for s in steps], "moment"


def _milliseconds(do: Callable[[], object]) -> float:
    began = time.process_time()
    do()
    return 1000 * (time.process_time() - began)


def _add(table: Table, run: str, reading: str, taken: list[float], target: str) -> None:
    median, longest = statistics.median(taken), max(taken)
    table.add_row(run, reading, f"{median:.1f}", f"{longest:.1f}", f"<= {TARGETS[target]}")


if __name__ == "__main__":
    main()
