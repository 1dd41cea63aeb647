"""Tags and valence of a memory, read from the simulation time and from its text.

    tags     work_hours, late_night, weekend from the time; work, travel, company, home,
             reflection from the topic; positive, negative, urgent, idle from the words of the
             text
    valence  0.5 * (good - bad) / (good + bad), from the numbers of good and bad words

A text with more good than bad words is positive, with more bad than good words negative. One urgent
word makes it urgent, and a phrase such as "stayed in" makes it idle. Word lists:
`assets/word_lists.toml`.

Switch it on with `memory.extractor = ContextExtractor()`. Tags and
valence that are given with a memory are not replaced.

Source: memtool's ContextExtractor.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.arrays import Int8, Ints, UInt8, UInt16
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.text.grams import WORD_LISTS
from memopolis.sim.memory.text.pieces import split_clauses
from memopolis.sim.memory.text.texts import TextChanges, Texts, lengthen, shared

GOOD, BAD, URGENT, IDLE = 1, 2, 4, 8  # bits of a text; a word has the first three
UNREAD = 255  # mark of a text that was not read
MARKS = ("positive", "negative", "urgent", "idle")  # tags of these bits, in their order
_MOST = 63  # of 127: half of the scale, symmetric


def _bits(lists: dict[str, str]) -> dict[str, int]:
    bits: dict[str, int] = {}
    for bit, name in zip((GOOD, BAD, URGENT), MARKS[:3], strict=True):
        for word in lists[name].split():
            bits[word] = bits.get(word, 0) | bit
    return bits


ENGLISH = _bits(WORD_LISTS["english"])  # bits of each English word
CHINESE = _bits(WORD_LISTS["chinese"])  # bits of each Chinese word
_WORD = re.compile(r"[a-z]+")
_CHINESE = re.compile("|".join(sorted(CHINESE, key=lambda word: (-len(word), word))))
# `_count_words` searches only where parts of these words are, since it takes longer than the rest.
# Generative agents leave out events that are described as idle; here also rest at home.
_IDLE = re.compile(
    r"\b(?:idle|idly|idled|idling|stayed in|rested for a while|did nothing)\b|无所事事|发呆|闲着",
    re.IGNORECASE,
)


def count_words(text: str) -> tuple[int, int, int]:
    """Count the good and the bad words of a text; return also its bits URGENT and IDLE."""
    good, bad, bits = 0, 0, 0
    for sentence in split_clauses(text):
        count = _count_cached if len(sentence) <= _LONGEST_CACHED else _count_words
        counts = count(sentence)
        good, bad, bits = good + counts[0], bad + counts[1], bits | counts[2]
    return good, bad, bits


def _count_words(text: str) -> tuple[int, int, int]:
    lower = text.lower()
    words = [ENGLISH[word] for word in filter(ENGLISH.__contains__, _WORD.findall(lower))]
    may_be_idle = "idl" in lower or "stay" in lower or "rest" in lower or "did n" in lower
    if not text.isascii():
        may_be_idle = True
        words += [CHINESE[word] for word in _CHINESE.findall(text)]
    good = sum([bits & GOOD for bits in words])
    bad = sum([bits & BAD for bits in words]) // BAD
    urgent = any(bits & URGENT for bits in words)
    is_idle = may_be_idle and _IDLE.search(text) is not None
    return good, bad, URGENT * urgent | IDLE * is_idle


_count_cached = lru_cache(4_096)(_count_words)  # sentences are often repeated
_LONGEST_CACHED = 100


def valence(good: int, bad: int) -> float:
    """Compute valence from numbers of words: -0.5 (all bad) to 0.5 (all good), 0 for none."""
    return 0.5 * (good - bad) / (good + bad) if good + bad else 0.0


@lru_cache(16_384)  # queries are often repeated
def mark_of(text: str) -> int:
    """Return the bits of a text."""
    return mark(*count_words(text))


def mark(good: int, bad: int, bits: int) -> int:
    """Return the bits of a text with these numbers of words and further bits."""
    return GOOD * (good > bad) | BAD * (bad > good) | bits


@lru_cache(4_096)
def _rate(good: int, bad: int, bits: int) -> tuple[int, int]:
    """Return bits and valence, in -63..63, of a text with these numbers of words."""
    size = min(_MOST, int(abs(valence(good, bad)) * 127 + 0.5))
    return mark(good, bad, bits), size if good > bad else -size


class Feelings:
    """Sentiment and urgency of the texts of a `Texts`, each text read when first requested.

    By number of a text, `marks` are its bits GOOD, BAD, URGENT and IDLE, `UNREAD` before it was
    read, and `valence` is in -63..63.
    """

    def __init__(self, texts: Texts) -> None:
        """Create an empty cache of `texts`."""
        self._changes = TextChanges(texts)
        self.marks = np.zeros(0, np.uint8)
        self.valence = np.zeros(0, np.int8)

    def of(self, numbers: NDArray[np.intp]) -> tuple[UInt8, Int8]:
        """Return marks and valence of texts, of the shape of their numbers."""
        if self._changes.waiting:
            first, texts = self._changes.take(), self._changes.texts
            self.marks = lengthen(self.marks, len(texts), UNREAD)
            self.valence = lengthen(self.valence, len(texts))
            self.marks[first:] = UNREAD
        unread = numbers[self.marks[numbers] == UNREAD]
        for number in set(unread.tolist()):
            counts = count_words(self._changes.texts[number])
            self.marks[number], self.valence[number] = _rate(*counts)
        return self.marks[numbers], self.valence[numbers]

    def of_one(self, number: int) -> tuple[int, int]:
        """Return mark and valence of a text, without arrays: every `add` of a loop reads one."""
        if self._changes.waiting or self.marks.item(number) == UNREAD:
            self.of(np.array([number]))
        return self.marks.item(number), self.valence.item(number)


# Tag of each topic.
TASKS = {
    "economy": "work", "mobility": "travel", "social": "company", "activity": "home",
    "cognition": "reflection",
}  # fmt: skip
# First hour of the day, and hour after the last, which may be on the next day.
HOURS = {"work_hours": (9, 18), "late_night": (22, 6)}
WEEKEND = (5, 6)  # days of the week, 0 for Monday; day 0 is one if ticks have no dates

_CACHED_TICKS = 65_536


class ContextExtractor:
    """Reads tags and, if `rates`, valence of memories, which otherwise is 0 unless given."""

    def __init__(self, *, rates: bool = True) -> None:
        self._rates = rates
        self._cache: _Cache | None = None

    def read(self, memory: Memory, topics: Ints, ticks: Ints, texts: Ints) -> tuple[UInt16, Int8]:
        """Read many memories: bits of tags, uint16, and valence as -63..63 for -0.5..0.5, int8.

        The arguments broadcast: tags have their common shape, valences that of `texts`.
        """
        cache = self._cache_of(memory)
        marks, valence = cache.feelings.of(np.asarray(texts, np.intp))
        tags = cache.topics()[topics] | self._of_ticks(memory, np.asarray(ticks))
        return tags | cache.by_mark[marks], valence if self._rates else np.zeros_like(valence)

    def read_one(self, memory: Memory, topic: int, tick: int, text: int) -> tuple[int, int]:
        """Read one memory: as `read`, with plain numbers."""
        cache = self._cache_of(memory)
        mark, valence = cache.feelings.of_one(text)
        tags = cache.topics().item(topic) | cache.by_mark.item(mark)
        return tags | self.tags_of_time(memory, tick), valence if self._rates else 0

    def tags_of_time(self, memory: Memory, tick: int) -> int:
        """Return the bits of a tick's tags; ticks of a day have no hour, longer ones no weekday."""
        ticks = self._cache_of(memory).by_tick
        tags = ticks.get(tick)
        if tags is not None:
            return tags
        day, second = memory.day_and_second(tick)
        hour = second / 3_600
        names = [name for name, hours in HOURS.items() if _between(hour, *hours)]
        names = names if memory.ticks_per_day > 1 else []
        if memory.ticks_per_day >= 1:
            date_of = memory.date_of
            weekday = day % 7 if date_of is None else date_of(tick).weekday()
            names += ["weekend"] if weekday in WEEKEND else []
        if len(ticks) >= _CACHED_TICKS:
            ticks.clear()
        ticks[tick] = memory.tags.bits(names)
        return ticks[tick]

    def tags_of_text(self, memory: Memory, text: str) -> int:
        """Return the bits of the tags of any text."""
        return int(self._cache_of(memory).by_mark[mark_of(text)])

    def _cache_of(self, memory: Memory) -> "_Cache":
        if self._cache is None or not self._cache.fits(memory):
            self._cache = _Cache(memory)
        return self._cache

    def _of_ticks(self, memory: Memory, ticks: Ints) -> UInt16:
        """Return the tags of ticks, of their shape."""
        if not ticks.ndim:
            return np.asarray(self.tags_of_time(memory, int(ticks)), np.uint16)
        distinct, which = np.unique(ticks, return_inverse=True)
        tags = np.array([self.tags_of_time(memory, t) for t in distinct.tolist()], np.uint16)
        return np.asarray(tags[which.reshape(ticks.shape)], np.uint16)


