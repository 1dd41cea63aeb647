"""Traits of persons that both populations draw in the same way."""

import numpy as np
from numpy.typing import ArrayLike

from memopolis.scenarios.synthesis.households import ADULT, SurveyHouseholds
from memopolis.scenarios.synthesis.tax_units import DEPENDANT, SPOUSE
from memopolis.sim.arrays import Array, Bools, Intp, Objects
from memopolis.sim.chance import Chance

GIRLS = 0.49  # share of girls among dependants (recalled)
# Share of couples of unequal age in which the man is older (recalled, Current Population Survey).
OLDER_MEN = 0.7
EDUCATION = ("none", "less than high school", "high school", "some college", "degree")


def draw_female(
    sample: SurveyHouseholds,
    case: Intp,
    household: Intp,
    rows: Intp,
    chance: Chance,
    *,
    lone_women: ArrayLike,
) -> Bools:
    """Draw whether persons are female; partners have opposite sex, a simplification.

    `case` is the survey person; `lone_women` the share among heads of tax units without spouse.
    """
    role = sample.role[case]
    # In the survey, spouses follow the heads of their tax units; their ages are exact.
    is_spouse, coupled = role == SPOUSE, sample.coupled[case]
    head = np.where(coupled, case - is_spouse, 0)
    head_is_older = np.sign(sample.youngest[head] - sample.youngest[head + 1])
    share = 0.5 - (OLDER_MEN - 0.5) * head_is_older
    head_is_woman = chance.uniform("household head sex", household) < share
    of_couple = np.where(is_spouse, ~head_is_woman, head_is_woman)
    share = np.where(role == DEPENDANT, GIRLS, lone_women)
    return np.where(coupled, of_couple, chance.uniform("person sex", rows) < share)


def limit_education(code: Array, age: Array) -> Array:
    """Limit codes of `EDUCATION` by age: none under 18, at most some college under 25."""
    return np.where(age < ADULT, 0, np.where(age < 25, np.minimum(code, 3), code))


def label_codes(codes: Array, names: tuple[str, ...]) -> Objects:
    """Convert codes to names; -1 is the last name."""
    labels: Objects = np.asarray(np.array(names, object)[codes])
    return labels
