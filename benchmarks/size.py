"""Memory and time per agent: `python benchmarks/size.py [SCENARIO ...]`.

Each run has its own process, on one thread. Peak resident memory is fitted by least squares
over recorded runs of two sizes and two lengths:

    peak while building = constant + agents * built
    peak of the run     = base + agents * (agent + step * steps)

Times are seconds of processor time per agent. The lines above the table are the values of the class
attribute `footprint` of the scenarios; the memory for recording is measured by one more run without
tables.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from own_process import measure, peak_gb
from rich.console import Console
from rich.table import Table

from memopolis import Block, Citizen, Cohort, Settings, Society
from memopolis.sim.scenario_names import find_scenario

SIZES: dict[str, tuple[int, int, int, dict[str, object]]] = {
    "hurricane": (40_000, 48, 240, {}),
    "polarization": (40_000, 8, 32, {}),
    "ubi": (40_000, 4, 16, {"start": 1}),
    "plain": (200_000, 24, 120, {}),
}
"""Agents of the larger runs, steps of the short and the long ones, and other settings."""
SHARE = 0.25
"""Size of the smaller runs."""
FIELDS = ("base", "built", "agent", "step", "build_seconds", "step_seconds")
PLAIN = "plain"
"""A society whose citizens remember one thing in each step: the default of scenarios that declare
no footprint."""


def main() -> None:
    """Print one row per scenario, and its declaration."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenarios", nargs="*", default=list(SIZES), metavar="SCENARIO")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        scenario, agents, steps, tables = arguments.measure.split(":")
        sys.stdout.write(json.dumps(run_once(scenario, int(agents), int(steps), tables)))
        return
    console = Console(width=140)
    table = Table(title="Per agent, one thread")
    heads = ("base", "built", "agent", "step", "recording", "build", "agent-steps", "worst fit")
    for column in ("scenario", *heads):
        table.add_column(column)
    for scenario in arguments.scenarios:
        fitted = measure_scenario(scenario)
        table.add_row(
            scenario,
            f"{fitted['base'] / 1e6:,.0f} MB",
            *(f"{fitted[name]:,.0f} bytes" for name in ("built", "agent", "step", "recording")),
            f"{fitted['build_seconds'] * 1e6:,.0f} µs",
            f"{1 / fitted['step_seconds']:,.0f}/s",
            f"{fitted['error']:.0%}",
        )
        values = ", ".join(f"{name}={fitted[name]:.3g}" for name in FIELDS)
        console.print(f"{scenario}: Footprint({values})", highlight=False)
    console.print(table)


def measure_scenario(scenario: str) -> dict[str, float]:
    """Measure runs of both lengths and sizes, and fit the costs of agents and steps."""
    agents, *lengths, _ = SIZES[scenario]

    def take(share: float, steps: int, tables: str = "default") -> dict[str, float]:
        return measure(__file__, f"{scenario}:{int(share * agents)}:{steps}:{tables}")

    runs = [take(share, steps) for steps in lengths for share in (SHARE, 1.0)]
    bare = take(1.0, lengths[-1], "none")
    return fit(runs) | {"recording": (runs[-1]["peak"] - bare["peak"]) / agents}


def fit(runs: list[dict[str, float]]) -> dict[str, float]:
    """Fit the costs of agents and steps; the largest run of each length comes last."""
    column = {name: np.array([one[name] for one in runs]) for name in runs[0]}
    agents, steps, ones = column["agents"], column["steps"], np.ones(len(runs))
    _, built = solve([ones, agents], column["built"])
    base, agent, step = solve([ones, agents, agents * steps], column["peak"])
    fitted = base + agents * (agent + step * steps)
    _, build_seconds = solve([ones, agents], column["build_seconds"])
    short, long = runs[len(runs) // 2 - 1], runs[-1]
    seconds = long["run_seconds"] - short["run_seconds"]
    return {
        "base": base,
        "built": built,
        "agent": agent,
        "step": step,
        "build_seconds": build_seconds,
        "step_seconds": seconds / long["agents"] / (long["steps"] - short["steps"]),
        "error": float(np.abs(fitted / column["peak"] - 1).max()),
    }


def solve(columns: list[Any], values: Any) -> list[float]:
    """Solve by least squares."""
    solution = np.linalg.lstsq(np.stack(columns, 1), values, rcond=None)[0]
    return [float(one) for one in solution]


def run_once(scenario: str, agents: int, steps: int, tables: str) -> dict[str, float]:
    """Build and run a society; bytes are peaks of this process."""
    known = plain_society() if scenario == PLAIN else find_scenario(scenario)
    settings = known.settings_class()
    other = SIZES[scenario][-1] | ({} if tables == "default" else {"record.tables": tables})

    def build(agents: int, steps: int) -> Society[Any]:
        return known(agents=agents, days=steps * settings.tick / 24, rng=1, threads=1, **other)

    # Compiling and reading files once is no cost of an agent.
    with tempfile.TemporaryDirectory() as folder:
        build(50, 3).run(Path(folder) / "warm")
    started = time.process_time()
    society = build(agents, steps)
    built, build_seconds = peak_gb() * 1e9, time.process_time() - started
    with tempfile.TemporaryDirectory() as folder:
        started = time.process_time()
        society.run(Path(folder) / "run")
        run_seconds = time.process_time() - started
    return {
        "agents": agents,
        "steps": steps,
        "built": built,
        "peak": peak_gb() * 1e9,
        "build_seconds": build_seconds,
        "run_seconds": run_seconds,
    }


def plain_society() -> type[Society[Any]]:
    """Define a society whose citizens store one memory per step."""

    class Remember(Block):
        def step(self, citizens: Cohort) -> None:
            citizens.stream.add("home", "Something happened.", importance=0.2)

    class Plain(Society[Settings]):
        def build(self, settings: Settings) -> None:
            self.populate(Citizen, settings.agents, blocks=[Remember()])

    return Plain


if __name__ == "__main__":
    main()
