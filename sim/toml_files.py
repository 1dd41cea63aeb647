"""Read TOML files that users write, with errors in one line."""

import tomllib
from pathlib import Path
from typing import Any

from memopolis.sim.errors import DataFileError, reason_of


def read_toml(path: Path, *, unreadable: str, invalid: str) -> tuple[str, dict[str, Any]]:
    """Return the text of a file and its parsed content.

    A DataFileError begins with `unreadable`, or with `invalid` if the file is not TOML.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        return text, tomllib.loads(text)
    except OSError as error:
        raise DataFileError(f"{unreadable}: {reason_of(error)}") from None
    except ValueError as error:  # invalid TOML or UTF-8
        raise DataFileError(f"{invalid}: {error}") from None
    except RecursionError:
        raise DataFileError(f"{invalid}: nested too deeply") from None
