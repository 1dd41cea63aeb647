"""Compute a version of the code behind a run, so that changed code leads to new runs.

It covers Memopolis itself and the scenario: the package of the scenario, or its file and the files
it imports from the same folder, or everything it uses from the notebook that defines it.
"""

import copyreg
import dis
import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from types import CodeType, FunctionType, MemberDescriptorType, ModuleType
from typing import Any

_OWN = "memopolis"
_OWN_PARTS = ("sim", "agents", "scenarios")
_OWN_SUFFIXES = {".py", ".toml", ".csv"}
"""Code, and tables that declare settings, attributes and measures; the manifest of a run has the
hashes of the tables in folders named data."""
_PLAIN = (int, float, complex, str, bool, type(None))
_FUNCTIONS = (FunctionType, staticmethod, classmethod)
_PROTOCOL = 4  # pickle protocol used to take objects apart; later protocols hide arrays in buffers
_LOOKED_UP = frozenset(("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"))


def code_version(scenario: "type") -> str:
    """Return a hash of all code that affects the results of a scenario: 32 hexadecimal digits."""
    parts = [_own_code()]
    if not scenario.__module__.startswith(f"{_OWN}."):
        parts.append(_of_scenario(scenario))
    return hash_of("\n".join(parts).encode())


def _of_scenario(scenario: "type") -> str:
    module = sys.modules.get(scenario.__module__)
    file = getattr(module, "__file__", None)
    # A program piped into Python has a file called <stdin>.
    if module is None or file is None or not Path(file).is_file():
        return hash_of("\n".join(_Definitions(scenario.__module__).describe(scenario)).encode())
    return _module_files(scenario.__module__)


@cache
def _own_code() -> str:
    root = Path(__file__).parents[2]  # the four folders are not always below the package
    files = (file for part in _OWN_PARTS for file in (root / part).rglob("*"))
    hashed = (file for file in files if _affects_results(file, root))
    return f"{version(_OWN)} {_hash_files(root, hashed)}"


def _affects_results(file: Path, root: Path) -> bool:
    """Whether a file is code that affects results: sweeps and executors only start runs."""
    if file.suffix not in _OWN_SUFFIXES:
        return False
    parts = file.parts[len(root.parts) :]
    return "data" not in parts and parts[:2] not in {("sim", "sweep"), ("sim", "executors")}


@lru_cache(maxsize=64)
def _module_files(name: str) -> str:
    """Hash the code of a package, or the file of a module and the files it uses."""
    package, dot, _ = name.partition(".")
    if dot and getattr(sys.modules.get(package), "__file__", None):
        root = Path(sys.modules[package].__file__ or "").resolve().parent
        return _hash_files(root, root.rglob("*.py"))
    root = Path(sys.modules[name].__file__ or "").resolve().parent
    return _hash_files(root, _used_files(sys.modules[name], root))


def _used_files(module: ModuleType, root: Path) -> set[Path]:
    """Return the files below a folder that a module uses, judged by the names in it."""
    used: dict[str, Path] = {}
    waiting = [module]
    while waiting:
        one = waiting.pop()
        file = Path(getattr(one, "__file__", None) or "").resolve()
        if one.__name__ in used or root not in file.parents or _is_installed(one, file):
            continue
        used[one.__name__] = file
        for value in vars(one).values():
            home = sys.modules.get(str(getattr(value, "__module__", "")))
            home = value if isinstance(value, ModuleType) else home
            waiting += [] if home is None else [home]
    return set(used.values())


def _is_installed(module: ModuleType, file: Path) -> bool:
    """Whether a file was installed; virtual environments are often below the user's folder."""
    own = module.__name__.startswith(f"{_OWN}.") or module.__name__ == _OWN
    return own or "site-packages" in file.parts or file.suffix != ".py"


def _hash_files(root: Path, files: Iterable[Path]) -> str:
    total = hashlib.blake2b(digest_size=16)
    for file in sorted(files):
        total.update("/".join(file.parts[len(root.parts) :]).encode())
        total.update(hashlib.blake2b(file.read_bytes(), digest_size=16).digest())
    return total.hexdigest()