def _between(hour: float, begin: float, end: float) -> bool:
    return begin <= hour < end if begin <= end else hour >= begin or hour < end


class _Cache:
    """Tags of one memory by tick, topic and mark, and its feelings."""

    def __init__(self, memory: Memory) -> None:
        self.feelings = shared(Feelings, memory.texts)
        self.by_tick: dict[int, int] = {}
        self._by_topic = np.zeros(0, np.uint16)
        marks = np.arange(1 << len(MARKS))[:, None] >> np.arange(len(MARKS)) & 1
        bits = np.array([memory.tags.bits(name) for name in MARKS])
        self.by_mark: UInt16 = (marks @ bits).astype(np.uint16)
        self._owned = (memory.texts, memory.tags, memory.topics)
        self._clock = (memory.ticks_per_day, memory.day_offset, memory.date_of)

    def topics(self) -> UInt16:
        """Return the tags of each topic."""
        _, tags, topics = self._owned
        if len(self._by_topic) < len(topics):
            bits = [tags.bits(TASKS.get(topic)) for topic in topics]
            self._by_topic = np.array(bits, np.uint16)
        return self._by_topic

    def fits(self, memory: Memory) -> bool:
        """Return whether the cache is of this memory, with its present clock."""
        texts, tags, topics = self._owned
        return (
            texts is memory.texts
            and tags is memory.tags
            and topics is memory.topics
            and self._clock == (memory.ticks_per_day, memory.day_offset, memory.date_of)
        )


def asked_tags(memory: Memory, queries: Sequence[str]) -> UInt16:
    """Return the tags of the present time and of each query as bits; 0 without an extractor."""
    extractor = memory.extractor
    if not isinstance(extractor, ContextExtractor):
        return np.zeros(len(queries), np.uint16)
    now = extractor.tags_of_time(memory, memory.now)
    of_text = {query: extractor.tags_of_text(memory, query) for query in dict.fromkeys(queries)}
    return np.array([now | of_text[query] for query in queries], np.uint16)
