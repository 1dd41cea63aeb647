"""Create references by which other processes find the class of a scenario."""

import sys
from pathlib import Path

from memopolis.sim.errors import StateError

FROM_FILE = "memopolis_file_"  # prefix of the names of modules loaded from a file


def reference_to(society: type) -> str:
    """Return a name by which another process finds a scenario; StateError if none can."""
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
    """Return the result of `reference_to`, or "" if no other process can import the class."""
    try:
        return reference_to(society)
    except StateError:
        return ""
