"""A memory as arrays, a memory restored from them, and descriptions to check saved ones."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import override

import numpy as np
import psutil

from memopolis.sim.arguments import INT32, shown
from memopolis.sim.arrays import Array, Int32, Int64
from memopolis.sim.errors import RunFolderError
from memopolis.sim.memory.interface import TOPICS, Memory
from memopolis.sim.memory.status.encoding import from_json
from memopolis.sim.memory.status.schema import Attribute
from memopolis.sim.memory.streams.cluster_columns import NONE
from memopolis.sim.memory.streams.encoding import (
    BUILT_IN,
    EMOTIONS,
    IMPORTANCE,
    MOST_TAGS,
    TagNames,
)
from memopolis.sim.memory.streams.layout import (
    COLUMNS,
    CONTINUES,
    PAGE,
    PAGE_WORDS,
    THOUGHT,
    columns_of,
    pages_of,
)
from memopolis.sim.memory.streams.side_columns import AGENTS, FILL, MEMORIES, below, width_of
from memopolis.sim.memory.text.texts import Texts, count_texts, pack_texts, unpack_texts
from memopolis.sim.saved_arrays import SavedArray, check_arrays, find_later_ids, single


@dataclass(frozen=True)
class SideForm:
    """What a side column contains; without arguments, any numbers."""

    dtypes: tuple[str, ...] = ("number", "bool")  # allowed types
    fill: int | None = None  # value of a new memory or agent; None for any
    low: int | None = None  # least value
    # Values of a column of agents are ids: at most the id of the agent's next memory, or below it.
    up_to_next: bool = False
    below_next: bool = False
    like: str = ""  # column of the agents with the same width
    numbers: str = ""  # column of the agents in which values other than `NONE` are columns
    owner: str = ""  # prefix of the column, `MEMORIES` or `AGENTS`; "" for either
    width: int | None = None  # number of values of each memory or agent; None for any
    needs: str = ""  # column of the memories without which this one is not used

    def describe(
        self, prefix: str, length: int, width: int, state: Mapping[str, Array], *, is_filled: bool
    ) -> SavedArray:
        """Describe a column of so many memories or agents, in a state of streams."""
        partner = state.get(AGENTS + (self.like or self.numbers))
        if partner is not None and self.like:
            width = width_of(partner)
        if self.width is not None:
            width = self.width
        rules = []
        if self.owner not in ("", prefix):
            rules.append(lambda _: f"is no column of the {prefix.rstrip('/')}")
        if self.needs and MEMORIES + self.needs not in state:
            rules.append(lambda _: f"lacks the column {self.needs}")
        if self.up_to_next or self.below_next:
            most = state["next"].astype(np.int64) - self.below_next
            rules.append(lambda ids: find_later_ids(ids, most))
        if self.numbers:
            clusters = 0 if partner is None else width_of(partner)
            rules.append(lambda numbers: _find_unknown(numbers, clusters))
        if not is_filled:
            rules.append(lambda _: "lacks the value of a new entry")
        shape = (length,) if width == 1 else (length, width)
        return SavedArray(self.dtypes, shape, self.low, rules=tuple(rules))


def _find_unknown(numbers: Array, clusters: int) -> str:
    wrong = (numbers >= clusters) & (numbers != NONE)
    return f"contains the cluster {numbers[wrong][0]}; there are {clusters}" if wrong.any() else ""


_IDS = SideForm(("int32",), fill=0, low=0, up_to_next=True, owner=AGENTS, width=1)
_FOUNDERS = SideForm(
    ("int32",), fill=-1, low=-1, below_next=True, like="cluster_hits", owner=AGENTS
)

SIDE_FORMS: Mapping[str, SideForm] = {
    "times": SideForm(("uint8", "uint16"), fill=1, low=1, owner=MEMORIES, width=1, needs="span"),
    "span": SideForm(
        ("uint16", "int32", "int64"), fill=0, low=0, owner=MEMORIES, width=1, needs="times"
    ),
    "updated": SideForm(("int32",), fill=-1, owner=MEMORIES, width=1),
    "related": SideForm(("uint16",), fill=0, owner=MEMORIES, width=5),
    "related_to": _IDS,
    "cluster": SideForm(("uint8",), fill=NONE, numbers="cluster_founder", owner=MEMORIES, width=1),
    "cluster_share": SideForm(("int32", "int64"), fill=0, owner=MEMORIES, width=1),
    "cluster_founder": _FOUNDERS,
    "cluster_hits": SideForm(("uint16",), fill=0, like="cluster_founder", owner=AGENTS),
    "clustered_to": _IDS,
    "summarised": _IDS,
    "statements": _IDS,
    "key_numbers": SideForm(("int32",), fill=0, low=0, owner=AGENTS, width=1),
    "promoted": _FOUNDERS,
}
"""Columns of memories and of agents, by name."""


STREAMS = "streams/"

_SMALL_TABLE = 2**28  # bytes of a page table that is not compared with the free memory
MOST_IDS = 2**30  # so that later ids fit 32 bits
_WIDEST = 2**26  # greatest width of the page table
_KINDS = (0, THOUGHT, CONTINUES, CONTINUES | THOUGHT)


@dataclass(frozen=True, kw_only=True)
class SavedTexts(SavedArray):
    """Distinct texts as `pack_texts` encodes them, at most `most`; the first ones are `first`."""

    dtypes: tuple[str, ...] = ("uint8",)
    shape: tuple[int | range | None, ...] = (None,)
    most: int = INT32[1]
    first: tuple[str, ...] = ()

    @override
    def problem(self, values: Array) -> str:
        problem = super().problem(values)
        if problem:
            return problem
        try:
            texts = unpack_texts(values)
        except ValueError as error:
            return str(error)
        if len(texts) > self.most:
            return f"contains {len(texts):,} texts; at most {self.most:,} are allowed"
        if len(set(texts)) < len(texts):
            return "contains a text twice"
        if tuple(texts[: len(self.first)]) != self.first:
            return f"does not begin with {', '.join(self.first)}"
        return ""


TOPIC_NAMES = SavedTexts(most=TOPICS)
TAG_NAMES = SavedTexts(most=MOST_TAGS, first=BUILT_IN)
TEXTS = SavedTexts()


def describe_memory(
    state: Mapping[str, Array], agents: int | range, texts: int | None
) -> Iterator[tuple[str, SavedArray]]:
    """Describe the arrays of `Memory.state` for a number of agents.

    `texts` is the number of texts if they are shared, so that the state need not contain them.
    """
    yield from describe_words(state, has_texts=texts is None or "texts/texts" in state)
    if texts is None:
        texts = len(state["texts/numbers"])
    yield "now", single("int64", *INT32)
    topics = count_texts(state["topics"])
    sizes = Sizes(agents, texts, topics=topics, now=int(state["now"][0]))
    for name, description in describe_streams(below(state, STREAMS), sizes):
        yield STREAMS + name, description


def describe_words(
    state: Mapping[str, Array], *, has_texts: bool
) -> Iterator[tuple[str, SavedArray]]:
    """Describe the numbered words in `Memory.state`: topics, tags, and maybe texts."""
    yield "topics", TOPIC_NAMES
    yield "tags", TAG_NAMES
    if has_texts:
        yield "texts/texts", TEXTS
        yield "texts/numbers", describe_numbers(count_texts(state["texts/texts"]))


def describe_numbers(texts: int) -> SavedArray:
    """Describe the numbers of texts: 0, 1, 2 and so on."""
    return SavedArray(("int32",), (texts,), low=0, high=texts - 1, rising=True)


@dataclass(frozen=True)
class Sizes:
    """Sizes that limit the numbers in streams."""

    agents: int | range  # number of agents, or those that are allowed
    texts: int  # number of texts
    topics: int  # number of topics
    now: int  # tick of the memory


def describe_streams(state: Mapping[str, Array], sizes: Sizes) -> Iterator[tuple[str, SavedArray]]:
    """Describe the arrays of `Streams.state`."""
    yield "limit", single("int64", 1, INT32[1])
    limit, following, count = int(state["limit"][0]), state["next"], state["count"]
    yield "next", SavedArray(("int32",), (sizes.agents,), low=0, high=MOST_IDS)
    yield "count", describe_counts(limit, following)
    yield "table", TableSize.of(count).describe_table()
    table = state["table"]
    pages = int(np.count_nonzero(table >= 0))
    yield "words", _describe_pages(pages, table, following, count, sizes)
    fills = below(state, FILL)
    columns = {*below(state, MEMORIES), *below(state, AGENTS)}
    for name in fills:
        form = SIDE_FORMS.get(name, SideForm())
        rules = () if name in columns else (lambda _: "is of a column that is missing",)
        yield FILL + name, SavedArray(("int64",), (1,), form.fill, form.fill, rules=rules)
    for prefix, length in ((MEMORIES, pages * PAGE), (AGENTS, len(following))):
        for name, values in below(state, prefix).items():
            form = SIDE_FORMS.get(name, SideForm())
            yield (
                prefix + name,
                form.describe(prefix, length, width_of(values), state, is_filled=name in fills),
            )


def describe_counts(limit: int, following: Int32) -> SavedArray:
    """Describe the number of memories of each agent, by the id of its next memory."""
    rules = (lambda counts: _find_too_many(counts, following),)
    return SavedArray(("int32",), (len(following),), low=0, high=limit, rules=rules)


def _find_too_many(counts: Array, following: Int32) -> str:
    wrong = counts > following
    return f"contains {counts[wrong][0]}, more than the agent ever had" if wrong.any() else ""


@dataclass(frozen=True)
class TableSize:
    """Pages that the memories of agents need, and the width of their table."""

    counts: Int64  # number of memories of each agent, shape (agents,)
    pages: Int64  # number of pages of each agent, shape (agents,)
    width: int  # least width of the table

    @classmethod
    def of(cls, count: Array) -> "TableSize":
        """Compute the size from the number of memories of each agent."""
        pages = pages_of(count.astype(np.int64))
        return cls(count.astype(np.int64), pages, max(int(pages.max(initial=0)), 1))

    def problem(self, pages: Array) -> str:
        """Report a wrong number of pages, given an array with one entry each, or a large table."""
        needed = int(self.pages.sum())
        if len(pages) != needed:
            return f"has {len(pages):,} pages; {needed:,} are needed"
        size = 4 * len(self.counts) * self.width
        if size > _SMALL_TABLE and size > psutil.virtual_memory().available:
            return f"has pages whose table needs {size:,} bytes of memory"
        return ""

    def describe_table(self) -> SavedArray:
        """Describe the page table, which contains each page once."""
        shape = (len(self.counts), range(self.width, _WIDEST + 1))
        rules = (_find_shared_page, self._find_wrong_page)
        return SavedArray(("int32",), shape, low=-1, rules=rules)

    def _find_wrong_page(self, table: Array) -> str:
        """Report an agent that lacks the page of one of its memories, or has one too many."""
        wrong = (np.arange(table.shape[1]) < self.pages[:, None]) != (table >= 0)
        if not wrong.any():
            return ""
        row = int(np.argmax(wrong.any(axis=1)))
        return f"has other pages than the {self.counts[row]:,} memories of agent {row} need"


def _find_shared_page(table: Array) -> str:
    used = table[table >= 0]
    is_used = np.zeros(len(used), np.bool_)
    is_used[used[used < len(used)]] = True
    return "" if is_used.all() else f"does not contain each of {len(used):,} pages once"


def _describe_pages(
    pages: int, table: Array, following: Int32, count: Int32, sizes: Sizes
) -> SavedArray:
    """Describe the pages, including slots that no memory uses: these are 0, or were used."""
    rows, places = np.nonzero(table >= 0)
    order = table[rows, places]
    next_of_page, held = np.zeros((2, pages), np.int64)
    next_of_page[order] = following[rows]
    held[order] = np.clip(count[rows] - places * PAGE, 0, PAGE)
    before = np.full(pages, -1, np.int64)  # page before each page of an agent
    before[order[places > 0]] = table[rows[places > 0], places[places > 0] - 1]

    def find_wrong_id(ids: Array) -> str:
        is_held = np.arange(PAGE) < held[:, None]
        previous = np.full((pages, PAGE), -1, np.int64)
        previous[:, 1:] = ids[:, :-1]
        later = before >= 0
        previous[later, 0] = ids[before[later], -1]
        wrong = is_held & ((ids <= previous) | (ids >= next_of_page[:, None]))
        return f"contains the id {ids[wrong][0]} out of order" if wrong.any() else ""

    limits: dict[str, dict[str, int | tuple[int, ...]]] = {
        "text": {"low": 0, "high": sizes.texts - 1},
        "importance": {"low": 0, "high": IMPORTANCE},
        "kind": {"allowed": _KINDS},
        "time": {"low": sizes.now - INT32[1], "high": sizes.now - INT32[0]},  # ages have 32 bits
        "thought": {"low": -1},
        "place": {"low": -1},
        "valence": {"low": -127},
        "topic": {"low": 0, "high": sizes.topics - 1},
        "emotion": {"high": len(EMOTIONS)},
    }
    rules = {
        "thought": (lambda ids: find_later_ids(ids, next_of_page - 1),),
        "id": (find_wrong_id,),
    }
    columns = {
        name: SavedArray(
            (dtype.name,), (pages, PAGE), **limits.get(name, {}),  # type: ignore[arg-type]
            rules=rules.get(name, ()),
        )
        for name, dtype in COLUMNS.items()
    }  # fmt: skip
    return SavedArray(("int32",), (pages * PAGE_WORDS,), parts=columns, split=columns_of)


_TYPES = {"float": "float", "int": "integer", "bool": "bool", "text": "int32"}
"""Types of columns by kind, for attributes that do not say more."""


@dataclass(frozen=True)
class StatusSizes:
    """Sizes that limit the values of a status; None for no limit."""

    agents: int  # number of agents
    labels: int  # number of texts
    following: Int32  # id of each agent's next memory, shape (agents,)
    zones: int | None = None  # number of zones
    references: int | None = None  # greatest row or id within the society

    def describe(self, attribute: Attribute) -> SavedArray:
        """Describe the column of an attribute of numbers or texts."""
        dtypes, shape = (attribute.dtype or _TYPES[attribute.kind],), (self.agents,)
        if attribute.kind == "text":
            return SavedArray(dtypes, shape, low=0, high=self.labels - 1)
        if attribute.role in ("zone", "current zone") and self.zones is not None:
            return SavedArray(dtypes, shape, low=-1, high=self.zones - 1)
        if attribute.role == "reference" and self.references is not None:
            return SavedArray(dtypes, shape, low=-1, high=self.references)
        if attribute.role == "memory":
            most = self.following - 1
            return SavedArray(dtypes, shape, low=-1, rules=(lambda ids: find_later_ids(ids, most),))
        if attribute.labels:
            return SavedArray(dtypes, shape, low=-1, high=len(attribute.labels) - 1)
        return SavedArray(dtypes, shape)


def describe_present(agents: int) -> SavedArray:
    """Describe which agents have an optional attribute."""
    return SavedArray(("bool",), (agents,))


def check_texts(name: str, texts: Iterable[object], agents: int) -> None:
    """Refuse values of an attribute that are not one JSON text per agent."""
    values = list(texts)
    if len(values) != agents:
        raise RunFolderError(f"{name} has {len(values):,} values for {agents:,} agents")
    for text in set(values):
        try:
            from_json(text)  # type: ignore[arg-type]
        except (ValueError, TypeError, RecursionError):
            raise RunFolderError(f"{name} contains {shown(text)}, which is not JSON") from None


def find_shared_id(ids: Array) -> str:
    """Report a unique_id of several agents."""
    return "" if len(set(ids.tolist())) == len(ids) else "contains a unique_id twice"


def state(memory: Memory) -> dict[str, Array]:
    """Return all streams, texts and topics, without copies of the streams; after a flush."""
    memory.flush()
    return {
        **{f"{STREAMS}{name}": values for name, values in memory.streams.state().items()},
        "topics": pack_texts(memory.topics),
        "tags": pack_texts(memory.tags.all),
        "texts/numbers": memory.texts.numbers,
        "texts/texts": pack_texts(memory.texts.all),
        "now": np.array([memory.now], np.int64),
    }


def check(memory: Memory, state: Mapping[str, Array], texts: Texts | None = None) -> None:
    """Refuse a `state` that no memory of at least so many agents has; `texts` as in `restore`."""
    number = None if texts is None else texts.capacity
    agents = range(memory._columns.agents, INT32[1])
    check_arrays(state, describe_memory(state, agents, number))


def restore(memory: Memory, state: Mapping[str, Array], texts: Texts | None = None) -> None:
    """Restore a memory from a checked `state`; `texts` are shared texts, or None.

    Agents that the memory lacks are added, with the default status.
    """
    if texts is None:
        texts = restore_texts(state)
    topics, tags = unpack_texts(state["topics"]), unpack_texts(state["tags"])
    fill(memory, below(state, STREAMS), topics, tags, texts=texts, now=int(state["now"][0]))


def restore_texts(state: Mapping[str, Array]) -> Texts:
    """Restore the texts of `state`."""
    return Texts(unpack_texts(state["texts/texts"]))


def fill(
    memory: Memory,
    streams: Mapping[str, Array],
    topics: Sequence[str],
    tags: Sequence[str],
    *,
    texts: Texts,
    now: int,
) -> None:
    """Replace streams (see `Streams.state`), names, texts and tick of a memory."""
    memory.drop_pending()
    memory.streams.restore(streams)
    if memory.streams.agents > memory._columns.agents:
        memory._columns.grow(memory.streams.agents)
    memory.issued = memory.streams.next.copy()
    memory.topics[:] = topics
    memory.topic_numbers = {name: number for number, name in enumerate(topics)}
    memory.tags = TagNames(tags)
    memory.texts = texts
    texts.lock = memory.lock  # which is that of the memories with the same texts
    memory.now = now
    memory.forget_index()
