"""Attack the installed command line and print a row for each case.

    .venv/bin/python -m tests.attack [--only FAMILY ...] [--list] [--workers 2]

Every case works in a folder of its own. The exit code is 1 if any case differs from what is
expected. Cases that need Linux (inotify, /proc) make this a command for Linux.
"""

import argparse
import shutil
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from tempfile import mkdtemp

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from tests.attack.case import Case, Outcome
from tests.attack.worker import FAMILIES, cases_of, make, prepare, run_case
from tests.attack.workshop import SHARED

WIDTH = 160


def main() -> int:
    """Run what was asked for; return the exit code."""
    asked = _arguments()
    names = asked.only or list(FAMILIES)
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, WIDTH)
    if asked.list:
        for name in names:
            for case in cases_of(name):
                console.print(f"{name}: {case.tried}", markup=False, soft_wrap=True)
        return 0
    root = Path(mkdtemp(prefix="memopolis-attack-"))
    try:
        return _attack(names, root, asked.workers, console)
    finally:
        with suppress(OSError):
            shutil.rmtree(root)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests.attack", description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=FAMILIES, metavar="FAMILY", help="families")
    parser.add_argument("--list", action="store_true", help="print the cases and end")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    return parser.parse_args()


def _attack(names: Sequence[str], root: Path, workers: int, console: Console) -> int:
    began = time.perf_counter()
    spawn = get_context("spawn")
    number, failed = 0, list[str]()
    with ProcessPoolExecutor(workers, spawn, initializer=prepare) as pool:
        needed = {run for name in names for run in FAMILIES[name].runs}
        chosen = [shared for shared in SHARED if shared.name in needed]
        for made in [pool.submit(make, shared, root) for shared in chosen]:
            made.result()
        console.print(f"{len(chosen)} runs made in {time.perf_counter() - began:.0f} s")
        submitted = {
            name: [pool.submit(run_case, name, place, root) for place in range(len(cases_of(name)))]
            for name in names
        }
        for name, outcomes in submitted.items():
            cases = cases_of(name)
            rows = zip(cases, outcomes, strict=True)
            failed += _print_family(console, FAMILIES[name].title, number, rows)
            number += len(cases)
    seconds = time.perf_counter() - began
    for line in failed:
        console.print(line, markup=False, soft_wrap=True)
    passed = number - len(failed)
    console.print(f"{number} cases, {passed} as expected, {len(failed)} not; {seconds:.0f} s")
    return 1 if failed else 0


def _print_family(
    console: Console,
    title: str,
    number: int,
    rows: Iterable[tuple[Case, Future[tuple[Outcome, float]]]],
) -> list[str]:
    """Print a table once all of its cases have ended; return a line for each that failed."""
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("No.", justify="right")
    for head in ("tried", "expected", "got"):
        table.add_column(head, overflow="fold", ratio=1)
    table.add_column("ok")
    table.add_column("s", justify="right")
    failed = []
    for place, (case, future) in enumerate(rows, start=number + 1):
        (passed, got), seconds = future.result()
        if not passed:
            failed.append(f"No. {place} failed: {case.tried}: {got}")
        verdict = "yes" if passed else "[bold red]NO[/]"
        words = map(escape, (case.tried, case.expected, got))
        table.add_row(str(place), *words, verdict, f"{seconds:.1f}")
    console.print(table)
    return failed


if __name__ == "__main__":
    sys.exit(main())
