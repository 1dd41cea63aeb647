"""Scenarios by name: those installed, those of a module, and those in a file of one's own.

A scenario is named by its entry point ("hurricane", group `memopolis.scenarios`), by
"package.module:Class", or by "file.py:Class".
"""

import hashlib
import importlib
import importlib.util
import sys
import traceback
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.metadata import EntryPoint, entry_points
from operator import attrgetter
from pathlib import Path
from threading import RLock
from types import ModuleType
from typing import Any, cast

from memopolis.sim.errors import StateError, UnknownNameError, did_you_mean
from memopolis.sim.society import Society

GROUP = "memopolis.scenarios"
"""Group of entry points by which packages offer their scenarios."""

_FROM_FILE = "memopolis_file_"
_LOADING = RLock()
"""Held while a file is loaded, so that no other thread takes a module that is half there."""


def scenario_names() -> dict[str, EntryPoint]:
    """The installed scenarios, sorted by name."""
    points = sorted(entry_points(group=GROUP), key=attrgetter("name"))
    return {point.name: point for point in points}


def find_scenario(name: str) -> type[Society[Any]]:
    """Find a scenario.

    Args:
        name: "hurricane", "package.module:Class", "file.py:Class", or "file.py" where the
            file defines one society.

    Raises:
        UnknownNameError: If there is none of that name, or its file or module does not load.
    """
    where, colon, attribute = name.rpartition(":")
    if not colon:
        where, attribute = (name, "") if name.endswith(".py") else ("", name)
    if where.endswith(".py"):
        return _in_module(_load_file(Path(where)), attribute, where)
    if where:
        return _in_module(_import(where), attribute, where)
    installed = scenario_names()
    if name not in installed:
        advice = did_you_mean(name, installed)
        raise UnknownNameError(
            f"no scenario is called {name!r}; {advice}there are "
            f"{', '.join(installed) or 'none'}, or name your own as file.py:Class"
        )
    return _society(installed[name].load(), name)


def reference_to(society: type[Society[Any]]) -> str:
    """Name a scenario so that `find_scenario` finds it in another process.

    Raises:
        StateError: If its class lies where no other process could find it.
    """
    module, name = society.__module__, society.__qualname__
    if "<locals>" in name:
        raise StateError(f"{name} is defined inside a function; other processes need it in a file")
    if module != "__main__" and not module.startswith(_FROM_FILE):
        return f"{module}:{name}"
    file = getattr(sys.modules[module], "__file__", None)
    if file is None:
        raise StateError(f"{name} is defined in a notebook or at a prompt; put it into a file")
    return f"{Path(file).resolve()}:{name}"


def reference_if_any(society: type[Society[Any]]) -> str:
    """As `reference_to`; "" for a class that no other process could find."""
    try:
        return reference_to(society)
    except StateError:
        return ""


def typed_name(reference: str) -> str:
    """Name a scenario as one types it.

    Args:
        reference: Module and class as a run's manifest keeps them, "package.module:Class".

    Returns:
        The name by which it is installed; "file.py:Class" for one of a file; else as given.
    """
    module, _, name = reference.partition(":")
    for known, point in scenario_names().items():
        package, _, installed = point.value.partition(":")
        if name == installed and (module == package or module.startswith(f"{package}.")):
            return known
    if module.startswith(_FROM_FILE):
        return f"{module.removeprefix(_FROM_FILE).rpartition('_')[0]}.py:{name}"
    return reference


def _in_module(module: ModuleType, attribute: str, where: str) -> type[Society[Any]]:
    own = sorted(name for name, value in vars(module).items() if _defined_in(module, value))
    if not attribute and len(own) == 1:
        attribute = own[0]
    found: Any = module
    for part in attribute.split("."):
        found = getattr(found, part, None)
    if not attribute or found is None:
        wanted = f"no {attribute}" if attribute else "no class named"
        raise UnknownNameError(
            f"{where}: {wanted}; societies there: {', '.join(own) or 'none'} (write {where}:Class)"
        )
    return _society(found, f"{where}:{attribute}")


def _society(found: Any, name: str) -> type[Society[Any]]:
    if not (isinstance(found, type) and issubclass(found, Society)):
        raise UnknownNameError(f"{name} is no scenario: a scenario is a subclass of Society")
    return found


def _defined_in(module: ModuleType, value: object) -> bool:
    is_society = isinstance(value, type) and issubclass(value, Society)
    return is_society and value.__module__ == module.__name__


def _import(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise UnknownNameError(f"no module is called {error.name!r} ({name})") from None


def _load_file(path: Path) -> ModuleType:
    """Load a file as a module; a second time, give the same module."""
    path = path.resolve()
    if not path.is_file():
        raise UnknownNameError(f"there is no file {path}; a scenario is named file.py:Class")
    digest = hashlib.blake2b(str(path).encode(), digest_size=4).hexdigest()
    name = f"{_FROM_FILE}{path.stem}_{digest}"
    with _LOADING:
        return sys.modules[name] if name in sys.modules else _loaded(name, path)


def _loaded(name: str, path: Path) -> ModuleType:
    loader = SourceFileLoader(name, str(path))
    spec = importlib.util.spec_from_loader(name, loader)
    module = sys.modules[name] = importlib.util.module_from_spec(cast("ModuleSpec", spec))
    try:
        loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise UnknownNameError(f"{path.name} does not load: {_told(error, path)}") from error
    return module


def _told(error: Exception, path: Path) -> str:
    """Type and message of an error in a user's file, with the line."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(path)]
    if isinstance(error, SyntaxError):
        lines = [error.lineno]
    where = f" in line {lines[-1]}" if lines else ""
    return f"{type(error).__name__}{where}: {error}"