def hash_of(content: bytes | bytearray) -> str:
    """Return a hash of bytes as 32 hexadecimal digits."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


class _Definitions:
    """Walk through the definitions of a module without a file, from one of its classes.

    The source text is not used: a prompt has none, and comments change no results. Details that
    differ in another process are left out, too: the order of attributes, memory addresses, and
    unused names of the module.
    """

    def __init__(self, module: str, seen: Mapping[int, object] | None = None) -> None:
        self._module = module
        # Keeps references, since the id of a deleted object may be reused.
        self._seen: dict[int, object] = dict(seen or {})

    def describe(self, value: object) -> Iterator[str]:
        """Yield texts that change when the meaning of a value changes."""
        if isinstance(value, bytes | bytearray):
            yield hash_of(value)
        elif isinstance(value, _PLAIN):
            yield repr(value)
        elif isinstance(value, list | tuple):
            for item in value:
                yield from self.describe(item)
        elif isinstance(value, set | frozenset):
            items = (_Definitions(self._module, self._seen).describe(item) for item in value)
            yield from sorted("\n".join(texts) for texts in items)
        elif isinstance(value, dict):
            for pair in value.items():
                yield from self.describe(pair)
        elif id(value) not in self._seen:
            self._seen[id(value)] = value
            yield from self._of_object(value)

    def _of_object(self, value: object) -> Iterator[str]:
        if isinstance(value, staticmethod | classmethod):
            value = value.__func__
        if isinstance(value, property):
            yield from self.describe((value.fget, value.fset))
        elif isinstance(value, FunctionType):
            yield from self._of_function(value)
        elif isinstance(value, type):
            yield from self._of_class(value)
        elif isinstance(value, ModuleType):
            yield value.__name__
        else:
            yield from self._of_parts(value)

    def _of_parts(self, value: object) -> Iterator[str]:
        """Describe the parts of an object, such as a measure or an array, as `copy` sees them."""
        yield type(value).__qualname__
        if (wrapped := getattr(value, "__wrapped__", None)) is not None:
            yield from self.describe(wrapped)  # compiled or cached functions have no parts
            return
        copied: Callable[[object], Any] = copyreg.dispatch_table.get(type(value), _parts)
        try:
            parts = copied(value)
        except Exception:  # noqa: BLE001 - objects that cannot be copied raise many errors
            return
        if isinstance(parts, str):
            yield parts
            return
        function, arguments, *state = parts
        yield from self.describe((function, arguments))
        for part in state:
            yield from self.describe(list(part) if isinstance(part, Iterator) else part)

    def _of_class(self, value: type) -> Iterator[str]:
        yield f"{value.__module__}:{value.__qualname__}"
        if value.__module__ != self._module:
            return
        yield from self.describe(value.__bases__)
        for name, item in sorted(vars(value).items()):
            own = not name.startswith("__") and not isinstance(item, MemberDescriptorType)
            if own or isinstance(item, _FUNCTIONS):
                yield from (name, *self.describe(item))

    def _of_function(self, value: FunctionType) -> Iterator[str]:
        yield f"{value.__module__}:{value.__qualname__}"
        if value.__module__ != self._module:
            return
        yield from self.describe((value.__defaults__, value.__kwdefaults__))
        for cell in value.__closure__ or ():
            yield from self.describe(cell.cell_contents)
        yield from self._of_code(value.__code__, value.__globals__)

    def _of_code(self, code: CodeType, names: dict[str, Any]) -> Iterator[str]:
        yield from (code.co_code.hex(), repr((code.co_names, code.co_varnames)))
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                yield from self._of_code(constant, names)
            else:
                yield from self.describe(constant)
        for name in _globals_of(code):
            if name in names:
                yield from (name, *self.describe(names[name]))


def _parts(value: object) -> str | tuple[Any, ...]:
    return value.__reduce_ex__(_PROTOCOL)


@lru_cache(maxsize=1_024)
def _globals_of(code: CodeType) -> tuple[str, ...]:
    """Return the names that code looks up in its module, without names of attributes."""
    names = {step.argval for step in dis.get_instructions(code) if step.opname in _LOOKED_UP}
    return tuple(sorted(names))
