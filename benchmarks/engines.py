"""Compare speed and memory with Mesa, AMBER, mesa-frames and Starsim: `make bench-engines`.

Runs the transfer of wealth and the epidemic of `engine_models/measuring.py` in each engine, written
as in its documentation (`engine_models/in_*.py`). The script makes an environment for each other
engine with pip, in a cache folder. Each form has a process of its own, on one thread; in each
round, all of them run in turn with the seed of the round. The tables show agent-steps a second of
processor time (medians over rounds, without building the model) and peak memory of the process.
A run that would take over `--limit` seconds is left out.

The last columns check that all engines do the same work: no wealth is lost, as many agents own
nothing as in the first form with the same order of agents, and the epidemic has the size of the
deterministic limit and the peak of the first form, each within four standard errors.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import venv
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from own_process import ONE_THREAD
from rich.console import Console
from rich.progress import track
from rich.table import Table

MODELS = Path(__file__).parent / "engine_models"
sys.path.append(str(MODELS))
from measuring import CONTACTS, RECOVERY, SEEDED, TRANSMISSION  # noqa: E402

STEPS = 60
ROUNDS = {1_000: 5, 10_000: 10, 100_000: 3}
"""Rounds by number of agents."""
CHECKED = 10_000
"""Number of agents of the runs that are checked."""
ERRORS = 4.0
"""Standard errors within which means are equal."""


@dataclass(frozen=True)
class Engine:
    """An engine: its name, the file with its models, and what pip installs for it."""

    name: str
    module: str
    requirement: str = ""


ENGINES = (
    Engine("Memopolis", "in_memopolis"),
    Engine("Mesa", "in_mesa", "mesa[network]==3.5.1"),
    Engine("AMBER", "in_ambr", "ambr[perf]==0.5.2"),
    Engine("mesa-frames", "in_mesa_frames", "mesa-frames==0.1.0a0"),
    Engine("Starsim", "in_starsim", "starsim==3.7.2"),
)


@dataclass
class Arm:
    """One form of a model in an engine, and its results by number of agents.

    Attributes:
        engine: Name of the engine.
        form: Name of the form.
        order: When agents act; only forms of the same order have the same law of wealth.
        process: Process that runs it.
        results: Results of all rounds; missing where a run takes too long.
    """

    engine: str
    form: str
    order: str
    process: "subprocess.Popen[str]"
    results: dict[int, list[dict[str, float]]] = field(default_factory=dict)

    def run(self, agents: int, seed: int) -> dict[str, float]:
        """Run the model once."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps([agents, STEPS, seed]), file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"{self.engine}, {self.form} ended early; see its messages above")
        result: dict[str, float] = json.loads(answer)
        return result

    def expected_seconds(self, agents: int) -> float:
        """Extrapolate the time of a run from the largest number of agents so far."""
        if not self.results:
            return 0.0
        largest = max(self.results)
        return self.median("seconds", largest) * agents / largest

    def median(self, measure: str, agents: int) -> float:
        """Return the median of a measure over rounds."""
        return statistics.median(result[measure] for result in self.results[agents])

    def mean(self, measure: str) -> tuple[float, float]:
        """Return the mean of a measure over the checked runs, and its standard error."""
        values = [result[measure] for result in self.results[CHECKED]]
        return statistics.mean(values), statistics.stdev(values) / math.sqrt(len(values))


