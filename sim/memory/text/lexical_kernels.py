"""Compiled loops over the word pieces of texts; the definitions are in `lexical`."""

import numpy as np
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from memopolis.sim.memory.streams.page_kernels import prefetch
from memopolis.sim.memory.text.pieces import NUMBERS
from memopolis.sim.memory.text.relevance import BLOCK, Pairs
from memopolis.sim.numba_internals import ir

_AHEAD = 32  # number of texts ahead whose place is prefetched; their pieces are half as far ahead


@njit(cache=True, nogil=True)
def fill(pairs, pieces, list_start, list_piece, list_likeness):  # type: ignore[no-untyped-def]
    """Fill total, lines, piece and likeness of `pairs`, which are zero, from likeness lists."""
    line_of = np.zeros(NUMBERS, np.uint16)
    for row in range(len(pairs.total)):
        begin, end = pairs.first[row], pairs.first[row + 1]
        names = pairs.piece[pairs.entry[row] :]
        lines = 0
        for at in range(begin, end):
            for entry in range(list_start[pieces[at]], list_start[pieces[at] + 1]):
                piece = list_piece[entry]
                if line_of[piece] == 0:
                    names[lines] = piece
                    lines += 1
                    line_of[piece] = lines
        total = 0
        for at in range(begin, end):
            total += pairs.weight[at]
            block, shift = (at - begin) // BLOCK, np.uint64(8 * ((at - begin) % BLOCK))
            words = pairs.likeness[pairs.origin[row] + block * lines :]
            for entry in range(list_start[pieces[at]], list_start[pieces[at] + 1]):
                line = line_of[list_piece[entry]] - 1
                words[line] |= np.uint64(list_likeness[entry]) << shift
        for line in range(lines):
            line_of[names[line]] = 0
        pairs.lines[row] = lines
        pairs.total[row] = max(1, total)


@intrinsic
def _larger_bytes(typing_context, left, right):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Return the larger of each pair of bytes of two words, in one instruction."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]  # noqa: ARG001
        vector = ir.VectorType(ir.IntType(8), BLOCK)
        a, b = (builder.bitcast(argument, vector) for argument in arguments)
        larger = builder.select(builder.icmp_unsigned(">", a, b), a, b)
        return builder.bitcast(larger, ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), generate


# With arrays of its own, also if it is compiled for a caller without reference counts.
@njit(cache=True, nogil=True, _nrt=True)  # type: ignore[call-overload,untyped-decorator]
def relevances_of_texts(  # type: ignore[no-untyped-def]
    pairs: Pairs,
    row: int,
    texts: NDArray[np.integer],
    begin: int,
    end: int,
    word_of: NDArray[np.uint64],
    best: NDArray[np.uint8],
    out: NDArray[np.integer],
):
    """Compute out[i] = R[row, texts[i]] for i in begin..end - 1, with the bits of the table.

    `word_of` is scratch of zeros, uint64, shape (NUMBERS,). M of text i and piece j of the query is
    written to `best`, uint8, shape (n, pairs.widest), unless it is empty.
    """
    # Arrays are taken out of the tuple once, since each access counts a reference.
    flat, start, length = pairs.flat, pairs.start, pairs.length
    likeness, names, first = pairs.likeness, pairs.piece, pairs.first[row]
    width = pairs.first[row + 1] - first
    entry, lines, total = pairs.entry[row], pairs.lines[row], np.float64(pairs.total[row])
    sums, weight = np.zeros(end - begin, np.int32), np.zeros(BLOCK, np.int32)
    for block in range((width + BLOCK - 1) // BLOCK):
        at_block = block * BLOCK
        part = min(BLOCK, width - at_block)
        weight[:part] = pairs.weight[first + at_block : first + at_block + part]
        weight[part:] = 0
        words = likeness[pairs.origin[row] + block * lines :]
        for line in range(lines):
            word_of[names[entry + line]] = words[line]
        for i in range(begin, end):
            ahead = texts[min(i + _AHEAD, end - 1)]
            prefetch(start, ahead)  # type: ignore[call-arg]
            prefetch(length, ahead)
            prefetch(flat, start[texts[min(i + _AHEAD // 2, end - 1)]])
            left = np.uint64(start[texts[i]])
            right = left + np.uint64(length[texts[i]])
            # Most pieces have the word 0: no branch, since it would be mispredicted.
            most = np.uint64(0)
            for at in range(left, right):
                most = _larger_bytes(most, word_of[flat[at]])
            above = np.int32(0)
            for j in range(BLOCK):
                match = np.int32((most >> np.uint64(8 * j)) & np.uint64(255))
                above = np.int32(above + np.int32(weight[np.uint64(j)] * match))
            sums[i - begin] += above
            if best.size:
                for j in range(part):
                    best[i, at_block + j] = np.uint8(most >> np.uint64(8 * j))
        for line in range(lines):
            word_of[names[entry + line]] = 0
    for i in range(begin, end):
        out[i] = np.int64(np.float64(sums[i - begin]) * 256.0 / total)


@njit(cache=True, nogil=True)
def relevances_of_queries(pairs, texts, word_of, out):  # type: ignore[no-untyped-def]
    """Compute out[row, i] = R[row, texts[i]], texts int32, for every row of `pairs`.

    `word_of` is scratch.
    """
    best, begin = np.zeros((0, 0), np.uint8), np.int64(0)
    line = np.empty(len(texts), np.int32)
    for row in range(len(out)):
        relevances_of_texts(pairs, row, texts, begin, len(texts), word_of, best, line)
        values = out[row]
        for i in range(len(texts)):
            values[i] = line[i]
