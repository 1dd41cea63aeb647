"""Estimate memory and time of a run before its society is built.

    size = estimate_size(Hurricane, settings)
    check_size(Hurricane, settings)  # SettingsError if there is not enough memory

The figures per agent are measured by `benchmarks/size.py`, which prints the declaration of each
scenario's `footprint`.
"""

import math
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memopolis.sim.errors import SettingsError

if TYPE_CHECKING:
    from memopolis.sim.settings import Settings
    from memopolis.sim.society_base import SocietyBase

type SizeCheck = Callable[[type[SocietyBase[Any]], Settings], object]
"""Called with a scenario and its settings before the society is built; it may raise an error."""

SMALL_BYTES = 500e6  # runs whose agents need less memory are not checked
SMALL_SECONDS = 60.0  # shorter runs are not announced

_MOST_STEPS = 1e6  # maximum number of steps of a society


@dataclass(frozen=True)
class RunSize:
    """Estimated memory and time of simultaneous runs."""

    agents: int  # agents of each run
    runs: int  # number of simultaneous runs
    bytes: float  # peak memory of all runs
    seconds: float  # duration of each run, including building
    base: float  # bytes of each run without agents
    bytes_of_agent: float  # bytes of each agent

    @property
    def is_small(self) -> bool:
        """Whether it needs too little memory to be checked."""
        return self.agents * self.runs * self.bytes_of_agent < SMALL_BYTES

    @property
    def is_large(self) -> bool:
        """Whether it takes enough memory or time to be announced."""
        return not self.is_small or self.seconds >= SMALL_SECONDS

    def agents_within(self, available: float) -> int:
        """Return the largest number of agents per run that fits into `available` bytes."""
        return max(0, math.floor((available / self.runs - self.base) / self.bytes_of_agent))

    def __str__(self) -> str:
        each = "" if self.runs == 1 else f" for {self.runs} runs at a time"
        return f"about {_gigabytes(self.bytes)}{each} and {_duration(self.seconds)}"


def estimate_size(
    scenario: "type[SocietyBase[Any]]", settings: "Settings", *, runs: int = 1
) -> RunSize:
    """Estimate memory and time of simultaneous runs of a scenario from its `footprint`."""
    known = scenario.footprint
    steps = max(1, round(min(settings.days * 24 / settings.tick, _MOST_STEPS)))
    each = known.bytes_of_agent(steps)
    seconds = settings.agents * (known.build_seconds + known.step_seconds * steps)
    total = runs * (known.base + settings.agents * each)
    return RunSize(settings.agents, runs, total, seconds, known.base, each)


def check_size(
    scenario: "type[SocietyBase[Any]]", settings: "Settings", *, runs: int = 1, force: bool = False
) -> RunSize:
    """Refuse simultaneous runs that need more memory than is available, unless `force` is set."""
    size = estimate_size(scenario, settings, runs=runs)
    if force or size.is_small:
        return size
    available = available_memory()
    if size.bytes > available:
        of = "" if runs == 1 else f" in each of {runs} runs at a time"
        fit = size.agents_within(available)
        raise SettingsError(
            f"{size.agents:,} agents{of} need about {_gigabytes(size.bytes)} of memory, and "
            f"{_gigabytes(available)} are available; set at most {fit:,} agents"
            f"{'' if runs == 1 else ' or fewer workers'}, or --force (force=True) to try it anyway"
        )
    return size


def check_sizes(
    scenario: "type[SocietyBase[Any]]", settings: "Iterable[Settings]", *, runs: int, force: bool
) -> None:
    """Refuse runs, if as many of the largest size at a time need too much memory."""
    distinct = {id(chosen): chosen for chosen in settings}.values()
    largest = max(distinct, key=lambda chosen: estimate_size(scenario, chosen).bytes, default=None)
    if largest is not None:
        check_size(scenario, largest, runs=runs, force=force)


def _gigabytes(number: float) -> str:
    return f"{number / 1e9:,.1f} GB"


def _duration(seconds: float) -> str:
    for unit, length in (("days", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:,.0f} {unit}"
    return f"{seconds:,.0f} s"


_ROOT = Path("/")
_UNLIMITED = 2**60  # limits from here on are none: cgroups of version 1 write about 2**63


def available_memory(root: Path = _ROOT) -> int:
    """Return bytes that can still be allocated; `proc` and `sys` are mounted in `root`."""
    import psutil

    limits = [int(psutil.virtual_memory().available), *_left_in_groups(root), *_left_of_process()]
    return max(0, min(limits))


def _left_in_groups(root: Path) -> Iterator[int]:
    """Bytes left in each control group that this process belongs to; none outside of Linux."""
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers:
            top, names = root / "sys/fs/cgroup", ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            top = root / "sys/fs/cgroup/memory"
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        group = top / path.lstrip("/")
        for folder in (group, *group.parents):
            if folder.is_relative_to(top):
                yield from _left_in(folder, *names)


def _left_in(folder: Path, limit: str, used: str, reclaimable: str) -> Iterator[int]:
    most, current = _text(folder / limit).strip(), _text(folder / used).strip()
    if most.isdecimal() and current.isdecimal() and int(most) < _UNLIMITED:
        lines = (line.split() for line in _text(folder / "memory.stat").splitlines())
        # Cached files count as used, but make room as soon as memory is needed.
        freed = next((int(value) for name, value in lines if name == reclaimable), 0)
        yield int(most) - int(current) + freed


def _left_of_process() -> Iterator[int]:
    """Bytes left of a limit on this process, such as `ulimit -v`."""
    if sys.platform == "win32":
        return
    import resource

    import psutil

    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    if soft not in {resource.RLIM_INFINITY, -1}:
        yield soft - int(psutil.Process().memory_info().vms)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""
