"""Agent classes: citizens, households, firms, bank, government and statistics bureau.

Status attributes in money are whole cents per step, a month of 30 days, unless noted otherwise.
Balances of accounts are in the ledger, and copied here for the tables.
"""

from enum import IntEnum
from typing import ClassVar

from memopolis.agents import bank, citizen, firm, government, statistics_bureau
from memopolis.agents.attitude_attributes import declare_attitudes, declare_convictions
from memopolis.scenarios.ubi.household_settings import GOODS
from memopolis.sim.population import PROFILE, Agent, attribute

ADULT = 18
"""Age in years from which persons work, vote and get a basic income (choice)."""

QUINTILES = ("", "lowest", "second", "middle", "fourth", "highest")


class Labour(IntEnum):
    """Status on the labour market."""

    CHILD = 0
    EMPLOYED = 1
    UNEMPLOYED = 2
    AT_HOME = 3
    RETIRED = 4
    UNABLE = 5


RELATIONS = ("head", "spouse", "dependant", "other adult")
"""Relation to the head of the household; head and spouse file taxes jointly, others alone."""
HEAD, SPOUSE, DEPENDANT, OTHER_ADULT = range(len(RELATIONS))

LABOUR = tuple(one.name.lower().replace("_", " ") for one in Labour)


def _cents(description: str) -> int:
    return attribute(0, description, unit="cents", dtype="i8", record=True)


def _figure(
    description: str,
    *,
    unit: str = "",
    default: float = 0.0,
    low: float | None = None,
    high: float | None = None,
) -> float:
    return attribute(default, description, unit=unit, low=low, high=high, dtype="f8", record=True)


# With monthly steps, only the needs for rest and company change, and there are no zones.
class Citizen(citizen.Citizen, unrecorded=("home", "place", "hunger", "safety", "doing")):
    """A citizen of working age, a child or a pensioner."""

    # `skill` is the wage of a possible job, `wage` that of the present one.
    portrait: ClassVar[tuple[str, ...]] = (
        *(name for name in PROFILE if name != "skill"),
        "household", "labour", "employer", "wage", "hours", "eligible", "energy", "social",
    )  # fmt: skip

    labour: int = attribute(0, "Labour market status", dtype="u1", record=True, labels=LABOUR)
    relation: int = attribute(
        0, "Relation to the head of the household", dtype="u1", record=True, labels=RELATIONS
    )
    quintile: int = attribute(
        0, "Quintile of the household's income", dtype="u1", record=True, labels=QUINTILES
    )
    employer: int = attribute(-1, "Row of the firm, -1 for none", role="reference", record=True)
    wage: float = attribute(0.0, "Hourly wage", unit="USD/h", low=0, record=True)
    usual_hours: float = attribute(
        0.0, "Baseline hours, without basic income", unit="h/week", low=0
    )
    wanted_hours: float = attribute(
        0.0, "Desired hours", unit="h/week", low=0, high=80, record=True
    )
    hours: float = attribute(0.0, "Hours worked", unit="h/week", low=0, high=80, record=True)
    at_work: bool = attribute(False, "Whether the citizen worked in this step")
    pay: int = _cents("Wages before tax")
    last_pay: int = attribute(0, "Wages of the month before", unit="cents", dtype="i8")
    spell: int = attribute(0, "Months in this job, or without one", dtype="i2")
    notice: bool = attribute(False, "Whether the job ends this month")
    insured: int = attribute(
        0,
        "Wages of the last month with pay, the basis of unemployment compensation",
        unit="cents",
        dtype="i8",
    )
    birth_month: int = attribute(0, "Month of the year of birth, 0 to 11", dtype="u1")
    eligible: bool = attribute(
        False, "Whether the policy covers the citizen in this month", record=True
    )
    basic_income: int = _cents("Basic income received")
    life_satisfaction: float = attribute(7.0, "Life satisfaction", low=0, high=10, record=True)
    attitude: dict[str, float] = declare_attitudes(
        {"government_trust": 5.0, "work": 6.0, "basic_income": 5.0},
        "Attitude, from 0 (oppose) to 10 (support)",
    )
    conviction: dict[str, float] = declare_convictions("government_trust", "work", "basic_income")


class Household(Agent):
    """People who share an account."""

    size: int = attribute(1, "Number of members", role="count", dtype="i2", record=True)
    adults: int = attribute(1, "Number of adults", role="count", dtype="i2", record=True)
    filing: int = attribute(
        0, "Filing status", dtype="u1", record=True, labels=("single", "joint", "head of household")
    )
    account: int = attribute(-1, "Number of the account in the ledger", role="code")
    quintile: int = attribute(
        0, "Quintile of income before the policy", dtype="u1", record=True, labels=QUINTILES
    )
    capital: float = attribute(0.0, "Weight of the household in dividends", low=0)
    pension: int = attribute(0, "Social security and pensions a month", unit="cents", dtype="i8")
    assistance: int = attribute(
        0, "Means-tested benefits per month at zero other income", unit="cents", dtype="i8"
    )
    wages: int = _cents("Wages of the members before tax")
    dividends: int = _cents("Dividends and interest")
    interest: int = attribute(
        0, "Interest on deposits at the end of the step", unit="cents", dtype="i8"
    )
    benefits: int = _cents("Pensions, unemployment compensation and means-tested benefits")
    basic_income: int = _cents("Basic income")
    tax: int = _cents("Taxes")
    disposable: int = _cents("Income after tax, with benefits and basic income")
    usual: int = attribute(0, "Usual disposable income", unit="cents", dtype="i8", record=True)
    consumption: int = _cents("Spending on goods")
    spent: dict[str, int] = attribute(
        dict.fromkeys(GOODS, 0), "Spending by kind of goods", unit="cents", dtype="i8", record=True
    )
    deposit: int = _cents("Account balance at the end of the step")
    debt: int = _cents("Debt to the bank at the end of the step")
    arrears: int = attribute(0, "Consecutive months of unpaid interest", dtype="i2")


