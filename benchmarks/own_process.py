"""Take measures in their own process, on one thread, for the tables of this folder."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "NUMBA_NUM_THREADS",
        "POLARS_MAX_THREADS",
    ),
    "1",
)


def measure(file: str, what: str, *, threads: int = 1) -> dict[str, Any]:
    """Take one measure: run a file of this folder with `--measure NAME` and read its JSON."""
    limits = dict.fromkeys(ONE_THREAD, str(threads))
    done = subprocess.run(  # noqa: S603 - a file of this folder
        [sys.executable, file, "--measure", what],
        env={**os.environ, **limits},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def resident() -> float:
    """Return the resident bytes of this process."""
    pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    return float(pages * os.sysconf("SC_PAGE_SIZE"))


def peak_gb() -> float:
    """Return the peak resident memory of this process, GB."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
