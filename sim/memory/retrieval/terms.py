"""Terms of the score besides recency, importance and relevance, as pure functions of arrays.

`term_kernels.py` computes the same bits: all values are tables, integers, or a few operations in
float32 in a fixed order.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.retrieval.scoring import HALF_LIVES

Int32 = NDArray[np.int32]
Float32 = NDArray[np.float32]

STEPS = 256
"""Steps of the fading table per half-life."""

LAST_STEP = np.float32(HALF_LIVES * STEPS)
"""Last step of the fading table."""

# Two's complement: 128..255 are the codes of negative valence.
_CODES = np.arange(256)
VALENCE: Float32 = (np.where(_CODES < 128, _CODES, _CODES - 256) / 127).astype(np.float32)
"""Valence of each of the 256 codes as bytes, -1..1, shape (256,)."""

BITS: NDArray[np.uint8] = np.array([code.bit_count() for code in range(256)], np.uint8)
"""Number of bits set in each byte, shape (256,)."""


def floored(table: Float32, *, floor: float = 0.0, power: float = 1.0) -> Float32:
    """Apply a lower bound and a power to recency.

    Args:
        table: Recency in [0, 1], not increasing.
        floor: Lower bound, 0..1.
        power: Exponent, >= 0.
    """
    if floor == 0 and power == 1:
        return table
    return np.asarray(np.maximum(table, np.float32(floor)).astype(np.float64) ** power, np.float32)


def fading_table(*, floor: float = 0.0, power: float = 1.0) -> Float32:
    """Compute recency by elapsed half-lives, in steps of 1/256.

    Args:
        floor: Lower bound, 0..1.
        power: Exponent, >= 0.

    Returns:
        max(floor, 2 ** (-step / 256)) ** power, shape (32 * 256 + 2,); not increasing.
    """
    steps = np.exp2(-np.arange(HALF_LIVES * STEPS + 2) / STEPS).astype(np.float32)
    return floored(steps, floor=floor, power=power)


def pace(half_life: float) -> np.float32:
    """Return the steps of `fading_table` per tick, for a half-life in ticks."""
    return np.float32(STEPS / half_life)


def adaptive_recency(
    age: Int32, firm: Float32, pace: np.float32, boost: np.float32, table: Float32
) -> Float32:
    """Compute recency with a half-life that grows with consolidation.

    Args:
        age: Ticks since the last access or creation; below 0 counts as 0, shape (m,).
        firm: Consolidation, 0..1, shape (m,).
        pace: As from `pace`.
        boost: Relative growth of the half-life at full consolidation.
        table: As from `fading_table`.

    Returns:
        2 ** (-age / (half-life * (1 + boost * firm))), interpolated between the steps of the
        table, shape (m,).

    Source:
        memtool: adaptive half-life = base * (1 + 2 * consolidation).
    """
    steps = np.maximum(age, 0).astype(np.float32) * pace / (np.float32(1) + boost * firm)
    steps = np.minimum(steps, LAST_STEP)
    low = steps.astype(np.int32)
    part = steps - low.astype(np.float32)
    return np.asarray(table[low] + (table[low + 1] - table[low]) * part, np.float32)


def context_match(tags: NDArray[np.uint16], asked: NDArray[np.uint16]) -> Float32:
    """Return the share of the context's tags that a memory has, 0 for a context without tags.

    Args:
        tags: Bits of the memories' tags, shape (m,).
        asked: Bits of the tags of the context of each, shape (m,).

    Source:
        memtool's contextual search: match = overlap / tags asked.
    """
    both = _count(tags & asked)
    counts = _count(asked)
    return np.asarray(both / np.maximum(counts, np.float32(1)), np.float32)


def _count(bits: NDArray[np.uint16]) -> Float32:
    return np.asarray(BITS[bits & 255] + BITS[bits >> 8], np.float32)


def feeling_match(valence: NDArray[np.int8], asked: Float32) -> Float32:
    """Compute the similarity of the valence of memories and a feeling.

    Args:
        valence: Encoded valence, -127..127, shape (m,).
        asked: Feeling for each memory, -1..1, shape (m,).

    Returns:
        1 - |valence - asked| / 2, in [0, 1], shape (m,).

    Source:
        Mood-congruent recall: Bower 1981, doi:10.1037/0003-066X.36.2.129; the straight line
        is this project's.
    """
    apart = np.abs(VALENCE[valence.view(np.uint8)] - asked)
    return np.asarray(np.float32(1) - apart * np.float32(0.5), np.float32)


def feelings(asked: ArrayLike, agents: int) -> Float32:
    """Check a feeling, one or one per agent, and return one per agent.

    Raises:
        ParameterError: If it is outside -1..1 or has another shape.
    """
    try:
        feeling = np.asarray(asked, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError("feeling must be a number from -1 to 1, or one per agent") from None
    if feeling.shape not in {(), (agents,)}:
        raise ParameterError(f"feeling has shape {feeling.shape}; one or ({agents},) is needed")
    if not ((feeling >= -1) & (feeling <= 1)).all():
        raise ParameterError(f"feeling must be between -1 and 1, given {feeling}")
    return np.broadcast_to(feeling, (agents,)).astype(np.float32)
