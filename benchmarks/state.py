"""One agent per resident: `python benchmarks/state.py [PLACE] [--share S] [--recorded]`.

PLACE is a place of the package, a folder or file of zones, or the name of a state, whose ZIP areas
become the zones. The default is South Carolina. Residents live through a week around the nearest
approach of Dorian, in a process of their own. After each day the script prints the resident memory,
the peak, and processor and wall time so far. With a share below 1, figures for all residents are
extrapolated in proportion, and marked as such.
"""

import argparse
import json
import sys
import tempfile
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from own_process import measure, peak_gb, resident
from rich.console import Console
from rich.table import Table

DAYS, BEFORE = 7, 5
"""Days of the run, and days before the nearest approach at which it starts."""
TARGETS = {"South Carolina": (3_600, 24), "charleston": (300, 4)}
"""Seconds and GB."""


def main() -> None:
    """Print a row per day."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("place", nargs="?", default="South Carolina", metavar="PLACE")
    parser.add_argument("--share", type=float, default=1.0, help="share of the residents")
    parser.add_argument("--days", type=int, default=DAYS)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--recorded", action="store_true")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure:
        sys.stdout.write(json.dumps(run(json.loads(chosen.measure))))
        return
    options = {name: value for name, value in vars(chosen).items() if name != "measure"}
    show(options, measure(__file__, json.dumps(options), threads=chosen.threads))


def show(options: dict[str, Any], measured: dict[str, Any]) -> None:
    """Print what was measured, and what follows for all residents."""
    agents, share = measured["agents"], options["share"]
    kind = "recorded" if options["recorded"] else "unrecorded"
    title = f"{options['place']}: {agents:,} agents, {kind}, {options['threads']} thread(s)"
    table = Table(title=title)
    heads = ("day", "processor s", "wall s", "resident GB", "peak GB", "bytes per agent")
    for column in (*heads, "away", "evacuated"):
        table.add_column(column, justify="right")
    for day in measured["days"]:
        bytes_each = (day["resident"] - measured["base"]) / agents
        times = (f"{day[name]:,.0f}" for name in ("processor", "wall"))
        memory = (f"{day[name] / 1e9:.2f}" for name in ("resident", "peak"))
        shares = (f"{day[name]:.3f}" for name in ("away", "evacuated"))
        table.add_row(day["name"], *times, *memory, f"{bytes_each:,.0f}", *shares)
    console = Console(width=110, highlight=False)
    console.print(table)
    last = measured["days"][-1]
    rate = agents * 24 * options["days"] / (last["processor"] - measured["days"][0]["processor"])
    console.print(f"{rate:,.0f} agent-steps per second of processor time")
    if share < 1:
        seconds = last["processor"] / share
        gb = (measured["base"] + (last["peak"] - measured["base"]) / share) / 1e9
        console.print(
            f"extrapolated to all {agents / share:,.0f} residents: {seconds:,.0f} s of processor "
            f"time, {gb:.1f} GB"
        )
    if options["place"] in TARGETS:
        seconds, gb = TARGETS[options["place"]]
        console.print(f"target for all residents: at most {seconds:,} s of wall time, {gb} GB")


def run(options: dict[str, Any]) -> dict[str, Any]:
    """Build and run the society; bytes are those of this process."""
    from memopolis.scenarios.hurricane import Hurricane

    with tempfile.TemporaryDirectory() as folder:
        place = find_place(options["place"], Path(folder))
        changes: dict[str, Any] = {"place": place, "days": options["days"]}
        changes |= {"threads": options["threads"]}
        small = Hurricane(agents=500, rng=1, **changes)  # compiles and reads files
        small.run_for(30)
        landfall = small.circumstances.nearest
        assert landfall is not None, "there is no storm"
        changes["start"] = landfall - timedelta(days=BEFORE)
        base, started, wall = resident(), time.process_time(), time.perf_counter()
        everyone = Hurricane.settings_class().with_changes({"agents": "all", "place": place}).agents
        agents = round(options["share"] * everyone)
        society = Hurricane(agents=agents, rng=options["seed"], **changes)
        days: list[dict[str, Any]] = []

        def note(done: int, _all: int, date: datetime) -> None:
            if done % 24 and done:
                return
            measured = society.measured
            days.append(
                {
                    "name": "built" if not done else f"{date:%d %b}",
                    "processor": time.process_time() - started,
                    "wall": time.perf_counter() - wall,
                    "resident": resident(),
                    "peak": peak_gb() * 1e9,
                    "away": measured.get("away_share", {}).get("", 0.0),
                    "evacuated": measured.get("evacuated_share", {}).get("", 0.0),
                }
            )
            sys.stderr.write(f"{days[-1]}\n")

        note(0, 0, society.clock.now)
        if options["recorded"]:
            society.run(Path(folder) / "run", progress=note)
        else:
            for done in range(1, society.ticks + 1):
                society.step()
                note(done, society.ticks, society.clock.now)
    return {"agents": agents, "base": base, "days": days}


def find_place(place: str, folder: Path) -> str:
    """Return the setting `place`; that of a state is a folder that is built first."""
    from memopolis.scenarios.places.place_files import PLACES

    if place in PLACES or Path(place).exists():
        return place
    from memopolis.scenarios.places.new_place import Sources, build_place
    from memopolis.scenarios.places.place_folder import write_place
    from memopolis.scenarios.places.us_counties import read_counties

    table = read_counties()
    codes = table.index[table["state"] == place]
    write_place(build_place("state", Sources(counties=list(codes))), folder / "place")
    return str(folder / "place")


if __name__ == "__main__":
    main()
