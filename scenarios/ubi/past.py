"""Initial feelings, from two simulated years of private life."""

import numpy as np

from memopolis.agents.appraisal import BASELINE, update_feeling
from memopolis.agents.block_settings import CognitionSettings
from memopolis.scenarios.ubi.attitudes import MONTH_HOURS
from memopolis.scenarios.ubi.household_settings import MonthSettings
from memopolis.scenarios.ubi.months import JOYS, TROUBLES
from memopolis.scenarios.ubi.people import ADULT
from memopolis.sim.arrays import Float32, Float64, Intp, Ints
from memopolis.sim.chance import Chance

_MONTHS = 24  # simulated months before the first; feelings have a half-life of three


def trouble_probability(
    quintile: Ints, rows: Intp, settings: MonthSettings, chance: Chance
) -> Float64:
    """Compute the monthly probability of a misfortune, shape (agents,).

    It is log-normal around the value of the quintile, drawn once; 0 is an unknown quintile.

    Source: This project, illustrative; the quintiles calibrated on the prevalence of depressive
    symptoms by income (NCHS 2018, PHQ-9 in NHANES 2013-16).
    """
    # Agents without a quintile use the middle one.
    burden = np.array((settings.burden[2], *settings.burden))[quintile]
    spread = settings.unequal * chance.normal("remember_month.unequal", rows)
    often = settings.troubles * burden * np.exp(spread - settings.unequal**2 / 2)
    return np.asarray(np.minimum(often, 1))


def draw_initial_feelings(
    age: Ints, quintile: Ints, settings: MonthSettings, cognition: CognitionSettings, chance: Chance
) -> dict[str, Float32]:
    """Draw sadness and joy of adults, so that the first panel has the level of later ones."""
    rows = np.arange(len(age))
    often = {
        "sadness": (trouble_probability(quintile, rows, settings, chance), settings.trouble_size),
        "joy": (np.full(len(age), settings.joys), JOYS.scale),
    }
    valence = {"sadness": -TROUBLES.valence, "joy": JOYS.valence}
    calm = 1 - 0.5 ** (MONTH_HOURS / cognition.calm_half_life)
    felt: dict[str, Float32] = {}
    for feeling, (share, scale) in often.items():
        level = np.full(len(age), BASELINE, np.float32)
        for month in range(_MONTHS):
            met = chance.uniform(f"past.{feeling}", rows, n=month) < share
            size = -np.log1p(-chance.uniform(f"past.{feeling}.size", rows, n=month)) * scale
            impulse = (met * valence[feeling] * np.minimum(size, 1)).astype(np.float32)
            level = update_feeling(level, impulse, gain=cognition.gain, calm=calm)
        felt[f"emotion.{feeling}"] = np.where(age >= ADULT, level, np.float32(BASELINE))
    return felt
