"""Read values of arrays by address in compiled loops.

The values of all texts for a query are a row of a table, and each term has a table of its own. The
compiled search gets the addresses of the rows, so that any number of tables has one type. The
caller that passes an address keeps the array.
"""

import numpy as np
from numba import types
from numba.extending import intrinsic

from memopolis.sim.arrays import Array, Ints, UInt64
from memopolis.sim.numba_internals import ir


def addresses_of(table: Array, rows: Ints) -> UInt64:
    """Return where some rows of a C-contiguous table begin, shape of `rows`."""
    return (table.ctypes.data + rows * table.strides[0]).astype(np.uint64)


def _make_reader(kind, word):  # type: ignore[no-untyped-def]
    @intrinsic
    def read(typing_context, address, index):  # type: ignore[no-untyped-def]  # noqa: ARG001
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]  # noqa: ARG001
            begin = builder.inttoptr(arguments[0], word.as_pointer())
            return builder.load(builder.gep(begin, [arguments[1]]))

        return kind(types.uint64, types.uint64), generate

    return read


byte_at = _make_reader(types.uint8, ir.IntType(8))  # type: ignore[no-untyped-call]
half_at = _make_reader(types.uint16, ir.IntType(16))  # type: ignore[no-untyped-call]
single_at = _make_reader(types.float32, ir.FloatType())  # type: ignore[no-untyped-call]
