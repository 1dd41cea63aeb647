"""How people feel when a run begins: what two years of private life have left."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.appraisal import BASELINE, appraised
from memopolis.agents.blocks.cognition import CognitionSettings
from memopolis.scenarios.ubi.living import MonthSettings
from memopolis.scenarios.ubi.months import JOYS, TROUBLES
from memopolis.scenarios.ubi.people import ADULT
from memopolis.sim.chance import Chance

_MONTHS = 24
"""Months that are lived through before the first; feelings have a half-life of three."""
_MONTH_HOURS = 720.0


def trouble_chance(
    quintile: NDArray[np.integer[Any]],
    rows: NDArray[np.intp],
    settings: MonthSettings,
    chance: Chance,
) -> NDArray[np.float64]:
    """Chance of a misfortune in a month.

    Args:
        quintile: Quintile of income, 0 where there is none, shape (agents,).
        rows: Rows of the agents, shape (agents,).
        settings: How often misfortune comes, and how unequally.
        chance: Luck of the run.

    Returns:
        In [0, 1], shape (agents,): lognormal about that of the quintile, drawn once.

    Source:
        This project, illustrative; the quintiles calibrated on the prevalence of depressive
        symptoms by income (NCHS 2018, PHQ-9 in NHANES 2013-16).
    """
    # Without a quintile one is in the middle.
    burden = np.array((settings.burden[2], *settings.burden))[quintile]
    spread = settings.unequal * chance.normal("remember_month.unequal", rows)
    often = settings.troubles * burden * np.exp(spread - settings.unequal**2 / 2)
    return np.asarray(np.minimum(often, 1))


def feelings_before(
    age: NDArray[np.integer[Any]],
    quintile: NDArray[np.integer[Any]],
    settings: MonthSettings,
    cognition: CognitionSettings,
    chance: Chance,
) -> dict[str, NDArray[np.float32]]:
    """Sadness and joy at the start, so that the first panel finds people as later ones do.

    Args:
        age: Years, shape (citizens,); children feel nothing in particular yet.
        quintile: Quintile of income, shape (citizens,).
        settings: How often misfortune and joy come.
        cognition: How feelings move, and calm down.
        chance: Luck of the run.

    Returns:
        Columns of status, each of shape (citizens,).
    """
    rows = np.arange(len(age))
    often = {
        "sadness": (trouble_chance(quintile, rows, settings, chance), settings.trouble_size),
        "joy": (np.full(len(age), settings.joys), JOYS.scale),
    }
    valence = {"sadness": -TROUBLES.valence, "joy": JOYS.valence}
    calm = 1 - 0.5 ** (_MONTH_HOURS / cognition.calm_half_life)
    felt: dict[str, NDArray[np.float32]] = {}
    for feeling, (share, scale) in often.items():
        level = np.full(len(age), BASELINE, np.float32)
        for month in range(_MONTHS):
            met = chance.uniform(f"past.{feeling}", rows, n=month) < share
            size = -np.log1p(-chance.uniform(f"past.{feeling}.size", rows, n=month)) * scale
            impulse = (met * valence[feeling] * np.minimum(size, 1)).astype(np.float32)
            level = appraised(level, impulse, gain=cognition.gain, calm=calm)
        felt[f"emotion.{feeling}"] = np.where(age >= ADULT, level, np.float32(BASELINE))
    return felt
