"""A scenario on its way to another process: by its name, or whole.

What lies in a module or a file goes by name, and the other process imports it. A society that is
defined in a notebook or at a prompt lies nowhere: it goes by value, in the bytes that cloudpickle
makes of it. Such bytes are read by the processes of one sweep only and never kept on disk.
"""

import sys
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.scenario_reference import reference_to
from memopolis.sim.society import Society

type Carried = str | bytes
"""A scenario's name, or the scenario itself."""


def carried(scenario: type[Society[Any]]) -> Carried:
    """Make of a scenario what can be sent to another process.

    Raises:
        StateError: If its class lies inside a function.
    """
    if scenario.__module__ != "__main__" or "<locals>" in scenario.__qualname__ or _has_file():
        return reference_to(scenario)
    import cloudpickle

    return cast("bytes", cloudpickle.dumps(scenario))


@lru_cache(maxsize=4)
def unpacked(scenario: Carried) -> type[Society[Any]]:
    """Find or make the scenario that was sent; a second time, give the same class.

    Raises:
        UnknownNameError: If its name is not known here.
    """
    if isinstance(scenario, str):
        return find_scenario(scenario)
    import cloudpickle

    return cast("type[Society[Any]]", cloudpickle.loads(scenario))


def _has_file() -> bool:
    """Whether the script that runs lies in a file, which other processes can load."""
    file = getattr(sys.modules["__main__"], "__file__", None)
    return file is not None and Path(file).is_file()
