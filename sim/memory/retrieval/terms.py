"""Terms of the score beside recency, importance and relevance, as pure functions of arrays.

`term_kernels.py` computes the same bits: everything is a table, a whole number, or a few
operations in float32 in the order written here.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.retrieval.scoring import HALF_LIVES

Int32 = NDArray[np.int32]
Float32 = NDArray[np.float32]

STEPS = 256
"""Steps of the fading table in one half-life."""

LAST_STEP = np.float32(HALF_LIVES * STEPS)
"""Step at which fading ends."""

# As two's complement: 128..255 are the codes of negative valence.
_CODES = np.arange(256)
VALENCE: Float32 = (np.where(_CODES < 128, _CODES, _CODES - 256) / 127).astype(np.float32)
"""Valence of each of the 256 codes as bytes, -1..1, shape (256,)."""

BITS: NDArray[np.uint8] = np.array([code.bit_count() for code in range(256)], np.uint8)
"""How many bits of a byte are set, shape (256,)."""


def floored(table: Float32, *, floor: float = 0.0, power: float = 1.0) -> Float32:
    """Keep recency from falling below a floor, and raise it to a power.

    Args:
        table: Recency in [0, 1], never rising.
        floor: Least recency, 0..1.
        power: What it is raised to, >= 0.
    """
    if floor == 0 and power == 1:
        return table
    return np.asarray(np.maximum(table, np.float32(floor)).astype(np.float64) ** power, np.float32)


def fading_table(*, floor: float = 0.0, power: float = 1.0) -> Float32:
    """Recency by half-lives passed, in steps of 1/256.

    Args:
        floor: Least recency, 0..1.
        power: What it is raised to, >= 0.

    Returns:
        max(floor, 2 ** (-step / 256)) ** power, shape (32 * 256 + 2,); never rising.
    """
    steps = np.exp2(-np.arange(HALF_LIVES * STEPS + 2) / STEPS).astype(np.float32)
    return floored(steps, floor=floor, power=power)


def pace(half_life: float) -> np.float32:
    """Steps of `fading_table` a tick takes, where a half-life takes so many ticks."""
    return np.float32(STEPS / half_life)


def adaptive_recency(
    age: Int32, firm: Float32, pace: np.float32, boost: np.float32, table: Float32
) -> Float32:
    """Weigh memories by age, where consolidated ones fade more slowly.

    Args:
        age: Ticks since each was recalled or made; below 0 counts as 0, shape (m,).
        firm: Consolidation, 0..1, shape (m,).
        pace: As from `pace`.
        boost: By how much of itself a half-life grows at full consolidation.
        table: As from `fading_table`.

    Returns:
        2 ** (-age / (half-life * (1 + boost * firm))), read between the steps of the table,
        shape (m,).

    Source:
        memtool: adaptive half-life = base * (1 + 2 * consolidation).
    """
    steps = np.maximum(age, 0).astype(np.float32) * pace / (np.float32(1) + boost * firm)
    steps = np.minimum(steps, LAST_STEP)
    low = steps.astype(np.int32)
    part = steps - low.astype(np.float32)
    return np.asarray(table[low] + (table[low + 1] - table[low]) * part, np.float32)


def context_match(tags: NDArray[np.uint16], asked: NDArray[np.uint16]) -> Float32:
    """Share of the tags asked that a memory has, 0 where none is asked.

    Args:
        tags: Bits of the memories' tags, shape (m,).
        asked: Bits of the tags asked of each, shape (m,).

    Source:
        memtool's contextual search: match = overlap / tags asked.
    """
    both = _count(tags & asked)
    wanted = _count(asked)
    return np.asarray(both / np.maximum(wanted, np.float32(1)), np.float32)


def _count(bits: NDArray[np.uint16]) -> Float32:
    return np.asarray(BITS[bits & 255] + BITS[bits >> 8], np.float32)


def feeling_match(valence: NDArray[np.int8], asked: Float32) -> Float32:
    """How close the valence of memories is to a feeling.

    Args:
        valence: As it is kept, -127..127, shape (m,).
        asked: Feeling asked of each, -1..1, shape (m,).

    Returns:
        1 - |valence - asked| / 2, in [0, 1], shape (m,).

    Source:
        Mood-congruent recall: Bower 1981, doi:10.1037/0003-066X.36.2.129; the straight line
        is this project's.
    """
    apart = np.abs(VALENCE[valence.view(np.uint8)] - asked)
    return np.asarray(np.float32(1) - apart * np.float32(0.5), np.float32)


def feelings(asked: ArrayLike, agents: int) -> Float32:
    """Check the feeling asked, one or one an agent, and give one an agent.

    Raises:
        ParameterError: If it lies outside -1..1 or has another shape.
    """
    given = np.asarray(asked, np.float64)
    if given.shape not in {(), (agents,)}:
        raise ParameterError(f"feeling has shape {given.shape}; one or ({agents},) is needed")
    if not ((given >= -1) & (given <= 1)).all():
        raise ParameterError(f"feeling lies between -1 and 1, given {given}")
    return np.broadcast_to(given, (agents,)).astype(np.float32)
