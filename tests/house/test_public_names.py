"""The public names of the package, and its import time."""

import subprocess
import sys
from collections import Counter
from importlib import import_module
from importlib.metadata import version

import pytest
from tests.public_names import PUBLIC

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


@pytest.mark.parametrize("module", PUBLIC)
def test_public_names_are_sorted_documented_and_exist(module: str) -> None:
    assert PUBLIC[module] == sorted(set(PUBLIC[module]))
    missing = [name for name in PUBLIC[module] if not getattr(import_module(module), name).__doc__]
    assert missing == []


def test_the_top_level_is_small_and_each_name_has_one_place() -> None:
    assert len(PUBLIC["memopolis"]) <= 55
    assert max(Counter(name for names in PUBLIC.values() for name in names).values()) == 1


def test_the_version_is_that_of_the_installed_package() -> None:
    assert memopolis.__version__ == version("memopolis")


def test_importing_adds_nothing_heavy_to_mesa() -> None:
    # Mesa itself imports parts of some of these, so what counts is what comes on top.
    script = f"""
import sys
import mesa
before = set(sys.modules)
from memopolis import *
from memopolis import errors, memory, minds, surveys, sweeps
new = set(sys.modules) - before
print(sorted(name for name in new if name.partition(".")[0] in {HEAVY}))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Huricane"):
        memopolis.Huricane  # type: ignore[attr-defined] # noqa: B018
