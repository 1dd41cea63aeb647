"""Tags and valence of a memory, read from the time of the simulation and from its text.

    tags     work_hours, late_night, weekend from the time; work, travel, company, home,
             reflection from the topic; positive, negative, urgent from the text's words
    valence  0.5 * (good - bad) / (good + bad), from the counts of good and bad words

What a text says is read in `feelings`. Switched on by `memory.extractor = ContextExtractor()`.
Tags and valence that are given with a memory are kept as given.

Source: memtool's ContextExtractor.
"""

import weakref
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.text.feelings import MARKS, feelings_of, mark, marks

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

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
"""Tag of each topic, unless said otherwise."""

_KEPT_TICKS = 65_536
_marks = lru_cache(16_384)(marks)  # of queries, which come again


class ContextExtractor:
    """Reads tags and valence.

    Args:
        work_hours: Hours of the day from and up to, the second not included.
        late_night: The same; it may pass midnight.
        weekend: Days of the week, 0 for Monday.
        first_weekday: Day of the week of day 0, where ticks have no dates.
        tasks: Tag of each topic; a new tag is declared when a memory of its topic is read.

    Raises:
        ParameterError: If an hour lies outside 0..24 or a day outside 0..6.
    """

    def __init__(
        self,
        *,
        work_hours: Hours = (9, 18),
        late_night: Hours = (22, 6),
        weekend: Sequence[int] = (5, 6),
        first_weekday: int = 0,
        tasks: Mapping[str, str] = TASKS,
    ) -> None:
        for name, hours in (("work_hours", work_hours), ("late_night", late_night)):
            if not all(0 <= hour <= 24 for hour in hours):
                raise ParameterError(f"{name} are two hours from 0 to 24, given {hours}")
        if not all(0 <= day <= 6 for day in (*weekend, first_weekday)):
            raise ParameterError(
                f"days of the week run from 0 to 6, given weekend {tuple(weekend)} and first "
                f"day {first_weekday}"
            )
        self._hours = {"work_hours": work_hours, "late_night": late_night}
        self._weekend = frozenset(weekend)
        self._first_weekday = first_weekday
        self._tasks = dict(tasks)
        self._read: _Context | None = None

    def read(
        self,
        memory: "Memory",
        topics: NDArray[np.integer[Any]],
        ticks: NDArray[np.integer[Any]],
        texts: NDArray[np.integer[Any]],
    ) -> tuple[UInt16, NDArray[np.int8]]:
        """Read many memories.

        Args:
            memory: Where they are.
            topics: Numbers of their topics, any shape.
            ticks: When they were made, >= 0, that shape.
            texts: Numbers of their texts, that shape.

        Returns:
            Bits of tags, uint16, and valence as -63..63 for -0.5..0.5, int8, that shape.
        """
        context = self._context(memory)
        numbers = np.asarray(texts, np.intp)
        context.feelings.learn(numbers)
        tags = context.of_ticks(np.asarray(ticks)) | context.of_topics(memory)[topics]
        tags = tags | context.bits[context.feelings.marks[numbers]]
        return np.asarray(tags, np.uint16), context.feelings.valence[numbers]

    def read_one(self, memory: "Memory", topic: int, tick: int, text: int) -> tuple[int, int]:
        """Read one memory: as `read`, in plain numbers."""
        context = self._context(memory)
        feelings = context.feelings
        if feelings.following.behind or not feelings.one_known[text]:
            feelings.learn(np.array([text], np.intp))
        if topic >= len(context.by_topic):
            context.of_topics(memory)
        tags = context.by_topic[topic] | context.by_mark[feelings.one_mark[text]]
        return tags | context.of_tick(tick), feelings.one_valence[text]

    def tags_of_time(self, memory: "Memory", tick: int) -> int:
        """Bits of the tags of a tick."""
        return self._context(memory).of_tick(tick)

    def tags_of_text(self, memory: "Memory", text: str) -> int:
        """Bits of the tags of a text, which need not be a memory's."""
        return int(self._context(memory).bits[mark(*_marks(text))])

    def _context(self, memory: "Memory") -> "_Context":
        context = self._read
        if context is None or not context.holds(memory):
            context = self._read = _Context(memory, self)
        return context

    def time_tags(self, memory: "Memory", tick: int) -> int:
        """Bits of the tags of a tick, worked out anew.

        Ticks of a day or longer have no hour, ticks longer than a day no weekday.
        """
        day, second = memory.day_and_second(tick)
        hour = second / 3_600
        names = [name for name, hours in self._hours.items() if _between(hour, *hours)]
        names = names if memory.ticks_per_day > 1 else []
        if memory.ticks_per_day >= 1 and self._weekday(memory, day, tick) in self._weekend:
            names.append("weekend")
        return memory.tags.bits(names)

    def _weekday(self, memory: "Memory", day: int, tick: int) -> int:
        if memory.date_of is None:
            return (day + self._first_weekday) % 7
        return memory.date_of(tick).weekday()

    def topic_tag(self, memory: "Memory", topic: str) -> int:
        """Bit of the tag of a topic, 0 for none."""
        return memory.tags.bits(self._tasks.get(topic))


