"""Declarations of settings and status attributes by tables: one row each, in a TOML file."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from memopolis.sim.errors import SchemaError

FROM_TABLE: Any = object()
"""Value of a setting or attribute whose declaration is a row of a table."""


@cache
def read_declarations(module: str, name: str) -> dict[str, Any]:
    """Read a TOML file next to a module.

    Args:
        module: `__file__` of the module.
        name: Name of the file. Its tables are classes or groups; its rows, the arguments of `Field`
            or `attribute`.
    """
    return tomllib.loads(Path(module).with_name(name).read_text(encoding="utf-8"))


def find_rows(owner: type, table: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the rows that declare the members of a class with the value `FROM_TABLE`, by name.

    Args:
        owner: The class.
        table: Its rows by name; what has no description is ignored. Lists become tuples.

    Raises:
        SchemaError: If a member has no row, or a row no member.
    """
    rows = {
        name: {key: tuple(cell) if isinstance(cell, list) else cell for key, cell in row.items()}
        for name, row in table.items()
        if isinstance(row, dict) and "description" in row
    }
    differing = {name for name, value in vars(owner).items() if value is FROM_TABLE} ^ set(rows)
    if differing:
        raise SchemaError(
            f"{owner.__name__} and its table differ in {', '.join(sorted(differing))}"
        )
    return rows
