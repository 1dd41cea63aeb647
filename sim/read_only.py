"""Make data that runs of a process share read-only, so that no run changes it for others."""

from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def read_only[T: "DataclassInstance"](shared: T) -> T:
    """Make the arrays of a frozen dataclass, also in dictionaries, read-only, and return it."""
    for field in fields(shared):
        value = getattr(shared, field.name)
        for array in value.values() if isinstance(value, dict) else (value,):
            if isinstance(array, np.ndarray):
                array.setflags(write=False)
    return shared
