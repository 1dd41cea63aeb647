"""What the compiled search reads besides memories, and the call of it."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import NamedTuple, cast

import numpy as np

from memopolis.sim.arrays import Array, Float32, Int32, Int64, UInt64
from memopolis.sim.memory.retrieval import kernels
from memopolis.sim.memory.retrieval.address_kernels import addresses_of
from memopolis.sim.memory.retrieval.filter import EncodedFilter, encode_nothing
from memopolis.sim.memory.retrieval.profiles import Shares
from memopolis.sim.memory.retrieval.ranking_kernels import BITS
from memopolis.sim.memory.retrieval.recollection import Best
from memopolis.sim.memory.retrieval.terms import term as codes
from memopolis.sim.memory.retrieval.terms.coverage import Coverage
from memopolis.sim.memory.retrieval.terms.registry import role_of
from memopolis.sim.memory.retrieval.terms.term import EDGE, Memories, Request, Term, find_term
from memopolis.sim.memory.streams.layout import OFFSETS
from memopolis.sim.memory.streams.stream import Streams
from memopolis.sim.memory.text.pieces import NUMBERS
from memopolis.sim.memory.text.relevance import Pairs
from memopolis.sim.threads import run_all, split

_LINES = 3  # lines of sources before those of terms
_MEMORIES = 256  # scratch has a multiple of this length
_MOST_KEPT = 2048  # longest scratch that is kept
CHUNK = 1 << 14  # memories of which terms without a code are computed at a time
ROWS_PER_THREAD = 1_000  # a search of fewer than twice this number of agents runs on one thread
_ROLES = {"text": kernels.TEXT, "decay": kernels.DECAY, "factor": kernels.FACTOR}
_NO_CONDITIONS = encode_nothing(0).packed()
_NO_DRAW = (False, 0, 0)
_NO_VALUES = np.empty((0, 0), np.float32), np.empty(0, np.int64)
_NO_MATCHES, _NO_WORDS = np.empty((0, 0), np.uint8), np.empty(0, np.uint64)
_WORD, _HALF, _BYTE = np.empty(0, np.int32), np.empty(0, np.uint16), np.empty(0, np.int64)
_NO_PAIRS = Pairs(
    flat=_HALF, start=_BYTE, length=_WORD, weight=_WORD, first=_BYTE, total=_BYTE, piece=_HALF,
    entry=_BYTE, lines=_BYTE, likeness=_NO_WORDS, origin=_BYTE, widest=1,
)  # fmt: skip


class _Thread(threading.local):
    key: tuple[int, int, bool, int] | None = None
    scratch: tuple[Array, ...] = ()


_THREAD = _Thread()  # the scratch that this thread used last


class Scoring(NamedTuple):
    """How the compiled search scores memories."""

    column: int  # word of a page where the column begins that ages count from
    # What neighbours one and two away lend, and what the named actor and date add, shape (4,).
    shares: Int32
    full: bool  # whether any of these counts
    cued: bool  # whether actor or date counts
    reads_own: bool  # whether R is read
    reads_others: bool  # whether a score depends on other memories
    apart: bool  # whether terms are combined after all are filled
    rescaled: bool  # whether they are rescaled
    # Code, line or row, role, and step of the term that is replaced, or -1, shape (steps, 4).
    steps: Int64
    # Weights of recency, importance and each step, and those where the replaced term is 0, shape
    # (2 + steps, 2).
    weights: Float32


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What searches for the same queries by the same profile have in common.

    Attributes:
        scoring: How memories are scored.
        sources: Index of each agent's query, int32, shape (n,) or (1,); for each query, uint64,
            shape (3 + terms, queries): the addresses of R and M of all texts, 0 if memories are
            compared with the query, its row in `Pairs`, and the addresses of terms by text; and
            `Pairs`.
        cues: Actors named, and first and last tick of the date named, as in `Request`.
        rows: Terms without a code.
        pieces: Scratch rows for M of the pieces of a query.
        terms: Scratch rows for terms.
        compares: Whether memories are compared with queries.
        is_complete: Whether it is valid for the memories of other agents, too.
        kept: Owners of the arrays with the addresses above.
    """

    scoring: Scoring
    sources: tuple[Int32, UInt64, Pairs]
    cues: tuple[Int32, Int32, Int32]
    rows: tuple[Term, ...]
    pieces: int
    terms: int
    compares: bool
    is_complete: bool
    kept: tuple[object, ...]

    @property
    def reads_no_text(self) -> bool:
        """Whether no term has a value by text."""
        return not self.scoring.reads_own and len(self.sources[1]) == _LINES

    def make_scratch(self, longest: int) -> tuple[Array, ...]:
        """Return the scratch of the compiled search for agents with up to `longest` memories.

        Small scratch is kept for the next search of the thread: to allocate it takes a fifth of the
        time that the search of one agent does.
        """
        key = self.pieces, self.terms, self.compares, longest // _MEMORIES
        if _THREAD.key == key:
            return _THREAD.scratch
        length = (key[-1] + 1) * _MEMORIES + 2 * EDGE + 2 * BITS
        matches, words = _NO_MATCHES, _NO_WORDS
        if self.compares:
            words = np.zeros(NUMBERS, np.uint64)
            if self.pieces:
                matches = np.empty((length, self.pieces), np.uint8)
        scratch = (
            np.empty((kernels.INTEGERS + self.pieces, length), np.int32),
            np.empty((kernels.FLOATS + self.terms, length), np.float32),
            np.empty(length, np.int64), matches, words,
        )  # fmt: skip
        if length <= _MOST_KEPT:
            _THREAD.key, _THREAD.scratch = key, scratch
        return scratch


