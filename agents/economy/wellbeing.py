"""Effects of money and work on financial strain, needs and life satisfaction."""

import numpy as np

from memopolis.sim.arrays import Bools, Float32, Floats
from memopolis.sim.errors import ParameterError


def compute_strain(means: Floats, need: Floats) -> Float32:
    """Compute the relative shortfall of means below need.

    The result is in [0, 1], 0 if means suffice, shape (households,). `means` is available money,
    `need` is subsistence, > 0, both of shape (households,).

    Source: This project: the poverty gap (Foster, Greer and Thorbecke 1984) of a single household.
    """
    return np.clip(1 - means / np.maximum(need, 1), 0, 1).astype(np.float32)


def compute_salience(change: Floats, *, scale: float, most: float) -> Float32:
    """Compute the importance of a change.

    Returns most (1 - exp(-|change| / scale)), in [0, 1], shape (agents,). Raises ParameterError
    if the scale is not above 0.

    Args:
        change: Logarithm of new over old value, shape (agents,).
        scale: Change at which importance reaches `most` times (1 - 1/e), > 0.
        most: Maximum importance, in [0, 1].

    Source: Relative changes are perceived (Weber; Fechner); the form is this project's.
    """
    if scale <= 0:
        raise ParameterError(f"scale is {scale}; it must be greater than 0")
    return np.asarray(most * (1 - np.exp(-np.abs(change) / scale)), np.float32)


def adapt_level(level: Floats, now: Floats, *, half_life: float) -> Float32:
    """Adapt a reference level to the current level.

    Returns the new reference level, the current level for new agents, shape (agents,). Raises
    ParameterError if the half-life is not above 0.

    Args:
        level: Previous reference level, NaN for new agents, shape (agents,).
        now: Current level, shape (agents,).
        half_life: Months until half of a change is adapted to, > 0.

    Source: Adaptation level (Helson 1964), exponential.
    """
    if half_life <= 0:
        raise ParameterError(f"half_life is {half_life}; it must be greater than 0")
    before = np.where(np.isnan(level), now, level)
    kept = 0.5 ** (1 / half_life)
    return np.asarray(kept * before + (1 - kept) * now, np.float32)


def life_satisfaction(
    setpoint: Floats,
    log_income: Floats,
    used_to: Floats,
    mood: Floats,
    unemployed: Bools,
    *,
    level: float,
    change: float,
    feelings: float,
    jobless: float,
) -> Float32:
    """Compute life satisfaction, in [0, 10], shape (agents,).

    Args:
        setpoint: Baseline satisfaction at the poverty line, shape (agents,).
        log_income: Logarithm of real household income over its poverty line, shape (agents,).
        used_to: Reference level of log_income, shape (agents,).
        mood: Joy minus sadness, in points, shape (agents,).
        unemployed: Whether unemployed, shape (agents,).
        level: Points per unit of the reference level.
        change: Points per unit of income above the reference level, an effect that fades.
        feelings: Points per point of mood.
        jobless: Points lost by unemployment.

    Source: Satisfaction rises with the logarithm of income (Kahneman and Deaton 2010, recalled),
    adapts to most of it (Di Tella, Haisken-De New and MacCulloch 2010, recalled), and falls with
    unemployment beyond the loss of income (Lucas et al. 2004, recalled). Parameters are
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


def compute_rest(
    hours: Floats,
    strain: Floats,
    disposition: Floats,
    *,
    start: float,
    by_hours: float,
    by_strain: float,
) -> Float32:
    """Compute the satisfaction of the need for rest, in [0, 1], shape (agents,).

    Args:
        hours: Weekly hours worked, shape (agents,).
        strain: Financial strain in [0, 1], shape (agents,).
        disposition: Individual deviation, shape (agents,).
        start: Level without work and strain.
        by_hours: Reduction by a full week of 60 hours.
        by_strain: Reduction by a strain of 1.

    Source: This project, illustrative.
    """
    level = start + disposition - by_hours * hours / 60 - by_strain * strain
    return np.clip(level, 0, 1).astype(np.float32)


def compute_company(
    others: Floats,
    working: Bools,
    disposition: Floats,
    *,
    start: float,
    by_others: float,
    by_work: float,
) -> Float32:
    """Compute the satisfaction of the need for company, in [0, 1], shape (agents,).

    Args:
        others: Number of other household members, shape (agents,).
        working: Whether employed, shape (agents,).
        disposition: Individual deviation, shape (agents,).
        start: Level of a person who lives alone without work.
        by_others: Increase in the limit of a large household; one other member adds half of it.
        by_work: Increase by having work.

    Source: This project, illustrative.
    """
    level = start + disposition + by_others * others / (1 + others) + by_work * working
    return np.clip(level, 0, 1).astype(np.float32)
