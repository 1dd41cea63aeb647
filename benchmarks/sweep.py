"""Time short runs in a sweep: `python benchmarks/sweep.py [--runs N] [--others N]`.

A sweep of runs of 100 citizens and 24 steps with two workers, all stored on disk, is compared with
Mesa's `batch_run` with two processes on the same points and seeds, which stores nothing. Both run
in turn, three times, and start new processes each time, as batch_run always does. Prints ratios of
wall time and of processor time, which depends less on other work on the machine, and the overhead
of a run beyond its steps, without the start.
"""

import argparse
import json
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import mesa
from own_process import ONE_THREAD, resident
from own_process import measure as measured
from rich.console import Console
from rich.table import Table

from memopolis.analysis.sweep.results import load_sweep
from memopolis.analysis.sweep.sweep import sweep
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.sweep.design import Design

RUNS, OTHERS, BLOCKS, WORKERS = 1_000, 200, 3, 2
TARGET_MS = 50
CASES: dict[str, tuple[dict[str, Any], dict[str, list[Any]]]] = {
    "hurricane": ({"days": 1}, {"decision.spread": [0.5, 0.8, 1.2, 1.5]}),
    "polarization": ({"days": 24}, {"talk.talks": [0.2, 0.3, 0.4, 0.5]}),
    "ubi": ({"days": 720, "start": 6}, {"amount": [250, 500, 750, 1000]}),
}
"""Settings that come to 24 steps, and the factor: four levels, each with many seeds."""
RECORDS = {
    "default of sweeps": None,
    "all tables": ["memories", "agents", "decisions", "measures", "ledger", "world"],
}
"""What the sweep's runs record."""


@dataclass
class Found:
    """Results of each block, and the memory of this process after each run."""

    ours: list["Spent"] = field(default_factory=list)
    mesa: list["Spent"] = field(default_factory=list)
    overhead: list[float] = field(default_factory=list)
    in_worker: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)


class Spent(NamedTuple):
    """Wall-clock and processor time in seconds, including child processes."""

    wall: float
    processor: float


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help="runs of a sweep of the hurricane")
    others = "runs of a sweep of the others, and with all tables; 0: none"
    parser.add_argument("--others", type=int, default=OTHERS, help=others)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        name, runs, record = arguments.measure.split(":")
        sys.stdout.write(json.dumps(compared(name, int(runs), RECORDS[record])))
        return
    table = Table(title=f"Runs of 100 citizens and 24 steps, {WORKERS} workers, one thread each")
    for column in _COLUMNS:
        table.add_column(column)
    for name in CASES:
        for record, tables in RECORDS.items():
            usual = name == "hurricane" and tables is None
            runs = arguments.runs if usual else arguments.others
            if not runs:
                continue
            result = measured(__file__, f"{name}:{runs}:{record}")
            table.add_row(f"{name}, {record}", *_row(result))
    Console(width=150).print(table)


_COLUMNS = (
    "what", "runs", "sweep", "batch_run", "sweep / batch_run", "of processor time",
    f"a run beside its steps, <= {TARGET_MS} ms", "of that in the run",
    "this process after 100, at the end", "a run on disk",
)  # fmt: skip


def _row(result: dict[str, float]) -> Iterator[str]:
    yield f"{result['runs']:,.0f}"
    yield f"{result['ours']:.1f} s"
    yield f"{result['mesa']:.1f} s"
    yield f"{result['wall']:.2f} ({result['wall_low']:.2f} to {result['wall_high']:.2f})"
    yield f"{result['cpu']:.2f} ({result['cpu_low']:.2f} to {result['cpu_high']:.2f})"
    yield f"{result['overhead']:.0f} ms"
    yield f"{result['in_worker']:.0f} ms"
    yield f"{result['early_mb']:.0f}, {result['late_mb']:.0f} MB"
    yield f"{result['kb']:.0f} KB, {result['files']:.0f} files"


