"""Format values of settings as typed text and as TOML."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def text_of(value: object) -> str:
    """Format a value as typed: "none", "true", parts joined by commas, or lines of TOML."""
    if value is None or value in ((), [], {}):
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, tuple | list):
        return ",".join(map(text_of, value))
    if isinstance(value, Mapping):
        return "\n".join(toml_lines(_opened(value))).strip()
    return value.isoformat(" ", "minutes") if isinstance(value, datetime) else str(value)


def _opened(value: Any) -> Any:
    """Convert values with fields to mappings of the fields that differ from their defaults."""
    if is_dataclass(value) and not isinstance(value, type):
        plain = type(value)()
        changed = {f.name: getattr(value, f.name) for f in fields(value)}
        return {k: _opened(v) for k, v in changed.items() if v != getattr(plain, k)}
    if isinstance(value, Mapping):
        return {name: _opened(item) for name, item in value.items()}
    return value


def toml_lines(plain: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[str]:
    """Format a TOML table: its values, then the nested tables."""
    for name, value in plain.items():
        if not isinstance(value, Mapping):
            yield f"{_name(name)} = {_toml_value(value)}"
    for name, value in plain.items():
        if isinstance(value, Mapping):
            path = (*above, _name(name))
            yield from ("", f"[{'.'.join(path)}]", *toml_lines(value, path))


def _name(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name)


def _toml_value(value: object) -> str:
    # TOML has no word for "nothing"; the settings read this text as such.
    if value is None:
        return '"none"'
    if isinstance(value, bool | int | float):
        return text_of(value) if not isinstance(value, float) else repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml_value, value))}]"
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
