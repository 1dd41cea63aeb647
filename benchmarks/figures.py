"""Time the figures of the page: `python benchmarks/figures.py [--agents N]`.

Draws the map and the network of 10,000 citizens at several moments, and each chart of a run of 500
steps, as PNG. Each is measured in its own process on one thread, in seconds of processor time, so
that other work on the machine does not count. The first drawing, which arranges the network and
loads fonts, is listed separately.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from own_process import measure as measured
from rich.console import Console
from rich.table import Table

AGENTS = 10_000
DAYS, LONG_DAYS = 6, 21
TARGETS = {
    "map": ("the map", 0.4),
    "network": ("the network", 0.5),
    "chart": ("a chart of 504 steps", 0.12),
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, default=AGENTS)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        figure, _, agents = arguments.measure.partition(":")
        sys.stdout.write(json.dumps(seconds(figure, int(agents))))
        return
    table = Table(title=f"Figures of {arguments.agents:,} citizens as PNG, one thread")
    for column in ("what", "median", "first", "longest", "target"):
        table.add_column(column)
    for figure, (named, target) in TARGETS.items():
        measurement = measured(__file__, f"{figure}:{arguments.agents}")
        row = (f"{measurement[name]:.2f} s" for name in ("median", "first", "longest"))
        table.add_row(named, *row, f"<= {target:g} s")
    Console(width=100).print(table)


def seconds(figure: str, agents: int) -> dict[str, float]:
    """Time one kind of figure at several moments, seconds.

    Args:
        figure: A key of `TARGETS`.
        agents: Citizens on the map and in the network; charts do not depend on them.

    Returns:
        The median and the longest of all but the first, and the first.
    """
    spent = []
    with tempfile.TemporaryDirectory() as folder:
        for draw in _drawings(figure, agents, Path(folder) / "run"):
            started = time.process_time()
            draw()
            spent.append(time.process_time() - started)
    first, *others = spent
    return {"median": statistics.median(others), "first": first, "longest": max(others)}


def _drawings(figure: str, agents: int, folder: Path) -> Iterable[Callable[[], bytes]]:
    from memopolis import Hurricane, load_run
    from memopolis.analysis.figures.charts import chart, titles
    from memopolis.analysis.figures.network_now import network_now
    from memopolis.analysis.figures.style import as_png
    from memopolis.analysis.figures.zones_now import zones_now

    if figure == "chart":
        run = load_run(Hurricane(agents=300, days=LONG_DAYS, rng=1).run(folder))
        for title in titles(run) * 2:
            yield lambda title=title: as_png(chart(run, title))  # type: ignore[misc]
        return
    draw = {"map": zones_now, "network": network_now}[figure]
    run = load_run(Hurricane(agents=agents, days=DAYS, rng=1).run(folder))
    for step in range(24, run.ticks + 1, 12):
        moment = run.until(step)
        yield lambda moment=moment: as_png(draw(moment))  # type: ignore[misc]


if __name__ == "__main__":
    main()
