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

    traced = shape.trace(call, shape.product_folders())
    assert [Path(file).name for file in traced.files] == ["appraisal.py"]
    assert traced.calls >= 1
    assert shape.trace(lambda: None, shape.product_folders()).calls == 0


def test_lines_of_other_kinds_are_counted(shape: Any) -> None:
    assert shape.count_lines(["sim"], "css") == 0
    table = BENCHMARKS / "wording.toml"
    assert shape.count_lines(["benchmarks"], "toml") >= len(table.read_text().splitlines())


def test_folders_of_the_memory_that_import_each_other_are_listed(shape: Any) -> None:
    memory = "memopolis.sim.memory"
    imports = {
        f"{memory}.night.sleep": {f"{memory}.streams.stream", f"{memory}.text.texts"},
        f"{memory}.streams.adding": {f"{memory}.night.merging", f"{memory}.streams.stream"},
        f"{memory}.text.texts": {"memopolis.sim.arrays"},
        "memopolis.sim.arrays": {f"{memory}.text.texts"},
    }
    assert shape.find_mutual_imports(imports) == [("night", "streams")]
    assert shape.count_single_importers(imports) == 2


def test_columns_may_be_used_only_by_their_owners(shape: Any) -> None:
    uses = ast.parse(
        "a = population.memory.columns.arrays['x']\n"
        "memory = population.memory\n"
        "b, c = memory._columns, self._memory.columns\n"
        "d = table.columns, memory.status"
    )
    trees = {"memopolis.agents.plans": uses, "memopolis.sim.memory.views": uses}
    assert shape.count_column_uses(trees) == 3
    product = shape.load_modules(shape.PRODUCT)
    assert shape.count_column_uses({module.name: module.tree for module in product}) == 0


def test_any_is_counted_in_signatures_only(shape: Any) -> None:
    source = "def f(a: Any, *b: dict[str, Any], c: int = 1) -> Any:\n    d: Any = a\n    return d"
    assert shape.count_any([ast.parse(source)]) == 3


def test_lines_of_imports_are_counted(shape: Any) -> None:
    source = "import a\nfrom b import (\n    c,\n    d,\n)\n\ndef f():\n    from e import g\n"
    assert shape.count_import_lines(ast.parse(source)) == 6
