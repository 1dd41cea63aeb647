"""Odd folders, full disks, and more agents than fit into memory."""

import json
import os
import resource
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tests.attack.case import Case, Outcome, judge
from tests.attack.commands import call, executable, start, start_process
from tests.attack.workshop import Workshop

_SMALL = ("--agents", "20", "--days", "2", "--seed", "1", "--no-report")


def _not_utf8(workshop: Workshop) -> Outcome:
    """Use a folder whose name is not UTF-8 with every command that takes a folder."""
    name = os.fsdecode(b"no \xff text")
    for to in (name, "run"):
        workshop.copy("opinions", to)
    commands = (
        ("show", name, "--agent", "1"),
        ("report", name),
        ("resume", name, "--no-report"),
        ("repeat", name, "--no-report"),
        ("repeat", "run", "--out", f"{name} 2", "--no-report"),
        ("run", "polarization", *_SMALL, "--out", f"{name} 3"),
    )
    faults = []
    for words in commands:
        result = start(*words, cwd=workshop.folder)
        actual = result.refusal_faults() if result.code else result.crash_faults()
        faults += [f"{words[0]}: {fault}" for fault in actual]
    return judge(faults, f"{len(commands)} commands, 0 tracebacks")


def _only_lock(workshop: Workshop) -> Outcome:
    """Resume and then use a folder that holds nothing but the lock of a killed run."""
    folder = workshop.folder / "run"
    folder.mkdir()
    (folder / "run.lock").touch()
    resumed = call("resume", "run", "--no-report", cwd=workshop.folder)
    used = call("run", "polarization", *_SMALL, "--out", "run", cwd=workshop.folder)
    faults = resumed.refusal_faults() + used.crash_faults()
    faults += [f"the folder cannot be used: {used.summary}"] if used.code else []
    return judge(faults, f"resume: {resumed.summary}; run: {used.summary}")


def _full_disk(workshop: Workshop) -> Outcome:
    """Run until the disk is full."""
    words = ("run", "hurricane", "--agents", "300", "--days", "14", "--seed", "1", "--no-report")
    checkpoints = ("--set", "checkpoint.every=6", "--set", "checkpoint.keep=0")
    with _small_disk(workshop.folder / "disk") as (disk, limits):
        command = [executable(), *words, *checkpoints, "--out", str(disk / "run")]
        result = start_process(command, cwd=workshop.folder, limits=limits, timeout=120)
        status = _status(disk / "run")
    faults = result.refusal_faults()
    faults += [] if status == "interrupted" else [f"the status is {status}"]
    return judge(faults, f"status {status}; {result.summary}")


def _status(run: Path) -> str:
    try:
        return str(json.loads((run / "manifest.json").read_text())["status"])
    except (OSError, ValueError, LookupError):
        return "unreadable"


@contextmanager
def _small_disk(place: Path) -> Iterator[tuple[Path, dict[int, int]]]:
    """Give a folder that is soon full, and the limits of a process that make it so.

    Root mounts a disk of 4 MB. For any other user no file may be longer than 64 KB, which the
    engine must take for the same: a write fails halfway.
    """
    place.mkdir()
    mount, unmount = shutil.which("mount"), shutil.which("umount")
    options = ("-t", "tmpfs", "-o", "size=4m", "tmpfs", str(place))
    if (
        mount is None
        or unmount is None
        or os.geteuid()
        or subprocess.run([mount, *options], check=False, capture_output=True).returncode
    ):
        yield place, {resource.RLIMIT_FSIZE: 64 * 1024}
        return
    try:
        yield place, {}
    finally:
        subprocess.run([unmount, str(place)], check=True)


def _too_many(workshop: Workshop, *, scenario: str, agents: int) -> Outcome:
    """Ask for more agents than fit into the memory of the process."""
    words = ("run", scenario, "--agents", str(agents), "--seed", "1", "--out", "run")
    limits = {resource.RLIMIT_AS: 6_000_000_000}
    result = start(*words, cwd=workshop.folder, limits=limits, timeout=60)
    faults = result.refusal_faults()
    if not faults and not ("--force" in result.stderr and "GB" in result.stderr):
        faults.append(f"no estimate and no advice: {result.summary}")
    faults += ["a folder was made"] if (workshop.folder / "run").exists() else []
    return judge(faults, f"after {result.seconds:.1f} s {result.summary}")


def _cases() -> Iterator[Case]:
    yield Case("folder names that are not UTF-8", "success or one line each", _not_utf8)
    yield Case("a folder with nothing but run.lock", "resume is refused, run uses it", _only_lock)
    yield Case("a run until the disk is full", "status interrupted, one line", _full_disk)
    for scenario, agents in (("hurricane", 2_000_000), ("polarization", 10_000_000)):
        yield Case(
            f"run {scenario} --agents {agents} where 6 GB can be had",
            "refused within 60 s, with an estimate and --force",
            partial(_too_many, scenario=scenario, agents=agents),
        )


CASES = list(_cases())
