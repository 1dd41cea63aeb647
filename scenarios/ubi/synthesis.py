"""Draw columns of persons and households from the survey: initial ones, and those that move in.

Households are indexed by number and persons by row, so adding an agent leaves all previous ones
unchanged.
"""

from dataclasses import dataclass

import numpy as np

from memopolis.agents.economy.benefits import implied_max_benefit, max_snap
from memopolis.agents.economy.taxes import FILING
from memopolis.scenarios.synthesis.households import People, draw_to_number
from memopolis.scenarios.ubi.government_settings import BenefitSettings
from memopolis.scenarios.ubi.microdata import ASSISTANCE, EARNINGS, Microdata, Town, read_sample
from memopolis.scenarios.ubi.people import ADULT
from memopolis.scenarios.ubi.person_traits import draw_persons
from memopolis.sim.arrays import Array, Cents, Float64, Int64, Intp
from memopolis.sim.chance import Chance

# Columns of households: members, filing, pensions, benefits, capital, money and debts.

Columns = dict[str, Array]

PENSIONS = ("social_security", "pension", "veterans")
"""Regular income regardless of earnings; the government pays all of it."""
CAPITAL = ("interest", "dividends")
MAX_BENEFITS = 250_000  # maximum means-tested benefits, in cents per month (illustrative)
MONTHS_OF_MONEY = (0.5, 1.0, 1.5, 2.5, 5.0)
MONEY_SPREAD = 1.2
"""Median of deposits in monthly incomes by quintile, and standard deviation of the logarithm
(illustrative; the Survey of Consumer Finances 2019 has medians of about 800 to 70,000 USD,
recalled)."""
MIN_INCOME = 50_000
"""Minimum monthly income on which deposits and debts are based, in cents (illustrative)."""
INDEBTED = (0.4, 0.5, 0.6, 0.6, 0.6)
MONTHS_OF_DEBT, DEBT_SPREAD = 1.0, 0.8
"""Share of households with debts by quintile, their median in monthly incomes and standard
deviation of the logarithm: consumer debts, without mortgages (illustrative)."""


def draw_households(
    sample: Microdata, kind: Intp, persons: Columns, numbers: Intp, chance: Chance
) -> tuple[Columns, Cents, Cents]:
    """Draw columns of `people.Household`, deposits and debts, by survey household and members.

    `numbers` are consecutive rows. The column `capital` is interest and dividends in dollars per
    year, the household's weight in profits.
    """
    home = persons["household"] - numbers[0]
    size = np.bincount(home, minlength=len(kind))
    adults = np.bincount(home, weights=persons["age"] >= ADULT, minlength=len(kind))
    quintile = np.zeros(len(kind), np.uint8)
    quintile[home] = persons["quintile"]
    filing = np.array([FILING.index(name) for name in sample.units["filing"].tolist()])
    income = np.maximum(np.rint(sample.income[kind] * 100 / 12).astype(np.int64), MIN_INCOME)
    columns: Columns = {
        "size": size.astype(np.int16),
        "adults": adults.astype(np.int16),
        "filing": filing[sample.head_unit[kind]].astype(np.uint8),
        "quintile": quintile,
        "capital": sample.sum_income(CAPITAL)[kind].astype(np.float32),
        "pension": _sum_monthly(sample, PENSIONS)[kind],
        "assistance": _draw_assistance(sample, kind, size, numbers, chance),
    }
    return columns, *_draw_money(income, quintile.astype(np.intp) - 1, numbers, chance)


def _draw_assistance(
    sample: Microdata, kind: Intp, size: Intp, numbers: Intp, chance: Chance
) -> Cents:
    """Compute benefits per month at zero other income.

    Households with benefits in the survey get exactly these at their observed income, up to
    `MAX_BENEFITS`. Of the others, a share would take up food stamps.
    """
    rules = BenefitSettings()
    received = _sum_monthly(sample, ASSISTANCE)[kind]
    other = _sum_monthly(sample, (*EARNINGS, *CAPITAL, *PENSIONS, "unemployment"))[kind]
    known = implied_max_benefit(
        received, other, disregard=rules.disregard_cents, phase_out=rules.phase_out
    )
    takes = chance.uniform("household help", numbers) < rules.take_up
    help_at_most = np.where(received > 0, known, np.where(takes, max_snap(size), 0))
    return np.minimum(help_at_most, MAX_BENEFITS)


