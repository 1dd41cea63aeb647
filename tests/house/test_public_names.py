"""What `import memopolis` offers, and what it costs."""

import subprocess
import sys
from importlib.metadata import version

import memopolis

HEAVY = ("matplotlib", "numba", "pyarrow", "scipy", "statsmodels", "tokenizers")


def test_public_names_are_sorted_and_there() -> None:
    assert memopolis.__all__ == sorted(set(memopolis.__all__))
    assert all(hasattr(memopolis, name) for name in memopolis.__all__)


def test_public_names_are_documented() -> None:
    bare = [name for name in memopolis.__all__ if not getattr(memopolis, name).__doc__]
    assert bare == []


def test_the_version_is_that_of_the_installed_package() -> None:
    assert memopolis.__version__ == version("memopolis")


def test_importing_adds_nothing_heavy_to_mesa() -> None:
    # Mesa itself imports parts of some of these, so what counts is what comes on top.
    script = f"""
import sys
import mesa
before = set(sys.modules)
from memopolis import *
new = set(sys.modules) - before
print(sorted(name for name in new if name.partition(".")[0] in {HEAVY}))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]"
