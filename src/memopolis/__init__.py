"""A society that remembers: agent-based simulation with memory for every agent.

The main names are imported from here: `from memopolis import Hurricane, load_run`. Five modules
offer the rest by subject: `memopolis.errors`, `.memory`, `.minds`, `.surveys` and `.sweeps`.
Everything else is private to the package and may move.

A name is imported from its module on first access, so that `memopolis --help` does not import
Mesa, and using the memory alone does not import a scenario. Which names there are, and in which
modules, is read from the stub `__init__.pyi`, as type checkers do, when a name is first asked for.
"""

import ast
from functools import cache
from importlib import import_module
from pathlib import Path

__version__ = "0.1.0"

if not (Path(__file__).parent / "sim").is_dir():
    # Git on Windows checks out no symbolic links by default; the four folders are then at the top
    # of the repository.
    __path__.append(str(Path(__file__).parents[2]))


@cache
def _modules() -> dict[str, str]:
    """Return the module of each public name."""
    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_bytes())
    imports = [line for line in stub.body if isinstance(line, ast.ImportFrom)]
    return {name.name: str(line.module) for line in imports for name in line.names}


def __getattr__(name: str) -> object:
    if name == "__all__":
        return sorted(_modules())
    if name not in _modules():
        raise AttributeError(f"module 'memopolis' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_modules()[name]), name)
    return value


def __dir__() -> list[str]:
    return [*sorted(_modules()), "__version__"]
