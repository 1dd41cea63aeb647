"""What `import memopolis` offers, and what it costs."""

import ast
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import memopolis

HEAVY = (
    "matplotlib",
    "mcp",
    "nicegui",
    "numba",
    "pyarrow",
    "scipy",
    "statsmodels",
    "tokenizers",
)


def test_public_names_are_sorted_and_there() -> None:
    assert memopolis.__all__ == sorted(set(memopolis.__all__))
    assert all(hasattr(memopolis, name) for name in memopolis.__all__)


def test_every_public_name_is_known_to_type_checkers_and_has_a_home() -> None:
    source = Path(memopolis.__file__).read_text()
    checked = next(n for n in ast.parse(source).body if isinstance(n, ast.If))
    imported = {
        name.name: node.module
        for node in checked.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    homes = {name: f"memopolis.{module}" for name, module in memopolis._HOME.items()}
    assert imported == homes
    assert sorted(homes) == memopolis.__all__


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


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="Huricane"):
        memopolis.Huricane  # noqa: B018


def test_the_hurricane_is_imported_sooner_than_mesa() -> None:
    script = """
import time
started = time.process_time()
import mesa
between = time.process_time()
from memopolis import Hurricane, load_run
print((time.process_time() - between) / (between - started))
"""
    # About half of what Mesa itself takes (1 s on a slow machine); a ratio, since machines differ.
    ratios = [
        float(
            subprocess.run([sys.executable, "-c", script], check=True, capture_output=True).stdout
        )
        for _ in range(3)
    ]
    assert min(ratios) <= 0.7
