"""What the compiled search reads besides memories, and the call of it."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, NamedTuple, cast

import numpy as np

from memopolis.sim.arrays import Array, Float32, Int32, Int64, UInt64
from memopolis.sim.memory.retrieval import kernels
from memopolis.sim.memory.retrieval.address_kernels import addresses_of
from memopolis.sim.memory.retrieval.filter import EncodedFilter, encode_nothing
from memopolis.sim.memory.retrieval.profiles import Shares
from memopolis.sim.memory.retrieval.ranking_kernels import BITS
from memopolis.sim.memory.retrieval.recollection import Best
from memopolis.sim.memory.retrieval.terms.coverage import Coverage
from memopolis.sim.memory.retrieval.terms.registry import role_of
from memopolis.sim.memory.retrieval.terms.term import (
    ANSWER,
    EDGE,
    IMPORTANCE,
    LENT,
    LINE,
    RECENCY,
    RELEVANCE,
    ROW,
    SESSION,
    WINDOW,
    Lines,
    Memories,
    Request,
    Term,
    find_term,
)
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
    key: tuple[Any, ...] = ()
    scratch: tuple[Array, ...] = ()


_THREAD = _Thread()  # the scratch that this thread used last


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What searches for the same queries by the same profile have in common.

    Attributes:
        scoring: Word of a page where the column begins that ages count from; what neighbours one
            and two away lend, and what the named actor and date add, int32, shape (4,); whether
            any of these counts; whether actor or date counts; whether R is read; whether a score
            depends on other memories; whether terms are combined after all are filled; whether
            they are rescaled; steps, int64, shape (steps, 4): code, line or row, role, and step of
            the term that is replaced, or -1; and weights, float32, shape (2 + steps, 2): of
            recency, importance and each step, the second one where the replaced term is 0.
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
        kept: Arrays with the addresses above.
    """

    scoring: tuple[Any, ...]
    sources: tuple[Any, ...]
    cues: tuple[Int32, Int32, Int32]
    rows: tuple[Term, ...]
    pieces: int
    terms: int
    compares: bool
    is_complete: bool
    kept: tuple[Any, ...]

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
    return _Planner(request, keep=keep).make()


class _Planner:
    """Makes the plan of a request."""

    def __init__(self, request: Request, *, keep: bool) -> None:
        self.request, self.keep = request, keep
        self.relevance = request.relevance.keep() if keep else request.relevance
        self.queries = len(self.relevance.rows)
        self.kept: list[Any] = [self.relevance]
        self.is_complete = True

    def make(self) -> Plan:
        request, profile, shares = self.request, self.request.profile, self.request.shares
        weights = {} if request.draw_key is not None else request.weights
        codes = tuple(request.terms[name].code for name in weights)
        steps = _make_steps(tuple(weights.items()), codes, profile.combine, profile.normalise)
        full = shares.neighbours > 0 or request.cues
        lines = np.zeros((_LINES + len(steps.lines), self.queries), np.uint64)
        for line, name in zip(lines[_LINES:], steps.lines, strict=True):
            line[:] = self._find_lines(request.terms[name].lines())
        pairs = self._compare(lines, covers=steps.covers)
        compares = (steps.covers and not lines[1].all()) or (steps.reads_own and not lines[0].all())
        scoring = (
            OFFSETS[request.since] // 4, _values_of(shares), full, request.cues, steps.reads_own,
            full or steps.reads_others, profile.combine == "product" or steps.rescaled,
            steps.rescaled, steps.steps, steps.weights,
        )  # fmt: skip
        return Plan(
            scoring=scoring,
            sources=(request.query, lines, pairs),
            cues=(request.named, request.first, request.last),
            rows=tuple(request.terms[name] for name in steps.rows),
            pieces=pairs.widest if steps.covers else 0,
            terms=max(1, len(steps.steps)),
            compares=bool(compares),
            is_complete=self.is_complete,
            kept=tuple(self.kept),
        )  # fmt: skip

    def _find_lines(self, lines: Lines) -> UInt64:
        """Return the address of the line of each query."""
        values, rows, is_shared, is_complete = lines
        if self.keep and is_shared:
            values, rows = values[rows], np.arange(len(rows))
        self.kept.append(values)
        self.is_complete &= is_complete
        return addresses_of(values, rows)

    def _compare(self, lines: UInt64, *, covers: bool) -> Pairs:
        """Fill addresses of R and M and rows of pairs; return what memories are compared with."""
        rows, pairs = self.relevance.rows, self.relevance.pairs
        if self.relevance.table is not None:
            lines[0] = addresses_of(self.relevance.table, rows)
        if covers:
            covering = (t for t in self.request.terms.values() if isinstance(t, Coverage))
            coverage = next(covering)
            pairs, rows = coverage.pairs, coverage.rows
            if coverage.matches is not None:
                self.kept.append(coverage.matches)
                lines[1] = [each.ctypes.data for each in coverage.matches]
        lines[2] = rows
        return _NO_PAIRS if pairs is None else pairs


@lru_cache(maxsize=64)
def _values_of(shares: Shares) -> Int32:
    return np.array(shares.values, np.int32)


class _Steps(NamedTuple):
    """The part of a plan that depends on weights alone."""

    steps: Int64  # see `Plan.scoring`
    weights: Float32
    lines: tuple[str, ...]  # terms that read lines, in the order of these
    rows: tuple[str, ...]  # terms without a code, in the order of rows
    rescaled: bool
    reads_own: bool  # whether R is read
    reads_others: bool  # whether a score depends on other memories
    covers: bool  # whether M is read


@lru_cache(maxsize=64)
def _make_steps(
    weights: tuple[tuple[str, float], ...], codes: tuple[int, ...], combine: str, normalise: str
) -> _Steps:
    weight_of, names = dict(weights), [name for name, _ in weights]
    code_of = dict(zip(names, codes, strict=True))
    product, rescaled = combine == "product", normalise == "min-max"
    base = np.zeros((2, 2), np.float32)
    if product or rescaled:
        base[1] = 1
    else:
        for name in [name for name in names if code_of[name] in {RECENCY, IMPORTANCE}]:
            base[code_of[name] - RECENCY] = weight_of[name]
            names.remove(name)
    if product:
        names.sort(key=lambda name: _ROLES[role_of(name)])
    lines = tuple(name for name in names if code_of[name] in {ANSWER, LINE, LENT})
    rows = tuple(name for name in names if code_of[name] == ROW)
    replaced = [find_term(name).replaces for name in names]
    steps = [
        (
            code_of[name],
            _LINES + lines.index(name)
            if name in lines
            else rows.index(name)
            if name in rows
            else 0,
            _ROLES[role_of(name)],
            names.index(other) if product and other in names else -1,
        )
        for name, other in zip(names, replaced, strict=True)
    ]
    own = [
        (weight_of[name], weight_of[name] + weight_of.get(other, 0.0))
        for name, other in zip(names, replaced, strict=True)
    ]
    read = set(codes)
    return _Steps(
        np.array(steps, np.int64).reshape(-1, 4),
        np.concatenate([base, np.array(own, np.float32).reshape(-1, 2)]),
        lines, rows, rescaled,
        reads_own=bool(read & {RELEVANCE, ANSWER}),
        reads_others=bool(read & {WINDOW, SESSION, ANSWER, LENT}),
        covers=bool(read & {WINDOW, SESSION}),
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
