"""Agent classes: citizens and households in a hurricane."""

from enum import IntEnum
from typing import ClassVar

from memopolis.agents import citizen, firm, government
from memopolis.agents.attitude_attributes import declare_attitudes, declare_convictions
from memopolis.sim.population import PROFILE, Agent, attribute

ADULT = 18
"""Age in years from which people decide, prepare and represent the household (choice)."""


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


class Citizen(citizen.Citizen):
    """A citizen of a coastal city."""

    portrait: ClassVar[tuple[str, ...]] = (
        *PROFILE, "household", "place", "vehicle", "mobile_home", "surge_band", "disabled",
        "prepared", *citizen.NEEDS,
    )  # fmt: skip

    vehicle: bool = attribute(True, "Whether the household has a vehicle", record=True)
    mobile_home: bool = attribute(False, "Whether the home is a mobile home", record=True)
    surge_band: str = attribute("none", "Surge band of the home: A, B, C or none", record=True)
    order_zone: str = attribute("none", "Strictest order in the home zone", record=True)
    disabled: bool = attribute(False, "Whether disabled", record=True)
    pupil: bool = attribute(False, "Whether of school age", record=True)
    threat: float = attribute(
        0.0, "Threat perceived at the last decision", low=0, high=1, record=True
    )
    readiness: float = attribute(
        0.0, "Readiness to leave at the last decision", low=0, high=10, record=True
    )
    alerted: int = attribute(-1_000_000, "Tick of the last memory of danger", role="tick")
    prepared: bool = attribute(False, "Whether the citizen has prepared the home", record=True)
    buying: bool = attribute(False, "Whether at a store or filling station in this step")
    away: bool = attribute(False, "Whether outside the region because of the storm", record=True)
    evacuated: bool = attribute(
        False, "Whether the citizen has ever left because of the storm", record=True
    )
    leaving: bool = attribute(False, "Whether left in this step")
    left_at: int = attribute(-1, "Tick of leaving, -1 for never", role="tick", record=True)
    returned_at: int = attribute(-1, "Tick of return, -1 for never", role="tick", record=True)
    destination: int = attribute(
        0, "Number of the destination", role="code", dtype="u1", record=True, labels=DESTINATIONS
    )


class Household(Agent):
    """People who live, leave and return together."""

    zone: int = attribute(0, "Zone of the home", role="zone", dtype="i2", record=True)
    first_row: int = attribute(0, "Row of its first member", role="reference")
    size: int = attribute(1, "Number of members", role="count", dtype="i2", record=True)
    income: float = attribute(0.0, "Income", unit="USD/year", record=True)
    vehicles: int = attribute(1, "Number of vehicles", role="count", dtype="u1", record=True)
    kin_elsewhere: bool = attribute(False, "Whether family or friends live outside the area")
    pets: bool = attribute(False, "Whether there are pets")
    stage: int = attribute(
        0, "Number of the stage", role="code", dtype="u1", record=True, labels=STAGES
    )
    ready_at: int = attribute(-1, "Tick at which the car is packed", role="tick")
    queued_since: int = attribute(
        -1, "Tick from which the household waits for the road", role="tick"
    )
    destination: int = attribute(
        0, "Number of the destination", role="code", dtype="u1", record=True, labels=DESTINATIONS
    )
    left_at: int = attribute(-1, "Tick of leaving, -1 for never", role="tick", record=True)
    returned_at: int = attribute(-1, "Tick of return, -1 for never", role="tick", record=True)


class Firm(firm.Firm):
    """A workplace and store that opens, closes and restocks by experience."""

    usual_sales: float = attribute(
        0.0, "Baskets usually sold per day", unit="1/d", low=0, record=True
    )
    attitude: dict[str, float] = declare_attitudes(
        {"outlook": 5.0, "storm_caution": 5.0},
        "Attitude, from 0 (pessimistic, careless) to 10",
    )
    conviction: dict[str, float] = declare_convictions("outlook", "storm_caution")


class Government(government.Government):
    """The authorities of the region, which issue orders, open shelters and inform the public."""

    order: int = attribute(
        0,
        "Strictest order that it considers right",
        role="code",
        dtype="u1",
        record=True,
        labels=("none", "voluntary", "mandatory"),
    )
    shelters: bool = attribute(False, "Whether public shelters are open", record=True)
    attitude: dict[str, float] = declare_attitudes(
        {"outlook": 5.0, "public_approval": 5.0},
        "Attitude, from 0 (pessimistic, disapproving) to 10",
    )
    conviction: dict[str, float] = declare_convictions("outlook", "public_approval")
