"""Agent classes: citizens and households in a hurricane."""

from enum import IntEnum
from typing import ClassVar

from memopolis.agents import citizen, institutions
from memopolis.sim.declarations import read_declarations
from memopolis.sim.population import PROFILE, Agent

TABLE = read_declarations(__file__, "attributes.toml")

ADULT = 18  # age in years from which people decide, prepare and represent the household (choice)


class Stage(IntEnum):
    """Stage of a household's evacuation."""

    AT_HOME = 0
    PACKING = 1
    ON_THE_ROAD = 2
    AWAY = 3
    COMING_HOME = 4
    RETURNED = 5


class Destination(IntEnum):
    """Destination of a household."""

    NONE = 0
    FAMILY_OR_FRIENDS = 1
    HOTEL = 2
    SHELTER = 3
    OTHER = 4


STAGES = tuple(stage.name.lower().replace("_", " ") for stage in Stage)
ORDERS = ("none", "voluntary", "mandatory")
DESTINATIONS = tuple(to.name.lower().replace("_", " ") for to in Destination)


class Citizen(
    citizen.Citizen, table=TABLE["citizen"], float_dtype="f4", labels={"destination": DESTINATIONS}
):
    """A citizen of a coastal city."""

    portrait: ClassVar[tuple[str, ...]] = (
        *PROFILE, "household", "place", "vehicle", "mobile_home", "surge_band", "disabled",
        "prepared", *citizen.NEEDS,
    )  # fmt: skip


class Household(
    Agent,
    table=TABLE["household"],
    float_dtype="f4",
    labels={"stage": STAGES, "destination": DESTINATIONS},
):
    """People who live, leave and return together."""


class Firm(institutions.Firm, table=TABLE["firm"], float_dtype="f4"):
    """A workplace and store that opens, closes and restocks by experience."""


class Government(
    institutions.Government,
    table=TABLE["government"],
    float_dtype="f4",
    labels={"considered_order": ORDERS},
):
    """The authorities of the region, which issue orders, open shelters and inform the public."""
