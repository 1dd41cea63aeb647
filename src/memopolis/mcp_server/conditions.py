"""Conditions on the status of citizens, as a client writes them: `age >= 65`."""

import operator
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError, UnknownNameError, did_you_mean

_SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "!=": operator.ne,
    "==": operator.eq,
    "=": operator.eq,
    ">": operator.gt,
    "<": operator.lt,
}
_FORM = re.compile(rf"\s*([\w.]+)\s*({'|'.join(_SIGNS)})\s*(.*?)\s*", re.DOTALL)
_LONGEST = 500
"""Maximum characters of a condition, because long blanks take minutes to match."""
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def matching(frame: pd.DataFrame, conditions: Sequence[str]) -> NDArray[np.bool_]:
    """Return which rows meet all conditions.

    Args:
        frame: One row per citizen.
        conditions: Such as "age >= 65", "evacuated = true" or "gender = female"; texts are
            compared without regard to capitals.

    Returns:
        Shape (rows,).

    Raises:
        ParameterError: If one is not of that form, or its value is not of the column's kind.
        UnknownNameError: If there is no such column.
    """
    meets = np.ones(len(frame), np.bool_)
    for condition in conditions:
        meets &= _meets(frame, condition)
    return meets


def check_attribute(frame: pd.DataFrame, name: str) -> None:
    """Check that a table of citizens has a column.

    Raises:
        UnknownNameError: If it has none of that name.
    """
    if name not in frame:
        raise UnknownNameError(
            f"no agent has an attribute {name[:80]!r}; "
            f"{did_you_mean(name[:80], map(str, frame))}there are {', '.join(map(str, frame))}"
        )


def _meets(frame: pd.DataFrame, condition: str) -> NDArray[np.bool_]:
    read = _FORM.fullmatch(condition) if len(condition) <= _LONGEST else None
    if read is None:
        raise ParameterError(
            f"{condition[:80]!r} is not a condition; write 'age >= 65' or 'zone_name = North'"
        )
    name, sign, value = read.groups()
    check_attribute(frame, name)
    column = frame[name]
    if pd.api.types.is_bool_dtype(column):
        return _compared(column, sign, _truth(name, value))
    if pd.api.types.is_numeric_dtype(column):
        return _compared(column, sign, _number(name, value))
    return _compared(column.astype(str).str.casefold(), sign, value.strip("'\"").casefold())


def _compared(column: pd.Series, sign: str, value: Any) -> NDArray[np.bool_]:
    met = _SIGNS[sign](column, value)
    return np.asarray(met.fillna(False), np.bool_)  # noqa: FBT003 - the value that is filled in


def _truth(name: str, value: str) -> bool:
    if value.casefold() not in _TRUTH:
        raise ParameterError(f"{name} must be true or false, not {value[:80]!r}")
    return _TRUTH[value.casefold()]


def _number(name: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise ParameterError(f"{name} must be a number, not {value[:80]!r}") from None
