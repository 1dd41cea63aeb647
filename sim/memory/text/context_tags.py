"""Tags and valence of a memory, read from the simulation time and from its text.

    tags     work_hours, late_night, weekend from the time; work, travel, company, home,
             reflection from the topic; positive, negative, urgent from the words of the text
    valence  0.5 * (good - bad) / (good + bad), from the numbers of good and bad words

Words are read in `feelings`. Switch it on with `memory.extractor = ContextExtractor()`. Tags and
valence that are given with a memory are not replaced.

Source: memtool's ContextExtractor.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.text.feelings import MARKS, Feelings, mark_of
from memopolis.sim.memory.text.texts import shared

UInt16 = NDArray[np.uint16]
Hours = tuple[float, float]

TASKS: Mapping[str, str] = MappingProxyType(
    {
        "economy": "work",
        "mobility": "travel",
        "social": "company",
        "activity": "home",
        "cognition": "reflection",
    }
)
"""Default tag of each topic."""

_CACHED_TICKS = 65_536


class ContextExtractor:
    """Reads tags and valence of memories.

    Args:
        work_hours: First hour of the day, and hour after the last.
        late_night: First hour, and hour after the last; may pass midnight.
        weekend: Days of the week, 0 for Monday.
        first_weekday: Day of the week of day 0, if ticks have no dates.
        tasks: Tag of each topic; a new tag is declared when a memory of its topic is read.
        rates: Whether to read the valence, too; otherwise it is 0 unless it is given.

    Raises:
        ParameterError: If an hour is outside 0..24 or a day outside 0..6.
    """

    def __init__(
        self,
        *,
        work_hours: Hours = (9, 18),
        late_night: Hours = (22, 6),
        weekend: Sequence[int] = (5, 6),
        first_weekday: int = 0,
        tasks: Mapping[str, str] = TASKS,
        rates: bool = True,
    ) -> None:
        for name, hours in (("work_hours", work_hours), ("late_night", late_night)):
            if not all(0 <= hour <= 24 for hour in hours):
                raise ParameterError(f"{name} are two hours from 0 to 24, got {hours}")
        if not all(0 <= day <= 6 for day in (*weekend, first_weekday)):
            raise ParameterError(
                f"days of the week are 0 to 6, got weekend {tuple(weekend)} and first day "
                f"{first_weekday}"
            )
        self._hours = {"work_hours": work_hours, "late_night": late_night}
        self._weekend = frozenset(weekend)
        self._first_weekday = first_weekday
        self._tasks = dict(tasks)
        self._rates = rates
        self._cache: _Cache | None = None

    def read(
        self,
        memory: Memory,
        topics: NDArray[np.integer[Any]],
        ticks: NDArray[np.integer[Any]],
        texts: NDArray[np.integer[Any]],
    ) -> tuple[UInt16, NDArray[np.int8]]:
        """Read many memories: bits of tags, uint16, and valence as -63..63 for -0.5..0.5, int8."""
        cache = self._cache_of(memory)
        numbers = np.asarray(texts, np.intp)
        cache.feelings.learn(numbers)
        if len(cache.by_topic) != len(memory.topics):
            self._read_topics(memory, cache)
        tags = self._of_ticks(memory, np.asarray(ticks)) | cache.by_topic_array[topics]
        tags = tags | cache.by_mark_array[cache.feelings.marks[numbers]]
        valence = cache.feelings.valence[numbers] * np.int8(self._rates)
        return np.asarray(tags, np.uint16), valence

    def read_one(self, memory: Memory, topic: int, tick: int, text: int) -> tuple[int, int]:
        """Read one memory: as `read`, with plain numbers."""
        cache = self._cache_of(memory)
        feelings = cache.feelings
        if feelings.changes.waiting or not feelings.one_known[text]:
            feelings.learn(np.array([text], np.intp))
        if topic >= len(cache.by_topic):
            self._read_topics(memory, cache)
        tags = cache.by_topic[topic] | cache.by_mark[feelings.one_mark[text]]
        of_time = cache.by_tick.get(tick)
        if of_time is None:
            of_time = self.tags_of_time(memory, tick)
        return tags | of_time, feelings.one_valence[text] if self._rates else 0

    def tags_of_time(self, memory: Memory, tick: int) -> int:
        """Return the bits of a tick's tags; ticks of a day have no hour, longer ones no weekday."""
        ticks = self._cache_of(memory).by_tick
        tags = ticks.get(tick)
        if tags is not None:
            return tags
        day, second = memory.day_and_second(tick)
        hour = second / 3_600
        names = [name for name, hours in self._hours.items() if _between(hour, *hours)]
        names = names if memory.ticks_per_day > 1 else []
        if memory.ticks_per_day >= 1:
            date_of = memory.date_of
            weekday = (
                (day + self._first_weekday) % 7 if date_of is None else date_of(tick).weekday()
            )
            names += ["weekend"] if weekday in self._weekend else []
        if len(ticks) >= _CACHED_TICKS:
            ticks.clear()
        ticks[tick] = memory.tags.bits(names)
        return ticks[tick]

    def tags_of_text(self, memory: Memory, text: str) -> int:
        """Return the bits of the tags of any text."""
        return self._cache_of(memory).by_mark[mark_of(text)]

    def _cache_of(self, memory: Memory) -> "_Cache":
        if self._cache is None or not self._cache.fits(memory):
            self._cache = _Cache(memory)
        return self._cache

    def _of_ticks(self, memory: Memory, ticks: NDArray[np.integer[Any]]) -> UInt16:
        """Return the tags of ticks, one value for all if they are equal."""
        if ticks.size and (ticks == ticks.flat[0]).all():
            return np.asarray(self.tags_of_time(memory, int(ticks.flat[0])), np.uint16)
        distinct, which = np.unique(ticks, return_inverse=True)
        tags = np.array([self.tags_of_time(memory, t) for t in distinct.tolist()], np.uint16)
        return np.asarray(tags[which.reshape(ticks.shape)], np.uint16)

    def _read_topics(self, memory: Memory, cache: "_Cache") -> None:
        cache.by_topic = [memory.tags.bits(self._tasks.get(topic)) for topic in memory.topics]
        cache.by_topic_array = np.array(cache.by_topic, np.uint16)


def _between(hour: float, begin: float, end: float) -> bool:
    return begin <= hour < end if begin <= end else hour >= begin or hour < end


class _Cache:
    """Tags of one memory by tick, topic and mark, and its feelings."""

    def __init__(self, memory: Memory) -> None:
        self.feelings = shared(Feelings, memory.texts)
        self.by_tick: dict[int, int] = {}
        self.by_topic: list[int] = []
        self.by_topic_array = np.zeros(0, np.uint16)
        bits = [memory.tags.bits(name) for name in MARKS]
        self.by_mark = [sum(bit for at, bit in enumerate(bits) if m >> at & 1) for m in range(8)]
        self.by_mark_array = np.array(self.by_mark, np.uint16)
        self._owned = (memory.texts, memory.tags, memory.topics)
        self._clock = (memory.ticks_per_day, memory.day_offset, memory.date_of)

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
