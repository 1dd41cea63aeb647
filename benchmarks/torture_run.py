"""Kill a run at random moments, resume it, and compare it with an undisturbed one.

    python benchmarks/torture_run.py [--kills 50] [--agents 4000] [--days 14] [--seed 1]

A process runs a hurricane, records everything and writes checkpoints. It is killed by SIGKILL at a
random moment, and another resumes, until the run is complete. Then the next run begins, until the
number of kills is reached. A kill counts only if the process was alive and had begun to run. All
tables of all runs, and all memories at the end, must equal those of an undisturbed run.
"""

import argparse
import hashlib
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from memopolis import Hurricane, resume
from memopolis.analysis.run.tables import table_digests
from memopolis.sim.run_folder.manifest import read_content

TABLES = "memories,agents,decisions,measures,ledger,model_calls,world"
BEGUN = "begun"


@dataclass
class Counted:
    """Counts over the runs."""

    kills: int = 0
    too_late: int = 0
    before: int = 0
    sittings: int = 0
    runs: int = 0
    resumed_at: list[int] = field(default_factory=list)


def main() -> int:
    """Print the table; the exit code is 1 if anything differs."""
    asked = _arguments()
    if asked.sit:
        _sit(Path(asked.sit), asked)
        return 0
    with tempfile.TemporaryDirectory() as place:
        return _torture(Path(place), asked)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--agents", type=int, default=4_000)
    parser.add_argument("--days", type=float, default=14)
    parser.add_argument("--every", type=int, default=12, help="steps between checkpoints")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sit", default="")
    return parser.parse_args()


def _sit(folder: Path, asked: argparse.Namespace) -> None:
    """Run or resume; report the first step."""
    signals: list[int] = []

    def tell(done: int, *_: object) -> None:
        if not signals:
            sys.stdout.write(f"{BEGUN}\n")
            sys.stdout.flush()
        signals[:] = [done]

    if (folder / "manifest.json").exists():
        resume(folder, progress=tell)
        return
    society = Hurricane(
        agents=asked.agents,
        days=asked.days,
        rng=asked.seed,
        record={"tables": TABLES, "plans": True},
        survey={"ask": "ces_d", "every": 48},
        checkpoint={"every": asked.every},
    )
    society.run(folder, progress=tell)


def _torture(place: Path, asked: argparse.Namespace) -> int:
    rng = np.random.default_rng(asked.seed)
    straight = place / "straight"
    seconds = _undisturbed(straight, asked)
    wanted = _digests(straight)
    counted, same = Counted(), True
    while counted.kills < asked.kills:
        folder = place / f"run-{counted.runs}"
        _to_the_end(folder, asked, counted, rng, seconds)
        same &= _is_same(folder, wanted)
        counted.resumed_at += [one["step"] for one in read_content(folder).get("resumed", [])]
    _print(asked, counted, seconds, wanted, same=same)
    return 0 if same else 1


def _undisturbed(folder: Path, asked: argparse.Namespace) -> float:
    process = _start(folder, asked)
    _wait_until_begun(process)
    began = time.perf_counter()
    if process.wait():
        raise SystemExit("the undisturbed run failed")
    return time.perf_counter() - began


def _to_the_end(
    folder: Path,
    asked: argparse.Namespace,
    counted: Counted,
    rng: np.random.Generator,
    seconds: float,
) -> None:
    counted.runs += 1
    while True:
        process = _start(folder, asked)
        counted.sittings += 1
        enough = counted.kills >= asked.kills
        # Sometimes before the first step: while it is built or its state is loaded.
        early = not enough and rng.random() < 0.1
        if early:
            time.sleep(rng.uniform(0.0, 3.0))
        elif _wait_until_begun(process) and not enough:
            time.sleep(rng.uniform(0.0, seconds / 3))
        if enough:
            if process.wait():
                raise SystemExit(f"a run that was resumed failed: {folder}")
            return
        alive = process.poll() is None
        process.kill()
        code = process.wait()
        if code == 0:
            counted.too_late += 1
            return
        if not alive:
            raise SystemExit(f"a run that was resumed failed: {folder}")
        if early:
            counted.before += 1
        else:
            counted.kills += 1


def _start(folder: Path, asked: argparse.Namespace) -> "subprocess.Popen[str]":
    arguments = [f"--{name}={getattr(asked, name)}" for name in ("agents", "days", "every", "seed")]
    command = [sys.executable, __file__, "--sit", str(folder), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 - this file


def _wait_until_begun(process: "subprocess.Popen[str]") -> bool:
    return process.stdout is not None and process.stdout.readline().strip() == BEGUN


def _digests(folder: Path) -> dict[str, str]:
    kept = {
        f"memory/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted((folder / "memory").iterdir())
    }
    return table_digests(folder) | kept


def _is_same(folder: Path, wanted: dict[str, str]) -> bool:
    digests = _digests(folder)
    for name in sorted({*wanted, *digests}):
        if digests.get(name) != wanted.get(name):
            print(f"{folder.name}: {name} differs")
    left = [path.name for path in folder.rglob("*.writing")]
    if left:
        print(f"{folder.name}: {', '.join(left)} were left")
    succeeded = read_content(folder)["status"] == "succeeded"
    return digests == wanted and not left and succeeded


def _print(
    asked: argparse.Namespace,
    counted: Counted,
    seconds: float,
    wanted: dict[str, str],
    *,
    same: bool,
) -> None:
    rows = {
        "agents, steps": f"{asked.agents:,}, {asked.days * 24:.0f}",
        "seconds of a run never stopped": f"{seconds:.1f}",
        "kills that count": counted.kills,
        "kills before the first step of a sitting": counted.before,
        "runs that ended before a kill": counted.too_late,
        "sittings": counted.sittings,
        "runs brought to their end": counted.runs,
        "steps from which they were resumed": f"{len(set(counted.resumed_at))} different",
        "tables compared of each": len(wanted),
        "the same to the last bit, nothing twice": "yes" if same else "NO",
    }
    for name, value in rows.items():
        print(f"{name:42} {value}")


if __name__ == "__main__":
    sys.exit(main())
