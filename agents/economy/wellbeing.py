"""Effects of money and work on financial strain, needs and life satisfaction."""

import numpy as np

from memopolis.sim.arrays import Bools, Float32, Floats


def compute_strain(means: Floats, need: Floats) -> Float32:
    """Return the shortfall of means relative to need, in [0, 1], shape (households,).

    Source: This project: the poverty gap (Foster, Greer and Thorbecke 1984) of a single household.
    """
    return np.clip(1 - means / np.maximum(need, 1), 0, 1).astype(np.float32)


def compute_salience(change: Floats, *, scale: float, most: float) -> Float32:
    """Return the importance of a log change: most (1 - exp(-|change| / scale)), shape (agents,).

    Source: Relative changes are perceived (Weber; Fechner); the form is this project's.
    """
    return np.asarray(most * (1 - np.exp(-np.abs(change) / scale)), np.float32)


def adapt_level(level: Floats, now: Floats, *, half_life: float) -> Float32:
    """Adapt a reference level, NaN for new agents, to the present; half of a gap in `half_life`.

    Source: Adaptation level (Helson 1964), exponential.
    """
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

    `log_income` is the logarithm of household income over its poverty line, `used_to` the level to
    which it has adapted, and `mood` joy minus sadness, in points.

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

    `by_hours` is the reduction by a week of 60 hours, `by_strain` that by a financial strain of 1.

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

    One other household member adds half of `by_others`, the limit of a large household.

    Source: This project, illustrative.
    """
    level = start + disposition + by_others * others / (1 + others) + by_work * working
    return np.clip(level, 0, 1).astype(np.float32)
