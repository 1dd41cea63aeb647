"""The society on the pre-release of the next Mesa, in an environment with a Mesa of its own."""

import subprocess
import sysconfig
import venv
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NEXT = "mesa[network]>=4.0.0a0,<5"
TESTS = ("tests/sim/test_society.py", "tests/sim/test_population.py", "tests/sim/test_block.py")


@pytest.mark.extras
def test_a_society_runs_on_the_next_mesa(tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", symlinks=True, with_pip=find_spec("pip") is None)
    python = str(tmp_path / "venv" / "bin" / "python")
    # All but Mesa is taken from the environment that runs the tests, compiled kernels too.
    (site,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    ours = sysconfig.get_path("purelib")
    (site / "ours.pth").write_text(f"import site; site.addsitedir({ours!r})\n")
    # Beyond what the package asks for: it promises the present Mesa only.
    run(python, "-m", "pip", "install", "--quiet", "--pre", NEXT)
    version = run(python, "-c", "import mesa; print(mesa.__version__)")
    assert version.startswith("4."), version
    run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS)


def run(*command: str) -> str:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout
