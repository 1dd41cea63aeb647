"""Who lives with a basic income: citizens, households, firms, government, statistics bureau.

Money of status attributes is in whole cents of the step, a month of 30 days, unless said
otherwise; what an account holds stands in the ledger, and is copied here for the tables.
"""

from enum import IntEnum

from memopolis.agents import citizen, firm, government, statistics_bureau
from memopolis.sim.population import Agent, attribute

ADULT = 18
"""Age in years from which people work, vote and get a basic income (choice)."""

GOODS = ("food", "housing", "transport", "other")
"""Kinds of goods, which are also the sectors of firms."""

QUINTILES = ("", "lowest", "second", "middle", "fourth", "highest")


class Labour(IntEnum):
    """How somebody stands to the labour market."""

    CHILD = 0
    EMPLOYED = 1
    UNEMPLOYED = 2
    AT_HOME = 3
    RETIRED = 4
    UNABLE = 5


RELATIONS = ("head", "spouse", "dependant", "other adult")
"""What a citizen is in the household; head and spouse file taxes together, others alone."""
HEAD, SPOUSE, DEPENDANT, OTHER_ADULT = range(len(RELATIONS))

LABOUR = tuple(one.name.lower().replace("_", " ") for one in Labour)


def _cents(description: str) -> int:
    return attribute(0, description=description, unit="cents", dtype="i8", record=True)


class Citizen(citizen.Citizen):
    """A citizen of working age, a child or a pensioner."""

    labour: int = attribute(
        0, description="Standing on the labour market", dtype="u1", record=True, labels=LABOUR
    )
    relation: int = attribute(
        0, description="Relation in the household", dtype="u1", record=True, labels=RELATIONS
    )
    quintile: int = attribute(
        0,
        description="Quintile of the household's income",
        dtype="u1",
        record=True,
        labels=QUINTILES,
    )
    employer: int = attribute(-1, description="Row of the firm, -1 for none", record=True)
    wage: float = attribute(0.0, description="Hourly wage", unit="USD/h", low=0, record=True)
    usual_hours: float = attribute(
        0.0, description="Hours wanted at the start, with no basic income", unit="h/week", low=0
    )
    wanted_hours: float = attribute(
        0.0, description="Hours it wants to work", unit="h/week", low=0, high=80, record=True
    )
    hours: float = attribute(
        0.0, description="Hours worked", unit="h/week", low=0, high=80, record=True
    )
    at_work: bool = attribute(False, description="Whether it worked in this step")
    pay: int = _cents("Wages before tax")
    last_pay: int = attribute(0, description="Wages of the month before", unit="cents", dtype="i8")
    spell: int = attribute(0, description="Months in this job, or without one", dtype="i2")
    notice: bool = attribute(False, description="Whether the job ends with this month")
    insured: int = attribute(
        0,
        description="Wages of the last month with pay, which unemployment pay follows",
        unit="cents",
        dtype="i8",
    )
    birth_month: int = attribute(0, description="Month of the year of birth, 0 to 11", dtype="u1")
    eligible: bool = attribute(
        False, description="Whether the policy covers it in this month", record=True
    )
    basic_income: int = _cents("Basic income paid to it")
    life_satisfaction: float = attribute(
        7.0, description="Life satisfaction", low=0, high=10, record=True
    )
    attitude: dict[str, float] = attribute(
        {"government_trust": 5.0, "work": 6.0, "basic_income": 5.0},
        description="Attitude, from 0 (oppose) to 10 (support)",
        low=0,
        high=10,
        record=True,
    )
    conviction: dict[str, float] = attribute(
        {"government_trust": 0.0, "work": 0.0, "basic_income": 0.0},
        description="Strength of an attitude, which slows its change",
        low=0,
        high=1,
    )


class Household(Agent):
    """People who share an account."""

    size: int = attribute(1, description="Number of members", dtype="i2", record=True)
    adults: int = attribute(1, description="Number of adults", dtype="i2", record=True)
    filing: int = attribute(
        0,
        description="Filing status",
        dtype="u1",
        record=True,
        labels=("single", "joint", "head of household"),
    )
    account: int = attribute(-1, description="Number of its account in the ledger")
    quintile: int = attribute(
        0,
        description="Quintile of income before the policy",
        dtype="u1",
        record=True,
        labels=QUINTILES,
    )
    capital: float = attribute(
        0.0, description="Share of the dividends of firms that are its own", low=0
    )
    pension: int = attribute(
        0, description="Social security and pensions a month", unit="cents", dtype="i8"
    )
    assistance: int = attribute(
        0, description="Means-tested help a month at no other income", unit="cents", dtype="i8"
    )
    wages: int = _cents("Wages of its members before tax")
    dividends: int = _cents("Dividends and interest")
    interest: int = attribute(
        0, description="Interest on its money at the end of the step", unit="cents", dtype="i8"
    )
    benefits: int = _cents("Pensions, unemployment pay and means-tested help")
    basic_income: int = _cents("Basic income")
    tax: int = _cents("Taxes")
    disposable: int = _cents("Income after tax, with benefits and basic income")
    usual: int = attribute(
        0, description="Disposable income it is used to", unit="cents", dtype="i8", record=True
    )
    consumption: int = _cents("Spending on goods")
    spent: dict[str, int] = attribute(
        dict.fromkeys(GOODS, 0),
        description="Spending by kind of goods",
        unit="cents",
        dtype="i8",
        record=True,
    )
    deposit: int = _cents("Money in its account at the end of the step")
    debt: int = _cents("What it owes the bank at the end of the step")
    arrears: int = attribute(0, description="Months in a row in which it owed interest", dtype="i2")