def _sum_monthly(sample: Microdata, kinds: tuple[str, ...]) -> Cents:
    return np.rint(sample.sum_income(kinds) * 100 / 12).astype(np.int64)


def _draw_money(
    income: Cents, quintile: Intp, numbers: Intp, chance: Chance
) -> tuple[Cents, Cents]:
    """Draw deposits and debts in cents, log-normal around multiples of monthly income."""
    deposits = income * np.array(MONTHS_OF_MONEY)[quintile] * draw_patience(numbers, chance)
    debts = income * MONTHS_OF_DEBT
    debts = debts * np.exp(DEBT_SPREAD * chance.normal("household debts", numbers))
    owes = chance.uniform("household owes", numbers) < np.array(INDEBTED)[quintile]
    return np.rint(deposits).astype(np.int64), np.rint(np.where(owes, debts, 0)).astype(np.int64)


def draw_patience(numbers: Intp, chance: Chance) -> Float64:
    """Draw the liquid wealth that households keep relative to others of their income, median 1.

    Both the money at the start and the target buffer are in proportion to it.

    Source: Households differ in their patience, which explains how unequal liquid wealth is, and
    propensities to consume are: Carroll, Slacalek, Tokuoka and White 2017, Quantitative Economics
    8:977-1020 (recalled). The log-normal form is this project's.
    """
    return np.exp(MONEY_SPREAD * chance.normal("household deposits", numbers))


GOLDEN = (5**0.5 - 1) / 2


@dataclass(frozen=True, eq=False)
class Inhabitants(People):
    """Citizens and their households, as columns of the status."""

    deposits: Int64  # money of each household in cents, shape (households,)
    debts: Int64  # debt of each household in cents, shape (households,)


def draw_initial_households(agents: int, chance: Chance, town: Town | None = None) -> Inhabitants:
    """Draw households of the town, or the survey, until they have the required number of members.

    They are numbered from 0. Raises ParameterError if `agents` is below 1.
    """
    sample = read_sample()
    (kind,), sizes = draw_to_number(
        agents, sample.size, lambda numbers: (_select_kinds(numbers, sample, chance, town),)
    )
    return _draw_members(sample, kind, sizes, (0, 0), chance, town=town)


def draw_newcomers(
    count: int, chance: Chance, town: Town | None = None, *, first_household: int, first_row: int
) -> Inhabitants:
    """Draw whole households that move in; `household` of a citizen is the row of the household."""
    sample = read_sample()
    kind = _select_kinds(first_household + np.arange(count), sample, chance, town)
    first = (first_household, first_row)
    return _draw_members(sample, kind, sample.size[kind], first, chance, town=town)


def _select_kinds(numbers: Intp, sample: Microdata, chance: Chance, town: Town | None) -> Intp:
    """Select a survey household for each household number.

    Steps of the golden ratio through the households in order of income, from a random start: any
    number of them has about the income distribution of the survey or the town (H. Weyl 1916,
    Mathematische Annalen 77:313-352, doi:10.1007/BF01475864), and further ones leave previous ones
    unchanged.
    """
    start = float(chance.uniform("household kind", [0])[0])
    place = (start + GOLDEN * numbers) % 1.0
    if town is not None:
        return town.select_kinds(np.asarray(place))
    by_income = np.argsort(sample.income, kind="stable")
    return by_income[np.minimum((place * len(sample)).astype(np.intp), len(sample) - 1)]


def _draw_members(
    sample: Microdata,
    kind: Intp,
    sizes: Int64,
    first: tuple[int, int],
    chance: Chance,
    *,
    town: Town | None,
) -> Inhabitants:
    """Draw members of households of given kinds; `first` is the row of household and person."""
    numbers = first[0] + np.arange(len(kind))
    zone = np.zeros(len(kind), np.int16)
    if town is not None:
        zone = town.draw_zones(kind, numbers, chance)
    persons = draw_persons(
        sample, kind, sizes, chance, numbers=numbers, first_row=first[1], zone=zone, town=town
    )
    households, deposits, debts = draw_households(sample, kind, persons, numbers, chance)
    households["zone"] = zone
    return Inhabitants(persons, households, deposits, debts)
