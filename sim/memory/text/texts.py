"""Distinct texts, each stored once under a number; their changes, and caches shared by text.

Arrays of objects would need pickle, so texts are saved as one array of bytes: the number of texts,
the end of each (int64), and all texts in UTF-8.
"""

import weakref
from collections.abc import Sequence
from hashlib import blake2b
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.arguments import check_text, find_distinct
from memopolis.sim.arrays import Bools, Int32, Int64, Ints, UInt8
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.locking import new_lock
from memopolis.sim.threads import await_earlier_parts

Numbers = NDArray[np.intp]  # numbers of texts

# An object owns what it was created from, so while it exists no id in its key is reused.
_shared: "weakref.WeakValueDictionary[tuple[object, ...], object]" = weakref.WeakValueDictionary()


class Texts:
    """The distinct texts of a memory, numbered from 0 in the order in which they were interned.

    Only the newest texts can be removed; their numbers are used again, so a cache by number must
    follow the changes (see `TextChanges`). `cuts` is the first number of each removal, and
    `version` differs after a change. `lock` is held by each verb of the memories that have these
    texts.
    """

    def __init__(self, texts: Sequence[str] = ()) -> None:
        """Number some distinct texts."""
        self._texts = list(texts)
        self._numbers = {text: number for number, text in enumerate(texts)}
        if len(self._numbers) < len(self._texts):
            raise ParameterError("the texts of a memory must be distinct")
        self.cuts: list[int] = []
        self.version = (len(texts), 0)
        self._hashes = np.zeros(0, np.int64)
        self.lock = new_lock()

    def __getstate__(self) -> dict[str, object]:
        """Return what a copy needs; it gets a lock of its own."""
        return {name: value for name, value in self.__dict__.items() if name != "lock"}

    def __setstate__(self, state: dict[str, object]) -> None:
        """Restore a copy."""
        self.__dict__.update(state)
        self.lock = new_lock()

    def intern(self, text: str) -> int:
        """Return the number of a text, a str without lone surrogates; a new one if it is new."""
        try:
            number = self._numbers.get(text)
        except TypeError:  # a list or another value without a hash
            number = None
        return self._add(text) if number is None else number

    def intern_many(self, texts: Sequence[str]) -> Int32:
        """Return the numbers of many texts, interning new ones in the given order, int32."""
        if isinstance(texts, str):
            raise ParameterError(f"intern_many takes a sequence of texts, got the str {texts!r}")
        try:
            numbers = list(map(self._numbers.get, texts))
        except TypeError:  # a list or another value without a hash
            numbers = [None]
        if None in numbers:
            for text in texts:
                check_text("text", text)
            return np.array([self.intern(text) for text in texts], np.int32)
        return np.array(numbers, np.int32)

    def find_many(self, texts: Sequence[str]) -> Int32:
        """Return the numbers of texts, -1 for unknown ones, which are not interned; (texts,)."""
        known = self._numbers.get
        return np.array([known(text, -1) for text in texts], np.int32)

    def __getitem__(self, number: int) -> str:
        """Return the text of a number in use."""
        if not 0 <= number < len(self._texts):
            raise _unknown(number)
        return self._texts[number]

    def get_many(self, numbers: Sequence[int]) -> list[str]:
        """Return the texts of numbers in use."""
        texts = self._texts
        for number in (min(numbers), max(numbers)) if numbers else ():
            if not 0 <= number < len(texts):
                raise _unknown(number)
        return [texts[number] for number in numbers]

    def start_with(self, numbers: Ints, prefix: str | tuple[str, ...]) -> Bools:
        """Return whether texts begin with a prefix, or one of several; False for -1.

        Args:
            numbers: Numbers in use, or -1 for no text, of any shape.
            prefix: The beginning, or a tuple of them.

        Returns:
            An array with the shape of `numbers`.
        """
        distinct, back = find_distinct(numbers)
        begins = [number >= 0 and self[number].startswith(prefix) for number in distinct.tolist()]
        return np.asarray(np.array(begins, np.bool_)[back])

    def __len__(self) -> int:
        return len(self._texts)

    @property
    def capacity(self) -> int:
        """Number of texts: the length of an array by text number."""
        return len(self._texts)

    @property
    def all(self) -> list[str]:
        """All texts by number."""
        return list(self._texts)

    @property
    def numbers(self) -> Int32:
        """The numbers in use in ascending order, int32, shape (len(self),)."""
        return np.arange(len(self._texts), dtype=np.int32)

    def numbers_from(self, first: int) -> Numbers:
        """Return the numbers in use from one on, in ascending order."""
        return np.arange(first, len(self._texts))

    def hash_of(self, numbers: ArrayLike) -> Int64:
        """Hash texts in use by their content, reproducibly (BLAKE2b, 8 bytes), int64."""
        indices = np.asarray(numbers, np.intp)
        if indices.size and (indices.min() < 0 or indices.max() >= self.capacity):
            raise ParameterError(f"text numbers must be in 0..{self.capacity - 1}")
        new = self._texts[len(self._hashes) :]
        if new:
            digests = b"".join(blake2b(text.encode(), digest_size=8).digest() for text in new)
            self._hashes = np.append(self._hashes, np.frombuffer(digests, "<i8"))
        return self._hashes[indices]

    def drop_from(self, first: int) -> None:
        """Remove the texts with numbers from `first` on, which no memory may have."""
        if first >= self.capacity:
            return
        for text in self._texts[first:]:
            del self._numbers[text]
        del self._texts[first:]
        self._hashes = self._hashes[:first]
        self.cuts.append(first)
        self.version = (first, len(self.cuts))

    def _add(self, text: str) -> int:
        check_text("text", text)
        await_earlier_parts()
        known = self._numbers.get(text)
        if known is not None:  # an earlier part has added it
            return known
        number = len(self._texts)
        self._texts.append(text)
        self._numbers[text] = number
        self.version = (number + 1, len(self.cuts))
        return number


