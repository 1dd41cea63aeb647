"""The measured shape of the code is right for code whose shape is known."""

import ast
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def shape() -> Iterator[Any]:
    sys.path.insert(0, str(BENCHMARKS))
    try:
        yield importlib.import_module("shape")
    finally:
        sys.path.remove(str(BENCHMARKS))


def test_a_type_only_import_and_a_late_import_close_a_circle(shape: Any) -> None:
    sources = {
        "pkg.a": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from pkg.b import B",
        "pkg.b": "def f():\n    from pkg import c",
        "pkg.c": "import pkg.a",
        "pkg.d": "import pkg.a",
        "pkg": "",
    }
    modules = [shape.Module(Path(name), name, source) for name, source in sources.items()]
    assert shape.find_circles(modules) == [["pkg.a", "pkg.b", "pkg.c"]]


def test_no_imports_close_a_circle(shape: Any) -> None:
    assert shape.find_circles(shape.load_modules(shape.PRODUCT)) == []


def test_files_are_named_as_imports_write_them(shape: Any) -> None:
    names = {module.name for module in shape.load_modules(shape.PRODUCT)}
    assert {"memopolis", "memopolis.cli", "memopolis.sim.society", "memopolis.agents"} <= names
    assert not any("src" in name for name in names)


def test_lengths_and_public_names_are_counted(shape: Any) -> None:
    source = '''
def plain(a, b: int) -> int:
    return a + b


class Shown:
    """A class."""

    def method(self, a: int) -> int:
        """Return a."""
        return a

    def _hidden(self): ...
'''
    module = shape.Module(Path("m.py"), "m", source)
    assert shape.list_function_lengths(ast.parse(source)) == [2, 3, 1]
    assert shape.count_public([module]) == (2, 2, 3)
    assert shape.spread(list(range(1, 11))) == (6, 10)


def test_the_trace_lists_the_files_that_a_call_enters(shape: Any) -> None:
    from memopolis.agents.appraisal import update_feeling

    def call() -> None:
        update_feeling(np.zeros(1, np.float32), np.zeros(1, np.float32), gain=1, calm=0)

    assert "agents/appraisal.py" in shape.trace_files(call)
    assert shape.trace_files(lambda: None) == []
