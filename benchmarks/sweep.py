"""Short runs in a sweep: `python benchmarks/sweep.py [--runs N] [--others N]`.

Runs of 100 citizens and 24 steps with two workers, each kept on disk, against Mesa's `batch_run`
with two processes on the same points, which keeps nothing. Both in turn, in blocks. batch_run
starts its processes anew in each block, the sweep keeps its own; so the time that batch_run takes
for as many runs as it has processes is taken off, and both starts are told by themselves.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mesa
from own_process import ONE_THREAD, resident
from own_process import measure as measured
from rich.console import Console
from rich.table import Table

from memopolis.analysis.sweep.sweep import sweep
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.sweep.design import Design
from memopolis.sim.sweep.executors.processes import Processes

RUNS, OTHERS, BLOCKS, WORKERS = 1_000, 100, 5, 2
TARGET_MS = 50
CASES: dict[str, tuple[dict[str, Any], dict[str, list[Any]]]] = {
    "hurricane": ({"days": 1}, {"decision.spread": [0.5, 0.8, 1.2, 1.5]}),
    "polarization": ({"days": 24}, {"talk.talks": [0.5, 1.0, 1.5, 2.0]}),
    "ubi": ({"days": 720, "start": 6}, {"amount": [250, 500, 750, 1000]}),
}
"""Settings that come to 24 steps, and the factor: four levels, each with many seeds."""
RECORDS = {
    "default of sweeps": None,
    "all tables": ["memories", "agents", "decisions", "measures", "ledger"],
}
"""What the sweep's runs record."""


@dataclass
class Found:
    """What a scenario came to; a number a block, but for the rest."""

    ours: list[float] = field(default_factory=list)
    mesa: list[float] = field(default_factory=list)
    mesa_start: list[float] = field(default_factory=list)
    overhead: list[float] = field(default_factory=list)
    in_worker: list[float] = field(default_factory=list)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help="runs of the hurricane")
    parser.add_argument("--others", type=int, default=OTHERS, help="runs of the others; 0: none")
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
        runs = arguments.runs if name == "hurricane" else arguments.others
        for record in RECORDS if runs else ():
            found = measured(__file__, f"{name}:{runs}:{record}")
            table.add_row(f"{name}, {record}", *_row(found))
    Console(width=150).print(table)


_COLUMNS = (
    "what", "runs", "sweep", "batch_run", "sweep / batch_run", "with starts",
    f"overhead a run <= {TARGET_MS} ms", "in the worker", "parent after 100, at end", "a run on disk",
)  # fmt: skip


def _row(found: dict[str, float]) -> Iterator[str]:
    yield f"{found['runs']:,.0f}"
    yield f"{found['ours']:.1f} + {found['ours_start']:.1f} s"
    yield f"{found['mesa']:.1f} + {found['mesa_start']:.1f} s"
    yield f"{found['ratio']:.2f} ({found['least']:.2f} to {found['most']:.2f})"
    yield f"{found['with_starts']:.2f}"
    yield f"{found['overhead']:.0f} ms"
    yield f"{found['in_worker']:.0f} ms"
    yield f"{found['early_mb']:.0f}, {found['late_mb']:.0f} MB"
    yield f"{found['kb']:.0f} KB, {found['files']:.0f} files"


def compared(name: str, runs: int, record: list[str] | None) -> dict[str, float]:
    """Carry out the same points by a sweep and by batch_run, in turn, block by block."""
    os.environ.update(ONE_THREAD)
    found, memory = Found(), dict[int, float]()
    block = runs // BLOCKS
    with tempfile.TemporaryDirectory() as folder, Processes(WORKERS) as workers:

        def ours(number: int, seeds: int) -> float:
            return _sweep(_design(name, record, seeds, number), Path(folder), workers, found, memory)

        start = _timed(lambda: ours(BLOCKS, 1))
        found.overhead.clear()
        found.in_worker.clear()
        memory.clear()
        for number in range(BLOCKS):
            design = _design(name, record, max(block // 4, 1), number)
            by_mesa = _batch_run(name, design)
            for one in sorted(("ours", "mesa"), reverse=bool(number % 2)):
                if one == "ours":
                    found.ours.append(_timed(lambda n=number: ours(n, max(block // 4, 1))))
                else:
                    found.mesa_start.append(_timed(_batch_run(name, design, WORKERS)))
                    found.mesa.append(_timed(by_mesa))
        kb, files = _on_disk(Path(folder), len(memory))
    pure = [whole - begin for whole, begin in zip(found.mesa, found.mesa_start, strict=True)]
    ratios = [a / b for a, b in zip(found.ours, pure, strict=True)]
    return {
        "runs": len(memory),
        "ours": sum(found.ours),
        "ours_start": start,
        "mesa": sum(pure),
        "mesa_start": statistics.median(found.mesa_start),
        "ratio": statistics.median(ratios),
        "least": min(ratios),
        "most": max(ratios),
        "with_starts": (sum(found.ours) + start)
        / (sum(pure) + statistics.median(found.mesa_start)),
        "overhead": 1_000 * statistics.median(found.overhead),
        "in_worker": 1_000 * statistics.median(found.in_worker),
        "early_mb": memory[min(100, len(memory))] / 1e6,
        "late_mb": memory[len(memory)] / 1e6,
        "kb": kb,
        "files": files,
    }


def _design(name: str, record: list[str] | None, seeds: int, number: int) -> Design:
    settings, factors = CASES[name]
    said = {} if record is None else {"record.tables": record}
    return Design(
        name,
        settings={"agents": 100, **settings, **said},
        factors=factors,
        replications=seeds,
        seed=1 + number,
    )


def _sweep(
    design: Design, folder: Path, workers: Processes, found: Found, memory: dict[int, float]
) -> float:
    """Carry out a design, and note what a run costs beside its steps, in worker-seconds."""

    def note(succeeded: int, failed: int, total: int) -> None:
        if succeeded + failed:
            memory[len(memory) + 1] = resident()
        if failed:
            raise RuntimeError(f"{failed} of {total} runs failed")

    started = time.perf_counter()
    results = sweep(
        design, folder / f"sweep-{design.seed}", executor=workers, workers=WORKERS, progress=note
    )
    seconds, rows = time.perf_counter() - started, results.runs
    found.overhead.append((WORKERS * seconds - rows["step_seconds"].sum()) / len(rows))
    found.in_worker.append(float((rows["seconds"] - rows["step_seconds"]).median()))
    return seconds


def _batch_run(name: str, design: Design, runs: int | None = None) -> Callable[[], None]:
    """The same points and seeds by Mesa, of which `runs` only if given."""
    settings, factors = CASES[name]
    ((factor, levels),) = factors.items()
    seeds = sorted({run.seed for run in design.planned()})
    parameters = {"agents": 100, **settings, factor: levels[: runs or len(levels)]}

    def run() -> None:
        rows = mesa.batch_run(
            find_scenario(name),
            parameters,
            number_processes=WORKERS,
            rng=seeds[: 1 if runs else len(seeds)],
            data_collection_period=-1,
            display_progress=False,
        )
        expected = runs or len(levels) * len(seeds)
        if len(rows) != expected:
            raise RuntimeError(f"batch_run made {len(rows)} runs of {expected}")

    return run


def _timed(what: Callable[[], object]) -> float:
    started = time.perf_counter()
    what()
    return time.perf_counter() - started


def _on_disk(folder: Path, runs: int) -> tuple[float, float]:
    """KB (in whole blocks) and files that a run takes, its part of the ledger included."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return sum(path.stat().st_blocks for path in files) / 2 / runs, len(files) / runs


if __name__ == "__main__":
    main()