def main() -> None:
    """Make the environments, run all rounds, and print versions and tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    parser.add_argument("--folder", type=Path, default=cache / "memopolis" / "engines")
    parser.add_argument("--engines", nargs="+", default=[engine.name for engine in ENGINES])
    parser.add_argument("--limit", type=float, default=20.0, help="longest run, seconds")
    arguments = parser.parse_args()
    engines = [engine for engine in ENGINES if engine.name in arguments.engines]
    pythons = {engine: make_environment(engine, arguments.folder) for engine in engines}
    console = Console(width=150)
    same = True
    for model in ("wealth", "epidemic"):
        arms = start_arms(pythons, model)
        run_rounds(arms, ROUNDS, arguments.limit)
        for arm in arms:
            arm.process.terminate()
        rows = check_wealth(arms) if model == "wealth" else check_epidemic(arms)
        console.print(table_of(model, arms, rows))
        sys.stdout.flush()
        same = same and all(row[-1] == "yes" for row in rows)
    for engine, python in pythons.items():
        versions = describe(engine, python)["versions"]
        console.print(f"{engine.name}:", ", ".join(f"{k} {v}" for k, v in versions.items()))
    sys.exit(not same)


def make_environment(engine: Engine, folder: Path) -> Path:
    """Return the Python of an engine; makes an environment the first time."""
    if not engine.requirement:
        return Path(sys.executable)
    home = folder / f"python{sys.version_info.major}.{sys.version_info.minor}" / engine.module
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = home / "installed.txt"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != engine.requirement:
        print(f"Installing {engine.requirement} in {home} ...", flush=True)
        venv.create(home, clear=True, with_pip=True)
        install = [str(python), "-m", "pip", "install", "--quiet", engine.requirement]
        subprocess.run(install, check=True)  # noqa: S603 - a fixed list
        stamp.write_text(engine.requirement, encoding="utf-8")
    return python


def describe(engine: Engine, python: Path) -> dict[str, Any]:
    """Return the forms of an engine and the versions in its environment."""
    done = subprocess.run(  # noqa: S603 - a file of this folder
        [python, MODELS / "worker.py", engine.module],
        env={**os.environ, **ONE_THREAD},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    described: dict[str, Any] = json.loads(done.stdout)
    return described


def start_arms(pythons: dict[Engine, Path], model: str) -> list[Arm]:
    """Start a process for each form of a model."""
    arms = []
    for engine, python in pythons.items():
        for form, order, has_epidemic in describe(engine, python)["forms"]:
            if model == "wealth" or has_epidemic:
                process = subprocess.Popen(  # noqa: S603 - a file of this folder
                    [python, MODELS / "worker.py", engine.module, form, model],
                    env={**os.environ, **ONE_THREAD},
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
                arms.append(Arm(engine.name, form, order, process))
    return arms


def run_rounds(arms: list[Arm], rounds: dict[int, int], limit: float) -> None:
    """Run all arms in turn in each round; leave out runs over `limit` seconds."""
    for agents, count in rounds.items():
        fast = [arm for arm in arms if arm.expected_seconds(agents) <= limit]
        for seed in track(range(count), f"{agents:,} agents", console=Console(stderr=True)):
            for arm in fast:
                arm.results.setdefault(agents, []).append(arm.run(agents, seed))


def check_wealth(arms: list[Arm]) -> list[tuple[str, ...]]:
    """Return the share of agents without wealth of each arm, and whether it did the same work."""
    first: dict[str, Arm] = {}
    rows: list[tuple[str, ...]] = []
    for arm in arms:
        kept = all(
            result["total"] == agents and result["least"] >= 0
            for agents, results in arm.results.items()
            for result in results
        )
        poor, error = arm.mean("poor")
        other, other_error = first.setdefault(arm.order, arm).mean("poor")
        same = abs(poor - other) <= ERRORS * math.hypot(error, other_error)
        rows.append((f"{poor:.4f} ± {error:.4f}", "yes" if kept and same else "NO"))
    return rows


def check_epidemic(arms: list[Arm]) -> list[tuple[str, ...]]:
    """Return final size and peak of each arm, and whether it did the same work."""
    limit = epidemic_limit(STEPS)
    peak_of_first, error_of_first = arms[0].mean("peak")
    rows: list[tuple[str, ...]] = []
    for arm in arms:
        final, final_error = arm.mean("final")
        peak, error = arm.mean("peak")
        steps = all(result["steps"] == STEPS for result in arm.results[CHECKED])
        same = abs(final - limit) <= ERRORS * final_error
        same = same and abs(peak - peak_of_first) <= ERRORS * math.hypot(error, error_of_first)
        shown = f"{final:.4f} ± {final_error:.4f}", f"{peak:.4f} ± {error:.4f}"
        rows.append((*shown, "yes" if steps and same else "NO"))
    return rows


def epidemic_limit(steps: int) -> float:
    """Return the final size of the epidemic among infinitely many agents, as a share."""
    susceptible, infected = 1 - SEEDED, SEEDED
    for _ in range(steps):
        new = susceptible * (1 - (1 - TRANSMISSION * infected) ** CONTACTS)
        susceptible, infected = susceptible - new, (infected + new) * (1 - RECOVERY)
    return 1 - susceptible


def table_of(model: str, arms: list[Arm], checks: Sequence[tuple[str, ...]]) -> Table:
    """Return the table of a model."""
    sizes = sorted({size for arm in arms for size in arm.results})
    title = "Transfer of wealth"
    measures: tuple[str, ...] = ("own nothing",)
    if model == "epidemic":
        title, measures = "Epidemic", (f"final size, {epidemic_limit(STEPS):.4f}", "peak")
    table = Table(title=f"{title}, {STEPS} steps: million agent-steps a second, one thread")
    for column in ("engine", "form", "order"):
        table.add_column(column)
    for column in (*(f"{n:,} agents" for n in sizes), "peak MB", *measures, "same work"):
        table.add_column(column, justify="right")
    for arm, check in zip(arms, checks, strict=True):
        speeds = [
            f"{n * STEPS / arm.median('seconds', n) / 1e6:.3g}"
            if n in arm.results
            else f"- ({arm.expected_seconds(n):.0f} s a run)"
            for n in sizes
        ]
        largest = max(arm.results)
        memory = f"{arm.median('bytes', largest) / 1e6:.0f}"
        if largest != sizes[-1]:
            memory += f" at {largest:,}"
        table.add_row(arm.engine, arm.form, arm.order, *speeds, memory, *check)
    return table


if __name__ == "__main__":
    main()
