"""The base class of the terms of the score, and what a term reads: the request of a search."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from memopolis.sim.arrays import Array, Bools, Float32, Int32, Int64, Intp
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.retrieval.filter import EncodedFilter, find_passing
from memopolis.sim.memory.retrieval.profiles import Profile, Shares
from memopolis.sim.memory.retrieval.terms.registry import ADDED, MODULES, TERMS, Role
from memopolis.sim.memory.streams.layout import CONTINUES
from memopolis.sim.memory.streams.stream import Streams
from memopolis.sim.memory.text.relevance import Relevance


@dataclass(slots=True, eq=False)  # frozen ones take four times as long to create
class Request:
    """The encoded search of n agents, which nothing changes once its terms are prepared."""

    rows: Int64  # rows of the agents, shape (n,)
    k: int  # maximum number of memories per agent
    now: int  # tick of the search
    # The next four have one value per agent, or one for all.
    query: Int32  # index of each agent's query, shape (n,) or (1,)
    named: Int32  # unique_id of the actors named, -2 for none, shape (n, w) or (1, w)
    first: Int32  # first tick of the date named, shape (n,) or (1,)
    last: Int32  # its last tick; before `first` if no date is named, shape (n,) or (1,)
    relevance: Relevance  # R of all queries
    compared: int  # number of memories that are compared with the queries
    # Weights above 0 by name, without terms that have no input in this search, such as text terms
    # without a query.
    weights: Mapping[str, float]
    recency: Float32  # recency of each age in ticks, as from `ages.recency_table`
    since: Literal["accessed", "time"]  # column that ages count from
    shares: Shares  # shares of neighbours, 0 without a query, and of actor and date
    cues: bool  # whether an actor or a date may count; else the three above may be empty
    where: EncodedFilter | None  # which memories may be returned; None for all
    # Which memories a store returned for `where`, in the order of `Streams.listed`, shape (m,);
    # None without a store.
    candidates: Bools | None
    # Key of the random draws that replace the score; None to score.
    draw_key: tuple[int, int] | None
    profile: Profile
    # Each term with a weight, prepared for this search.
    terms: Mapping[str, "Term"] = field(default_factory=dict)


def take(values: Array, agent: Int64) -> Array:
    """Return the values of agents, by index, of an array with one per agent or one for all."""
    return values[agent] if len(values) > 1 else values[np.zeros_like(agent)]


# How the compiled search computes a term. A term without a code is a row that Python fills.
ROW, RECENCY, IMPORTANCE, RELEVANCE, WINDOW, SESSION, ANSWER, LINE, LENT = range(9)


EDGE = 16
"""Values before and after those of the memories of an agent in scratch arrays of the compiled
search: neighbours need two, and a line of the cache keeps the others aligned."""


class Lines(NamedTuple):
    """Values of all texts, as the compiled search reads them for each query."""

    values: Array  # one row per line, C-contiguous, shape (lines, >= texts.capacity)
    rows: Intp  # the line of each query, shape (queries,)
    is_shared: bool = False  # whether the next call may replace lines
    is_complete: bool = True  # whether all texts have values

    def keep(self) -> "Lines":
        """Return lines that stay valid: with a copy of those that may be replaced."""
        if not self.is_shared:
            return self
        return self._replace(values=self.values[self.rows], rows=np.arange(len(self.rows)))


class Search(NamedTuple):
    """Input from which a term is prepared.

    `texts` are the queries, `tags` those of the filter, and `feeling` the one that memories should
    match.
    """

    memory: Memory
    request: Request
    texts: Sequence[str]
    tags: object
    feeling: ArrayLike | None


class Memories:
    """The m memories of agents `begin` to `end` of a search, agent by agent, oldest first."""

    def __init__(
        self, streams: Streams, request: Request, begin: int = 0, end: int | None = None
    ) -> None:
        self.streams, self.request, self.begin = streams, request, begin
        self.rows = request.rows[begin:end]

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
    def query(self) -> Int32:
        """Index of the query of each memory's agent, shape (m,)."""
        return take(self.request.query, self.agent)

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

    def column(self, name: str) -> Array:
        """Return a column of the memories, shape (m,)."""
        return self.streams.at(name, self.slots)


class Term:
    """A term of the score in one search, defined by `by_numpy`.

    Its attributes are what it reads besides the memories.
    """

    # Text term that this one replaces in a product where it is 0, adding its weight to its own.
    replaces: ClassVar[str] = ""
    code: ClassVar[int] = ROW  # how the compiled search computes it

    @classmethod
    def prepare(cls, search: Search) -> "Term | None":  # noqa: ARG003  for overrides
        """Return the term of a search; None if the search has nothing for it."""
        return cls()

    def by_numpy(self, memories: Memories) -> Float32:
        """Compute the term, float32, shape (m,); nan where a memory lacks it."""
        raise NotImplementedError

    def explain(self, name: str, memories: Memories) -> dict[str, Float32]:
        """Return the term and its parts by name."""
        return {name: self.by_numpy(memories)}

    def lines(self) -> Lines:
        """Return the values of texts that the code reads."""
        raise NotImplementedError

    def compute(self, memories: Memories) -> Float32:
        """Compute the values of a term without a code, with the bits of `by_numpy`."""
        return self.by_numpy(memories)


_loaded: dict[str, type[Term]] = {}


def find_term(name: str) -> type[Term]:
    """Return the class of a term of the registry, or of an added one."""
    if name not in _loaded:
        _loaded.update(import_module(f"{__package__}.{MODULES[name]}").TERMS)
    return _loaded[name]


def add_term(name: str, role: Role, term: type[Term]) -> None:
    """Add a term under a new name, which profiles weigh by `Profile(extra={name: weight})`."""
    if name in TERMS:
        raise ParameterError(f"the name {name!r} is that of a term of memopolis; choose another")
    ADDED[name], _loaded[name] = role, term
