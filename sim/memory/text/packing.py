"""Texts as one array of bytes, since arrays of objects need pickle.

The array contains the number of texts, the end of each (int64), and all texts in UTF-8.
"""

from collections.abc import Sequence

import numpy as np

from memopolis.sim.arrays import UInt8


def pack_texts(texts: Sequence[str]) -> UInt8:
    """Encode texts as one array of bytes."""
    import pyarrow as pa

    _, edges, content = pa.array(texts, pa.large_string()).buffers()
    ends = np.frombuffer(edges, np.int64, len(texts), 8) if len(texts) else np.zeros(0, np.int64)
    length = int(ends[-1]) if len(texts) else 0
    numbers = np.concatenate([[len(texts)], ends]).astype("<i8").view(np.uint8)
    return np.concatenate([numbers, np.frombuffer(content or b"", np.uint8, length)])


def count_texts(values: UInt8) -> int:
    """Return the number of texts in an array of `pack_texts`."""
    return int(values[:8].view("<i8")[0])


def unpack_texts(values: UInt8) -> list[str]:
    """Decode the texts of `pack_texts`; ValueError says what is wrong with an invalid array."""
    import pyarrow as pa

    whole = np.array(values)
    count = count_texts(whole) if len(whole) >= 8 else -1
    if not 0 <= count < len(whole) // 8:
        raise ValueError("contains no texts: the number of texts is wrong")
    edges = whole[: 8 * (count + 1)].view("<i8").astype(np.int64)
    edges[0] = 0
    content = whole[8 * (count + 1) :]
    if edges[-1] != len(content) or (edges[1:] < edges[:-1]).any():
        raise ValueError("contains no texts: their ends are not in order")
    parts = [None, pa.py_buffer(edges), pa.py_buffer(content)]
    packed = pa.Array.from_buffers(pa.large_string(), count, parts)
    try:
        packed.validate(full=True)
    except pa.ArrowInvalid:
        raise ValueError("contains a text that is not UTF-8") from None
    texts: list[str] = packed.to_pylist()
    return texts
