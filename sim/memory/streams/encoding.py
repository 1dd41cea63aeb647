"""How what is told about a memory becomes the small numbers it is kept as."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError, SchemaError
from memopolis.sim.memory.streams.emotion import EMOTIONS, emotion_number
from memopolis.sim.memory.streams.stream import CONTINUES, THOUGHT
from memopolis.sim.memory.streams.tags import TagNames

KINDS = {"event": 0, "thought": THOUGHT}
"""Numbers of the kinds of memories."""

KIND_BITS = 63
"""Bits of the column `kind` that hold the kind itself."""

NO_ONE = -1
"""Actor of a memory that has none."""


def fraction(name: str, value: ArrayLike) -> NDArray[np.uint8]:
    """Encode a share of 0..1 as 0..255.

    Raises:
        ParameterError: If a value lies outside 0..1 or is not a number.
    """
    values = _numbers(name, value)
    if not ((values >= 0) & (values <= 1)).all():
        raise ParameterError(f"{name} lies between 0 and 1, given {_worst(values, 0, 1)}")
    return (values * 255 + 0.5).astype(np.uint8)


def valence(value: ArrayLike) -> NDArray[np.int8]:
    """Encode a valence of -1..1 as -127..127.

    Raises:
        ParameterError: If a value lies outside -1..1 or is not a number.
    """
    values = _numbers("valence", value)
    if not ((values >= -1) & (values <= 1)).all():
        raise ParameterError(f"valence lies between -1 and 1, given {_worst(values, -1, 1)}")
    return np.floor(values * 127 + 0.5).astype(np.int8)


def _numbers(name: str, value: Any) -> NDArray[np.float64]:
    try:
        return np.asarray(value, np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} is a number, given {value!r}") from None


def _worst(values: NDArray[np.float64], low: float, high: float) -> float:
    return float(values[~((values >= low) & (values <= high))].flat[0])


def kind(value: str) -> int:
    """Number of a kind.

    Raises:
        ParameterError: If it is neither "event" nor "thought".
    """
    number = KINDS.get(value)
    if number is None:
        raise ParameterError(f"kind is {value!r}; allowed are 'event' and 'thought'")
    return number


def kind_word(code: int) -> str:
    """Name of the kind that a code holds, whatever its other bits."""
    return "thought" if code & KIND_BITS == THOUGHT else "event"


def kinds(value: str, continues: ArrayLike) -> NDArray[np.uint8]:
    """Kind with the bit that says whether the memory goes on from the one before."""
    flag = np.asarray(continues, np.bool_)
    return (kind(value) | CONTINUES * flag).astype(np.uint8)


def actors(value: Any) -> NDArray[np.int32]:
    """unique_ids of actors given as numbers, as anything that has one, or as None."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "iu":
        for one in (value.min(), value.max()) if value.size else ():
            actor(one)
        return value.astype(np.int32)
    if isinstance(value, Sequence):
        return np.array([actor(v) for v in value], np.int32)
    return np.asarray(actor(value), np.int32)


def actor(value: Any) -> int:
    """unique_id of one actor; None is -1.

    Raises:
        ParameterError: If it is neither a number of 32 bits nor has a unique_id that is one.
    """
    if value is None:
        return NO_ONE
    number = getattr(value, "unique_id", value)
    if isinstance(number, int | np.integer) and not isinstance(number, bool):
        if not -(2**31) <= number < 2**31:
            raise ParameterError(f"the unique_id of an actor has 32 bits, given {number}")
        return int(number)
    raise ParameterError(f"an actor is a unique_id or has one, given {value!r}")


def id_numbers(value: Any) -> NDArray[np.int64]:
    """Ids of memories as given, of any shape.

    Raises:
        ParameterError: If they are anything but whole numbers, such as a mask.
    """
    given = np.asarray(value)
    if given.size and given.dtype.kind not in "iu":
        raise ParameterError(f"ids of memories are whole numbers, given {value!r}")
    return given.astype(np.int64)


