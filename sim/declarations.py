"""Declare status attributes and other rows in TOML files."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any


@cache
def read_declarations(module: str, name: str) -> dict[str, Any]:
    """Read the TOML file of a name next to a module, of which `__file__` is given.

    It has one table per class or group; a row contains the arguments of `attribute`.
    """
    return tomllib.loads(Path(module).with_name(name).read_text(encoding="utf-8"))
