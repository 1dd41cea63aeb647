"""The term that compares the tokens of a query with those of a text."""

import math
from collections.abc import Sequence

import numpy as np

from memopolis.sim.arrays import Array, Float32, Int8
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.text.lexical import Table, TermTable
from memopolis.sim.memory.text.pieces import without_fields
from memopolis.sim.memory.text.texts import Numbers, TextChanges, Texts
from memopolis.sim.memory.vectors.embedders.protocol import Embedder, name_of

UNIT = 127  # length of a stored vector
_BLOCK = 256  # maximum number of texts in one matrix product


class LateInteraction:
    """Mean over the tokens of a query of the best cosine with a token of the text.

    With MiniLM, a sentence of 16 tokens takes about 6 kB.

    Source:
        O. Khattab, M. Zaharia (2020), ColBERT, doi:10.1145/3397271.3401075, equation 3, divided by
        the number of tokens of the query.
    """

    def __init__(self, texts: Texts, embedder: Embedder) -> None:
        """Create the term of `texts`; the embedder must have vectors of tokens."""
        if not hasattr(embedder, "token_vectors"):
            raise ParameterError(
                "the term late_interaction needs an embedder with token vectors, such as 'minilm'; "
                f"{name_of(embedder)} has none"
            )
        self._texts, self._embedder = texts, embedder
        self._changes = TextChanges(texts)
        self._tokens: dict[int, Int8] = {}
        self._table = TermTable(texts, self._fill, blank=math.nan)

    @property
    def nbytes(self) -> int:
        """Bytes of the stored vectors of tokens."""
        return sum(vectors.nbytes for vectors in self._tokens.values())

    def dense(self, queries: Sequence[str], numbers: Numbers | None = None) -> Table:
        """Compute the term, nan without a token; arguments as in `TermTable.table`."""
        return self._table.table(queries, numbers)

    def _fill(self, queries: list[str], columns: Numbers, out: Array) -> None:
        self._follow()
        missing = [number for number in columns.tolist() if number not in self._tokens]
        texts = [self._texts[number] for number in missing]
        self._tokens.update(zip(missing, self._embed(texts), strict=True))
        out[:] = math.nan
        tokens = [self._tokens[number] for number in columns.tolist()]
        filled = np.flatnonzero([len(vectors) > 0 for vectors in tokens])
        for row, vectors in enumerate(self._embed(queries)):
            if not len(vectors):
                continue
            for begin in range(0, len(filled), _BLOCK):
                some = filled[begin : begin + _BLOCK]
                out[row, some] = best_cosines(vectors, [tokens[i] for i in some])

    def _embed(self, texts: Sequence[str]) -> list[Int8]:
        vectors = self._embedder.token_vectors([without_fields(text) for text in texts])
        return [np.rint(each * UNIT).astype(np.int8) for each in vectors]

    def _follow(self) -> None:
        if self._changes.waiting:
            for changed in np.concatenate(self._changes.take()).tolist():
                self._tokens.pop(changed, None)


def best_cosines(query: Array, texts: Sequence[Array]) -> Float32:
    """Compute the mean over query tokens of the best cosine with a token of each text."""
    starts = np.cumsum([0, *(len(vectors) for vectors in texts[:-1])])
    products = query.astype(np.float32) @ np.concatenate(texts).astype(np.float32).T
    best = np.maximum.reduceat(products, starts, axis=1).astype(np.float64)
    return np.asarray(best.sum(axis=0) / (len(query) * UNIT * UNIT), np.float32)
