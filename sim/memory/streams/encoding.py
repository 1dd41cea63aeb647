"""Encode the values of a memory as small integers, and decode them; tags are bits."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.arguments import as_array, check_choice, check_text, shown
from memopolis.sim.arrays import Array, Int16, Int32, Int64, Ints, UInt8, UInt16
from memopolis.sim.errors import ParameterError, SchemaError, UnknownNameError
from memopolis.sim.memory.streams.layout import CODE_OF_ONE, COLUMNS, CONTINUES, THOUGHT

EMOTIONS = (
    "Joy", "Distress", "Resentment", "Pity", "Hope", "Fear", "Satisfaction", "Relief",
    "Disappointment", "Pride", "Admiration", "Shame", "Reproach", "Liking", "Disliking",
    "Gratitude", "Anger", "Gratification", "Remorse", "Love", "Hate",
)  # fmt: skip
"""The words; the number of a word is its index plus 1, and 0 is no emotion.

Source:
    Ortony, Clore, Collins 1988, The Cognitive Structure of Emotions, as listed by AgentSociety.
"""

EMOTION_WORDS = ("", *EMOTIONS)  # the words by number
_NUMBERS = {word: number for number, word in enumerate(EMOTION_WORDS)}


def emotion_number(word: object) -> int:
    """Return the number of one of the 21 emotion words; None and "" are 0."""
    number = _NUMBERS.get(word or "") if word is None or isinstance(word, str) else None
    if number is None:
        allowed = ", ".join(EMOTIONS)
        raise UnknownNameError(f"unknown emotion {shown(word)}; the emotions are: {allowed}")
    return number


KINDS = {"event": 0, "thought": THOUGHT}  # numbers of the kinds of memories
KIND_WORDS = tuple(KINDS)  # words of the kinds by number
KIND_BITS = 63  # bits of the column `kind` for the kind itself
IMPORTANCE = CODE_OF_ONE["importance"]  # code of an importance of 1
_LEAST = {"importance": 0, "confidence": 0, "valence": -1}  # least value of each column of shares

NO_ONE = -1  # actor of a memory without one
MOST_TAGS = 16  # bits of the column `tags`

BUILT_IN = (
    "work_hours", "late_night", "weekend", "positive", "negative", "urgent", "idle", "work",
    "travel", "company", "home", "reflection", "key",
)  # fmt: skip
"""Built-in tags: time, feeling, urgency, idleness, tasks, and what a key memory was made from."""

Tags = int | str | Iterable[str] | None


def share(name: str, value: object) -> Array | int:
    """Encode importance and confidence of 0..1 as 0..30,000 and 0..255, valence as -127..127."""
    from memopolis.sim.memory.streams.stream_kernels import encode_shares

    least, scale, dtype = _LEAST[name], CODE_OF_ONE[name], COLUMNS[name]
    if isinstance(value, float) and least <= value <= 1:  # ten times as fast as an array
        return math.floor(value * scale + 0.5)
    array = as_array(name, value, "biuf", "a number or one per agent")
    values = np.asarray(array, np.float64, order="C")
    codes = np.empty(values.shape, np.int16)
    entry = encode_shares(values.reshape(-1), float(least), float(scale), codes.reshape(-1))
    if entry < 0:
        return codes.astype(dtype)
    error = ParameterError(
        f"{name} must be between {least} and 1, given {float(values.flat[entry])}"
    )
    if values.ndim:
        error.entry = entry
    raise error


def kinds(value: object, continues: object) -> UInt8 | int:
    """Encode a kind, with the bit for a memory that continues the previous one."""
    check_choice("kind", value, KINDS)
    kind = KINDS[str(value)]
    if continues is False:
        return kind
    flags = as_array("continues", continues, "b", "True, False or one per agent")
    return np.asarray(flags * np.uint8(CONTINUES) | np.uint8(kind))


def actors(value: object) -> Int32 | int:
    """Return unique_ids of actors given as numbers, as objects with one, or as None."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "iu":
        for limit in (value.min(), value.max()) if value.size else ():
            actor(limit)
        return value.astype(np.int32)
    if isinstance(value, Sequence):
        return np.array([actor(v) for v in value], np.int32)
    return actor(value)


def actor(value: object) -> int:
    """Return the unique_id, of 32 bits, of an actor given as a number or object; -1 for None."""
    if value is None:
        return NO_ONE
    number = getattr(value, "unique_id", value)
    if isinstance(number, int | np.integer) and not isinstance(number, bool):
        if not -(2**31) <= number < 2**31:
            raise ParameterError(f"a unique_id must fit 32 bits, given {shown(number)}")
        return int(number)
    raise ParameterError(
        f"an actor must be a unique_id or an object with one, given {shown(value)}"
    )


def id_numbers(value: object) -> Int64:
    """Return ids of memories, which must be integers (not a mask), as an array of any shape."""
    return as_array("ids", value, "iu", "integers, ids of memories,").astype(np.int64)


