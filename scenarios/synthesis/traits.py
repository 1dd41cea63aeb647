"""Traits that the survey does not report, drawn to match the county's shares.

Each choice is a logit: scores by known traits plus constants fitted so that the shares over the
whole real population equal the county's. Slopes are illustrative unless noted otherwise.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from memopolis.scenarios.synthesis.fitting import FittedWeights
from memopolis.scenarios.synthesis.persons import GIRLS
from memopolis.scenarios.synthesis.tax_units import DEPENDANT
from memopolis.sim.arrays import Float64, Int8, Intp
from memopolis.sim.statistics.raking import fit_intercepts, shares

RACES = ("white", "black", "hispanic", "other")
HOUSING = ("single", "mobile", "multifamily")
OCCUPATIONS = ("professional", "service", "office", "construction", "production")
MARITAL = ("single", "married", "formerly married")
RELIGIONS = ("protestant", "catholic", "other", "none")

RELIGION_SHARES = (0.66, 0.10, 0.05, 0.19)
"""Shares of the religions in South Carolina (recalled, Pew 2014; illustrative)."""
DEGREES_PER_PROFESSIONAL = 37.7 / 38.9
"""Bachelor's degrees per person in professional occupations (computed: Richland)."""
COLLEGE_AMONG_MIDDLE = 0.55
"""Share with some college among people between high school and a degree (illustrative)."""
KEPT_FITS = 4  # maximum number of cached fits; fits of shipped places are the same in all runs


def race_scores(income_score: ArrayLike) -> Float64:
    """Return scores of races by the household's income score, shape (..., races)."""
    z = np.asarray(income_score, np.float64)
    return np.stack([0.15 * z, -0.55 * z, -0.30 * z, 0.20 * z], axis=-1)


def housing_scores(income_score: ArrayLike, size: ArrayLike, centre_km: ArrayLike) -> Float64:
    """Return scores of kinds of housing, by income score, members, and km to a central zone."""
    z, people, km = _broadcast(income_score, size, centre_km)
    return np.stack(
        [0.35 * z, -0.70 * z + 0.05 * km, -0.25 * z - 0.35 * (people - 2.4) - 0.05 * km], axis=-1
    )


def vehicle_scores(income_score: ArrayLike, adults: ArrayLike, old: ArrayLike) -> Float64:
    """Return scores of having a vehicle and of having none, shape (..., 2)."""
    z, grown, aged = _broadcast(income_score, adults, old)
    none = -1.1 * z - 0.8 * (grown - 1) + 0.5 * aged
    return np.stack([np.zeros_like(none), none], axis=-1)


def owner_scores(income_score: ArrayLike, head_age: ArrayLike, housing: ArrayLike) -> Float64:
    """Return scores of renting and owning, by income score, age and housing."""
    z, age, home = np.broadcast_arrays(
        np.asarray(income_score, np.float64), np.asarray(head_age), np.asarray(housing)
    )
    owner = 0.7 * z + 0.9 * (age >= 65) - 1.2 * (age < 35)
    owner = owner + np.array([0.0, -0.3, -3.2])[home]
    return np.stack([np.zeros_like(owner), owner], axis=-1)


def disability_scores(age: ArrayLike, income_score: ArrayLike) -> Float64:
    """Return scores of having no disability and of having one, shape (..., 2)."""
    years, z = _broadcast(age, income_score)
    steps = np.array([-1.2, -0.6, 0.0, 0.9, 1.9])
    disabled = steps[np.searchsorted([18, 35, 65, 75], years, side="right")] - 0.4 * z
    return np.stack([np.zeros_like(disabled), disabled], axis=-1)


def occupation_scores(wage_score: ArrayLike, female: ArrayLike) -> Float64:
    """Return scores of occupations, by wage score and sex, shape (..., occupations)."""
    z, woman = _broadcast(wage_score, female)
    return np.stack(
        [0.9 * z + 0.3 * woman, -0.5 * z + 0.4 * woman, 0.9 * woman, -2.5 * woman, -0.9 * woman],
        axis=-1,
    )


class ByCounty:
    """Constants of a choice for each county of a place, fitted to the county's shares.

    `scores` returns those of survey cases in zones, (zones, cases, options), or (cases, options) if
    they do not depend on the zone. `targets` are columns of `fitted.county`; the remainder goes to
    the option without a column (None). `weights` are those of the cases; of households by default.
    """

    def __init__(
        self,
        fitted: FittedWeights,
        scores: Callable[[Intp], Float64],
        targets: tuple[str | None, ...],
        weights: Float64 | None = None,
    ) -> None:
        cases = fitted.joint if weights is None else weights
        self._constants = np.empty((len(fitted.place), len(targets)))
        for county in fitted.county["county"].unique():
            zones = np.flatnonzero(fitted.county["county"] == county)
            row = fitted.county.iloc[zones[0]]
            known = np.array([np.nan if name is None else row[name] for name in targets])
            known = np.where(np.isnan(known), max(1.0 - np.nansum(known), 0.0), known)
            here, weight = scores(zones), cases[zones]
            if here.ndim == 2:
                # Equal in all zones: count the county's cases once, with their total weight.
                weight = weight.sum(axis=0)
            self._constants[zones] = fit_intercepts(here, weight, known)

    def choose(self, zones: Intp, scores: Float64, u: Float64) -> Int8:
        """Choose options by scores, (m, options), in zones, with uniform draws, (m,) each."""
        return pick(shares(scores + self._constants[zones]), u)


def pick(probabilities: ArrayLike, u: ArrayLike) -> Int8:
    """Choose options by probabilities, (options,) or (m, options), with uniform draws."""
    edges = np.cumsum(np.asarray(probabilities, np.float64), axis=-1)[..., :-1]
    return (np.asarray(u)[:, None] >= edges).sum(axis=1).astype(np.int8)


@lru_cache(maxsize=KEPT_FITS)
def single_female_share(fitted: FittedWeights) -> Float64:
    """Compute the share of women among single heads of tax units that yields the zone's share."""
    sample = fitted.sample
    weight = fitted.joint.sum(axis=0)[sample.household]
    weight = weight / weight.sum()
    couple = weight[sample.coupled].sum()
    dependant = weight[sample.role == DEPENDANT].sum()
    alone = 1.0 - couple - dependant
    female = fitted.county["female"].to_numpy(np.float64)
    target = (female - 0.5 * couple - GIRLS * dependant) / max(alone, 1e-9)
    return np.asarray(np.clip(target, 0.0, 1.0))


def _broadcast(*values: ArrayLike) -> tuple[Float64, ...]:
    return np.broadcast_arrays(*(np.asarray(value, np.float64) for value in values))