def compared(name: str, runs: int, record: list[str] | None) -> dict[str, float]:
    """Run the same points by a sweep and by batch_run, in turn, block by block."""
    os.environ.update(ONE_THREAD)
    result, seeds = Found(), max(runs // 4, 1)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(BLOCKS):
            design = _design(name, record, seeds, number)
            for one in sorted(("ours", "mesa"), reverse=bool(number % 2)):
                if one == "ours":
                    result.ours.append(_sweep(design, Path(folder), result))
                else:
                    result.mesa.append(_spent(partial(_batch_run, name, design)))
        kb, files = _on_disk(Path(folder), len(result.memory))
    walls, processors = (
        [
            getattr(a, clock) / getattr(b, clock)
            for a, b in zip(result.ours, result.mesa, strict=True)
        ]
        for clock in Spent._fields
    )
    return {
        "runs": len(result.memory),
        "ours": sum(spent.wall for spent in result.ours),
        "mesa": sum(spent.wall for spent in result.mesa),
        "wall": statistics.median(walls),
        "wall_low": min(walls),
        "wall_high": max(walls),
        "cpu": statistics.median(processors),
        "cpu_low": min(processors),
        "cpu_high": max(processors),
        "overhead": 1_000 * statistics.median(result.overhead),
        "in_worker": 1_000 * statistics.median(result.in_worker),
        "early_mb": result.memory[min(100, len(result.memory)) - 1] / 1e6,
        "late_mb": result.memory[-1] / 1e6,
        "kb": kb,
        "files": files,
    }


def _design(name: str, record: list[str] | None, seeds: int, number: int) -> Design:
    settings, factors = CASES[name]
    changes = {} if record is None else {"record.tables": record}
    return Design(
        name,
        settings={"agents": 100, **settings, **changes},
        factors=factors,
        replications=seeds,
        seed=1 + number,
    )


def _sweep(design: Design, folder: Path, result: Found) -> Spent:
    """Run a design; measure the overhead of a run beyond its steps, in seconds of a worker."""
    ends: list[float] = []

    def note(succeeded: int, failed: int, total: int) -> None:
        if failed:
            raise RuntimeError(f"{failed} of {total} runs failed")
        if succeeded:
            ends.append(time.perf_counter())
            result.memory.append(resident())

    out = folder / f"sweep-{design.seed}"
    spent = _spent(lambda: sweep(design, out, workers=WORKERS, progress=note))
    rows = load_sweep(out).runs
    # From the time when each worker has finished its first run.
    warm = rows["step_seconds"].iloc[WORKERS:]
    result.overhead.append(WORKERS * (ends[-1] - ends[WORKERS - 1]) / len(warm) - warm.mean())
    result.in_worker.append(float((rows["seconds"] - rows["step_seconds"]).median()))
    return spent


def _batch_run(name: str, design: Design) -> None:
    """Run the same points and seeds with Mesa."""
    settings, factors = CASES[name]
    planned = design.planned()
    rows = mesa.batch_run(
        find_scenario(name),
        {"agents": 100, **settings, **factors},
        number_processes=WORKERS,
        rng=sorted({run.seed for run in planned}),
        data_collection_period=-1,
        display_progress=False,
    )
    if len(rows) != len(planned):
        raise RuntimeError(f"batch_run made {len(rows)} runs of {len(planned)}")


def _spent(what: Callable[[], object]) -> Spent:
    started, before = time.perf_counter(), _processor()
    what()
    return Spent(time.perf_counter() - started, _processor() - before)


def _processor() -> float:
    """Return the processor time of this process and of its ended children, seconds."""
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    used = [resource.getrusage(one) for one in who]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _on_disk(folder: Path, runs: int) -> tuple[float, float]:
    """Return the KB (in whole blocks) and files of a run, including its row."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return sum(path.stat().st_blocks for path in files) / 2 / runs, len(files) / runs


if __name__ == "__main__":
    main()