class Firm(firm.Firm, unrecorded=("zone", "open", "target_stock", "turned_away")):
    """A firm that hires, produces one kind of goods, sells it and pays out its profit."""

    sector: int = attribute(0, "Kind of goods produced", dtype="u1", record=True, labels=GOODS)
    account: int = attribute(-1, "Number of the account in the ledger", role="code")
    price: float = attribute(1.0, "Price of a unit of goods", unit="USD", record=True)
    wage: float = attribute(
        1.0, "Wage offered per hour of average skill, 1 at the start", record=True
    )
    inventory: float = attribute(0.0, "Units in stock", record=True)
    sold: float = attribute(  # type: ignore[assignment] # fractions of units are sold here
        0.0, description="Units sold in this step", record=True
    )
    wanted: float = attribute(
        0.0, "Units demanded in this step, unmet demand included", record=True
    )
    expected: float = attribute(0.0, "Expected sales", record=True)
    made: float = attribute(0.0, "Units produced in this step", record=True)
    labour: float = attribute(
        0.0, "Labour demand, hours weighted by skill", unit="h/month", record=True
    )
    vacancies: int = attribute(0, "Unfilled jobs", record=True)
    filled_for: int = attribute(0, "Months without vacancies", dtype="i2")
    target_months: float = attribute(
        0.5, "Target stock, in months of expected sales", unit="months", low=0, record=True
    )
    age: int = attribute(0, "Months since the firm was founded", dtype="i2", record=True)
    losses: int = attribute(0, "Consecutive months without money for wages", dtype="i2")
    idle: int = attribute(0, "Consecutive months without workers", dtype="i2")
    efficiency: float = attribute(
        1.0, "Units produced per hour of weighted labour in this step", record=True
    )
    revenue: int = _cents("Sales")
    payroll: int = _cents("Wages paid")
    dividends: int = _cents("Profit paid out")
    deposit: int = _cents("Account balance at the end of the step")
    debt: int = _cents("Debt to the bank at the end of the step")


class Bank(bank.Bank):
    """The bank, which expects what it has experienced."""

    expected_inflation: float = attribute(
        0.02, "Expected change of the price level over a year", dtype="f8", record=True
    )
    attitude: dict[str, float] = declare_attitudes(
        {"outlook": 5.0, "inflation_concern": 5.0},
        "Attitude, from 0 (pessimistic, unconcerned) to 10",
    )
    conviction: dict[str, float] = declare_convictions("outlook", "inflation_concern")


class Government(government.Government):
    """Taxes, benefits, purchases and the policy."""

    account: int = attribute(-1, "Number of the account in the ledger", role="code")
    revenue: int = _cents("Taxes collected")
    benefits: int = _cents("Benefits paid")
    support: float = attribute(
        1.0,
        "Factor on unemployment compensation and means-tested benefits",
        low=0,
        dtype="f8",
        record=True,
    )
    attitude: dict[str, float] = declare_attitudes(
        {"outlook": 5.0, "public_approval": 5.0},
        "Attitude, from 0 (pessimistic, disapproving) to 10",
    )
    conviction: dict[str, float] = declare_convictions("outlook", "public_approval")
    surtax: float = attribute(
        0.0, "Rate on market income that funds the policy", low=0, record=True
    )
    income_tax: int = _cents("Income tax collected")
    payroll_tax: int = _cents("Payroll tax collected")
    local_tax: int = _cents("State and local tax collected")
    policy_tax: int = _cents("Surtax collected")
    basic_income: int = _cents("Basic income paid")
    purchases: int = _cents("Goods bought")
    interest: int = _cents("Interest paid on public debt")
    deficit: int = _cents("Spending minus revenue")
    deposit: int = _cents("Account balance at the end of the step")
    debt: int = _cents("Debt to the bank at the end of the step")


class StatisticsBureau(statistics_bureau.StatisticsBureau):
    """Monthly figures; money in USD per month for the whole society, unless noted otherwise."""

    gdp: float = _figure("Output at initial prices", unit="USD")
    nominal_gdp: float = _figure("Output at current prices", unit="USD")
    price_level: float = _figure("Price of a fixed basket, 1 at the start", default=1.0)
    inflation: float = _figure("Change of the price level over twelve months")
    unemployment: float = _figure("Unemployed share of the labour force")
    participation: float = _figure("Share of adults in the labour force")
    vacancies: float = _figure("Vacancies relative to the labour force")
    hours: float = _figure("Mean weekly hours of the employed", unit="h/week")
    wage: float = _figure("Mean hourly wage of the employed", unit="USD/h")
    income: float = _figure("Mean disposable income of households", unit="USD")
    consumption: float = _figure("Mean spending of households", unit="USD")
    gini: float = _figure("Gini coefficient of households' disposable income over twelve months")
    poverty: float = _figure("Share of households below half the median income")
    depression: float = _figure("Mean CES-D of the last panel", low=0, high=60)
    cases: float = _figure("Share of the last panel at 16 or more")
    life_satisfaction: float = _figure("Mean life satisfaction", low=0, high=10)
    births: int = attribute(0, "Births in this step", record=True)
    deaths: int = attribute(0, "Deaths in this step", record=True)
    arrivals: int = attribute(0, "Persons who moved in", record=True)
    departures: int = attribute(0, "Persons who moved away", record=True)
    new_firms: int = attribute(0, "Firms founded", record=True)
    failed_firms: int = attribute(0, "Firms that failed", record=True)
