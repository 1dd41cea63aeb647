"""Soft lexical relevance: how much of a query a text speaks of, in whole numbers.

    pieces(text)  distinct word pieces without stop words and punctuation
    w_p           max(1, floor(log2(N / df_p)))       N living texts, df_p of them hold p
    M[p, t]       max over v in pieces(t) of L[p, v]  0..255, from the likeness lists
    R[q, t]       256 * sum_p w_p M[p, t] // sum_p w_p              0..65280, p in pieces(q)

A text that holds every piece of the query has 65280; a query or text without a known piece
has 0. Source: this project; the likeness lists are made by `assets/make_assets.py`.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.text.best_likeness import BestLikeness
from memopolis.sim.memory.text.pieces import Likeness, check_queries, likeness
from memopolis.sim.memory.text.relevance import SIEVE, Pairs, Relevance
from memopolis.sim.memory.text.text_pieces import TextPieces
from memopolis.sim.memory.text.texts import Texts

ROOM = 64 * 2**20
_PARSED = 65_536
# Costs in nanoseconds, only to choose between two forms that give the same bits.
_PAIR, _PAIR_PIECE, _PAIR_QUERY = 8.0, 1.2, 1_500.0
_NEW_TEXT, _NEW_CELL, _RENEWED_CELL = 20.0, 6.0, 0.8


class LexicalIndex:
    """Relevance of queries to the living texts of a `Texts`.

    Everything is lazy: new texts are cut into pieces when a query needs them, and a cached
    row is renewed only where a weight of the query or a text has changed. What it answers
    follows from the queries and the living texts alone.
    """

    def __init__(self, texts: Texts, *, room: int = ROOM, lists: Likeness | None = None) -> None:
        """Make an index; it is empty until the first query.

        Args:
            texts: The texts to follow.
            room: Bytes that cached rows may take; beyond, the longest unused go first.
            lists: Likeness of the pieces; the shipped lists by default.
        """
        self._lists = lists or likeness()
        self._texts = TextPieces(texts)
        self._best = BestLikeness(self._texts, self._lists)
        self._room = room
        self._rows: dict[str, int] = {}
        self._free: list[int] = []
        self._table = np.zeros((0, 0), np.uint16)
        self._length = np.zeros(0, np.int32)
        self._piece = np.zeros((0, 0), np.uint16)
        self._line = np.zeros((0, 0), np.int32)
        self._weight = np.zeros((0, 0), np.int32)
        self._seen = np.zeros(0, np.int64)
        self._used = np.zeros(0, np.int64)
        self._calls = 0
        self._changes: list[NDArray[np.intp]] = []
        self._changed = 0
        self._first_change = 0
        self._parsed: dict[str, NDArray[np.uint16]] = {}

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays, cached rows included."""
        arrays = (self._table, self._length, self._piece, self._line, self._weight)
        rows = sum(array.nbytes for array in arrays) + self._seen.nbytes + self._used.nbytes
        changes = sum(change.nbytes for change in self._changes)
        parsed = sum(pieces.nbytes for pieces in self._parsed.values())
        return rows + changes + parsed + self._texts.nbytes + self._best.nbytes

    def relevance(self, queries: Sequence[str], pairs: int) -> Relevance:
        """Give the relevance of queries in the form that costs less.

        Args:
            queries: One or more; equal ones share a row.
            pairs: How many (query, memory) pairs the caller will look at, all queries
                together.
        """
        if self.prefers_pairs(queries, pairs):
            form, rows = self.pairs(queries)
            return Relevance(rows, pairs=form)
        table, rows = self.table(queries)
        return Relevance(rows, table=table)

    def prefers_pairs(self, queries: Sequence[str], pairs: int) -> bool:
        """Tell whether computing `pairs` single values costs less than renewing the table."""
        check_queries(queries)
        self._follow()
        distinct = list(dict.fromkeys(queries))
        columns = len(self._texts.start)
        if 2 * columns * len(distinct) > self._room:
            return True
        known = np.array([self._rows[q] for q in distinct if q in self._rows], np.intp)
        new = len(distinct) - len(known)
        renewed = int(self._stale(known).sum())
        width = self._texts.length.sum() / max(1, self._texts.living)
        by_pairs = pairs * (_PAIR + width * _PAIR_PIECE) + len(distinct) * _PAIR_QUERY
        by_table = columns * (new * _NEW_CELL + renewed * _RENEWED_CELL)
        if new:
            by_table += columns * _NEW_TEXT
        return bool(by_pairs < by_table)

    def table(self, queries: Sequence[str]) -> tuple[NDArray[np.uint16], NDArray[np.intp]]:
        """Give R for all texts.

        Args:
            queries: One or more; equal ones share a row.

        Returns:
            R, uint16, shape (rows, columns) with columns >= `texts.capacity`, and the row of
            each query, intp, shape (queries,). The array is the index's own: it holds until
            the next call, other queries' rows in it may be out of date, and it must not be
            written to.

        Raises:
            ParameterError: If `queries` is itself a str, or a query is not a str.
        """
        from memopolis.sim.memory.text import lexical_kernels as kernels

        check_queries(queries)
        self._follow()
        self._fit_columns()
        given = self._rows_of(queries)
        rows = np.unique(given)
        now = self._first_change + len(self._changes)
        whole = self._stale(rows) | (self._seen[rows] < self._first_change)
        kernels.combine(
            rows[whole], self._length, self._piece, self._line, self._weight,
            self._texts.living, self._texts.df, self._best.rows, self._table,
        )  # fmt: skip
        some = rows[~whole]
        late = self._seen[some]
        for seen in sorted(set(late.tolist()) - {now}):
            columns = np.concatenate(self._changes[seen - self._first_change :])
            kernels.combine_columns(
                some[late == seen], columns, self._length, self._line, self._weight,
                self._best.rows, self._table,
            )  # fmt: skip
        self._seen[rows] = now
        return self._table, given

    def pairs(self, queries: Sequence[str]) -> tuple[Pairs, NDArray[np.intp]]:
        """Give the arrays from which `relevances_of_texts` computes single values of R.

        Args:
            queries: One or more; equal ones share a row.

        Returns:
            The arrays, and the row of each query, intp, shape (queries,). They hold until
            the next call and must not be written to.

        Raises:
            ParameterError: If `queries` is itself a str, or a query is not a str.
        """
        from memopolis.sim.memory.text import lexical_kernels as kernels

        check_queries(queries)
        row_of = {query: row for row, query in enumerate(dict.fromkeys(queries))}
        self._follow()
        cut = [self._pieces_of(query) for query in row_of]
        widths = np.array([len(pieces) for pieces in cut], np.int64)
        pieces = np.concatenate([np.zeros(0, np.uint16), *cut])
        first = np.concatenate(([0], np.cumsum(widths)))
        slot, origin = np.zeros(len(cut) + 1, np.int64), np.zeros(len(cut), np.int64)
        room = kernels.slots(first, pieces, self._lists.start, slot, origin)
        made = Pairs(
            flat=self._texts.flat, start=self._texts.start, length=self._texts.length,
            weight=np.zeros(len(pieces), np.int32), first=first,
            total=np.zeros(len(cut), np.int64), sieve=np.zeros(len(cut) * SIEVE, np.uint64),
            key=np.zeros(slot[-1], np.uint16), line=np.zeros(slot[-1], np.uint16), slot=slot,
            likeness=np.zeros(room, np.uint8), origin=origin,
            widest=max(1, int(widths.max(initial=0))),
        )  # fmt: skip
        kernels.fill(
            made, pieces, self._lists.start, self._lists.piece, self._lists.likeness,
            self._texts.living, self._texts.df,
        )  # fmt: skip
        return made, np.array([row_of[query] for query in queries], np.intp)

    def _follow(self) -> None:
        changed = self._texts.follow()
        if not len(changed):
            return
        self._best.renew(changed)
        self._changes.append(changed)
        self._changed += len(changed)
        # Past a quarter of the columns, combining a whole row costs less than parts of it.
        if self._changed > max(64, len(self._texts.start) // 4):
            older = (len(self._changes) + 1) // 2
            self._changed -= sum(map(len, self._changes[:older]))
            del self._changes[:older]
            self._first_change += older

    def _pieces_of(self, query: str) -> NDArray[np.uint16]:
        pieces = self._parsed.get(query)
        if pieces is None:
            if len(self._parsed) >= _PARSED:
                self._parsed.clear()
            pieces = np.array(self._texts.words.distinct(query), np.uint16)
            self._parsed[query] = pieces
        return pieces

    def _stale(self, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        from memopolis.sim.memory.text import lexical_kernels

        changed: NDArray[np.bool_] = lexical_kernels.stale(
            rows, self._length, self._piece, self._weight, self._texts.living, self._texts.df
        )
        return changed

    def _rows_of(self, queries: Sequence[str]) -> NDArray[np.intp]:
        """Give the row of each query; new queries take the place of those longest unused."""
        known = self._rows.get
        given = np.array([known(query, -1) for query in queries], np.intp)
        self._calls += 1
        self._used[given[given >= 0]] = self._calls
        if (given < 0).any():
            new = [query for query in dict.fromkeys(queries) if query not in self._rows]
            self._make_room(len(new))
            self._enter(new)
            given = np.array([self._rows[query] for query in queries], np.intp)
        return given

    def _make_room(self, new: int) -> None:
        """Drop the rows unused for longest, but none of this call's, until new ones fit."""
        surplus = len(self._rows) + new - self._room // max(1, 2 * self._table.shape[1])
        if surplus <= 0:
            return
        for query, row in sorted(self._rows.items(), key=lambda held: self._used[held[1]]):
            if surplus <= 0 or self._used[row] == self._calls:
                break
            surplus -= 1
            del self._rows[query]
            self._best.release(self._piece[row, : self._length[row]])
            self._length[row] = 0
            self._free.append(row)

    def _enter(self, queries: list[str]) -> None:
        """Give each new query a row, its pieces, and the pieces' rows of best likeness."""
        if not queries:
            return
        cut = [self._pieces_of(query) for query in queries]
        self._fit_rows(len(queries), max(map(len, cut)))
        lines = self._best.hold(cut)
        for query, pieces, at in zip(queries, cut, lines, strict=True):
            row = self._free.pop()
            self._rows[query] = row
            self._length[row] = len(pieces)
            self._piece[row, : len(pieces)] = pieces
            self._line[row, : len(pieces)] = at
            self._seen[row] = -1
            self._used[row] = self._calls

    def _fit_columns(self) -> None:
        missing = len(self._texts.start) - self._table.shape[1]
        if missing > 0:
            self._table = np.pad(self._table, ((0, 0), (0, missing)))

    def _fit_rows(self, new: int, width: int) -> None:
        rows, widest = self._piece.shape
        more = max(0, new - len(self._free))
        if more:
            more = max(more, rows // 2)
            self._free += range(rows, rows + more)
            self._table = np.pad(self._table, ((0, more), (0, 0)))
            self._length = np.pad(self._length, (0, more))
            self._seen = np.pad(self._seen, (0, more))
            self._used = np.pad(self._used, (0, more))
        wider = max(0, width - widest)
        if more or wider:
            self._piece = np.pad(self._piece, ((0, more), (0, wider)))
            self._line = np.pad(self._line, ((0, more), (0, wider)))
            self._weight = np.pad(self._weight, ((0, more), (0, wider)))
