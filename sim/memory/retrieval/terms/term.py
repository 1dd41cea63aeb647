"""The base class of the terms of the score, and what a term reads: the request of a search."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.arrays import Array, Bools, Float32, Int32, Int64
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.retrieval.filter import EncodedFilter, find_passing
from memopolis.sim.memory.retrieval.profiles import Profile, Shares
from memopolis.sim.memory.retrieval.terms.registry import ADDED, MODULES, TERMS, Role
from memopolis.sim.memory.streams.layout import CONTINUES, PAGE
from memopolis.sim.memory.streams.stream import Streams
from memopolis.sim.memory.text.relevance import Relevance


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """The encoded search of n agents."""

    rows: Int64  # rows of the agents, shape (n,)
    k: int  # maximum number of memories per agent
    now: int  # tick of the search
    relevance: Relevance  # R of all queries
    query: Int32  # row of `relevance` of each agent's query, shape (n,)
    # The next three are empty unless `cues`.
    named: Int32  # unique_id of the actors that each query names, -2 for none, shape (n, w)
    first: Int32  # first tick of the date that each query names, shape (n,)
    last: Int32  # its last tick; before `first` if no date is named, shape (n,)
    # Weights above 0 by name, without terms that have no input in this search, such as text terms
    # without a query.
    weights: Mapping[str, float]
    recency: Float32  # recency of each age in ticks, as from `ages.recency_table`
    since: Literal["accessed", "time"]  # column that ages count from
    shares: Shares  # shares of neighbours, 0 without a query, and of actor and date
    cues: bool  # whether an actor or a date may count
    where: EncodedFilter | None  # which memories may be returned; None for all
    # Which memories a store returned for `where`, in the order of `Streams.listed`, shape (m,);
    # None without a store.
    candidates: Bools | None
    # Key of the random draws that replace the score; None to score.
    draw_key: tuple[int, int] | None
    profile: Profile  # the profile; the fast pass reads only the attributes above
    general: bool  # whether the profile needs the general pass
    # Input of each term with a weight, besides the memories; for the general pass.
    prepared: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)


LEAD = PAGE + 2
"""Values before and after the memories of an agent. Whole pages are read, so that every loop has
the same fixed length and vectorises; neighbours need two values more."""


class Chunk(NamedTuple):
    """Memories of n agents; memory i of agent j is at `start[j] + i` of an array."""

    # Page table of the streams, and their pages as words, half words and bytes.
    pages: tuple[Array, ...]
    now: np.int32  # tick of the search
    begin: int  # index in the search of the first agent
    rows: Int64  # rows of the agents, shape (n,)
    lengths: Int64  # number of each agent's memories, shape (n,)
    start: Int64  # position of its oldest memory, shape (n,)
    text: Int32  # number of the text of each memory
    gate: Float32  # 0 for a memory that passes the filter, -inf for another


def positions(chunk: Chunk) -> Int64:
    """Return the positions of all memories of a chunk, agent by agent, shape (m,)."""
    before = np.cumsum(chunk.lengths) - chunk.lengths
    index = np.arange(chunk.lengths.sum())
    return np.asarray(index + np.repeat(chunk.start - before, chunk.lengths))


class Search(NamedTuple):
    """Input from which a term is prepared.

    `texts` are the queries, `query` the index of each agent's query, (n,), `tags` those of the
    filter, and `feeling` the one that memories should match.
    """

    memory: Memory
    request: Request
    texts: Sequence[str]
    query: NDArray[np.intp]
    tags: Any
    feeling: Any


class Memories:
    """The m memories of agents `begin` to `end` of a search, agent by agent, oldest first.

    `chunk` are the same memories for compiled loops, and `shared` arrays that several terms read.
    """

    def __init__(
        self,
        streams: Streams,
        request: Request,
        begin: int = 0,
        end: int | None = None,
        chunk: Chunk | None = None,
    ) -> None:
        self.streams, self.request, self.begin = streams, request, begin
        self.rows = request.rows[begin:end]
        self.chunk: Any = chunk
        self.shared: dict[str, Array] = {}

    @cached_property
    def _live(self) -> tuple[Int64, Int64]:
        return self.streams.live(self.rows)

    @property
    def slots(self) -> Int64:
        """Slots of the memories, shape (m,)."""
        return self._live[0]

    @property
    def starts(self) -> Int64:
        """Index of each agent's first memory, and m, shape (agents + 1,)."""
        return self._live[1]

    @cached_property
    def agent(self) -> Int64:
        """Index in the search of each memory's agent, shape (m,)."""
        return np.repeat(np.arange(len(self.rows)), np.diff(self.starts)) + self.begin

    @cached_property
    def continues(self) -> Bools:
        """Whether each memory continues the previous one of its agent, shape (m,)."""
        continues = np.asarray((self.column("kind") & CONTINUES) > 0)
        continues[self.starts[:-1][np.diff(self.starts) > 0]] = False
        return continues

    @cached_property
    def passing(self) -> Bools:
        """Whether each memory passes the filter, shape (m,)."""
        if self.request.candidates is not None:
            return self.request.candidates
        return find_passing(self.streams, self.request.where, self.slots, self.agent)

    def chunk_column(self, name: str) -> Array:
        """Return a column of a chunk, with each memory at the position that `start` gives."""
        one: Chunk = self.chunk
        return self.streams.copy_pages(name, one.rows, start=one.start, size=len(one.text))

    def column(self, name: str) -> Array:
        """Return a column of the memories, shape (m,)."""
        return self.streams.at(name, self.slots)


class Term:
    """A term of the score, defined by `by_numpy`; `fill` may be a compiled loop instead."""

    # Text term that this one replaces in a product where it is 0, adding its weight to its own.
    replaces = ""

    def prepare(self, search: Search) -> tuple[Any, ...] | None:  # noqa: ARG002  for overrides
        """Return what the term reads besides memories; None if the search has nothing for it."""
        return ()

    def by_numpy(self, memories: Memories, prepared: tuple[Any, ...]) -> Float32:
        """Compute the term, float32, shape (m,); nan where a memory lacks it."""
        raise NotImplementedError

    def explain(
        self, name: str, memories: Memories, prepared: tuple[Any, ...]
    ) -> dict[str, Float32]:
        """Return the term by its name, and its parts by theirs."""
        return {name: self.by_numpy(memories, prepared)}

    def fill(self, memories: Memories, prepared: tuple[Any, ...], out: Float32) -> None:
        """Fill the term of a chunk at the positions that its `start` gives."""
        out[positions(memories.chunk)] = self.by_numpy(memories, prepared)


_loaded: dict[str, Term] = {}


def find_term(name: str) -> Term:
    """Return a term of the registry, or an added one."""
    if name not in _loaded:
        _loaded.update(import_module(f"{__package__}.{MODULES.get(name, name)}").TERMS)
    return _loaded[name]


def add_term(name: str, role: Role, term: Term) -> None:
    """Add a term under a new name, which profiles weigh by `Profile(extra={name: weight})`."""
    if name in TERMS:
        raise ParameterError(f"the name {name!r} is that of a term of memopolis; choose another")
    ADDED[name], _loaded[name] = role, term