def places(value: object) -> Int16 | int:
    """Return indices of places, integers of -1..32767; -1 for None."""
    return -1 if value is None else _check_integers("place", value, -1, 32_767, np.int16)


def emotions(value: object) -> UInt8 | int:
    """Return the numbers of emotion words given as a word, None, words, or an array of numbers."""
    if value is None or isinstance(value, str):
        return emotion_number(value)
    array = as_array("emotion", value, "iuUO", "a word, or words or numbers of emotions,")
    if array.dtype.kind not in "iu":
        words = array.tolist()
        return np.array([emotion_number(word) for word in np.atleast_1d(words).tolist()], np.uint8)
    return _check_integers("emotion", array, 0, len(EMOTIONS), np.uint8)


class TagNames:
    """Names of the tags in `all` by bit: the built-in ones, then new ones by first use."""

    def __init__(self, names: Sequence[str] = BUILT_IN) -> None:
        self.all = list(names)

    def bits(self, tags: object) -> int:
        """Return the bits of tags given as names, bits or None; declare new names, at most 16."""
        return self._bits(tags, declare=True)

    def known(self, tags: object) -> int:
        """Return the bits of known tags; an unknown name has no bit."""
        return self._bits(tags, declare=False)

    def names(self, bits: int) -> tuple[str, ...]:
        """Return the names of the tags whose bits are set."""
        return tuple(name for bit, name in enumerate(self.all) if bits >> bit & 1)

    def _bits(self, tags: object, *, declare: bool) -> int:
        if tags is None:
            return 0
        if isinstance(tags, int | np.integer):
            if not 0 <= tags < 1 << MOST_TAGS:
                raise ParameterError(f"tags must be 16 bits, 0 to 65535, given {shown(tags)}")
            return int(tags)
        if not isinstance(tags, Iterable):
            raise ParameterError(f"tags is {shown(tags)}; a name, names or bits is needed")
        names = [tags] if isinstance(tags, str) else list(tags)
        for name in names:
            check_text("a tag", name)
        if declare:
            self._declare(names)
        return sum(1 << self.all.index(name) for name in set(names) if name in self.all)

    def _declare(self, names: Sequence[str]) -> None:
        """Declare the new names, or none of them if one is invalid."""
        known = list(self.all)
        for name in names:
            if name in known:
                continue
            if not name:
                raise ParameterError("a tag is ''; a str that is not empty is needed")
            if len(known) == MOST_TAGS:
                raise ParameterError(
                    f"{name!r} would be tag {MOST_TAGS + 1}; the maximum is {MOST_TAGS}: "
                    f"{', '.join(known)}"
                )
            known.append(name)
        self.all[:] = known


def tags(value: object, names: TagNames) -> UInt16 | int:
    """Return bits of tags, at most 16, given as a name, names for all memories, bits, or None."""
    if not isinstance(value, np.ndarray):
        if value is None or isinstance(value, int | str):
            return names.bits(value)
        if not isinstance(value, Iterable):
            raise ParameterError(f"tags is {shown(value)}; a name, names or bits is needed")
        value = list(value)
        if all(isinstance(name, str) for name in value):
            return names.bits(value)
    return _check_integers("tags", value, 0, 65_535, np.uint16)


def ids(value: ArrayLike, agents: int) -> Int64:
    """Return ids of memories, integers of shape (agents,) or (agents, k)."""
    array = id_numbers(value)
    if array.ndim not in (1, 2) or len(array) != agents:
        raise ParameterError(
            f"ids have shape {array.shape}; ({agents},) or ({agents}, k) is needed"
        )
    return array


def id_table(value: Ints, agents: int) -> Ints:
    """Return ids of memories of shape (agents, k), without a copy of int32, for compiled loops."""
    is_plain = getattr(value, "dtype", None) == np.int32
    array: Ints = np.asarray(value) if is_plain else id_numbers(value)
    if array.ndim != 2 or len(array) != agents:
        raise ParameterError(f"ids have shape {array.shape}; ({agents}, k) is needed")
    return array


def text_numbers(numbers: Array, capacity: int) -> Int32:
    """Return numbers of interned texts as int32; they must be integers from 0 to capacity - 1."""
    if numbers.dtype.kind not in "iu":
        raise SchemaError(f"texts must be str or text numbers, given an array of {numbers.dtype}")
    return _check_integers("text", numbers, 0, capacity - 1, np.int32)


def _check_integers[T: np.generic](
    name: str, value: object, least: int, most: int, dtype: type[T]
) -> NDArray[T]:
    """Return integers as an array of a type; refuse anything else, and integers out of range."""
    needed = f"an integer from {least} to {most}"
    array = as_array(name, value, "iu", needed)
    if array.size and (array.min() < least or array.max() > most):
        raise ParameterError(f"{name} is {shown(value)}; {needed} is needed")
    return array.astype(dtype)
