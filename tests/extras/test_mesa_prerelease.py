"""The society on the pre-release of the next Mesa, in an environment of its own."""

import subprocess
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NEXT = "mesa[network]>=4.0.0a0,<5"
TESTS = ("tests/sim/test_society.py", "tests/sim/test_population.py", "tests/sim/test_block.py")


@pytest.mark.extras
def test_a_society_runs_on_the_next_mesa(tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    python = str(tmp_path / "venv" / "bin" / "python")
    tools = ("pytest>=9", "hypothesis", "sybil")
    run(python, "-m", "pip", "install", "--quiet", str(ROOT), *tools)
    # Beyond what the package asks for: it promises the present Mesa only.
    run(python, "-m", "pip", "install", "--quiet", "--pre", NEXT)
    version = run(python, "-c", "import mesa; print(mesa.__version__)")
    assert version.startswith("4."), version
    run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS)


def run(*command: str) -> str:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout
