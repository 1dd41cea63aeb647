"""Columns of persons: age, sex, work, education, health and religion."""

from functools import lru_cache

import numpy as np
import pandas as pd

from memopolis.agents.ages import SCHOOL_AGES
from memopolis.scenarios.synthesis.fitting import FittedWeights
from memopolis.scenarios.synthesis.households import Columns
from memopolis.scenarios.synthesis.persons import draw_female, limit_education
from memopolis.scenarios.synthesis.traits import (
    COLLEGE_AMONG_MIDDLE,
    DEGREES_PER_PROFESSIONAL,
    KEPT_FITS,
    RACES,
    RELIGION_SHARES,
    ByCounty,
    disability_scores,
    occupation_scores,
    pick,
    single_female_share,
)
from memopolis.sim.arrays import Bools, Float64, Int8, Int16, Int64, Intp
from memopolis.sim.chance import Chance, options_of
from memopolis.sim.world.place import Place

CENTRAL_JOBS = 0.35  # share of all jobs in the central zones (illustrative)
COMMUTE_RANGE = (21.0, 25.0)
"""Mean minutes to work: the counties' mean, limited to this range (found: ACS; range of
population.md)."""
EDUCATION_BY_INCOME = 0.55
"""Correlation of education with the household's income score (illustrative)."""
GRADUATED = 25
"""Age in years from which marginals count education (found: American Community Survey)."""
RETIREMENT_AGE = 62
FORMERLY_MARRIED = (0.02, 0.20, 0.45, 0.75)
FORMERLY_MARRIED_AGES = (30, 45, 65)
"""Share of unpartnered adults who were formerly married, by age (illustrative)."""


def draw_persons(fitted: FittedWeights, kind: Intp, households: Columns, chance: Chance) -> Columns:
    """Draw the columns of persons, given survey household and columns of each household.

    Codes are those of `RACES`, `EDUCATION`, `OCCUPATIONS`, `MARITAL` and `RELIGIONS`. Wages are in
    dollars a year; occupation and workplace, a zone, are -1 unless employed.
    """
    sample = fitted.sample
    household, case = sample.members(kind, households["size"].astype(np.int64))
    rows = np.arange(len(household))
    zone = households["zone"][household].astype(np.intp)
    z = fitted.income_score[kind][household]

    def draw(purpose: str) -> Float64:
        return chance.uniform(purpose, rows)

    age = sample.draw_ages(case, rows, chance)
    lone_women = single_female_share(fitted)[zone]
    female = draw_female(sample, case, household, rows, chance, lone_women=lone_women)
    force = sample.worker[case]
    unemployed = force & (draw("person job") < fitted.county["unemployment"].to_numpy()[zone])
    employed = force & ~unemployed
    wage_score = fitted.wage_score[case]
    occupation = _fit_occupations(fitted).choose(
        zone, occupation_scores(wage_score, female), draw("person occupation")
    )
    workplace = np.full(len(rows), -1, np.int16)
    workplace[employed] = _draw_workplaces(fitted, zone[employed], rows[employed], chance)
    race = households["race"][household]
    return {
        "household": household.astype(np.int32),
        "zone": zone.astype(np.int16),
        "age": age.astype(np.int16),
        "female": female,
        "race": race,
        "hispanic": race == RACES.index("hispanic"),
        "education": _draw_education(fitted, zone, age, z, chance),
        "wage": np.where(employed, sample.wage[case], 0.0).astype(np.float32),
        "employed": employed,
        "unemployed": unemployed,
        "occupation": np.where(employed, occupation, -1).astype(np.int8),
        "workplace": workplace,
        "pupil": (age >= SCHOOL_AGES[0]) & (age <= SCHOOL_AGES[1]),
        "retired": (age >= RETIREMENT_AGE) & ~force,
        "disabled": _fit_disability(fitted).choose(
            zone, disability_scores(age, z), draw("person disability")
        )
        == 1,
        "marital": _draw_marital(sample.coupled[case], age, draw("person marital")),
        "religion": pick(RELIGION_SHARES, draw("person religion")),
    }


def _draw_marital(married: Bools, age: Int64, u: Float64) -> Int8:
    """Draw the code of `MARITAL`."""
    once = np.array(FORMERLY_MARRIED)[np.searchsorted(FORMERLY_MARRIED_AGES, age, side="right")]
    separated = ~married & (age >= 18) & (u < once)
    return np.where(married, 1, np.where(separated, 2, 0)).astype(np.int8)


