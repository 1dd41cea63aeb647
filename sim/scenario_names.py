"""Find scenarios by name: installed ones, in a module, or in a file.

A scenario is named by its entry point ("hurricane", group `memopolis.scenarios`), by
"package.module:Class", or by "file.py:Class".
"""

import hashlib
import importlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.metadata import EntryPoint, entry_points
from operator import attrgetter
from pathlib import Path
from threading import RLock
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeGuard, cast

from memopolis.sim.errors import UnknownNameError, did_you_mean
from memopolis.sim.scenario_reference import FROM_FILE, reference_if_any

if TYPE_CHECKING:
    from memopolis.sim.society import Society

GROUP = "memopolis.scenarios"  # group of the entry points of scenarios in packages

_OWN = "memopolis"
_LOADING = RLock()
"""Held while a file is loaded, so that no other thread uses a partly loaded module."""


def scenario_names() -> dict[str, EntryPoint]:
    """Return the installed scenarios, sorted by name."""
    points = sorted(entry_points(group=GROUP), key=attrgetter("name"))
    return {point.name: point for point in points}


def find_scenario(name: str) -> "type[Society[Any]]":
    """Find a scenario; UnknownNameError if it does not exist, or cannot be loaded.

    Its name is "hurricane", "package.module:Class", "file.py:Class", or "file.py" if the file
    defines one society.
    """
    where, colon, attribute = name.rpartition(":")
    if not colon:
        where, attribute = (name, "") if name.endswith(".py") else ("", name)
    if where.endswith(".py") and "\0" not in where:
        return _in_module(_load_file(Path(where)), attribute, where)
    if colon and not all(part.isidentifier() for part in where.split(".")):
        raise UnknownNameError(
            f"{name!r} is not a scenario: write the name of an installed one "
            f"({', '.join(scenario_names())}), package.module:Class or file.py:Class"
        )
    if where:
        with _loading(where):
            module = importlib.import_module(where)
        return _in_module(module, attribute, where)
    installed = scenario_names()
    if name not in installed:
        advice = did_you_mean(name, installed)
        raise UnknownNameError(
            f"no scenario is called {name!r}; {advice}there are "
            f"{', '.join(installed) or 'none'}, or name your own as file.py:Class"
        )
    with _loading(name):
        loaded = installed[name].load()
    return _society(loaded, name)


def installed_scenario(reference: str) -> "type[Society[Any]] | None":
    """Find the installed scenario, or None, of a reference, without importing anything else."""
    name = typed_name(reference)
    if name not in scenario_names():
        return None
    scenario = find_scenario(name)
    return scenario if reference_if_any(scenario) == reference else None


def loaded_scenario(reference: str) -> "type[Society[Any]] | None":
    """Find a scenario of a module or a file, but not of Memopolis, in the loaded modules."""
    where, _, attribute = reference.rpartition(":")
    if where.partition(".")[0] == _OWN:
        return None
    main = getattr(sys.modules["__main__"], "__file__", None)
    if main is not None and str(Path(main).resolve()) == where:
        where = "__main__"
    value: Any = sys.modules.get(_file_module(Path(where)) if where.endswith(".py") else where)
    for part in attribute.split("."):
        # Not by getattr, since a module could import something in response.
        value = vars(value).get(part) if hasattr(value, "__dict__") else None
    return value if _is_society(value) else None


def typed_name(reference: str) -> str:
    """Return the name of a scenario as typed in commands, from its reference in a manifest."""
    module, _, name = reference.partition(":")
    for known, point in scenario_names().items():
        package, _, installed = point.value.partition(":")
        if name == installed and (module == package or module.startswith(f"{package}.")):
            return known
    if module.startswith(FROM_FILE):
        return f"{module.removeprefix(FROM_FILE).rpartition('_')[0]}.py:{name}"
    return reference


def _in_module(module: ModuleType, attribute: str, where: str) -> "type[Society[Any]]":
    own = sorted(
        name
        for name, value in vars(module).items()
        if _is_society(value) and value.__module__ == module.__name__
    )
    if not attribute and len(own) == 1:
        attribute = own[0]
    member: Any = module
    for part in attribute.split("."):
        member = getattr(member, part, None)
    if not attribute or member is None:
        wanted = f"no {attribute}" if attribute else "no class named"
        raise UnknownNameError(
            f"{where}: {wanted}; societies there: {', '.join(own) or 'none'} (write {where}:Class)"
        )
    return _society(member, f"{where}:{attribute}")


def _society(value: Any, name: str) -> "type[Society[Any]]":
    if not _is_society(value):
        raise UnknownNameError(f"{name} is not a scenario: a scenario is a subclass of Society")
    return value


def _is_society(value: object) -> "TypeGuard[type[Society[Any]]]":
    # Imported here, so that commands that only read a run do not load Mesa.
    from memopolis.sim.society import Society

    return isinstance(value, type) and issubclass(value, Society)


def _load_file(path: Path) -> ModuleType:
    """Load a file as a module, once per process."""
    path = path.resolve()
    if not path.is_file():
        raise UnknownNameError(f"there is no file {path}; a scenario is named file.py:Class")
    name = _file_module(path)
    with _LOADING:
        return sys.modules[name] if name in sys.modules else _loaded(name, path)


def _file_module(path: Path) -> str:
    """Return the name of the module of a file with a resolved path."""
    digest = hashlib.blake2b(os.fsencode(path), digest_size=4).hexdigest()
    return f"{FROM_FILE}{path.stem}_{digest}"


def _loaded(name: str, path: Path) -> ModuleType:
    loader = SourceFileLoader(name, str(path))
    spec = importlib.util.spec_from_loader(name, loader)
    module = sys.modules[name] = importlib.util.module_from_spec(cast("ModuleSpec", spec))
    try:
        with _loading(path.name, path):
            loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


@contextmanager
def _loading(name: str, path: Path | None = None) -> Iterator[None]:
    """Turn errors in loading a module, or a file `path`, into an `UnknownNameError` of one line."""
    try:
        yield
    except ModuleNotFoundError as error:
        if path is not None:
            raise UnknownNameError(f"{name} does not load: {_format_error(error, path)}") from error
        raise UnknownNameError(f"no module is called {error.name!r} ({name})") from None
    except (Exception, SystemExit) as error:
        raise UnknownNameError(f"{name} does not load: {_format_error(error, path)}") from error


def _format_error(error: BaseException, path: Path | None) -> str:
    """Format the type, line and message of an error in a file of the user."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(path)]
    if isinstance(error, SyntaxError):
        lines = [error.lineno]
    where = f" in line {lines[-1]}" if lines else ""
    return f"{type(error).__name__}{where}: {error}"
