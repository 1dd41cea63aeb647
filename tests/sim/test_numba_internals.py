import ast
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit, types
from numba.extending import intrinsic

from memopolis.sim.numba_internals import cgutils, event, ir, trailing_zeros

ROOT = Path(__file__).parents[2]
PRODUCT = ("sim", "agents", "scenarios", "analysis", "src/memopolis")
PUBLIC = {"numba", "numba.extending"}


def list_imports(file: Path) -> set[str]:
    """Return the modules of numba and llvmlite that a file imports."""
    nodes = [*ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
    names = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    names |= {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    return {name for name in names if name.partition(".")[0] in {"numba", "llvmlite"}}


def test_only_one_file_imports_internals_of_numba() -> None:
    files = [file for folder in PRODUCT for file in (ROOT / folder).rglob("*.py")]
    importers = {str(file.relative_to(ROOT)) for file in files if not list_imports(file) <= PUBLIC}
    assert importers == {str(Path("sim", "numba_internals.py"))}


@pytest.mark.parametrize("bit", [0, 5, 63])
def test_trailing_zeros_of_a_word_are_counted(bit: int) -> None:
    @njit
    def count(word: Any) -> Any:
        return trailing_zeros(word)  # type: ignore[call-arg]

    assert count(np.uint64(1) << np.uint64(bit)) == bit


def test_intrinsics_generate_vector_code() -> None:
    def generate(lanes: int, context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        """Sum some values of an array, after a prefetch of the first."""
        kind = signature.args[0]
        data = context.make_array(kind)(context, builder, arguments[0]).data
        word = ir.IntType(32)
        place = builder.bitcast(data, cgutils.voidptr_t)
        declared = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, word, word, word])
        prefetch = cgutils.get_or_insert_function(builder.module, declared, "llvm.prefetch.p0")  # type: ignore[no-untyped-call]
        builder.call(prefetch, [place, word(0), word(3), word(1)])
        vector = ir.VectorType(context.get_value_type(kind.dtype), lanes)
        values = builder.load(builder.bitcast(data, vector.as_pointer()), align=8)
        total = builder.extract_element(values, word(0))
        for lane in range(1, lanes):
            total = builder.add(total, builder.extract_element(values, word(lane)))
        return total

    @intrinsic
    def add_up(typing_context: Any, values: Any) -> Any:  # noqa: ARG001
        return types.int64(values), partial(generate, 4)

    @njit
    def call(values: Any) -> Any:
        return add_up(values)  # type: ignore[call-arg]

    assert call(np.arange(8, dtype=np.int64)) == 0 + 1 + 2 + 3


def test_compilation_is_reported_to_listeners() -> None:
    counted = {"started": 0, "ended": 0}

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:  # noqa: ARG002
            counted["started"] += 1

        def on_end(self, event: Any) -> None:  # noqa: ARG002
            counted["ended"] += 1

    @njit
    def add(a: Any, b: Any) -> Any:
        return a + b

    listener = Listener()
    event.register("numba:compile", listener)  # type: ignore[no-untyped-call]
    try:
        assert add(1, 2) == 3
    finally:
        event.unregister("numba:compile", listener)  # type: ignore[no-untyped-call]
    assert counted == {"started": 1, "ended": 1}