def make_plan(request: Request, *, keep: bool = False) -> Plan:
    """Encode the terms of a request; with `keep`, the plan has copies of rows that may change."""
    profile, shares, relevance = request.profile, request.shares, request.relevance
    weights = {} if request.draw_key is not None else request.weights
    used = tuple((name, weight, request.terms[name].code) for name, weight in weights.items())
    steps = _make_steps(used, profile.combine, profile.normalise)
    tables = [request.terms[name].lines() for name in steps.lines]
    if keep:
        relevance, tables = relevance.keep(), [table.keep() for table in tables]
    coverage = next((t for t in request.terms.values() if isinstance(t, Coverage)), None)
    if not steps.covers:
        coverage = None
    pairs = relevance.pairs if coverage is None else coverage.pairs
    lines = np.zeros((_LINES + len(tables), len(relevance.rows)), np.uint64)
    if relevance.table is not None:
        lines[0] = addresses_of(relevance.table, relevance.rows)
    if coverage is not None and coverage.matches is not None:
        lines[1] = [each.ctypes.data for each in coverage.matches]
    lines[2] = relevance.rows if coverage is None else coverage.rows
    for line, table in zip(lines[_LINES:], tables, strict=True):
        line[:] = addresses_of(table.values, table.rows)
    compares = (steps.covers and not lines[1].all()) or (steps.reads_own and not lines[0].all())
    full = shares.neighbours > 0 or request.cues
    scoring = Scoring(
        OFFSETS[request.since] // 4, _values_of(shares), full, request.cues, steps.reads_own,
        full or steps.reads_others, profile.combine == "product" or steps.rescaled,
        steps.rescaled, steps.steps, steps.weights,
    )  # fmt: skip
    return Plan(
        scoring=scoring,
        sources=(request.query, lines, _NO_PAIRS if pairs is None else pairs),
        cues=(request.named, request.first, request.last),
        rows=tuple(request.terms[name] for name in steps.rows),
        pieces=0 if coverage is None else coverage.pairs.widest,
        terms=max(1, len(steps.steps)),
        compares=bool(compares),
        is_complete=all(table.is_complete for table in tables),
        kept=(relevance, tables, coverage),
    )


@lru_cache(maxsize=64)
def _values_of(shares: Shares) -> Int32:
    return np.array(shares.values, np.int32)


class _Steps(NamedTuple):
    """The part of a plan that depends on weights alone."""

    steps: Int64  # see `Scoring`
    weights: Float32
    lines: tuple[str, ...]  # terms that read lines, in the order of these
    rows: tuple[str, ...]  # terms without a code, in the order of rows
    rescaled: bool
    reads_own: bool  # whether R is read
    reads_others: bool  # whether a score depends on other memories
    covers: bool  # whether M is read


