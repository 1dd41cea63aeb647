"""Size and structure of the code, next to its targets: `python benchmarks/shape.py`.

Prints lines and files by folder, the length of files and functions, import circles, public names,
how many of them are typed and documented, wrong words (`wording.toml`), and how many files of the
product one search and one decision run through.
"""

import ast
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path

import networkx as nx
from rich.console import Console
from rich.table import Table
from wording import find_in_files, list_files, load_wording

from memopolis.agents.blocks.cognition import UpdateAttitudes
from memopolis.scenarios.hurricane import Hurricane

ROOT = Path(__file__).parents[1]
PRODUCT = ("sim", "agents", "scenarios", "analysis", "src/memopolis")
FOLDERS = (*PRODUCT, "sim/memory", "tests", "tools", "benchmarks")
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
    for circle in circles:
        console.print(f"Import circle of {len(circle)}: {', '.join(circle)}")
    for match in matches[:SHOWN]:
        console.print(str(match))
    if len(matches) > SHOWN:
        console.print(f"... and {len(matches) - SHOWN} more: python benchmarks/wording.py FOLDER")


def make_size_table() -> Table:
    """Build the table of lines and files by folder, and of the length of files and functions."""
    table = Table(title="Size: physical lines")
    for head in ("folder", "lines", "files", "file median", "p90", "function median", "p90"):
        table.add_column(head, justify="left" if head == "folder" else "right")
    for name, folders in (("product", PRODUCT), *((name, (name,)) for name in FOLDERS)):
        modules = load_modules(folders)
        files = [module.lines for module in modules]
        functions = [length for module in modules for length in list_function_lengths(module.tree)]
        figures = [sum(files), len(files), *spread(files), *spread(functions)]
        table.add_row(name, *(f"{figure:,}" for figure in figures))
    return table


def make_target_table(product: Sequence[Module], circles: Sequence[list[str]], words: int) -> Table:
    """Build the table of measured values and targets."""
    typed, documented, public = count_public(product)
    searched, decided = count_touched_files()
    memory = sum(module.lines for module in load_modules(["sim/memory"]))
    table = Table(title="Targets")
    for head in ("", "measured", "target"):
        table.add_column(head, justify="right" if head else "left")
    for name, measured, target in (
        ("lines of the product", sum(module.lines for module in product), 70_000),
        ("lines of sim/memory", memory, 14_000),
        ("import circles", len(circles), 0),
        ("modules in import circles", sum(map(len, circles)), 0),
        ("names that memopolis offers", len(import_module("memopolis").__all__), 55),
        ("wrong words", words, 0),
        ("files that one search runs through", searched, 10),
        ("files that one decision runs through", decided, 15),
    ):
        colour = "green" if measured <= target else "red"
        table.add_row(name, f"[{colour}]{measured:,}", f"<= {target:,}")
    for name, count in (("typed", typed), ("documented", documented)):
        table.add_row(f"{name} functions and classes without underscore", f"{count / public:.1%}")
    return table


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
    names = {module.name for module in modules}
    graph = nx.DiGraph()
    for module in modules:
        graph.add_edges_from((module.name, other) for other in list_imports(module.tree, names))
    circles = [sorted(one) for one in nx.strongly_connected_components(graph) if len(one) > 1]
    return sorted(circles, key=lambda circle: (-len(circle), circle))


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


def count_touched_files() -> tuple[int, int]:
    """Count the files of the product that one search and one decision run through.

    Both are counted in a society that has run for a day: one agent searches its memory, and the
    block that updates attitudes runs for one more day, so that every agent decides once.
    """
    society = Hurricane(agents=50, days=3, rng=1)
    for _ in range(24):
        society.step()
    agent = next(iter(society.agents))
    population = society.population("citizen")
    block = next(one for one in population.blocks if isinstance(one, UpdateAttitudes))

    def decide() -> None:
        for _ in range(24):
            society.clock.tick += 1
            block.run(population.cohort())

    search = lambda: agent.stream.search("storm", k=10)  # noqa: E731
    return len(trace_files(search)), len(trace_files(decide))


def trace_files(action: Callable[[], object]) -> list[str]:
    """Run an action twice, and list the files of the product that it enters the second time."""
    entered: set[str] = set()
    action()
    sys.setprofile(lambda frame, *_: entered.add(frame.f_code.co_filename))
    try:
        action()
    finally:
        sys.setprofile(None)
    folders = [(ROOT / folder).resolve() for folder in PRODUCT]
    files = {Path(name).resolve() for name in entered if not name.startswith("<")}
    inside = [file for file in files if any(file.is_relative_to(folder) for folder in folders)]
    return sorted(file.relative_to(ROOT).as_posix() for file in inside)


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
