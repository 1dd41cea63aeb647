"""Agent classes: citizens, households, firms, bank, government and statistics bureau.

Status attributes in money are whole cents per step, a month of 30 days, unless noted otherwise.
Balances of accounts are in the ledger, and copied here for the tables.
"""

from enum import IntEnum
from typing import ClassVar

from memopolis.agents import citizen, institutions
from memopolis.agents.economy.taxes import FILING
from memopolis.scenarios.ubi.household_settings import GOODS
from memopolis.sim.declarations import read_declarations
from memopolis.sim.population import PROFILE, Agent

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
    unrecorded=("hunger", "safety", "doing", "doing_before", "talked_with"),
    in_zones=("home", "place"),
    table=TABLE["citizen"],
    float_dtype="f4",
    labels={"labour": LABOUR, "relation": RELATIONS, "quintile": QUINTILES},
):
    """A citizen of working age, a child or a pensioner."""

    # `skill` is the wage of a possible job, `wage` that of the present one.
    portrait: ClassVar[tuple[str, ...]] = (
        *(name for name in PROFILE if name != "skill"),
        "household", "labour", "employer", "wage", "hours", "eligible", "energy", "social",
    )  # fmt: skip


class Household(
    Agent,
    in_zones=("zone",),
    table=TABLE["household"],
    float_dtype="f4",
    labels={"filing": FILING, "quintile": QUINTILES},
):
    """People who share an account."""


class Firm(
    institutions.Firm,
    unrecorded=("zone", "open", "target_stock", "turned_away"),
    table=TABLE["firm"],
    float_dtype="f4",
    labels={"sector": GOODS},
):
    """A firm that hires, produces one kind of goods, sells it and pays out its profit."""


class Bank(institutions.Bank, table=TABLE["bank"], float_dtype="f4"):
    """The bank, which expects what it has experienced."""


class Government(institutions.Government, table=TABLE["government"], float_dtype="f4"):
    """Taxes, benefits, purchases and the policy."""


class StatisticsBureau(
    institutions.StatisticsBureau, table=TABLE["statistics_bureau"], float_dtype="f4"
):
    """Monthly figures; money in USD per month for the whole society, unless noted otherwise."""
