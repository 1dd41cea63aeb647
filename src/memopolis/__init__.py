"""A society that remembers: agent-based simulation with memory for every agent.

The main names are imported from here: `from memopolis import Hurricane, load_run`. Five modules
offer the rest by subject: `memopolis.errors`, `.memory`, `.minds`, `.surveys` and `.sweeps`.
Everything else is private to the package and may move.

A name is imported from its module on first access, so that `memopolis --help` does not import
Mesa, and using the memory alone does not import a scenario. Which names there are, and in which
modules, is read from the stub `__init__.pyi`, as type checkers do.
"""

import ast
from importlib import import_module
from pathlib import Path

__version__ = "0.1.0"

_STUB = ast.parse(Path(__file__).with_suffix(".pyi").read_bytes())
_MODULES = {
    name.name: str(line.module)
    for line in _STUB.body
    if isinstance(line, ast.ImportFrom)
    for name in line.names
}

__all__ = sorted(_MODULES)  # noqa: PLE0605 - the stub is what type checkers read

if not (Path(__file__).parent / "sim").is_dir():
    # Git on Windows checks out no symbolic links by default; the four folders are then at the top
    # of the repository.
    __path__.append(str(Path(__file__).parents[2]))


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'memopolis' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
