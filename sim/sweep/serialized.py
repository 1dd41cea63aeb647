"""Serialize a scenario for another process: by name, or by value.

A class defined in a module or a file is sent by name, and the other process imports it. A class
defined in a notebook or at a prompt is sent by value, pickled by cloudpickle. The pickle is only
read by the processes of the same sweep and never written to disk.
"""

import sys
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.scenario_reference import reference_to
from memopolis.sim.society import Society

type SerializedScenario = str | bytes
"""Name or pickle of a scenario."""


def serialize_scenario(scenario: type[Society[Any]]) -> SerializedScenario:
    """Serialize a scenario for another process; StateError if it is defined in a function."""
    file = getattr(sys.modules["__main__"], "__file__", None)
    has_file = file is not None and Path(file).is_file()
    if scenario.__module__ != "__main__" or "<locals>" in scenario.__qualname__ or has_file:
        return reference_to(scenario)
    import cloudpickle

    return cast("bytes", cloudpickle.dumps(scenario))


@lru_cache(maxsize=4)
def load_scenario(scenario: SerializedScenario) -> type[Society[Any]]:
    """Return the class of a serialized scenario, cached."""
    if isinstance(scenario, str):
        return find_scenario(scenario)
    import cloudpickle

    return cast("type[Society[Any]]", cloudpickle.loads(scenario))