class Firm(firm.Firm):
    """A firm that hires, makes one kind of goods, sells them and pays out its profit."""

    sector: int = attribute(
        0, description="Kind of goods it makes", dtype="u1", record=True, labels=GOODS
    )
    account: int = attribute(-1, description="Number of its account in the ledger")
    price: float = attribute(1.0, description="Price of a unit of goods", unit="USD", record=True)
    wage: float = attribute(
        1.0, description="Wage offered for an hour of average skill, 1 at the start", record=True
    )
    inventory: float = attribute(0.0, description="Units in store", record=True)
    sold: float = attribute(  # type: ignore[assignment] # parts of a unit are sold here
        0.0, description="Units sold in this step", record=True
    )
    wanted: float = attribute(
        0.0, description="Units asked for in this step, also those it had not", record=True
    )
    expected: float = attribute(0.0, description="Sales it expects", record=True)
    made: float = attribute(0.0, description="Units made in this step", record=True)
    labour: float = attribute(
        0.0, description="Hours of work it wants, weighted by skill", unit="h/month", record=True
    )
    vacancies: int = attribute(0, description="Jobs it cannot fill", record=True)
    filled_for: int = attribute(0, description="Months with all jobs filled", dtype="i2")
    age: int = attribute(0, description="Months since it was founded", dtype="i2", record=True)
    losses: int = attribute(0, description="Months in a row without money for wages", dtype="i2")
    idle: int = attribute(0, description="Months in a row without a worker", dtype="i2")
    efficiency: float = attribute(
        1.0, description="Units made by an hour of weighted work in this step", record=True
    )
    revenue: int = _cents("Sales")
    payroll: int = _cents("Wages paid")
    dividends: int = _cents("Profit paid out")
    deposit: int = _cents("Money in its account at the end of the step")
    debt: int = _cents("What it owes the bank at the end of the step")


class Government(government.Government):
    """Taxes, benefits, purchases and the policy."""

    account: int = attribute(-1, description="Number of its account in the ledger")
    surtax: float = attribute(
        0.0, description="Rate on market income that pays for the policy", low=0, record=True
    )
    income_tax: int = _cents("Income tax taken")
    payroll_tax: int = _cents("Payroll tax taken")
    local_tax: int = _cents("State and local tax taken")
    policy_tax: int = _cents("Surtax taken")
    basic_income: int = _cents("Basic income paid")
    purchases: int = _cents("Goods bought")
    interest: int = _cents("Interest paid on its debt")
    deficit: int = _cents("Spending above revenue")
    deposit: int = _cents("Money in its account at the end of the step")
    debt: int = _cents("What it owes the bank at the end of the step")


class StatisticsBureau(statistics_bureau.StatisticsBureau):
    """The monthly table; money in USD a month for the whole society, unless said otherwise."""

    gdp: float = attribute(
        0.0,
        description="Goods made, at the prices of the start",
        unit="USD",
        dtype="f8",
        record=True,
    )
    nominal_gdp: float = attribute(
        0.0, description="Goods made, at current prices", unit="USD", dtype="f8", record=True
    )
    price_level: float = attribute(
        1.0, description="Price of a fixed basket, 1 at the start", dtype="f8", record=True
    )
    inflation: float = attribute(
        0.0, description="Rise of the price level over twelve months", dtype="f8", record=True
    )
    unemployment: float = attribute(
        0.0, description="Share of the labour force without work", dtype="f8", record=True
    )
    participation: float = attribute(
        0.0, description="Share of adults in the labour force", dtype="f8", record=True
    )
    vacancies: float = attribute(
        0.0, description="Vacancies over the labour force", dtype="f8", record=True
    )
    hours: float = attribute(
        0.0, description="Hours a week of those employed", unit="h/week", dtype="f8", record=True
    )
    wage: float = attribute(
        0.0,
        description="Mean hourly wage of those employed",
        unit="USD/h",
        dtype="f8",
        record=True,
    )
    income: float = attribute(
        0.0, description="Disposable income of a household", unit="USD", dtype="f8", record=True
    )
    consumption: float = attribute(
        0.0, description="Spending of a household", unit="USD", dtype="f8", record=True
    )
    gini: float = attribute(
        0.0,
        description="Gini of households' disposable income of twelve months",
        dtype="f8",
        record=True,
    )
    poverty: float = attribute(
        0.0,
        description="Share of households below half the median income",
        dtype="f8",
        record=True,
    )
    depression: float = attribute(
        0.0, description="Mean CES-D of the last panel", low=0, high=60, dtype="f8", record=True
    )
    cases: float = attribute(
        0.0, description="Share of the last panel at 16 or more", dtype="f8", record=True
    )
    life_satisfaction: float = attribute(
        0.0, description="Mean life satisfaction", low=0, high=10, dtype="f8", record=True
    )
    births: int = attribute(0, description="Births in this step", record=True)
    deaths: int = attribute(0, description="Deaths in this step", record=True)
    arrivals: int = attribute(0, description="People who moved in", record=True)
    departures: int = attribute(0, description="People who moved away", record=True)
    new_firms: int = attribute(0, description="Firms founded", record=True)
    failed_firms: int = attribute(0, description="Firms that failed", record=True)
