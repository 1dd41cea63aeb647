"""Kill a sweep repeatedly, continue it, and count what is lost or run twice.

A sweep with four workers is started. At random moments its first process or one of its workers is
killed by SIGKILL, and the sweep is started again by the same command. A kill counts only if the
process was alive. A completed sweep is compared with an undisturbed one of the same design, and the
next begins with another seed, until the number of kills is reached; the last sweep is completed.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np

from memopolis.analysis.run.tables import table_digests
from memopolis.sim.sweep.rows import RunRow, read_row, run_names
from memopolis.sim.sweep.saved_design import read_design

DESIGN = """
scenario = "hurricane"
replications = 4
seed = {seed}
outcomes = ["evacuated_share"]

[settings]
agents = {agents}
days = {days}
record.tables = ["memories", "agents", "decisions", "measures", "ledger", "world"]
checkpoint.every = 12

[factors]
orders = ["default", "none"]
recall = ["scored", "random", "none"]
"""
WORKERS = 4
COMMAND = [sys.executable, "-c", "from memopolis.cli import app; app()", "sweep"]


class Found(NamedTuple):
    """Results of a sweep that was killed."""

    runs: int
    lost: int
    twice: int
    resumed: int
    different: int


def start(design: Path, out: Path) -> "subprocess.Popen[bytes]":
    """Start or continue a sweep in its own session."""
    # A run whose process was killed three times counts as failed, which is right elsewhere.
    words = [str(design), "--out", str(out), "--workers", str(WORKERS), "--retry-failed"]
    return subprocess.Popen(  # noqa: S603 - our own command
        [*COMMAND, *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def begun(out: Path) -> int:
    """Count how often a process began or resumed a run."""
    return sum(read_row(out, run).tries for run in run_names(out))


def wait_until_busy(first: "subprocess.Popen[bytes]", out: Path, before: int) -> None:
    """Wait until a restarted sweep has begun a run, or is complete."""
    while first.poll() is None and begun(out) == before:
        time.sleep(0.05)


def workers(session: int) -> list[int]:
    """List the live workers of a session: processes that its first process did not start itself."""
    pids = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            stat = (folder / "stat").read_text().rpartition(")")[2].split()
            state, parent, _, own = stat[:4]
            if int(own) == session and int(parent) != session and state != "Z":
                pids.append(int(folder.name))
    return [pid for pid in pids if pid != session]


def kill_one(first: "subprocess.Popen[bytes]", rng: np.random.Generator) -> str:
    """Kill the first process or a worker; "" if it was not alive."""
    alive = workers(first.pid)
    if rng.random() < 0.3 or not alive:
        if first.poll() is not None:
            return ""
        first.kill()
        first.wait()
        return "parent"
    with suppress(ProcessLookupError):
        os.kill(alive[rng.integers(len(alive))], signal.SIGKILL)
        return "worker"
    return ""


def note_finished(out: Path, finished: dict[str, RunRow]) -> None:
    """Add the rows of runs that have succeeded since the last call."""
    for name in set(run_names(out)) - set(finished):
        row = read_row(out, name)
        if row.status == "succeeded":
            finished[name] = row


def digests(sweep: Path) -> dict[str, str]:
    """Compute a digest of every table of every run."""
    return {
        f"{run.name}/{table}": digest
        for run in sorted(sweep.glob("runs/*"))
        for table, digest in table_digests(run).items()
    }


def compared(out: Path, whole: Path, finished: dict[str, RunRow]) -> Found:
    """Compare a killed sweep, whose finished rows were noted, with an undisturbed one."""
    rows = {run.name: read_row(out, run.name) for run in read_design(whole).runs}
    one, other = digests(out), digests(whole)
    manifests = (path.read_text() for path in out.glob("runs/*/manifest.json"))
    return Found(
        len(rows),
        sum(row.status != "succeeded" for row in rows.values()),
        sum(rows[name] != row for name, row in finished.items()),
        sum('"resumed"' in text for text in manifests),
        len({name for name, _ in one.items() ^ other.items()}),
    )


def torture(folder: Path, kills: int, agents: int, days: int, seed: int) -> None:
    """Kill sweeps and print the results."""
    rng = np.random.default_rng(seed)
    done = {"parent": 0, "worker": 0}
    findings: list[Found] = []
    undisturbed = 0.0
    while sum(done.values()) < kills:
        home = folder / f"sweep-{len(findings) + 1}"
        home.mkdir()
        design = home / "design.toml"
        design.write_text(DESIGN.format(seed=seed + len(findings), agents=agents, days=days))
        began = time.perf_counter()
        if start(design, home / "whole").wait():
            raise SystemExit("the undisturbed sweep failed")
        undisturbed = time.perf_counter() - began
        out, finished = home / "killed", dict[str, RunRow]()
        running = start(design, out)
        wait_until_busy(running, out, 0)
        while sum(done.values()) < kills:
            time.sleep(rng.uniform(0.0, undisturbed / 8))
            if running.poll() is not None:
                break
            before, killed = begun(out), kill_one(running, rng)
            if not killed:
                continue
            done[killed] += 1
            note_finished(out, finished)
            if killed == "parent":
                running = start(design, out)
            # Sometimes the next kill comes while processes are starting.
            if rng.random() < 0.8:
                wait_until_busy(running, out, before)
        running.wait()  # a run may count as failed if one sweep was killed in it three times
        if start(design, out).wait():
            raise SystemExit("the sweep that was killed did not come to its end")
        findings.append(compared(out, home / "whole", finished))
        print(
            f"  sweep {len(findings)}: {undisturbed:.0f} s undisturbed, {findings[-1]}", flush=True
        )
    total = [sum(column) for column in zip(*findings, strict=True)]
    print("| kills | of the first process | of a worker | runs | resumed | lost | twice |", end="")
    print(" tables that differ |\n| --- | --- | --- | --- | --- | --- | --- | --- |")
    runs, lost, twice, resumed, different = total
    print(
        f"| {sum(done.values())} | {done['parent']} | {done['worker']} | {runs} | {resumed} "
        f"| {lost} | {twice} | {different} |"
    )
    if lost or twice or different:
        raise SystemExit(1)


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--kills", type=int, default=50)
    asked.add_argument("--agents", type=int, default=200)
    asked.add_argument("--days", type=int, default=14)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--folder", type=Path, help="where the sweeps go, and stay")
    options = asked.parse_args()
    print(f"\nA sweep of 24 runs with {WORKERS} workers, killed {options.kills} times\n")
    with tempfile.TemporaryDirectory() as spare:
        home = (options.folder or Path(spare)).resolve()
        home.mkdir(parents=True, exist_ok=True)
        torture(home, options.kills, options.agents, options.days, options.seed)
