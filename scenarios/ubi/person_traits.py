"""Columns of persons: age, sex, work, wage and hours.

The survey has yearly wages only. Hours are drawn, and the hourly wage follows from both.
"""

import numpy as np
from scipy.special import ndtri

from memopolis.agents.economy.earnings import career
from memopolis.agents.economy.firms import MONTH_WEEKS
from memopolis.agents.names import draw_names
from memopolis.scenarios.synthesis.households import Columns
from memopolis.scenarios.synthesis.persons import (
    EDUCATION,
    draw_female,
    label_codes,
    limit_education,
)
from memopolis.scenarios.synthesis.tax_units import DEPENDANT, SPOUSE
from memopolis.scenarios.ubi.microdata import Microdata, Town
from memopolis.scenarios.ubi.people import ADULT, RELATIONS, Labour
from memopolis.sim.arrays import Array, Float64, Int16, Int64, Intp, Objects
from memopolis.sim.chance import Chance

WEEKS_A_YEAR = 12 * MONTH_WEEKS
"""Weeks in twelve months of 30 days, so that twelve months' pay equals the yearly wages."""
USUAL_HOURS = (20.0, 30.0, 40.0, 50.0)
HOURS_SHARES = (0.03, 0.07, 0.65, 0.25)  # possible weekly hours and their shares (illustrative)
MIN_WAGE = 7.25
"""USD per hour below which hours are reduced rather than the wage: the federal minimum wage
(recalled)."""
MIN_HOURS = 5.0
MAX_YEARLY_WAGE = 1_500_000.0
"""Maximum yearly wages in USD: one person of the sample has 5.3 million, which would be a twelfth
of all wages of a thousand households (choice)."""
FULL_TIME_FROM = 150_000.0  # yearly wages in USD from which all jobs are full-time (illustrative)
POTENTIAL_WAGE = (14.0, 0.45)
"""Potential wage of persons without earnings: median in USD per hour and standard deviation of the
logarithm (illustrative)."""
FUTURE_WAGE = (17.5, 0.85)
LAST_STUDENT = 26
"""The same up to this age, before the career: equal to the distribution of workers, so that
inequality is constant across generations (computed: median and mean of workers)."""
JOBLESS = 0.025
JOBLESS_PAID = 0.30
"""Probability of being unemployed at the start, for earners of the survey's year without and with
unemployment compensation in their tax unit (illustrative, for about 5% of the labour force in
total)."""
RETIREMENT_AGE = 65
EARLY_RETIREMENT_AGE = 55
"""Ages from which persons without earnings are retired, the second with a pension (choice)."""
TENURE, SEARCH = 48.0, 3.0
"""Mean months in the current job, and without one, at the start (illustrative)."""
LONE_WOMEN = 0.54  # share of women among heads of tax units without spouse (illustrative)
EDUCATION_EDGES = (-1.25, -0.30, 0.44)
EDUCATION_BY_WAGE = 0.55
"""Bounds of education levels on a standard normal scale, for shares of .11, .27, .29 and .33 of
adults, and its correlation with the wage (illustrative)."""
WAGE_SCALE = (3.0, 0.7)
"""Mean and standard deviation of the logarithm of hourly wages (computed: the sample)."""


def draw_persons(
    sample: Microdata,
    kind: Intp,
    sizes: Int64,
    chance: Chance,
    *,
    numbers: Intp,
    first_row: int,
    zone: Int16,
    town: Town | None = None,
) -> Columns:
    """Draw columns of `people.Citizen`, household by household, each of shape (persons,).

    `sizes` are the numbers of members to keep, the first ones. Rates of unemployment, education and
    quintiles are those of the town, or of the survey.
    """
    home, case = sample.members(kind, sizes)
    rows = first_row + np.arange(len(home))
    age = sample.draw_ages(case, rows, chance)
    female = draw_female(sample, case, numbers[home], rows, chance, lone_women=LONE_WOMEN)
    relation = _find_relations(sample, case, kind[home], age)
    lives_in = zone[home].astype(np.intp)
    jobless = 1.0 if town is None else town.jobless[lives_in]
    labour = _draw_labour(sample, case, age, rows, chance, jobless=jobless)
    yearly = np.minimum(sample.wage[case], MAX_YEARLY_WAGE)
    wage, hours = _draw_wage_and_hours(yearly, age, rows, chance)
    works = (labour == Labour.EMPLOYED) | (labour == Labour.UNEMPLOYED)
    employed = labour == Labour.EMPLOYED
    usual = np.where(works, hours, 0.0).astype(np.float32)
    gender = np.where(female, "female", "male").astype(object)
    income, quintile = _rank_income(sample, town)
    edges = ndtri(town.education_edges[lives_in]) if town is not None else EDUCATION_EDGES
    month = np.rint(np.where(works, yearly, 0.0) * 100 / 12).astype(np.int64)
    return {
        "household": numbers[home].astype(np.int32),
        "name": draw_names(gender, numbers[home], chance, first_row=first_row),
        "gender": gender,
        "age": age.astype(np.int16),
        "birth_month": (12 * chance.uniform("person birth", rows)).astype(np.uint8),
        "relation": relation.astype(np.uint8),
        "marriage_status": label_codes(sample.coupled[case].astype(int), ("single", "married")),
        "education": _draw_education(wage, age, rows, chance, edges),
        "home": zone[home],
        "place": zone[home],
        "income": income[kind][home].astype(np.float32),
        "quintile": quintile[kind][home].astype(np.uint8),
        "labour": labour.astype(np.uint8),
        "skill": wage.astype(np.float32),
        "wage": np.where(employed, wage, 0.0).astype(np.float32),
        "usual_hours": usual,
        "wanted_hours": usual,
        "hours": np.where(employed, usual, 0).astype(np.float32),
        "insured": month,
        "spell": _draw_spells(labour, rows, chance),
    }


