"""Declare settings and status attributes in TOML files, one row each."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from memopolis.sim.errors import SchemaError

FROM_TABLE: Any = object()
"""Placeholder for a setting that is declared in a row of a table."""


@cache
def read_declarations(module: str, name: str) -> dict[str, Any]:
    """Read the TOML file of a name next to a module, of which `__file__` is given.

    It has one table per class or group; a row contains the arguments of `Field` or `attribute`.
    """
    return tomllib.loads(Path(module).with_name(name).read_text(encoding="utf-8"))


def find_rows(owner: type, table: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the arguments in the rows that declare the members of a class with `FROM_TABLE`.

    Lists are converted to tuples. Entries of the table without a description, such as nested
    groups, are ignored. Raises SchemaError if a member has no row, or a row has no member.
    """
    rows = {
        name: {key: tuple(cell) if isinstance(cell, list) else cell for key, cell in row.items()}
        for name, row in table.items()
        if isinstance(row, dict) and "description" in row
    }
    members = {name for name, value in vars(owner).items() if value is FROM_TABLE}
    if members != set(rows):
        without_row = ", ".join(sorted(members - set(rows))) or "none"
        without_member = ", ".join(sorted(set(rows) - members)) or "none"
        raise SchemaError(
            f"{owner.__name__} and its table differ. Members without a row with a description: "
            f"{without_row}; rows without a member that is FROM_TABLE: {without_member}"
        )
    return rows