@lru_cache(maxsize=64)
def _make_steps(used: tuple[tuple[str, float, int], ...], combine: str, normalise: str) -> _Steps:
    """Encode the names, weights and codes of terms."""
    names = [name for name, _, _ in used]
    weight_of = {name: weight for name, weight, _ in used}
    code_of = {name: code for name, _, code in used}
    product, rescaled = combine == "product", normalise == "min-max"
    base = np.zeros((2, 2), np.float32)
    if product or rescaled:
        base[1] = 1
    else:
        for name in [name for name in names if code_of[name] in {codes.RECENCY, codes.IMPORTANCE}]:
            base[code_of[name] - codes.RECENCY] = weight_of[name]
            names.remove(name)
    if product:
        names.sort(key=lambda name: _ROLES[role_of(name)])
    lines = tuple(name for name in names if code_of[name] in {codes.ANSWER, codes.LINE, codes.LENT})
    rows = tuple(name for name in names if code_of[name] == codes.ROW)
    slots = {name: index for index, name in enumerate(rows)}
    slots |= {name: index for index, name in enumerate(lines, start=_LINES)}
    replaced = [find_term(name).replaces for name in names]
    indices = [names.index(other) if product and other in names else -1 for other in replaced]
    steps = [
        (code_of[name], slots.get(name, 0), _ROLES[role_of(name)], index)
        for name, index in zip(names, indices, strict=True)
    ]
    own = [
        (weight_of[name], weight_of[name] + weight_of.get(other, 0.0))
        for name, other in zip(names, replaced, strict=True)
    ]
    read = set(code_of.values())
    return _Steps(
        np.array(steps, np.int64).reshape(-1, 4),
        np.concatenate([base, np.array(own, np.float32).reshape(-1, 2)]),
        lines, rows, rescaled,
        reads_own=bool(read & {codes.RELEVANCE, codes.ANSWER}),
        reads_others=bool(read & {codes.WINDOW, codes.SESSION, codes.ANSWER, codes.LENT}),
        covers=bool(read & {codes.WINDOW, codes.SESSION}),
    )  # fmt: skip


def run_plan(
    plan: Plan,
    streams: Streams,
    rows: Int64,
    k: int,
    *,
    now: int,
    recency: Float32,
    query: Int32 | None = None,
    where: EncodedFilter | None = None,
    draw_key: tuple[int, int] | None = None,
    request: Request | None = None,
    threads: int = 1,
    ranges: list[tuple[int, int]] | None = None,
) -> Best:
    """Find the k best memories of each agent, on some threads, which do not change the result.

    `query` is the index of each agent's query, that of the plan if None. `ranges` are ranges of
    agents to search, on one thread; None for all. Terms without a code need
    the request.
    """
    n = len(rows)
    best = Best(
        np.empty((n, k), np.int32), np.empty((n, k), np.int64), np.empty((n, k), np.float32)
    )
    conditions = _NO_CONDITIONS if where is None else where.packed()
    filters = where is not None, streams.unordered, conditions
    sources = plan.sources if query is None else (query, *plan.sources[1:])
    draw = _NO_DRAW if draw_key is None else (True, *draw_key)

    def call(begin: int, end: int, extra: tuple[Array, Array] = _NO_VALUES) -> None:
        if end - begin == 1:  # without arrays, which take longer
            longest = streams.count[rows[begin]]
        else:
            longest = np.maximum.reduce(streams.count[rows[begin:end]], initial=0)
        kernels.search(
            begin, end, rows, streams.count, streams.view, now, recency, plan.scoring, sources,
            plan.cues, extra, filters, draw, plan.make_scratch(int(longest)), *best,
        )  # fmt: skip

    def call_in_chunks(begin: int, end: int) -> None:
        for low, high in _split_memories(streams, rows, begin, end):
            memories = Memories(streams, cast("Request", request), low, high)
            rows_of_terms = np.stack([term.compute(memories) for term in plan.rows])
            call(low, high, (rows_of_terms, memories.starts))

    run = call_in_chunks if plan.rows else call
    if ranges is not None:
        best.ids.fill(-1)
        for begin, end in ranges:
            run(begin, end)
    elif n < 2 * ROWS_PER_THREAD:
        run(0, n)
    else:
        parts = split(n, threads, least=ROWS_PER_THREAD)
        run_all([partial(run, begin, end) for begin, end in parts])
    return best


def _split_memories(
    streams: Streams, rows: Int64, begin: int, end: int
) -> Iterator[tuple[int, int]]:
    """Split agents into ranges of `CHUNK` memories or one agent."""
    ends = np.cumsum(streams.count[rows[begin:end]], dtype=np.int64)
    low, before = 0, 0
    while low < end - begin:
        high = max(low + 1, int(np.searchsorted(ends, before + CHUNK, side="right")))
        yield begin + low, begin + high
        low, before = high, int(ends[high - 1])
