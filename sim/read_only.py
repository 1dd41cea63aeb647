"""What several runs of a process share is made read-only, so that none can change another's."""

from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def read_only[T: "DataclassInstance"](shared: T) -> T:
    """Forbid writing into the arrays that a dataclass holds.

    Args:
        shared: A frozen dataclass, such as a table read once a process; its fields that are
            arrays, and dictionaries of arrays, are locked where they lie.

    Returns:
        The same object.
    """
    for field in fields(shared):
        value = getattr(shared, field.name)
        for array in value.values() if isinstance(value, dict) else (value,):
            if isinstance(array, np.ndarray):
                array.setflags(write=False)
    return shared
