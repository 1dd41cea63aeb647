"""Agent classes: citizens and households in a hurricane."""

from enum import IntEnum
from typing import ClassVar

from memopolis.agents import citizen, firm, government
from memopolis.agents.attitude_attributes import declare_attitudes, declare_convictions
from memopolis.sim.declarations import FROM_TABLE, read_declarations
from memopolis.sim.population import PROFILE, Agent, attribute

TABLE = read_declarations(__file__, "attributes.toml")

ADULT = 18  # age in years from which people decide, prepare and represent the household (choice)


class Stage(IntEnum):
    """Stage of a household's evacuation."""

    AT_HOME = 0
    PACKING = 1
    ON_THE_ROAD = 2
    AWAY = 3
    RETURNED = 4


class Destination(IntEnum):
    """Destination of a household."""

    NONE = 0
    FAMILY_OR_FRIENDS = 1
    HOTEL = 2
    SHELTER = 3
    OTHER = 4


STAGES = tuple(stage.name.lower().replace("_", " ") for stage in Stage)
DESTINATIONS = tuple(to.name.lower().replace("_", " ") for to in Destination)


class Citizen(citizen.Citizen, table=TABLE["citizen"]):
    """A citizen of a coastal city."""

    portrait: ClassVar[tuple[str, ...]] = (
        *PROFILE, "household", "place", "vehicle", "mobile_home", "surge_band", "disabled",
        "prepared", *citizen.NEEDS,
    )  # fmt: skip

    vehicle: bool = FROM_TABLE
    mobile_home: bool = FROM_TABLE
    surge_band: str = FROM_TABLE
    order_zone: str = FROM_TABLE
    disabled: bool = FROM_TABLE
    pupil: bool = FROM_TABLE
    threat: float = FROM_TABLE
    readiness: float = FROM_TABLE
    alerted: int = FROM_TABLE
    prepared: bool = FROM_TABLE
    buying: bool = FROM_TABLE
    away: bool = FROM_TABLE
    evacuated: bool = FROM_TABLE
    leaving: bool = FROM_TABLE
    left_at: int = FROM_TABLE
    returned_at: int = FROM_TABLE
    destination: int = attribute(
        0, "Number of the destination", role="code", dtype="u1", record=True, labels=DESTINATIONS
    )


class Household(Agent, table=TABLE["household"]):
    """People who live, leave and return together."""

    zone: int = FROM_TABLE
    first_row: int = FROM_TABLE
    size: int = FROM_TABLE
    income: float = FROM_TABLE
    vehicles: int = FROM_TABLE
    kin_elsewhere: bool = FROM_TABLE
    pets: bool = FROM_TABLE
    stage: int = attribute(
        0, "Number of the stage", role="code", dtype="u1", record=True, labels=STAGES
    )
    ready_at: int = FROM_TABLE
    cars: float = FROM_TABLE
    driving: bool = FROM_TABLE
    link: int = FROM_TABLE
    arrival: float = FROM_TABLE
    exit: str = FROM_TABLE
    delay: float = FROM_TABLE
    cleared: bool = FROM_TABLE
    cleared_at: int = FROM_TABLE
    destination: int = attribute(
        0, "Number of the destination", role="code", dtype="u1", record=True, labels=DESTINATIONS
    )
    left_at: int = FROM_TABLE
    returned_at: int = FROM_TABLE


class Firm(firm.Firm, table=TABLE["firm"]):
    """A workplace and store that opens, closes and restocks by experience."""

    usual_sales: float = FROM_TABLE
    attitude: dict[str, float] = declare_attitudes(
        {"outlook": 5.0, "storm_caution": 5.0}, "Attitude, from 0 (pessimistic, careless) to 10"
    )
    conviction: dict[str, float] = declare_convictions("outlook", "storm_caution")


class Government(government.Government, table=TABLE["government"]):
    """The authorities of the region, which issue orders, open shelters and inform the public."""

    considered_order: int = attribute(
        0,
        "Strictest order that it considers right",
        role="code",
        dtype="u1",
        record=True,
        labels=("none", "voluntary", "mandatory"),
    )
    shelters: bool = FROM_TABLE
    attitude: dict[str, float] = declare_attitudes(
        {"outlook": 5.0, "public_approval": 5.0},
        "Attitude, from 0 (pessimistic, disapproving) to 10",
    )
    conviction: dict[str, float] = declare_convictions("outlook", "public_approval")
