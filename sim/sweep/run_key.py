"""Compute the key of a run: a hash of everything that determines its results.

The key covers scenario, settings, random seed, the content of files named in settings, and the
version of the code. Settings that do not affect the tables, such as threads or checkpoints, and
paths of files are left out.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_origin

from pydantic import BaseModel

from memopolis.sim.run_folder.code_version import code_version, hash_of
from memopolis.sim.settings import Settings

if TYPE_CHECKING:
    from memopolis.sim.society import Society

LEFT_OUT = ("checkpoint", "threads", "parts", "executor")
"""Settings, or groups of settings, that do not affect the tables of a run."""

_DIGITS = 12
_NO_FILE = frozenset(("", "none", "default"))
_CASSETTE = ("llm", "cassette")
_PROMPTS = ("llm", "prompts")


def run_keys(scenario: "type[Society[Any]]", settings: Settings, seeds: Iterable[int]) -> list[str]:
    """Compute the keys of runs that differ in their seeds only: 12 hexadecimal digits each."""
    shared = {
        "scenario": _name(scenario),
        "settings": _settings_content(settings),
        "code": code_version(scenario),
    }
    text = json.dumps(shared, sort_keys=True, separators=(",", ":")).encode()
    return [
        hashlib.blake2b(text + f"\n{int(seed)}".encode(), digest_size=_DIGITS // 2).hexdigest()
        for seed in seeds
    ]


def _name(scenario: "type[Society[Any]]") -> str:
    """Return the name of a scenario without the path of its file."""
    module = scenario.__module__
    own = module.startswith("memopolis.")
    return f"{module}:{scenario.__qualname__}" if own else scenario.__qualname__


def _settings_content(settings: Settings) -> dict[str, Any]:
    """Return settings as JSON, with names of files replaced by hashes of their content."""
    content: dict[str, Any] = settings.model_dump(mode="json", exclude=set(LEFT_OUT))
    recorded = settings.mind != "replay" and not settings.llm.replay
    for path in _text_settings(type(settings)):
        if path == _CASSETTE and recorded:
            continue  # written by the run
        group = content
        for name in path[:-1]:
            group = group.get(name, {})
        if path[-1] in group:
            group[path[-1]] = _with_contents(group[path[-1]], folders=path == _PROMPTS)
    return content


def _with_contents(value: Any, *, folders: bool) -> Any:
    if isinstance(value, list):
        return [_with_contents(item, folders=folders) for item in value]
    if not isinstance(value, str) or value in _NO_FILE:
        return value
    path = Path(value)
    try:
        if path.is_file():
            return _content(path)
        if not (folders and path.is_dir()):
            return value
        files = sorted(file for file in path.rglob("*") if file.is_file())
        lines = (f"{file.relative_to(path).as_posix()} {_content(file)}" for file in files)
        return f"folder:{hash_of('\n'.join(lines).encode())}"
    except (OSError, ValueError):  # not a file name
        return value


def _content(path: Path) -> str:
    stat = path.stat()
    return _content_of(path.resolve(), stat.st_mtime_ns, stat.st_size)


@cache
def _content_of(path: Path, changed: int, size: int) -> str:  # noqa: ARG001 - part of the cache key
    return f"file:{hash_of(path.read_bytes())}"


@cache
def _text_settings(schema: type[BaseModel]) -> tuple[tuple[str, ...], ...]:
    """Return the names of all text settings, which could name a file."""
    return tuple(_texts_of(schema, ()))


def _texts_of(schema: type[BaseModel], group: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for name, field in schema.model_fields.items():
        kind: Any = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from _texts_of(kind, (*group, name))
        elif kind is str or str in get_args(kind) or get_origin(kind) is tuple:
            yield (*group, name)
