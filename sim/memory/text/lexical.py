"""Soft lexical relevance: the share of a query that a text contains, in whole numbers.

    pieces(text)  distinct word pieces without stop words and punctuation
    w_p           max(1, floor(log2(N / df_p)))       N texts in use, df_p of them contain p
    M[p, t]       max over v in pieces(t) of L[p, v]  0..255, from the likeness lists
    R[q, t]       256 * sum_p w_p M[p, t] // sum_p w_p              0..65280, p in pieces(q)

A text with every piece of the query has R = 65280; R is 0 for a query or text without a known
piece. Source: this project; the likeness lists are made by `benchmarks/make_assets.py`.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.text.best_likeness import BestLikeness
from memopolis.sim.memory.text.pieces import Likeness, check_queries, likeness
from memopolis.sim.memory.text.relevance import SIEVE, Pairs, Relevance
from memopolis.sim.memory.text.row_cache import RowCache
from memopolis.sim.memory.text.text_pieces import TextPieces
from memopolis.sim.memory.text.texts import Texts

ROOM = 64 * 2**20
_PARSED = 65_536
# Costs in nanoseconds, to choose between two forms that give the same bits.
_PAIR, _PAIR_PIECE, _PAIR_QUERY = 8.0, 1.2, 1_500.0
_NEW_TEXT, _NEW_CELL, _RENEWED_CELL = 20.0, 6.0, 0.8


class LexicalIndex:
    """Relevance of queries to the texts in use of a `Texts`.

    New texts are split into pieces when a query needs them, and a cached row is renewed only
    where a weight of the query or a text has changed. Results depend on the queries and the
    texts in use only.
    """

    def __init__(self, texts: Texts, *, room: int = ROOM, lists: Likeness | None = None) -> None:
        """Create an index, empty until the first query.

        Args:
            texts: The texts.
            room: Most bytes of cached rows; the least recently used are dropped first.
            lists: Similarity of word pieces; None for the shipped lists.
        """
        self._lists = lists or likeness()
        self._texts = TextPieces(texts)
        self._best = BestLikeness(self._texts, self._lists)
        self._room = room
        self._rows = RowCache()
        self._table = np.zeros((0, 0), np.uint16)
        self._length = np.zeros(0, np.int32)
        self._piece = np.zeros((0, 0), np.uint16)
        self._line = np.zeros((0, 0), np.int32)
        self._weight = np.zeros((0, 0), np.int32)
        self._seen = np.zeros(0, np.int64)
        self._changes: list[NDArray[np.intp]] = []
        self._changed = 0
        self._first_change = 0
        self._parsed: dict[str, NDArray[np.uint16]] = {}

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays, cached rows included."""
        arrays = (self._table, self._length, self._piece, self._line, self._weight)
        rows = sum(array.nbytes for array in arrays) + self._seen.nbytes + self._rows.nbytes
        changes = sum(change.nbytes for change in self._changes)
        parsed = sum(pieces.nbytes for pieces in self._parsed.values())
        return rows + changes + parsed + self._texts.nbytes + self._best.nbytes

    def relevance(self, queries: Sequence[str], pairs: int) -> Relevance:
        """Return the relevance of queries in the form that is cheaper.

        Args:
            queries: One or more; equal ones share a row.
            pairs: Number of (query, memory) pairs that the caller reads, over all queries.
        """
        if self.prefers_pairs(queries, pairs):
            form, rows = self.pairs(queries)
            return Relevance(rows, pairs=form)
        table, rows = self.table(queries)
        return Relevance(rows, table=table)

    def prefers_pairs(self, queries: Sequence[str], pairs: int) -> bool:
        """Return whether computing `pairs` single values is cheaper than renewing the table."""
        check_queries(queries)
        self._follow()
        distinct = list(dict.fromkeys(queries))
        columns = len(self._texts.start)
        if 2 * columns * len(distinct) > self._room:
            return True
        known = self._rows.rows(distinct)
        known = known[known >= 0]
        new = len(distinct) - len(known)
        renewed = int(self._stale(known).sum())
        width = self._texts.length.sum() / max(1, self._texts.living)
        by_pairs = pairs * (_PAIR + width * _PAIR_PIECE) + len(distinct) * _PAIR_QUERY
        by_table = columns * (new * _NEW_CELL + renewed * _RENEWED_CELL)
        if new:
            by_table += columns * _NEW_TEXT
        return bool(by_pairs < by_table)

    def table(self, queries: Sequence[str]) -> tuple[NDArray[np.uint16], NDArray[np.intp]]:
        """Return R for all texts.

        Args:
            queries: One or more; equal ones share a row.

        Returns:
            R, uint16, shape (rows, columns) with columns >= `texts.capacity`, and the row of
            each query, intp, shape (queries,). The array belongs to the index: it is valid
            until the next call, rows of other queries may be out of date, and it must not be
            written to.

        Raises:
            ParameterError: If `queries` is a str, or a query is not a str.
        """
        from memopolis.sim.memory.text import lexical_kernels as kernels

        check_queries(queries)
        self._follow()
        self._fit_columns()
        all_rows = self._rows_of(queries)
        rows = np.unique(all_rows)
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
        return self._table, all_rows

    def pairs(self, queries: Sequence[str]) -> tuple[Pairs, NDArray[np.intp]]:
        """Return the arrays from which `relevances_of_texts` computes single values of R.

        Args:
            queries: One or more; equal ones share a row.

        Returns:
            The arrays, and the row of each query, intp, shape (queries,). They are valid until
            the next call and must not be written to.

        Raises:
            ParameterError: If `queries` is a str, or a query is not a str.
        """
        from memopolis.sim.memory.text import lexical_kernels as kernels

        check_queries(queries)
        row_of = {query: row for row, query in enumerate(dict.fromkeys(queries))}
        self._follow()
        parts = [self._pieces_of(query) for query in row_of]
        widths = np.array([len(pieces) for pieces in parts], np.int64)
        pieces = np.concatenate([np.zeros(0, np.uint16), *parts])
        first = np.concatenate(([0], np.cumsum(widths)))
        slot, origin = np.zeros(len(parts) + 1, np.int64), np.zeros(len(parts), np.int64)
        room = kernels.slots(first, pieces, self._lists.start, slot, origin)
        made = Pairs(
            flat=self._texts.flat, start=self._texts.start, length=self._texts.length,
            weight=np.zeros(len(pieces), np.int32), first=first,
            total=np.zeros(len(parts), np.int64), sieve=np.zeros(len(parts) * SIEVE, np.uint64),
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
        # Beyond a quarter of the columns, combining a whole row is cheaper than parts of it.
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
        """Return the row of each query; new queries replace the least recently used ones."""
        rows, new = self._rows.use(queries)
        if not new:
            return rows
        surplus = len(self._rows) + len(new) - self._room // max(1, 2 * self._table.shape[1])
        for row in self._rows.free(surplus):
            self._best.release(self._piece[row, : self._length[row]])
            self._length[row] = 0
        pieces = [self._pieces_of(query) for query in new]
        self._fit_rows(len(new), max(map(len, pieces)))
        lines = self._best.hold(pieces)
        for query, some, line in zip(new, pieces, lines, strict=True):
            row = self._rows.assign(query)
            self._length[row] = len(some)
            self._piece[row, : len(some)] = some
            self._line[row, : len(some)] = line
            self._seen[row] = -1
        return self._rows.rows(queries)

    def _fit_columns(self) -> None:
        missing = len(self._texts.start) - self._table.shape[1]
        if missing > 0:
            self._table = np.pad(self._table, ((0, 0), (0, missing)))

    def _fit_rows(self, new: int, width: int) -> None:
        more = self._rows.grow(new)
        wider = max(0, width - self._piece.shape[1])
        if more:
            self._table = np.pad(self._table, ((0, more), (0, 0)))
            self._length = np.pad(self._length, (0, more))
            self._seen = np.pad(self._seen, (0, more))
        if more or wider:
            self._piece = np.pad(self._piece, ((0, more), (0, wider)))
            self._line = np.pad(self._line, ((0, more), (0, wider)))
            self._weight = np.pad(self._weight, ((0, more), (0, wider)))