def potential_wage(age: Array, rows: Array, chance: Chance) -> Float64:
    """Draw potential wages of persons without earnings by age, USD per hour, shape (persons,)."""
    young = np.asarray(age) <= LAST_STUDENT
    median = np.where(young, FUTURE_WAGE[0] * np.exp(career(age)), POTENTIAL_WAGE[0])
    spread = np.where(young, FUTURE_WAGE[1], POTENTIAL_WAGE[1])
    return median * np.exp(spread * chance.normal("person potential wage", rows))


def _draw_wage_and_hours(
    yearly: Float64, age: Array, rows: Intp, chance: Chance
) -> tuple[Float64, Float64]:
    """Draw hours, and compute the hourly wage so that the product matches yearly wages.

    Hours are drawn from `USUAL_HOURS`, and reduced if the wage would be below `MIN_WAGE`.
    """
    drawn = np.array(USUAL_HOURS)[chance.choice("person hours", rows, HOURS_SHARES)]
    drawn = np.where(yearly >= FULL_TIME_FROM, np.maximum(drawn, 40.0), drawn)
    earns = yearly > 0
    most = np.maximum(yearly / (WEEKS_A_YEAR * MIN_WAGE), MIN_HOURS)
    hours = np.where(earns, np.minimum(drawn, most), 40.0)
    wage = np.where(earns, yearly / (WEEKS_A_YEAR * hours), potential_wage(age, rows, chance))
    return wage, hours


def _draw_labour(
    sample: Microdata,
    case: Intp,
    age: Array,
    rows: Intp,
    chance: Chance,
    *,
    jobless: Float64 | float = 1.0,
) -> Intp:
    """Return the number of `Labour`; `jobless` multiplies the probabilities of unemployment."""
    of_unit = {name: values[sample.unit[case]] for name, values in sample.units.items()}
    head = sample.role[case] != DEPENDANT
    paid = of_unit["unemployment"] > 0
    earned = sample.wage[case] > 0
    pensioned = of_unit["social_security"] + of_unit["pension"] > 0
    lost = chance.uniform("person job", rows) < jobless * np.where(paid, JOBLESS_PAID, JOBLESS)
    retired = (age >= RETIREMENT_AGE) | ((age >= EARLY_RETIREMENT_AGE) & pensioned & head)
    unable = head & (of_unit["ssi"] + of_unit["social_security"] + of_unit["veterans"] > 0)
    labour = np.select(
        [age < ADULT, earned & lost & (age < RETIREMENT_AGE), earned, retired, paid & head, unable],
        [
            Labour.CHILD,
            Labour.UNEMPLOYED,
            Labour.EMPLOYED,
            Labour.RETIRED,
            Labour.UNEMPLOYED,
            Labour.UNABLE,
        ],
        Labour.AT_HOME,
    )
    return np.asarray(labour, np.intp)


def _draw_spells(labour: Intp, rows: Intp, chance: Chance) -> Int16:
    """Draw months in the current job or without one, exponentially distributed."""
    mean = np.select([labour == Labour.EMPLOYED, labour == Labour.UNEMPLOYED], [TENURE, SEARCH], 0)
    months = -np.log1p(-chance.uniform("person spell", rows)) * mean
    return np.asarray(np.minimum(months, 480), np.int16)


def _find_relations(sample: Microdata, case: Intp, kind: Intp, age: Array) -> Intp:
    """Return the number of `RELATIONS`."""
    first = sample.unit[case] == sample.head_unit[kind]
    role = sample.role[case]
    dependant = (role == DEPENDANT) | (~first & (age < ADULT))
    names = np.select(
        [dependant, first & (role == SPOUSE), first],
        [RELATIONS.index("dependant"), RELATIONS.index("spouse"), RELATIONS.index("head")],
        RELATIONS.index("other adult"),
    )
    return np.asarray(names, np.intp)


def _draw_education(
    wage: Float64, age: Array, rows: Intp, chance: Chance, edges: Float64 | tuple[float, ...]
) -> Objects:
    """Draw education, a name of `EDUCATION`: none under 18, at most some college under 25."""
    mean, spread = WAGE_SCALE
    rank = EDUCATION_BY_WAGE * (np.log(wage) - mean) / spread
    rank += np.sqrt(1 - EDUCATION_BY_WAGE**2) * chance.normal("person education", rows)
    code = 1 + (rank[:, None] > np.asarray(edges)).sum(axis=1)
    return label_codes(limit_education(code, age), EDUCATION)


def _rank_income(sample: Microdata, town: Town | None) -> tuple[Float64, Intp]:
    """Return yearly money income of survey households, and its quintile from 1 to 5."""
    income = sample.income
    edges = np.quantile(income, [0.2, 0.4, 0.6, 0.8]) if town is None else town.quintile_edges
    return income, 1 + np.searchsorted(edges, income, side="right")