def places(value: Any) -> NDArray[np.int16]:
    """Indices of places, where None is -1.

    Raises:
        ParameterError: If an index does not fit 16 bits.
    """
    given = np.asarray(-1 if value is None else value)
    if given.dtype.kind not in "iu":
        raise ParameterError(f"a place is the index of a zone, given {value!r}")
    if given.size and (given.min() < -1 or given.max() > 32_767):
        raise ParameterError("the index of a place lies between -1 and 32767")
    return given.astype(np.int16)


def emotions(value: Any) -> NDArray[np.uint8]:
    """Numbers of emotion words given as a word, None, words, or an array of numbers.

    Raises:
        UnknownNameError: If a word is none of the 21.
        ParameterError: If a number is out of range.
    """
    if value is None or isinstance(value, str):
        return np.asarray(emotion_number(value), np.uint8)
    given = np.asarray(value)
    if given.dtype.kind not in "iu":
        return np.array([emotion_number(word) for word in value], np.uint8)
    if given.size and (given.min() < 0 or given.max() > len(EMOTIONS)):
        raise ParameterError(f"numbers of emotion words run from 0 to {len(EMOTIONS)}")
    return given.astype(np.uint8)


def tags(value: Any, names: TagNames) -> NDArray[np.uint16]:
    """Bits of tags, given as a name or names that hold for all, as bits, or as None.

    Raises:
        ParameterError: If bits do not fit 16, or a name would be the 17th.
    """
    if not isinstance(value, np.ndarray):
        if value is None or isinstance(value, int | str):
            return np.asarray(names.bits(value), np.uint16)
        value = list(value)
        if all(isinstance(name, str) for name in value):
            return np.asarray(names.bits(value), np.uint16)
    given = np.asarray(value)
    if given.dtype.kind not in "iu" or (given.size and (given.min() < 0 or given.max() > 65_535)):
        raise ParameterError(f"tags are names or 16 bits, from 0 to 65535, given {value!r}")
    return given.astype(np.uint16)


def ids(value: ArrayLike, agents: int) -> NDArray[np.int64]:
    """Ids of memories, given one or several an agent.

    Raises:
        ParameterError: If they are no whole numbers of shape (agents,) or (agents, k).
    """
    given = id_numbers(value)
    if given.ndim not in (1, 2) or len(given) != agents:
        raise ParameterError(
            f"ids have shape {given.shape}; ({agents},) or ({agents}, k) is needed"
        )
    return given


def decode(name: str, codes: NDArray[Any], there: NDArray[np.bool_]) -> NDArray[Any]:
    """Give a column as it is read: shares as float32, all else as int32.

    Args:
        name: Name of the column.
        codes: As they are kept; anything where there is no memory.
        there: Whether there is a memory.

    Returns:
        Shape of `codes`; nan (shares) or -1 (all else) where there is no memory.
    """
    if name == "valence":
        return np.where(there, codes / np.float32(127), np.float32(np.nan)).astype(np.float32)
    if name in ("importance", "confidence"):
        return np.where(there, codes / np.float32(255), np.float32(np.nan)).astype(np.float32)
    whole = codes.astype(np.int32)
    if name == "kind":
        whole &= KIND_BITS
    return np.where(there, whole, np.int32(-1))


def text_numbers(numbers: NDArray[Any], capacity: int) -> NDArray[np.int32]:
    """Check numbers of texts that are already interned.

    Raises:
        SchemaError: If they are not whole numbers.
        ParameterError: If a number was never given to a text.
    """
    if numbers.dtype.kind not in "iu":
        raise SchemaError(f"texts are str or text numbers, given an array of {numbers.dtype}")
    if numbers.size and (numbers.min() < 0 or numbers.max() >= capacity):
        raise ParameterError(f"text numbers lie in 0..{capacity - 1}")
    return numbers.astype(np.int32)
