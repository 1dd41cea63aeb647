"""Names by which other processes find the class of a scenario."""

import sys
from pathlib import Path

from memopolis.sim.errors import StateError

FROM_FILE = "memopolis_file_"
"""How names of modules begin that were loaded from a file of their own."""


def reference_to(society: type) -> str:
    """Name a scenario so that `find_scenario` finds it in another process.

    Raises:
        StateError: If its class lies where no other process could find it.
    """
    module, name = society.__module__, society.__qualname__
    if "<locals>" in name:
        raise StateError(f"{name} is defined inside a function; other processes need it in a file")
    if module != "__main__" and not module.startswith(FROM_FILE):
        return f"{module}:{name}"
    file = getattr(sys.modules[module], "__file__", None)
    if file is None:
        raise StateError(f"{name} is defined in a notebook or at a prompt; put it into a file")
    return f"{Path(file).resolve()}:{name}"


def reference_if_any(society: type) -> str:
    """As `reference_to`; "" for a class that no other process could find."""
    try:
        return reference_to(society)
    except StateError:
        return ""
