"""Income, work, marriage and religion of citizens of the United States, by their traits.

Income, work and marriage are those of an adult of the shipped national survey records, in the same
age band and with an income that goes with the education. The records have neither occupation nor
religion, whose shares are typed.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import ndtr

from memopolis.scenarios.polarization.survey_tables import read_by_party, read_religions
from memopolis.scenarios.synthesis.households import ADULT
from memopolis.scenarios.synthesis.microdata import read_national_sample
from memopolis.scenarios.synthesis.person_traits import (
    EDUCATION_BY_INCOME,
    FORMERLY_MARRIED,
    FORMERLY_MARRIED_AGES,
)
from memopolis.scenarios.synthesis.persons import label_codes
from memopolis.scenarios.synthesis.traits import MARITAL, OCCUPATIONS, occupation_scores, pick
from memopolis.sim.arrays import Array, Bools, Float64, Intp, Ints, Objects
from memopolis.sim.chance import Chance, options_of
from memopolis.sim.statistics.raking import fit_intercepts, normal_scores, shares

OCCUPATION_SHARES = (0.40, 0.17, 0.21, 0.09, 0.13)
"""Shares of the occupations of workers in the United States, in the order of `OCCUPATIONS`
(recalled: American Community Survey 2019)."""


@dataclass(frozen=True, eq=False)
class Records:
    """Adults of the national survey in the order of household income, each of shape (adults,)."""

    age: Float64  # years, the middle of the range reported
    income: Float64  # yearly income of the household, dollars of 2018
    works: Bools  # whether the adult had earnings
    wage_score: Float64  # normal score of the wage among workers, 0 for others
    couple: Bools  # whether the adult lives with a spouse
    constants: Float64  # of the choice of an occupation, shape (occupations,)


@cache
def read_records() -> Records:
    """Read the adults of the national survey, once per process."""
    sample = read_national_sample()
    household = sample.household
    adults = np.flatnonzero(sample.youngest >= ADULT)
    adults = adults[np.argsort(sample.income[household[adults]], kind="stable")]
    works = sample.worker[adults]
    score = np.zeros(len(adults))
    score[works] = normal_scores(sample.wage[adults[works]], np.ones(int(works.sum())))
    both = np.tile(score[works], 2)
    women = np.repeat([0.0, 1.0], int(works.sum()))
    constants = fit_intercepts(
        occupation_scores(both, women), np.ones(len(both)), OCCUPATION_SHARES
    )
    age = (sample.youngest[adults] + sample.oldest[adults]) / 2
    income = sample.income[household[adults]]
    return Records(age, income, works, score, sample.coupled[adults], constants)


def draw_livelihoods(
    age: Ints, gender: Objects, school: Float64, chance: Chance
) -> dict[str, Array]:
    """Draw income, occupation and marriage status by age, gender and education, each (agents,).

    `school` is the normal rank of education among all citizens.
    """
    records, rows = read_records(), np.arange(len(age))
    case = _match(records, age, school, chance)
    female = (gender == "female").astype(np.float64)
    share = shares(occupation_scores(records.wage_score[case], female) + records.constants)
    occupation = pick(share, chance.uniform("citizen occupation", rows))
    once = np.array(FORMERLY_MARRIED)[np.searchsorted(FORMERLY_MARRIED_AGES, age, side="right")]
    separated = chance.uniform("citizen marital", rows) < once
    marital = np.where(records.couple[case], 1, np.where(separated, 2, 0))
    work = np.where(records.works[case], occupation, -1)
    return {
        "income": np.maximum(records.income[case], 0).astype(np.float32),  # losses count as 0
        "occupation": label_codes(work, (*OCCUPATIONS, "none")),
        "marriage_status": label_codes(marital, MARITAL),
    }


def _match(records: Records, age: Ints, school: Float64, chance: Chance) -> Intp:
    """Draw an adult of the records in each citizen's age band, at a rank of income by education."""
    rows = np.arange(len(age))
    own = chance.normal("citizen income", rows)
    rank = ndtr(EDUCATION_BY_INCOME * school + np.sqrt(1 - EDUCATION_BY_INCOME**2) * own)
    bands = read_by_party("age")[0]["high"].to_numpy()[:-1]
    band, of_records = np.searchsorted(bands, age), np.searchsorted(bands, records.age)
    case = np.zeros(len(age), np.intp)
    for number in np.unique(band):
        members = np.flatnonzero(of_records == number)
        here = band == number
        case[here] = members[(rank[here] * len(members)).astype(np.intp)]
    return case


def draw_religion(party: Intp, u: Float64) -> Objects:
    """Draw religions by party, shape (agents,)."""
    names, share = read_religions()
    edges = np.cumsum(share, axis=1)
    labels: Objects = np.array(names, object)[options_of(edges / edges[:, -1:], party, u)]
    return labels
