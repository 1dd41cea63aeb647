"""Agent classes: citizens, households, firms, bank, government and statistics bureau.

Status attributes in money are whole cents per step, a month of 30 days, unless noted otherwise.
Balances of accounts are in the ledger, and copied here for the tables.
"""

from enum import IntEnum
from typing import ClassVar

from memopolis.agents import bank, citizen, firm, government, statistics_bureau
from memopolis.agents.attitude_attributes import declare_attitudes, declare_convictions
from memopolis.scenarios.ubi.household_settings import GOODS
from memopolis.sim.declarations import FROM_TABLE, read_declarations
from memopolis.sim.population import PROFILE, Agent, attribute

TABLE = read_declarations(__file__, "attributes.toml")

ADULT = 18  # age in years from which persons work, vote and get a basic income (choice)

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


# With monthly steps, only the needs for rest and company change.
class Citizen(
    citizen.Citizen,
    unrecorded=("hunger", "safety", "doing"),
    in_zones=("home", "place"),
    table=TABLE["citizen"],
):
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
        0, "Quintile of the household's own income", dtype="u1", record=True, labels=QUINTILES
    )
    employer: int = FROM_TABLE
    wage: float = FROM_TABLE
    usual_hours: float = FROM_TABLE
    wanted_hours: float = FROM_TABLE
    hours: float = FROM_TABLE
    at_work: bool = FROM_TABLE
    pay: int = FROM_TABLE
    last_pay: int = FROM_TABLE
    spell: int = FROM_TABLE
    notice: bool = FROM_TABLE
    insured: int = FROM_TABLE
    birth_month: int = FROM_TABLE
    eligible: bool = FROM_TABLE
    basic_income: int = FROM_TABLE
    life_satisfaction: float = FROM_TABLE
    attitude: dict[str, float] = declare_attitudes(
        {"government_trust": 5.0, "work": 6.0, "basic_income": 5.0},
        "Attitude, from 0 (oppose) to 10 (support)",
    )
    conviction: dict[str, float] = declare_convictions("government_trust", "work", "basic_income")


class Household(Agent, table=TABLE["household"], in_zones=("zone",)):
    """People who share an account."""

    zone: int = FROM_TABLE
    size: int = FROM_TABLE
    adults: int = FROM_TABLE
    filing: int = attribute(
        0, "Filing status", dtype="u1", record=True, labels=("single", "joint", "head of household")
    )
    account: int = FROM_TABLE
    quintile: int = attribute(
        0, "Quintile of own income of about a year", dtype="u1", record=True, labels=QUINTILES
    )
    capital: float = FROM_TABLE
    pension: int = FROM_TABLE
    assistance: int = FROM_TABLE
    wages: int = FROM_TABLE
    dividends: int = FROM_TABLE
    interest: int = FROM_TABLE
    benefits: int = FROM_TABLE
    basic_income: int = FROM_TABLE
    tax: int = FROM_TABLE
    disposable: int = FROM_TABLE
    usual: int = FROM_TABLE
    own_income: float = FROM_TABLE
    consumption: int = FROM_TABLE
    spent: dict[str, int] = attribute(
        dict.fromkeys(GOODS, 0), "Spending by kind of goods", unit="cents", dtype="i8", record=True
    )
    deposit: int = FROM_TABLE
    debt: int = FROM_TABLE
    arrears: int = FROM_TABLE


class Firm(
    firm.Firm, unrecorded=("zone", "open", "target_stock", "turned_away"), table=TABLE["firm"]
):
    """A firm that hires, produces one kind of goods, sells it and pays out its profit."""

    sector: int = attribute(0, "Kind of goods produced", dtype="u1", record=True, labels=GOODS)
    account: int = FROM_TABLE
    price: float = FROM_TABLE
    wage: float = FROM_TABLE
    inventory: float = FROM_TABLE
    sold: float = FROM_TABLE  # type: ignore[assignment] # fractions of units are sold
    wanted: float = FROM_TABLE
    expected: float = FROM_TABLE
    planned: float = FROM_TABLE
    made: float = FROM_TABLE
    labour: float = FROM_TABLE
    vacancies: int = FROM_TABLE
    filled_for: int = FROM_TABLE
    target_months: float = FROM_TABLE
    age: int = FROM_TABLE
    losses: int = FROM_TABLE
    idle: int = FROM_TABLE
    efficiency: float = FROM_TABLE
    revenue: int = FROM_TABLE
    payroll: int = FROM_TABLE
    dividends: int = FROM_TABLE
    deposit: int = FROM_TABLE
    debt: int = FROM_TABLE


class Bank(bank.Bank, table=TABLE["bank"]):
    """The bank, which expects what it has experienced."""

    expected_inflation: float = FROM_TABLE
    attitude: dict[str, float] = declare_attitudes(
        {"outlook": 5.0, "inflation_concern": 5.0},
        "Attitude, from 0 (pessimistic, unconcerned) to 10",
    )
    conviction: dict[str, float] = declare_convictions("outlook", "inflation_concern")


class Government(government.Government, table=TABLE["government"]):
    """Taxes, benefits, purchases and the policy."""

    account: int = FROM_TABLE
    revenue: int = FROM_TABLE
    benefits: int = FROM_TABLE
    support: float = FROM_TABLE
    attitude: dict[str, float] = declare_attitudes(
        {"outlook": 5.0, "public_approval": 5.0},
        "Attitude, from 0 (pessimistic, disapproving) to 10",
    )
    conviction: dict[str, float] = declare_convictions("outlook", "public_approval")
    surtax: float = FROM_TABLE
    income_tax: int = FROM_TABLE
    payroll_tax: int = FROM_TABLE
    local_tax: int = FROM_TABLE
    policy_tax: int = FROM_TABLE
    basic_income: int = FROM_TABLE
    purchases: int = FROM_TABLE
    interest: int = FROM_TABLE
    deficit: int = FROM_TABLE
    deposit: int = FROM_TABLE
    debt: int = FROM_TABLE


class StatisticsBureau(statistics_bureau.StatisticsBureau, table=TABLE["statistics_bureau"]):
    """Monthly figures; money in USD per month for the whole society, unless noted otherwise."""

    gdp: float = FROM_TABLE
    nominal_gdp: float = FROM_TABLE
    price_level: float = FROM_TABLE
    inflation: float = FROM_TABLE
    unemployment: float = FROM_TABLE
    participation: float = FROM_TABLE
    vacancies: float = FROM_TABLE
    hours: float = FROM_TABLE
    wage: float = FROM_TABLE
    income: float = FROM_TABLE
    consumption: float = FROM_TABLE
    gini: float = FROM_TABLE
    poverty: float = FROM_TABLE
    depression: float = FROM_TABLE
    cases: float = FROM_TABLE
    life_satisfaction: float = FROM_TABLE
    births: int = FROM_TABLE
    deaths: int = FROM_TABLE
    arrivals: int = FROM_TABLE
    departures: int = FROM_TABLE
    new_firms: int = FROM_TABLE
    failed_firms: int = FROM_TABLE