def _unknown(number: int) -> ParameterError:
    return ParameterError(f"no text has number {number}; see Texts.numbers")


class TextChanges:
    """Reports the changes of a `Texts` to a cache by text number."""

    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        self._version = (0, 0)

    @property
    def waiting(self) -> bool:
        """Whether texts were added or removed since the last `take`."""
        return self.texts.version != self._version

    def take(self) -> int:
        """Return the first number whose text may have changed since the last call."""
        length, cuts = self._version
        self._version = self.texts.version
        return min([length, *self.texts.cuts[cuts:]])


def lengthen[T: np.generic](values: NDArray[T], length: int, fill: float = 0) -> NDArray[T]:
    """Return an array by text number with at least a length, more than needed if it grows."""
    if length <= len(values):
        return values
    longer = np.full(max(length * 9 // 8, len(values) * 3 // 2, 64), fill, values.dtype)
    longer[: len(values)] = values
    return longer


def shared[T](kind: type[T], *parts: object) -> T:
    """Return the one object of a class created from these parts, to which it holds references."""
    key = (kind, *map(id, parts))
    known = cast("T | None", _shared.get(key))
    if known is None:
        known = _shared[key] = kind(*parts)
    return known


def pack_texts(texts: Sequence[str]) -> UInt8:
    """Encode texts as one array of bytes."""
    import pyarrow as pa

    _, edges, content = pa.array(texts, pa.large_string()).buffers()
    ends = np.frombuffer(edges, np.int64, len(texts), 8) if len(texts) else np.zeros(0, np.int64)
    length = int(ends[-1]) if len(texts) else 0
    numbers = np.concatenate([[len(texts)], ends]).astype("<i8").view(np.uint8)
    return np.concatenate([numbers, np.frombuffer(content or b"", np.uint8, length)])


def count_texts(values: UInt8) -> int:
    """Return the number of texts in an array of `pack_texts`."""
    return int(values[:8].view("<i8")[0])


def unpack_texts(values: UInt8) -> list[str]:
    """Decode the texts of `pack_texts`; ValueError says what is wrong with an invalid array."""
    import pyarrow as pa

    whole = np.array(values)
    count = count_texts(whole) if len(whole) >= 8 else -1
    if not 0 <= count < len(whole) // 8:
        raise ValueError("contains no texts: the number of texts is wrong")
    edges = whole[: 8 * (count + 1)].view("<i8").astype(np.int64)
    edges[0] = 0
    content = whole[8 * (count + 1) :]
    if edges[-1] != len(content) or (edges[1:] < edges[:-1]).any():
        raise ValueError("contains no texts: their ends are not in order")
    parts = [None, pa.py_buffer(edges), pa.py_buffer(content)]
    packed = pa.Array.from_buffers(pa.large_string(), count, parts)
    try:
        packed.validate(full=True)
    except pa.ArrowInvalid:
        raise ValueError("contains a text that is not UTF-8") from None
    texts: list[str] = packed.to_pylist()
    return texts
