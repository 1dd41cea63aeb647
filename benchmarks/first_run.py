"""From `git clone` to the first report, by phase: `python benchmarks/first_run.py [--uv]`.

Every phase is a command of the README, in a new folder with a new environment and without cached
kernels. The packages come from the index of pip, or from its cache. The last rows are a second run,
and a first run without `memopolis compile`. Elapsed time depends on what else the machine does,
processor time much less.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

REPOSITORY = Path(__file__).resolve().parents[1]
TARGET = 90.0
"""Elapsed seconds from `git clone` to the report."""
SMALL = ("--agents", "100", "--days", "1")
COUNT = """
from memopolis import Hurricane
from memopolis.sim.compilation import compilation
society = Hurricane(rng=1)
while society.running:
    society.step()
print(f"Compiled {compilation.functions} functions in {compilation.seconds:.1f} s")
"""


@dataclass(frozen=True)
class Phase:
    """A command and how long it took, in seconds."""

    name: str
    elapsed: float
    processor: float
    printed: str


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--uv", action="store_true", help="install with uv instead of pip")
    arguments = parser.parse_args()
    console = Console(width=110)
    with tempfile.TemporaryDirectory() as folder:
        phases = run_phases(Path(folder), uses_uv=arguments.uv)
    console.print(make_table(phases))
    for phase in phases:
        if " functions " in phase.printed:
            console.print(f"{phase.name}: {phase.printed}")


def run_phases(folder: Path, *, uses_uv: bool) -> list[Phase]:
    """Set the project up in a folder and run it."""
    clone = folder / "memopolis"
    venv, pip = f"{sys.executable} -m venv .venv", "python -m pip install -q -e ."
    if uses_uv:
        venv, pip = "uv venv -q .venv", "uv pip install -q -e ."
    run = ("memopolis", "run", "hurricane", "--seed", "1", "--no-report", "--out", "run")
    phases: Sequence[tuple[str, Sequence[str], Mapping[str, str]]] = (
        ("git clone", ("git", "clone", "-q", f"file://{REPOSITORY}", str(clone)), {}),
        ("environment", venv.split(), {}),
        ("installation", pip.split(), {}),
        ("compilation", ("memopolis", "compile"), {}),
        ("first run", run, {}),
        ("report", ("memopolis", "report", "run"), {}),
        ("second run, 100 agents, a day", ("memopolis", "run", "hurricane", *SMALL), {}),
        (
            "first run without compilation before",
            ("python", "-c", COUNT),
            {"NUMBA_CACHE_DIR": "empty"},
        ),
    )
    return [measure(clone, name, words, changes) for name, words, changes in phases]


def measure(clone: Path, name: str, words: Sequence[str], changes: Mapping[str, str]) -> Phase:
    """Measure a command, with the processor time of all its processes."""
    before, started = os.times(), time.perf_counter()
    printed = call(clone, words, changes).stdout.strip().splitlines()
    elapsed, after = time.perf_counter() - started, os.times()
    used = (after.children_user, after.children_system)
    processor = sum(used) - before.children_user - before.children_system
    return Phase(name, elapsed, processor, printed[-1] if printed else "")


def call(
    clone: Path, words: Sequence[str], changes: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a command in the clone, from its environment if it is there."""
    program = clone / ".venv" / "bin" / words[0]
    command = [str(program) if program.exists() else str(shutil.which(words[0])), *words[1:]]
    inherited = {k: v for k, v in os.environ.items() if k not in {"NUMBA_CACHE_DIR", "VIRTUAL_ENV"}}
    return subprocess.run(  # noqa: S603 - our own commands
        command,
        cwd=clone if clone.exists() else clone.parent,
        env=inherited | dict(changes),
        check=True,
        capture_output=True,
        text=True,
    )


def make_table(phases: Sequence[Phase]) -> Table:
    """Tabulate the phases, and their sum up to the report."""
    table = Table(title="From `git clone` to the first report, in seconds")
    for column in ("phase", "elapsed", "processor time"):
        table.add_column(column, justify="left" if column == "phase" else "right")
    upto = [phase.name for phase in phases].index("report") + 1
    for phase in phases[:upto]:
        _add(table, phase)
    table.add_section()
    total = Phase(
        f"sum (target: {TARGET:.0f} s elapsed on an idle machine)",
        sum(phase.elapsed for phase in phases[:upto]),
        sum(phase.processor for phase in phases[:upto]),
        "",
    )
    _add(table, total)
    table.add_section()
    for phase in phases[upto:]:
        _add(table, phase)
    return table


def _add(table: Table, phase: Phase) -> None:
    table.add_row(phase.name, f"{phase.elapsed:.1f}", f"{phase.processor:.1f}")


if __name__ == "__main__":
    main()
