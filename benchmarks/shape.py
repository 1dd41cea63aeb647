"""Size and structure of the code, next to its targets: `python benchmarks/shape.py`.

Prints lines and files by folder and kind, the length of files and functions, import circles,
public names, how many of them are typed and documented, and wrong words (`wording.toml`). Of
sim/memory, it prints what `memory_shape.py` counts, and how many files of the product one search
and one decision run through.
"""

import ast
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path

import networkx as nx
from memory_shape import (
    Trace,
    count_any,
    count_column_uses,
    count_import_lines,
    count_single_importers,
    find_mutual_imports,
    trace,
    trace_searches,
)
from rich.console import Console
from rich.table import Table
from wording import find_in_files, list_files, load_wording

from memopolis.agents.blocks.cognition import UpdateAttitudes
from memopolis.scenarios.hurricane import Hurricane

ROOT = Path(__file__).parents[1]
PRODUCT = ("sim", "agents", "scenarios", "analysis", "src/memopolis")
FOLDERS = (*PRODUCT, "sim/memory", "tests", "tools", "benchmarks")
KINDS = ("toml", "js", "css", "html")
"""Kinds of files that are counted beside Python."""
SHOWN = 20
"""Wrong words and members of a circle that are listed."""


@dataclass(frozen=True)
class Module:
    """A Python file: its name as imports write it, and its text."""

    path: Path
    name: str
    source: str

    @cached_property
    def tree(self) -> ast.Module:
        """The parsed file."""
        return ast.parse(self.source)

    @property
    def lines(self) -> int:
        """Number of physical lines."""
        return len(self.source.splitlines())


def main() -> None:
    """Print the tables."""
    console = Console(width=100, highlight=False)
    product = load_modules(PRODUCT)
    circles = find_circles(product)
    matches = find_in_files(list_files(), load_wording())
    console.print(make_size_table())
    console.print(make_target_table(product, circles, len(matches)))
    console.print(make_memory_table(product))
    for circle in circles:
        console.print(f"Import circle of {len(circle)}: {', '.join(circle)}")
    for match in matches[:SHOWN]:
        console.print(str(match))
    if len(matches) > SHOWN:
        console.print(f"... and {len(matches) - SHOWN} more: python benchmarks/wording.py FOLDER")


def make_size_table() -> Table:
    """Build the table of lines and files by folder, and of the length of files and functions.

    Files, lengths and the first number of lines are those of Python.
    """
    table = Table(title="Size: physical lines")
    heads = ("folder", "lines", "files", "file median", "p90", "function median", "p90", *KINDS)
    for head in heads:
        table.add_column(head, justify="left" if head == "folder" else "right")
    for name, folders in (("product", PRODUCT), *((name, (name,)) for name in FOLDERS)):
        modules = load_modules(folders)
        files = [module.lines for module in modules]
        functions = [length for module in modules for length in list_function_lengths(module.tree)]
        figures = [sum(files), len(files), *spread(files), *spread(functions)]
        figures += [count_lines(folders, kind) for kind in KINDS]
        table.add_row(name, *(f"{figure:,}" for figure in figures))
    return table


def make_target_table(product: Sequence[Module], circles: Sequence[list[str]], words: int) -> Table:
    """Build the table of measured values and targets."""
    typed, documented, public = count_public(product)
    imports = map_imports(product)
    lines = sum(module.lines for module in product)
    table = Table(title="Targets")
    for head in ("", "measured", "target"):
        table.add_column(head, justify="right" if head else "left")
    for name, measured, target in (
        ("lines of the product", lines, 70_000),
        ("import circles", len(circles), 0),
        ("modules in import circles", sum(map(len, circles)), 0),
        ("names that memopolis offers", len(import_module("memopolis").__all__), 55),
        ("wrong words", words, 0),
    ):
        add_figure(table, name, measured, target)
    others = sum(count_lines(PRODUCT, kind) for kind in KINDS)
    table.add_row("lines of other kinds", f"{others:,}")
    table.add_row("modules with one importer", f"{count_single_importers(imports):,}")
    imported = sum(count_import_lines(module.tree) for module in product)
    table.add_row("lines of imports", f"{imported / lines:.1%}")
    for name, count in (("typed", typed), ("documented", documented)):
        table.add_row(f"{name} functions and classes without underscore", f"{count / public:.1%}")
    return table


