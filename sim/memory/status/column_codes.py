"""From values to what a column of a status holds: numbers of its type, or JSON text."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError, SchemaError
from memopolis.sim.memory.status.json_values import to_json
from memopolis.sim.memory.status.schema import Attribute

_WIDE = ("i4", "i8", "f4", "f8")
_FLOATS, _INTS = 1e38, 2**31 - 1
"""Numbers that any of these columns holds."""

_OPEN: dict[str, tuple[type, ...]] = {
    "list": (list, tuple),
    "set": (set, frozenset),
    "dict": (Mapping,),
}


def numbers(attribute: Attribute, value: Any, agents: int | None) -> Any:
    """Numbers as their column holds them.

    Args:
        attribute: Whose values they are: a float, int or bool.
        value: One number, or an array of one an agent.
        agents: For how many agents; None for one.

    Returns:
        A number, or numbers of shape (agents,).

    Raises:
        SchemaError: If a value is no number, or the column cannot hold it.
        ParameterError: If an array has another length.
    """
    if agents is None and _is_plain(attribute, value):
        return value
    try:
        given = np.asarray(value)
    except ValueError:  # lists of different lengths
        raise _unfit(attribute, value) from None
    if given.dtype.kind not in "biuf":
        raise _unfit(attribute, value)
    check_shape(attribute, given, agents)
    dtype = _dtype(attribute.dtype)
    if given.dtype == dtype or np.can_cast(given.dtype, dtype, "safe") or not given.size:
        return given
    if dtype.kind == "f":
        return _rounded(attribute, given, dtype)
    if given.dtype.kind == "f" and (
        attribute.kind == "bool" or not bool((given == np.trunc(given)).all())
    ):
        raise _unfit(attribute, value)
    low, high = _limits(dtype)
    if given.min() < low or given.max() > high:
        raise SchemaError(
            f"{attribute.name!r} holds {attribute.kind} from {low} to {high}, "
            f"given {given.min() if given.min() < low else given.max()}"
        )
    return given


def _is_plain(attribute: Attribute, value: Any) -> bool:
    """Whether a value is a plain number that surely fits: most are, and arrays take longer."""
    if type(value) is float:
        return attribute.dtype in ("f4", "f8") and -_FLOATS <= value <= _FLOATS
    if type(value) is int:
        return attribute.kind != "bool" and attribute.dtype in _WIDE and -_INTS <= value <= _INTS
    return type(value) is bool


def _rounded(
    attribute: Attribute, given: NDArray[Any], dtype: "np.dtype[Any]"
) -> NDArray[np.floating[Any]]:
    try:
        with np.errstate(over="raise"):
            return given.astype(dtype)
    except FloatingPointError:
        raise SchemaError(
            f"{attribute.name!r} holds numbers up to {np.finfo(dtype).max:g}, "
            f"given {np.abs(given).max():g}"
        ) from None


def open_values(attribute: Attribute, value: Any, agents: int | None) -> Any:
    """Lists, sets, dicts and other plain values as the JSON text they are kept as.

    Args:
        attribute: Whose values they are.
        value: One value; or, for many agents, an array of one an agent.
        agents: For how many agents; None for one.

    Returns:
        A text, or texts of shape (agents,).

    Raises:
        SchemaError: If a value is of another type than the column's.
        ParameterError: If an array has another length.
    """
    if isinstance(value, np.ndarray) and agents is not None:
        if len(np.atleast_1d(value)) != agents:
            raise ParameterError(
                f"{attribute.name!r} was given {len(np.atleast_1d(value))} values for {agents} "
                f"agents"
            )
        texts = np.empty(agents, object)
        texts[:] = [_open(attribute, item) for item in value]
        return texts
    return _open(attribute, value)


def _open(attribute: Attribute, value: Any) -> str:
    plain = value.tolist() if isinstance(value, np.ndarray) else value
    kinds = _OPEN.get(attribute.kind)
    if kinds is not None and not isinstance(plain, kinds):
        raise _unfit(attribute, value)
    return to_json(plain)


def check_shape(attribute: Attribute, values: NDArray[Any], agents: int | None) -> None:
    """Refuse an array of another length than there are agents, and an array for one agent.

    Raises:
        ParameterError: If it is one.
    """
    if values.ndim and values.shape != (agents,):
        needed = "one value" if agents is None else f"one value or shape ({agents},)"
        raise ParameterError(
            f"{attribute.name!r} was given values of shape {values.shape}; needed is {needed}"
        )


def _unfit(attribute: Attribute, value: Any) -> SchemaError:
    return SchemaError(f"{attribute.name!r} holds {attribute.kind}, not {value!r}")


@cache
def _dtype(name: str) -> "np.dtype[Any]":
    return np.dtype(name)


def _limits(dtype: "np.dtype[Any]") -> tuple[int, int]:
    if dtype.kind == "b":
        return 0, 1
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)
