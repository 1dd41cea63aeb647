"""Memory that this process can still use: of the machine, its container and its own limits."""

import sys
from collections.abc import Iterator
from pathlib import Path

import psutil

_ROOT = Path("/")
_UNLIMITED = 2**60
"""Limits from here on are none: cgroups of version 1 write about 2**63."""


def available_memory(root: Path = _ROOT) -> int:
    """Return the bytes that can still be allocated without swapping.

    Args:
        root: Where `proc` and `sys` are mounted.
    """
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

    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    if soft not in {resource.RLIM_INFINITY, -1}:
        yield soft - int(psutil.Process().memory_info().vms)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""