def make_memory_table(product: Sequence[Module]) -> Table:
    """Build the table of sim/memory: its size and structure, and the path of a search."""
    modules = load_modules(["sim/memory"])
    pairs = find_mutual_imports(map_imports(modules))
    uses = count_column_uses({module.name: module.tree for module in product})
    society = live_a_day()
    agent, cohort = trace_searches(society, product_folders())
    table = Table(title="sim/memory", caption=", ".join(f"{a} - {b}" for a, b in pairs) or None)
    for head in ("", "measured", "target"):
        table.add_column(head, justify="right" if head else "left")
    for name, measured, target in (
        ("lines", sum(module.lines for module in modules), 12_500),
        ("pairs of folders that import each other", len(pairs), 0),
        ("uses of its columns outside", uses, 0),
        ("Any in signatures", count_any([module.tree for module in modules]), 0),
        ("files of the search of one agent", len(agent.files), 7),
        ("calls of the search of one agent", agent.calls, 80),
        ("files of the search of a cohort", len(cohort.files), 7),
        ("calls of the search of a cohort", cohort.calls, 80),
        ("files of one decision", len(trace_decision(society).files), 15),
    ):
        add_figure(table, name, measured, target)
    return table


def add_figure(table: Table, name: str, measured: int, target: int) -> None:
    """Add a row with a figure that may not exceed its target."""
    colour = "green" if measured <= target else "red"
    table.add_row(name, f"[{colour}]{measured:,}", f"<= {target:,}")


def count_lines(folders: Sequence[str], kind: str) -> int:
    """Count the physical lines of the files of a kind; links are not followed."""
    return sum(
        len(path.read_text(encoding="utf-8").splitlines())
        for folder in folders
        for path in (ROOT / folder).rglob(f"*.{kind}")
    )


def load_modules(folders: Sequence[str]) -> list[Module]:
    """Read the Python files of folders; links are not followed."""
    return [
        Module(path, name_module(path), path.read_text(encoding="utf-8"))
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*.py"))
    ]


def name_module(path: Path) -> str:
    """Return the name by which a file of this repository is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    parts = parts[1:] if parts[0] == "src" else ("memopolis", *parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def find_circles(modules: Sequence[Module]) -> list[list[str]]:
    """List import circles, the largest first.

    A circle is a strongly connected component of the graph of all imports, those under
    TYPE_CHECKING and inside functions included.
    """
    graph = nx.DiGraph(map_imports(modules))
    circles = [sorted(one) for one in nx.strongly_connected_components(graph) if len(one) > 1]
    return sorted(circles, key=lambda circle: (-len(circle), circle))


def map_imports(modules: Sequence[Module]) -> dict[str, set[str]]:
    """Return the modules among `modules` that each of them imports."""
    names = {module.name for module in modules}
    return {module.name: {*list_imports(module.tree, names)} for module in modules}


def list_imports(tree: ast.Module, names: set[str]) -> Iterator[str]:
    """List the modules among `names` that a module imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                submodule = f"{node.module}.{alias.name}"
                module = submodule if submodule in names else node.module
                if module in names:
                    yield module


def list_function_lengths(tree: ast.Module) -> list[int]:
    """List the physical lines of each function, docstrings included."""
    return [node.end_lineno - node.lineno + 1 for node in _functions(tree) if node.end_lineno]


def spread(lengths: Sequence[int]) -> tuple[int, int]:
    """Return the median and the 90th percentile."""
    deciles = statistics.quantiles(lengths, n=10) if len(lengths) > 1 else [*lengths] * 9
    return round(statistics.median(lengths)), round(deciles[-1])


def count_public(modules: Sequence[Module]) -> tuple[int, int, int]:
    """Count typed, documented and all functions and classes whose names are public."""
    typed = documented = public = 0
    for module in modules:
        functions = [one for one in _functions(module.tree) if not one.name.startswith("_")]
        classes = [
            node
            for node in ast.walk(module.tree)
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
        ]
        public += len(functions) + len(classes)
        documented += sum(ast.get_docstring(node) is not None for node in [*functions, *classes])
        typed += len(classes) + sum(_is_typed(one) for one in functions)
    return typed, documented, public


def live_a_day() -> Hurricane:
    """Return a society that has run for a day."""
    society = Hurricane(agents=50, days=3, rng=1)
    for _ in range(24):
        society.step()
    return society


def trace_decision(society: Hurricane) -> Trace:
    """Trace the block that updates attitudes for one more day, so that every agent decides once."""
    population = society.population("citizen")
    block = next(one for one in population.blocks if isinstance(one, UpdateAttitudes))

    def decide() -> None:
        for _ in range(24):
            society.clock.tick += 1
            block.run(population.cohort())

    return trace(decide, product_folders())


def product_folders() -> list[Path]:
    """Return the folders of the product."""
    return [(ROOT / folder).resolve() for folder in PRODUCT]


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _is_typed(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    bare = [one.arg for one in named if one.annotation is None and one.arg not in {"self", "cls"}]
    return function.returns is not None and not bare


if __name__ == "__main__":
    main()
