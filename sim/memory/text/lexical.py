"""Soft lexical relevance: the share of a query that a text contains, in whole numbers.

    pieces(text)  distinct word pieces without stop words and punctuation
    w_p           max(1, floor(log2(N / df_p)))       N texts in use, df_p of them contain p
    M[p, t]       max over v in pieces(t) of L[p, v]  0..255, from the likeness lists
    R[q, t]       256 * sum_p w_p M[p, t] // sum_p w_p              0..65280, p in pieces(q)

A text with every piece of the query has R = 65280; R is 0 for a query or text without a known
piece. Source: this project; the likeness lists are made by `benchmarks/make_assets.py`.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.text.pieces import (
    NUMBERS,
    Likeness,
    WordPieces,
    likeness,
    word_pieces,
)
from memopolis.sim.memory.text.relevance import BLOCK, Pairs, Relevance
from memopolis.sim.memory.text.term_table import ROOM, Table, TermTable
from memopolis.sim.memory.text.texts import Numbers, Texts
from memopolis.sim.memory.text.token_index import TokenIndex

FIRST_WORD = 1_995
"""Pieces up to this number are single characters and unused ones; words by frequency follow."""

MUCH = 120
"""Bits of a text that counts as full of information: some ten words of middling frequency."""

_PARSED = 65_536
_QUESTION = "?", "\uff1f"
_CLOSING = " \n\t\"')]\u201d\u2019\u300d"

_PREPARED = 150
"""Cost of preparing a query, as a number of computed values."""


class TextPieces(TokenIndex):
    """Word pieces of all texts; see `TokenIndex`.

    Attributes:
        words: The tokenizer.
        statement: 1 for a text that is no question, float32, shape (columns,).
        information: Self-information of a text as a share of `MUCH`, 0..1, float32, shape
            (columns,).
    """

    _columns: ClassVar[tuple[str, ...]] = ("start", "length", "statement", "information")

    def __init__(self, texts: Texts, pieces: WordPieces | None = None) -> None:
        """Create an empty index of `texts`; None for the shipped word pieces."""
        super().__init__(texts)
        self.words = pieces or word_pieces()
        self.flat = np.zeros(0, np.uint16)
        self.df = np.zeros(NUMBERS, np.int64)
        self.statement = np.zeros(0, np.float32)
        self.information = np.zeros(0, np.float32)

    def _tokenise(self, numbers: Numbers) -> tuple[NDArray[Any], ...]:
        texts = [self._changes.texts[number] for number in numbers.tolist()]
        pieces = [self.words.distinct(text) for text in texts]
        lengths = self.length[numbers] = np.fromiter(map(len, pieces), np.int32, len(pieces))
        self.statement[numbers] = [not is_question(text) for text in texts]
        flat = np.fromiter((piece for text in pieces for piece in text), np.uint16, lengths.sum())
        sums = np.concatenate(([0], np.cumsum(piece_information(flat))))
        ends = np.cumsum(lengths)
        bits = (sums[ends] - sums[ends - lengths]).astype(np.float32)
        self.information[numbers] = np.minimum(bits / np.float32(MUCH), np.float32(1))
        return (flat,)


def is_question(text: str) -> bool:
    """Return whether a text ends with a question mark, quotation marks and brackets aside."""
    return text.rstrip(_CLOSING).endswith(_QUESTION)


def piece_information(pieces: NDArray[np.uint16]) -> NDArray[np.int64]:
    """Compute the self-information of word pieces in bits, 1..16, shape (pieces,).

    Pieces of the vocabulary are ordered by frequency, so by Zipf's law the piece of rank r has
    about log2(r) bits more than the first one (this project). A pair of Chinese or Japanese
    characters counts as a rare word.
    """
    rank = np.maximum(pieces.astype(np.int64) - FIRST_WORD, 1)
    # frexp returns floor(log2(rank)) + 1.
    return np.asarray(np.frexp(rank)[1], np.int64)


class LexicalIndex:
    """Relevance of queries to the texts in use of a `Texts`.

    New texts are split into pieces when a query needs them, and a cached row is renewed only
    where a text has changed, or as a whole if a weight of the query has. Results depend on the
    queries and the texts in use only.
    """

    def __init__(self, texts: Texts, *, room: int = ROOM, lists: Likeness | None = None) -> None:
        """Create an index, empty until the first query.

        At most `room` bytes of rows are cached, the least recently used are dropped first; `lists`
        are the similarities of word pieces, the shipped ones if None.
        """
        self._lists = lists or likeness()
        self._source, self._texts = texts, TextPieces(texts)
        self._version = (0, 0)
        self._room = room
        self._table = TermTable(
            texts, self._fill, dtype=np.uint16, basis=self._weights_of, room=room
        )
        self._parsed: dict[str, NDArray[np.uint16]] = {}
        self._spent: dict[str, int] = {}
        self._weights: dict[str, bytes] = {}
        self._prepared: tuple[tuple[bytes, ...], Pairs] | None = None

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays, cached rows included."""
        parsed = sum(pieces.nbytes for pieces in self._parsed.values())
        return self._table.nbytes + self._texts.nbytes + parsed

    def texts(self) -> TextPieces:
        """Return the pieces of all texts in use."""
        self._follow()
        return self._texts

    def relevance(self, queries: Sequence[str], pairs: int) -> Relevance:
        """Return the relevance of queries in the form that is cheaper; equal ones share a row.

        `pairs` is the number of (query, memory) pairs that the caller reads, over all queries.
        """
        if self.prefers_pairs(queries, pairs):
            form, rows = self.pairs(queries)
            return Relevance(rows, pairs=form)
        table, rows = self.table(queries)
        return Relevance(rows, table=table)

    def known(self, query: str, pairs: int) -> tuple[NDArray[np.uint16], int] | None:
        """Return the table and the row of a query, for a search of `pairs` memories.

        A query gets a row when it has been asked so often that single values cost more. Returns
        None until then.
        """
        if self._version == self._source.version:
            known = self._table.known(query)
            if known is not None:
                return known
        self._follow()
        if len(self._spent) >= _PARSED:
            self._spent.clear()
        spent = self._spent[query] = self._spent.get(query, 0) + pairs
        if spent < self._texts.living or 2 * len(self._texts.start) > self._room:
            return None
        table, rows = self.table([query])
        return table, int(rows[0])

    def prefers_pairs(self, queries: Sequence[str], pairs: int) -> bool:
        """Return whether computing `pairs` single values is cheaper than renewing the table."""
        self._follow()
        distinct = list(dict.fromkeys(queries))
        columns = len(self._texts.start)
        if 2 * columns * len(distinct) > self._room:
            return True
        missing = self._table.count_missing(distinct)
        return pairs + len(distinct) * _PREPARED < missing * (self._texts.living + _PREPARED)

    def table(self, queries: Sequence[str]) -> Table:
        """Return R for all texts, uint16; see `TermTable.table`."""
        self._follow()
        return self._table.table(queries)

    def pairs(self, queries: Sequence[str]) -> tuple[Pairs, NDArray[np.intp]]:
        """Return the arrays from which `relevances_of_texts` computes single values of R.

        Equal queries share a row. Returns the arrays, and the row of each query, intp, shape
        (queries,). They are valid until the next call and must not be written to.
        """
        row_of = {query: row for row, query in enumerate(dict.fromkeys(queries))}
        self._follow()
        pieces, first = self._pieces_of(list(row_of))
        weights = self._weigh(pieces)
        key = (pieces.tobytes(), first.tobytes(), weights.tobytes())
        # The same queries are often repeated in the next step.
        if self._prepared is None or self._prepared[0] != key:
            self._prepared = key, self._prepare(pieces, first, weights)
        texts = self._texts
        made = self._prepared[1]._replace(flat=texts.flat, start=texts.start, length=texts.length)
        return made, np.array([row_of[query] for query in queries], np.intp)

    def _prepare(
        self, pieces: NDArray[np.uint16], first: NDArray[np.int64], weights: NDArray[np.int32]
    ) -> Pairs:
        """Build the arrays of some queries."""
        from memopolis.sim.memory.text import lexical_kernels as kernels

        texts, lists, rows = self._texts, self._lists, len(first) - 1
        entries = np.concatenate(([0], np.cumsum(lists.start[pieces + 1] - lists.start[pieces])))
        entry = entries[first]
        widths = np.diff(first)
        words = np.cumsum(np.diff(entry) * -(-widths // BLOCK))
        pairs = Pairs(
            flat=texts.flat, start=texts.start, length=texts.length, weight=weights, first=first,
            total=np.zeros(rows, np.int64), piece=np.zeros(entry[-1], np.uint16), entry=entry[:-1],
            lines=np.zeros(rows, np.int64), likeness=np.zeros(words[-1], np.uint64),
            origin=np.concatenate(([0], words[:-1])), widest=max(1, int(widths.max(initial=0))),
        )  # fmt: skip
        kernels.fill(pairs, pieces, lists.start, lists.piece, lists.likeness)
        return pairs

    def _fill(self, queries: list[str], columns: Numbers) -> NDArray[np.uint16]:
        from memopolis.sim.memory.text import lexical_kernels as kernels

        pairs, _ = self.pairs(queries)
        out = np.empty((len(queries), len(columns)), np.uint16)
        kernels.relevances_of_queries(pairs, columns, out)
        return out

    def _pieces_of(self, queries: list[str]) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
        """Return the pieces of queries, and where those of each begin, shape (queries + 1,)."""
        if len(self._parsed) >= _PARSED:
            self._parsed.clear()
        for query in queries:
            if query not in self._parsed:
                self._parsed[query] = np.array(self._texts.words.distinct(query), np.uint16)
        parts = [self._parsed[query] for query in queries]
        first = np.cumsum([0, *map(len, parts)], dtype=np.int64)
        return np.concatenate([np.zeros(0, np.uint16), *parts]), first

    def _weigh(self, pieces: NDArray[np.uint16]) -> NDArray[np.int32]:
        """Compute the weights w of pieces, int32, shape (pieces,)."""
        ratio = self._texts.living // np.maximum(1, self._texts.df[pieces])
        # frexp returns floor(log2(ratio)) + 1.
        weights: NDArray[np.int32] = np.maximum(1, np.frexp(ratio)[1] - 1).astype(np.int32)
        return weights

    def _weights_of(self, queries: list[str]) -> list[bytes]:
        """Return the weights of each query, computed once for the present texts."""
        new = [query for query in queries if query not in self._weights]
        if new:
            pieces, first = self._pieces_of(new)
            weights = self._weigh(pieces).astype(np.uint8).tobytes()
            for query, (begin, end) in zip(new, pairwise(first.tolist()), strict=True):
                self._weights[query] = weights[begin:end]
        return [self._weights[query] for query in queries]

    def _follow(self) -> None:
        """Read new texts; they change the weights of all pieces."""
        if self._version == self._source.version and len(self._weights) < _PARSED:
            return
        self._version = self._source.version
        self._texts.follow()
        self._weights.clear()
