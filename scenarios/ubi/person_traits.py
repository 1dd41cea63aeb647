"""Columns of people: age, sex, work, wage and hours.

The survey has the wages of a year only. Hours are drawn, and the hourly wage follows from them.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.economy.production import MONTH_WEEKS
from memopolis.agents.names import names_of
from memopolis.scenarios.tax_units import DEPENDANT, SPOUSE
from memopolis.scenarios.ubi.microdata import Microdata
from memopolis.scenarios.ubi.people import ADULT, RELATIONS, Labour
from memopolis.sim.chance import Chance

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
Mask = NDArray[np.bool_]
Columns = dict[str, NDArray[Any]]

WEEKS_A_YEAR = 12 * MONTH_WEEKS
"""Weeks of twelve months of 30 days, so that twelve months' pay is the year's wages."""
USUAL_HOURS = (20.0, 30.0, 40.0, 50.0)
HOURS_SHARES = (0.03, 0.07, 0.65, 0.25)
"""Hours a week of those whose wages allow them, and their shares (illustrative)."""
LEAST_WAGE = 7.25
"""USD an hour below which hours are cut before the wage is: the federal minimum wage
(recalled)."""
LEAST_HOURS = 5.0
MOST_YEARLY = 1_500_000.0
"""USD of wages a year above which a worker is paid no more: of the sample one has 5.3 million,
and would make a twelfth of all wages of a thousand households (choice)."""
FULL_TIME_FROM = 150_000.0
"""USD of wages a year from which nobody works part-time (illustrative)."""
POTENTIAL_WAGE = (14.0, 0.45)
"""Median in USD an hour and standard deviation of the logarithm of what those without earnings
could earn (illustrative)."""
FUTURE_WAGE = (17.5, 0.85)
LAST_STUDENT = 26
"""The same of those up to this age who earn nothing yet: as those have who work, so that a new
generation is as unequal as the one before (computed: median and mean of workers)."""
JOBLESS = 0.025
JOBLESS_PAID = 0.30
"""Chance of being without work at the start for those who earned in the survey's year, and for
those whose tax unit had unemployment compensation in it (illustrative, for about 5% of the
labour force in all)."""
RETIRING = 65
RETIRED_EARLY = 55
"""Ages from which those without earnings are retired, the second with a pension (choice)."""
TENURE, SEARCH = 48.0, 3.0
"""Mean months in the job, and without one, at the start (illustrative)."""
LONE_WOMEN = 0.54
"""Share of women among those who head a tax unit alone (illustrative)."""
GIRLS = 0.49
"""Share of girls among dependants (recalled)."""
EDUCATION = ("none", "less than high school", "high school", "some college", "degree")
EDUCATION_EDGES = (-1.25, -0.30, 0.44)
EDUCATION_BY_WAGE = 0.55
"""Where education changes on a standard normal scale, for shares of .11, .27, .29 and .33 of
adults, and its correlation with the wage (illustrative)."""
WAGE_SCALE = (3.0, 0.7)
"""Mean and standard deviation of the logarithm of hourly wages (computed: the sample)."""


def draw_persons(
    sample: Microdata,
    kind: IntArray,
    sizes: NDArray[np.int64],
    chance: Chance,
    *,
    numbers: IntArray,
    first_row: int,
) -> Columns:
    """Draw the columns of people, household by household.

    Args:
        sample: Households of the survey.
        kind: Household of the survey of each household, shape (households,).
        sizes: Members that each keeps, the first ones, shape (households,).
        chance: Luck of the run; drawn by row.
        numbers: Row of each household, shape (households,).
        first_row: Row of the first person.

    Returns:
        Columns of `people.Citizen`, each of shape (persons,).
    """
    home = np.repeat(np.arange(len(sizes)), sizes)
    rows = first_row + np.arange(len(home))
    within = np.arange(len(home)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    case = sample.first[kind][home] + within
    span = sample.oldest[case] - sample.youngest[case] + 1
    age = sample.youngest[case] + np.floor(chance.uniform("person age", rows) * span).astype(int)
    female = _female(sample, case, numbers[home], rows, chance)
    relation = _relation(sample, case, kind[home], age)
    labour = _labour(sample, case, age, rows, chance)
    yearly = np.minimum(sample.wage[case], MOST_YEARLY)
    wage, hours = _wage_and_hours(yearly, age, rows, chance)
    works = (labour == Labour.EMPLOYED) | (labour == Labour.UNEMPLOYED)
    employed = labour == Labour.EMPLOYED
    usual = np.where(works, hours, 0.0).astype(np.float32)
    gender = np.where(female, "female", "male").astype(object)
    income, quintile = _income(sample)
    month = np.rint(np.where(works, yearly, 0.0) * 100 / 12).astype(np.int64)
    return {
        "household": numbers[home].astype(np.int32),
        "name": names_of(gender, numbers[home], chance, first_row=first_row),
        "gender": gender,
        "age": age.astype(np.int16),
        "birth_month": (12 * chance.uniform("person birth", rows)).astype(np.uint8),
        "relation": relation.astype(np.uint8),
        "marriage_status": _labels(_coupled(sample, case).astype(int), ("single", "married")),
        "education": _education(wage, age, rows, chance),
        "income": income[kind][home].astype(np.float32),
        "quintile": quintile[kind][home].astype(np.uint8),
        "labour": labour.astype(np.uint8),
        "skill": wage.astype(np.float32),
        "wage": np.where(employed, wage, 0.0).astype(np.float32),
        "usual_hours": usual,
        "wanted_hours": usual,
        "hours": np.where(employed, usual, 0).astype(np.float32),
        "insured": month,
        "last_pay": np.where(employed, month, 0),
        "spell": _spell(labour, rows, chance),
    }


def potential_wage(age: NDArray[Any], rows: NDArray[Any], chance: Chance) -> FloatArray:
    """What those without earnings could earn.

    Args:
        age: Years, shape (persons,).
        rows: Their rows, by which it is drawn.
        chance: Luck of the run.

    Returns:
        USD an hour, shape (persons,).
    """
    young = np.asarray(age) <= LAST_STUDENT
    median = np.where(young, FUTURE_WAGE[0], POTENTIAL_WAGE[0])
    spread = np.where(young, FUTURE_WAGE[1], POTENTIAL_WAGE[1])
    return median * np.exp(spread * chance.normal("person potential wage", rows))


def _wage_and_hours(
    yearly: FloatArray, age: NDArray[Any], rows: IntArray, chance: Chance
) -> tuple[FloatArray, FloatArray]:
    """Hourly wage and hours a week whose product is the year's wages, where it can be.

    Hours are drawn from `USUAL_HOURS`, and cut where the wage would lie below `LEAST_WAGE`.
    """
    drawn = np.array(USUAL_HOURS)[chance.choice("person hours", rows, HOURS_SHARES)]
    drawn = np.where(yearly >= FULL_TIME_FROM, np.maximum(drawn, 40.0), drawn)
    earns = yearly > 0
    most = np.maximum(yearly / (WEEKS_A_YEAR * LEAST_WAGE), LEAST_HOURS)
    hours = np.where(earns, np.minimum(drawn, most), 40.0)
    wage = np.where(earns, yearly / (WEEKS_A_YEAR * hours), potential_wage(age, rows, chance))
    return wage, hours


def _labour(
    sample: Microdata, case: IntArray, age: NDArray[Any], rows: IntArray, chance: Chance
) -> IntArray:
    """Number of `Labour`."""
    of_unit = {name: values[sample.unit[case]] for name, values in sample.units.items()}
    head = sample.role[case] != DEPENDANT
    paid = of_unit["unemployment"] > 0
    earned = sample.wage[case] > 0
    pensioned = of_unit["social_security"] + of_unit["pension"] > 0
    jobless = chance.uniform("person job", rows) < np.where(paid, JOBLESS_PAID, JOBLESS)
    retired = (age >= RETIRING) | ((age >= RETIRED_EARLY) & pensioned & head)
    unable = head & (of_unit["ssi"] + of_unit["social_security"] + of_unit["veterans"] > 0)
    labour = np.select(
        [
            age < ADULT,
            earned & jobless & (age < RETIRING),
            earned,
            retired,
            paid & head,
            unable,
        ],
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


def _spell(labour: IntArray, rows: IntArray, chance: Chance) -> NDArray[np.int16]:
    """Months in the job or without one, by exponential draws."""
    mean = np.select([labour == Labour.EMPLOYED, labour == Labour.UNEMPLOYED], [TENURE, SEARCH], 0)
    months = -np.log1p(-chance.uniform("person spell", rows)) * mean
    return np.asarray(np.minimum(months, 480), np.int16)


def _coupled(sample: Microdata, case: IntArray) -> Mask:
    partnered = sample.units["age_spouse"][sample.unit[case]] > 0
    return np.asarray(partnered & (sample.role[case] != DEPENDANT))


def _female(
    sample: Microdata, case: IntArray, house: IntArray, rows: IntArray, chance: Chance
) -> Mask:
    """Whether each is a woman or girl; partners are of opposite sex: a simplification."""
    role = sample.role[case]
    head_is_woman = chance.uniform("household head sex", house) < 0.5
    of_couple = np.where(role == SPOUSE, ~head_is_woman, head_is_woman)
    share = np.where(role == DEPENDANT, GIRLS, LONE_WOMEN)
    alone = chance.uniform("person sex", rows) < share
    return np.where(_coupled(sample, case), of_couple, alone)


def _relation(sample: Microdata, case: IntArray, kind: IntArray, age: NDArray[Any]) -> IntArray:
    """Number of `RELATIONS`."""
    first = sample.unit[case] == sample.head_unit[kind]
    role = sample.role[case]
    dependant = (role == DEPENDANT) | (~first & (age < ADULT))
    names = np.select(
        [dependant, first & (role == SPOUSE), first],
        [RELATIONS.index("dependant"), RELATIONS.index("spouse"), RELATIONS.index("head")],
        RELATIONS.index("other adult"),
    )
    return np.asarray(names, np.intp)


def _education(
    wage: FloatArray, age: NDArray[Any], rows: IntArray, chance: Chance
) -> NDArray[np.object_]:
    """Name of `EDUCATION`: none under 18, at most some college under 25."""
    mean, spread = WAGE_SCALE
    rank = EDUCATION_BY_WAGE * (np.log(wage) - mean) / spread
    rank += np.sqrt(1 - EDUCATION_BY_WAGE**2) * chance.normal("person education", rows)
    code = 1 + np.searchsorted(EDUCATION_EDGES, rank)
    code = np.where(age < 25, np.minimum(code, 3), code)
    return _labels(np.where(age < ADULT, 0, code), EDUCATION)


def _income(sample: Microdata) -> tuple[FloatArray, IntArray]:
    """Money income of the survey's households in a year, and its quintile from 1 to 5."""
    income = sample.income()
    edges = np.quantile(income, [0.2, 0.4, 0.6, 0.8])
    return income, 1 + np.searchsorted(edges, income, side="right")


def _labels(codes: NDArray[Any], names: tuple[str, ...]) -> NDArray[np.object_]:
    labels: NDArray[np.object_] = np.asarray(np.array(names, object)[codes])
    return labels
