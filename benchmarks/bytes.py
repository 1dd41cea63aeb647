"""Bytes per citizen of a running hurricane, by array: `python benchmarks/bytes.py [--agents N]`.

The society runs for a week, unrecorded, on one thread, in its own process. Every array that the
society reaches is counted once, under the shortest path of attributes that leads to it. Arrays of
the same path are added up. The last rows compare their sum with the resident memory of the process.
"""

import argparse
import json
import sys
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
from own_process import measure, peak_gb, resident
from rich.console import Console
from rich.markup import escape
from rich.table import Table

TARGET = 4_000
LEAST = 4.0
"""Smaller arrays are added up in one row, bytes per citizen."""
GROUPS = {
    "pages of memories": (".streams.words",),
    "merged memories": (".streams.sides",),
    "status": (".columns.",),
    "ties": (".ties.",),
    "texts, vectors and search index": (".vectors", ".index.", ".texts"),
    "emotions of the step": (".stirred", ".impulse"),
    "other arrays of blocks": (".blocks.",),
    "other arrays": ("",),
}
"""Parts of the paths of each group; an array belongs to the first that fits."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, default=50_000)
    parser.add_argument("--days", type=int, default=7)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        agents, days = map(int, arguments.measure.split(":"))
        sys.stdout.write(json.dumps(run(agents, days)))
        return
    console = Console(width=110)
    rows = measure(__file__, f"{arguments.agents}:{arguments.days}")
    table = Table(title=f"Hurricane, {arguments.agents:,} citizens after {arguments.days} days")
    for column in ("what", "bytes per citizen"):
        table.add_column(column, justify="left" if column == "what" else "right")
    totals = {name: rows.pop(name) for name in ("all arrays", "resident", "peak")}
    small = sum(value for value in rows.values() if value < LEAST)
    for name, value in sorted(rows.items(), key=lambda item: -item[1]):
        if value >= LEAST:
            table.add_row(escape(name), f"{value:,.0f}")
    table.add_row("smaller arrays", f"{small:,.0f}", end_section=True)
    for name, value in group(rows).items():
        table.add_row(name, f"{value:,.0f}")
    table.add_section()
    for name, value in totals.items():
        table.add_row(name, f"{value:,.0f}")
    console.print(table)
    console.print(f"target: at most {TARGET:,} bytes resident per citizen", highlight=False)


def group(rows: dict[str, float]) -> dict[str, float]:
    """Add up the arrays of each group."""
    sums = dict.fromkeys(GROUPS, 0.0)
    for path, value in rows.items():
        sums[next(name for name, parts in GROUPS.items() if any(p in path for p in parts))] += value
    return sums


def run(agents: int, days: int) -> dict[str, float]:
    """Run an unrecorded society and count its bytes."""
    from memopolis.scenarios.hurricane import Hurricane

    small = Hurricane(agents=1_000, rng=1)  # compiles and reads files
    small.run_for(days * 24)
    before = resident()
    society = Hurricane(agents=agents, rng=1)
    for _ in range(days * 24):
        society.step()
    rows: dict[str, float] = {}
    for path, size in arrays_of(society):
        rows[path] = rows.get(path, 0.0) + size / agents
    return rows | {
        "all arrays": sum(rows.values()),
        "resident": (resident() - before) / agents,
        "peak": (peak_gb() * 1e9 - before) / agents,
    }


def arrays_of(root: Any) -> Iterator[tuple[str, int]]:
    """Yield path and allocated bytes of each array that can be reached, once."""
    seen: set[int] = set()
    queue: deque[tuple[str, Any]] = deque([("", root)])
    while queue:
        path, item = queue.popleft()
        if id(item) in seen or isinstance(item, str | bytes | int | float | type):
            continue
        seen.add(id(item))
        if isinstance(item, np.ndarray):
            if isinstance(item.base, np.ndarray):
                queue.append((path, item.base))
                continue
            yield path, item.nbytes
        else:
            queue.extend((f"{path}{name}", inner) for name, inner in parts_of(item))


def parts_of(item: Any) -> Iterator[tuple[str, Any]]:
    """Yield what an object consists of, with names to add to its path."""
    if isinstance(item, dict):
        yield from (
            (f"[{key}]" if isinstance(key, str) else "", value) for key, value in item.items()
        )
    elif isinstance(item, list | tuple | deque):
        yield from (
            (f".{one.name}" if hasattr(one, "blocks") else "", one) for one in islice(item, 100_000)
        )
    elif type(item).__module__.startswith("memopolis"):
        slots = (name for kind in type(item).__mro__ for name in getattr(kind, "__slots__", ()))
        values = {name: getattr(item, name, None) for name in slots} | getattr(item, "__dict__", {})
        yield from ((f".{name}", value) for name, value in values.items())


if __name__ == "__main__":
    main()