def _draw_education(
    fitted: FittedWeights, zone: Intp, age: Int64, income_score: Float64, chance: Chance
) -> Int8:
    """Draw the code of `EDUCATION`: none under 18, at most some college under 25."""
    from scipy.special import ndtr

    own = chance.normal("person education", np.arange(len(age)))
    mean, spread = _summarise_incomes(fitted)
    score = EDUCATION_BY_INCOME * (income_score - mean) / spread
    rank = ndtr(score + np.sqrt(1 - EDUCATION_BY_INCOME**2) * own)
    code = 1 + (rank[:, None] >= education_edges(fitted.county)[zone]).sum(axis=1)
    return limit_education(code, age).astype(np.int8)


@lru_cache(maxsize=KEPT_FITS)
def _summarise_incomes(fitted: FittedWeights) -> tuple[float, float]:
    """Return mean and standard deviation of the income scores of people of 25 or more.

    Shares of education count these people, who are richer than the mean household.
    """
    sample = fitted.sample
    weight = fitted.joint.sum(axis=0)[sample.household] * (sample.youngest >= GRADUATED)
    scores = fitted.income_score[sample.household]
    mean = float(np.average(scores, weights=weight))
    return mean, float(np.sqrt(np.average((scores - mean) ** 2, weights=weight)))


def education_edges(marginals: pd.DataFrame) -> Float64:
    """Return the upper ranks of less than high school, high school and some college, (zones, 3)."""
    low = marginals["no_high_school"].to_numpy()
    degree = np.minimum(DEGREES_PER_PROFESSIONAL * marginals["professional"].to_numpy(), 1 - low)
    school = low + (1 - low - degree) * (1 - COLLEGE_AMONG_MIDDLE)
    return np.stack([low, school, 1 - degree], axis=1)


@lru_cache(maxsize=KEPT_FITS)
def _fit_disability(fitted: FittedWeights) -> ByCounty:
    sample = fitted.sample
    age = (sample.youngest + sample.oldest) / 2
    return ByCounty(
        fitted,
        lambda _: disability_scores(age, fitted.income_score[sample.household]),
        (None, "disability"),
        weights=fitted.joint[:, sample.household],
    )


@lru_cache(maxsize=KEPT_FITS)
def _fit_occupations(fitted: FittedWeights) -> ByCounty:
    sample = fitted.sample
    cases = np.flatnonzero(sample.worker)
    wage_score = np.tile(fitted.wage_score[cases], 2)
    female = np.repeat([0.0, 1.0], len(cases))
    weights = fitted.joint[:, sample.household[cases]]
    return ByCounty(
        fitted,
        lambda _: occupation_scores(wage_score, female),
        ("professional", "service", "office", "construction", "production"),
        weights=np.hstack([weights, weights]),
    )


def _draw_workplaces(fitted: FittedWeights, home: Intp, rows: Intp, chance: Chance) -> Int16:
    u = chance.uniform("person workplace", rows)
    return options_of(_compute_commute_edges(fitted), home, u).astype(np.int16)


@lru_cache(maxsize=KEPT_FITS)
def _compute_commute_edges(fitted: FittedWeights) -> Float64:
    """Return cumulative shares of workers by zones of home and work."""
    shares = commuting_shares(
        fitted.place, float(fitted.zone_share @ fitted.county["mean_commute"])
    )
    return np.cumsum(shares, axis=1)


def commuting_shares(place: Place, minutes: float) -> Float64:
    """Compute shares of workers by zones of home and work, rows summing to 1, (home, work).

    The mean commuting time is limited to `COMMUTE_RANGE`.
    """
    central = place.table["central"].to_numpy(bool)
    people = place.population / place.population.sum()
    jobs = people.copy()
    if 0 < central.sum() < len(place):
        jobs[central] *= CENTRAL_JOBS / jobs[central].sum()
        jobs[~central] *= (1 - CENTRAL_JOBS) / jobs[~central].sum()
    pull = place.fit_pull(people, jobs, minutes=float(np.clip(minutes, *COMMUTE_RANGE)))
    return place.commutes(people, jobs, pull)