def _between(hour: float, begin: float, end: float) -> bool:
    return begin <= hour < end if begin <= end else hour >= begin or hour < end


class _Context:
    """Tables of one memory: tags by tick and by topic, and what its texts say.

    Attributes:
        feelings: What its texts say.
        bits: Tags by what a text says, uint16, shape (8,).
        by_mark: The same as plain numbers.
        by_topic: Tags by number of topic as plain numbers, for the topics known so far.
    """

    def __init__(self, memory: "Memory", extractor: ContextExtractor) -> None:
        # The extractor is held by the memory and holds these tables: no reference goes back.
        self._memory = weakref.ref(memory)
        self._extractor = weakref.ref(extractor)
        self._texts = memory.texts
        self._ticks_per_day = memory.ticks_per_day
        self._day_offset = memory.day_offset
        self._date_of = memory.date_of
        self._tags = memory.tags
        self._topic_list = memory.topics
        self._ticks: dict[int, int] = {}
        self._topics = np.zeros(0, np.uint16)
        self.by_topic: list[int] = []
        self.feelings = feelings_of(memory.texts)
        bits = [memory.tags.bits(name) for name in MARKS]
        mixed = [sum(bit for at, bit in enumerate(bits) if m >> at & 1) for m in range(8)]
        self.bits = np.array(mixed, np.uint16)
        self.by_mark = mixed

    def holds(self, memory: "Memory") -> bool:
        """Whether these tables are the memory's, and all they were made from is still there."""
        return (
            self._memory() is memory
            and self._texts is memory.texts
            and self._tags is memory.tags
            and self._topic_list is memory.topics
            and self._ticks_per_day == memory.ticks_per_day
            and self._day_offset == memory.day_offset
            and self._date_of == memory.date_of
        )

    def of_tick(self, tick: int) -> int:
        """Tags of a tick."""
        tags = self._ticks.get(tick)
        if tags is None:
            memory, extractor = self._memory(), self._extractor()
            assert memory is not None  # noqa: S101  they hold these tables
            assert extractor is not None  # noqa: S101
            if len(self._ticks) >= _KEPT_TICKS:
                self._ticks.clear()
            tags = self._ticks[tick] = extractor.time_tags(memory, tick)
        return tags

    def of_ticks(self, ticks: NDArray[np.integer[Any]]) -> UInt16:
        """Tags of ticks, one for all where they are the same."""
        if ticks.size and (ticks == ticks.flat[0]).all():
            return np.asarray(self.of_tick(int(ticks.flat[0])), np.uint16)
        distinct, which = np.unique(ticks, return_inverse=True)
        tags = np.array([self.of_tick(tick) for tick in distinct.tolist()], np.uint16)
        return np.asarray(tags[which.reshape(ticks.shape)], np.uint16)

    def of_topics(self, memory: "Memory") -> UInt16:
        """Tags by number of topic."""
        if len(self._topics) != len(memory.topics):
            extractor = self._extractor()
            assert extractor is not None  # noqa: S101  it holds these tables
            self.by_topic = [extractor.topic_tag(memory, topic) for topic in memory.topics]
            self._topics = np.array(self.by_topic, np.uint16)
        return self._topics


def asked_tags(memory: "Memory", queries: Sequence[str]) -> UInt16:
    """Tags of now and of each query's text, for matching the context of memories.

    Args:
        memory: One with a `ContextExtractor`; with any other, nothing is read.
        queries: Texts; "" for none.

    Returns:
        Bits of tags, shape (queries,).
    """
    extractor = memory.extractor
    if not isinstance(extractor, ContextExtractor):
        return np.zeros(len(queries), np.uint16)
    now = extractor.tags_of_time(memory, memory.now)
    of_text = {query: extractor.tags_of_text(memory, query) for query in dict.fromkeys(queries)}
    return np.array([now | of_text[query] for query in queries], np.uint16)
