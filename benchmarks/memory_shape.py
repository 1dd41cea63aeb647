"""Structure of the memory, for `shape.py`: layers, private columns, types, the path of a search."""

import ast
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from types import FrameType

from memopolis.scenarios.hurricane import Hurricane

MEMORY = "memopolis.sim.memory."
OWNERS = (MEMORY, "memopolis.sim.population")
"""Modules that may use the columns of a status, by the beginnings of their names."""

_COLUMNS = frozenset(("columns", "_columns"))


@dataclass(frozen=True)
class Trace:
    """Product files that an action runs through, and how many functions of them it calls."""

    files: tuple[str, ...]
    calls: int


def find_mutual_imports(imports: Mapping[str, set[str]]) -> list[tuple[str, str]]:
    """List the pairs of parts of the memory that import each other.

    A part is a folder, or a module beside the folders. `imports` are the modules that each module
    imports.
    """
    edges = {
        (_part_of(name), _part_of(target))
        for name, targets in imports.items()
        for target in targets
        if name.startswith(MEMORY) and target.startswith(MEMORY)
    }
    parts = sorted({part for edge in edges for part in edge})
    return [pair for pair in combinations(parts, 2) if pair in edges and pair[::-1] in edges]


def _part_of(module: str) -> str:
    return module.removeprefix(MEMORY).partition(".")[0]


def count_column_uses(trees: Mapping[str, ast.Module]) -> int:
    """Count the uses of the columns of a memory in modules that do not own them."""
    return sum(
        isinstance(node, ast.Attribute) and node.attr in _COLUMNS and _is_memory(node.value)
        for name, tree in trees.items()
        if not name.startswith(OWNERS)
        for node in ast.walk(tree)
    )


def _is_memory(node: ast.expr) -> bool:
    return (isinstance(node, ast.Name) and node.id == "memory") or (
        isinstance(node, ast.Attribute) and node.attr in {"memory", "_memory"}
    )


def count_any(trees: Sequence[ast.Module]) -> int:
    """Count `Any` in the arguments and results of functions."""
    return sum(
        isinstance(node, ast.Name) and node.id == "Any"
        for tree in trees
        for annotation in _annotations(tree)
        for node in ast.walk(annotation)
    )


def _annotations(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.arg) and node.annotation is not None:
            yield node.annotation
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is not None:
            yield node.returns


def count_single_importers(imports: Mapping[str, set[str]]) -> int:
    """Count the modules that exactly one other module imports."""
    importers = Counter(target for targets in imports.values() for target in targets)
    return sum(count == 1 for count in importers.values())


def count_import_lines(tree: ast.Module) -> int:
    """Count the physical lines of import statements."""
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
    return sum((node.end_lineno or node.lineno) - node.lineno + 1 for node in nodes)


def trace(action: Callable[[], object], folders: Sequence[Path]) -> Trace:
    """Run an action three times, and trace its calls of functions in some folders the last time.

    A query is compared with memories the first time, and with all texts the second time.
    """
    calls: Counter[str] = Counter()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            calls[frame.f_code.co_filename] += 1

    action()
    action()
    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
    inside: Counter[str] = Counter()
    for name, count in calls.items():
        file = Path(name).resolve()
        if not name.startswith("<") and any(file.is_relative_to(folder) for folder in folders):
            inside[str(file)] += count
    return Trace(tuple(sorted(inside)), inside.total())


def trace_searches(society: Hurricane, folders: Sequence[Path]) -> tuple[Trace, Trace]:
    """Trace the search of one agent, and that of all citizens together."""
    agent, cohort = next(iter(society.agents)), society.population("citizen").cohort()
    return (
        trace(lambda: agent.stream.search("storm", k=10), folders),
        trace(lambda: cohort.stream.search("storm", k=10), folders),
    )
