"""Cosines between query texts and the texts of memories, for many agents.

A cosine is stored as a code (see `encode_cosine`), computed from whole-number dot products, so it
does not depend on what else is computed with it. Each group of agents has either a table of its
distinct texts, or, if nearly all texts differ, vectors that are compared pair by pair.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from memopolis.sim.arguments import find_distinct
from memopolis.sim.arrays import Array, Float64, Int16, Int64
from memopolis.sim.memory.vectors.embedding import TextVectors

Similarity = tuple[Int16, Array, Array, Float64, Float64]

MOST_CELLS = 1 << 25  # most cells of a table, 64 MB
# Most bytes of the vectors of a group compared pair by pair, except a group of one agent.
MOST_BYTES = 1 << 26
_MOST_TEXTS = np.iinfo(np.uint16).max
_BLOCK = 256


def squared_lengths(vectors: Array) -> Int64:
    """Return the squared length of each whole-number vector, shape (n,)."""
    return np.asarray(np.einsum("ij,ij->i", vectors, vectors, dtype=np.int64))


def inverse_lengths(vectors: Array) -> Float64:
    """Return the inverse length of each vector, 0 for a zero vector, shape (n,)."""
    squares = squared_lengths(vectors)
    inverse = np.zeros(len(vectors))
    np.divide(1.0, np.sqrt(squares), out=inverse, where=squares > 0)
    return inverse


def code_table(first: Array, second: Array) -> Int16:
    """Compute cosine codes of vectors, int16, shape (n, m)."""
    from memopolis.sim.memory.vectors import text_likeness_kernels as kernels

    # No partial sum of a dot product exceeds the product of the two lengths.
    longest = [float(squared_lengths(each).max(initial=0)) for each in (first, second)]
    exact = np.float32 if longest[0] * longest[1] < float(1 << 24) ** 2 else np.float64
    a, b = inverse_lengths(first), inverse_lengths(second)
    columns = np.ascontiguousarray(second.astype(exact).T)
    table = np.empty((len(first), len(second)), np.int16)
    room = np.empty((min(_BLOCK, len(first)), len(second)), exact)
    for at in range(0, len(first), _BLOCK):
        part = slice(at, min(at + _BLOCK, len(first)))
        dots = np.matmul(first[part].astype(exact), columns, out=room[: part.stop - at])
        kernels.fill_codes(dots, a[part], b, table[part])
    return table


@dataclass(frozen=True)
class Ragged:
    """A list of text numbers for each agent, concatenated."""

    values: Array  # numbers, int32, or uint16 if they fit; shape (m,)
    starts: Int64  # where each agent's numbers begin, shape (n + 1,)

    @classmethod
    def of(cls, values: Array, owners: Int64, agents: int) -> "Ragged":
        """Divide numbers by the index of their agent, ascending."""
        return cls(values, np.searchsorted(owners, np.arange(agents + 1)))

    def part(self, begin: int, end: int) -> "Ragged":
        """Return the lists of agents begin..end - 1."""
        starts = self.starts[begin : end + 1]
        return Ragged(self.values[starts[0] : starts[-1]], starts - starts[0])

    @property
    def lengths(self) -> Int64:
        """Length of each list, shape (n,)."""
        return np.diff(self.starts)


@dataclass(frozen=True)
class Group:
    """Agents that are processed together, and the cosines of their texts."""

    begin: int  # index of the first agent
    end: int  # index after the last agent
    queries: Ragged  # their query texts, numbered among the distinct ones
    stored: Ragged  # texts of their memories, numbered likewise
    # Table of codes, vectors of queries and texts, and their inverse lengths; either the table or
    # the vectors are empty.
    similarity: Similarity


def groups(vectors: TextVectors, queries: Ragged, stored: Ragged) -> Iterator[Group]:
    """Divide agents into groups that share a table of cosines or are compared pair by pair.

    The grouping does not affect any cosine. Groups have at least one pair of texts, and are in
    order of the agents.
    """
    # The length of an embedder's vectors is known once it has embedded a text.
    bytes_each = vectors.rounded(stored.values[:1]).nbytes
    pending = [(0, len(stored.starts) - 1)]
    while pending:
        begin, end = pending.pop()
        query_part, stored_part = queries.part(begin, end), stored.part(begin, end)
        pairs = int((query_part.lengths * stored_part.lengths).sum())
        if not pairs:
            continue
        few, few_local = find_distinct(query_part.values)
        many, many_local = find_distinct(stored_part.values)
        cells = len(few) * len(many)
        as_pairs = cells > pairs or (end - begin == 1 and cells > MOST_CELLS)
        large = len(many) * bytes_each > MOST_BYTES if as_pairs else cells > MOST_CELLS
        large |= len(many) > _MOST_TEXTS
        if large and end - begin > 1:
            middle = (begin + end) // 2
            pending += [(middle, end), (begin, middle)]
            continue
        similarity = _compare(vectors.rounded(few), vectors.rounded(many), as_pairs=as_pairs)
        # Half the bytes if they fit, since these are read repeatedly.
        dtype = np.uint16 if len(many) <= _MOST_TEXTS else np.int32
        yield Group(
            begin,
            end,
            Ragged(few_local.astype(np.int32), query_part.starts),
            Ragged(many_local.astype(dtype), stored_part.starts),
            similarity,
        )


def _compare(first: Array, second: Array, *, as_pairs: bool) -> Similarity:
    if as_pairs:
        table = np.empty((0, 0), np.int16)
        return table, first, second, inverse_lengths(first), inverse_lengths(second)
    none, no_length = first[:0], np.empty(0)
    return code_table(first, second), none, none, no_length, no_length
