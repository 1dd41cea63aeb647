"""What money and work do to strain, needs and satisfaction with life."""

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError

type Floats = NDArray[np.floating]
type Float32 = NDArray[np.float32]


def strain(means: Floats, need: Floats) -> Float32:
    """How far means fall short of what a household needs.

    Args:
        means: What it had to spend, shape (households,).
        need: What it needs, > 0, shape (households,).

    Returns:
        In [0, 1]: 0 where there is enough, shape (households,).

    Source:
        This project: the poverty gap (Foster, Greer and Thorbecke 1984) of one household.
    """
    return np.clip(1 - means / np.maximum(need, 1), 0, 1).astype(np.float32)


def noticed(change: Floats, *, scale: float, most: float) -> Float32:
    """How much a change matters to who notices it.

    Args:
        change: Logarithm of new over old, shape (agents,).
        scale: Change at which all but 1/e of `most` is reached, > 0.
        most: Greatest importance, in [0, 1].

    Returns:
        most (1 - exp(-|change| / scale)), in [0, 1], shape (agents,).

    Raises:
        ParameterError: If the scale is not above 0.

    Source:
        Relative changes are what is noticed (Weber; Fechner); the form is this project's.
    """
    if scale <= 0:
        raise ParameterError(f"scale is {scale}; more than 0 is needed")
    return np.asarray(most * (1 - np.exp(-np.abs(change) / scale)), np.float32)


def accustomed(level: Floats, now: Floats, *, half_life: float) -> Float32:
    """Get used to a level.

    Args:
        level: What one was used to, NaN for who is new, shape (agents,).
        now: What there is, shape (agents,).
        half_life: Months until half of a change is what one is used to, > 0.

    Returns:
        What one is used to now; who is new is used to what there is, shape (agents,).

    Raises:
        ParameterError: If the half-life is not above 0.

    Source:
        Adaptation level (Helson 1964), exponential.
    """
    if half_life <= 0:
        raise ParameterError(f"half_life is {half_life}; more than 0 is needed")
    before = np.where(np.isnan(level), now, level)
    kept = 0.5 ** (1 / half_life)
    return np.asarray(kept * before + (1 - kept) * now, np.float32)


def life_satisfaction(
    setpoint: Floats,
    log_income: Floats,
    used_to: Floats,
    mood: Floats,
    unemployed: NDArray[np.bool_],
    *,
    level: float,
    change: float,
    feelings: float,
    jobless: float,
) -> Float32:
    """How satisfied somebody is with life.

    Args:
        setpoint: Own satisfaction at the poverty line with all in order, shape (agents,).
        log_income: Logarithm of the household's real income over its poverty line, (agents,).
        used_to: The same of the income it is used to, shape (agents,).
        mood: Joy less sadness, in points, shape (agents,).
        unemployed: Who looks for work, shape (agents,).
        level: Points a unit of the logarithm of income one is used to adds.
        change: Points a unit above what one is used to adds; this is what fades.
        feelings: Points a point of mood adds.
        jobless: Points that being without work takes away.

    Returns:
        In [0, 10], shape (agents,).

    Source:
        Satisfaction rises with the logarithm of income (Kahneman and Deaton 2010, recalled),
        adapts to most of it (Di Tella, Haisken-De New and MacCulloch 2010, recalled), and falls
        with unemployment beyond the loss of income (Lucas et al. 2004, recalled). Numbers are
        illustrative.
    """
    value = (
        setpoint
        + level * used_to
        + change * (log_income - used_to)
        + feelings * mood
        - jobless * unemployed
    )
    return np.asarray(np.clip(value, 0, 10), np.float32)


def rest(
    hours: Floats,
    tight: Floats,
    disposition: Floats,
    *,
    start: float,
    by_hours: float,
    by_strain: float,
) -> Float32:
    """How rested somebody is.

    Args:
        hours: Hours worked a week, shape (agents,).
        tight: Strain in [0, 1], shape (agents,).
        disposition: What it is more or less rested than others, shape (agents,).
        start: Level without work and strain.
        by_hours: What a full week of 60 hours takes.
        by_strain: What a strain of 1 takes.

    Returns:
        In [0, 1], shape (agents,).

    Source:
        This project, illustrative.
    """
    level = start + disposition - by_hours * hours / 60 - by_strain * tight
    return np.clip(level, 0, 1).astype(np.float32)


def company(
    others: Floats,
    working: NDArray[np.bool_],
    disposition: Floats,
    *,
    start: float,
    by_others: float,
    by_work: float,
) -> Float32:
    """How far somebody's need for company is met.

    Args:
        others: Other members of the household, shape (agents,).
        working: Who has work, shape (agents,).
        disposition: What it has more or less company than others, shape (agents,).
        start: Level of who lives alone without work.
        by_others: What living with many adds; the first one adds half of it.
        by_work: What having work adds.

    Returns:
        In [0, 1], shape (agents,).

    Source:
        This project, illustrative.
    """
    level = start + disposition + by_others * others / (1 + others) + by_work * working
    return np.clip(level, 0, 1).astype(np.float32)
