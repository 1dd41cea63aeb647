"""Agent classes: citizens of two parties, news outlets, persuaders and the statistics bureau."""

from typing import ClassVar

from memopolis.agents import citizen, institutions
from memopolis.scenarios.polarization.messages import MESSAGE_TOPICS
from memopolis.sim.declarations import read_declarations
from memopolis.sim.population import PROFILE

TABLE = read_declarations(__file__, "attributes.toml")

PARTIES = ("Democrat", "Independent", "Republican")  # labels of `party`; leaners count as members

SIDES = (1, 0, -1)  # side by party, in the order of `PARTIES`; 1 is the side for stricter gun laws

PARTY_IDENTIFICATION = (
    "strong Democrat",
    "weak Democrat",
    "leaning Democrat",
    "Independent",
    "leaning Republican",
    "weak Republican",
    "strong Republican",
)
"""Labels of `pid`, the seven-point scale of the American National Election Studies."""

TOPICS = ("gun_control", "background_checks", "left_right")
"""Keys of `attitude`; the last is a placebo that no message concerns."""


# There is no daily life: needs and activities stay constant.
class Citizen(
    citizen.Citizen,
    unrecorded=("hunger", "energy", "safety", "social", "doing", "talked_with"),
    in_zones=("home", "place"),
    table=TABLE["citizen"],
    float_dtype="f4",
    labels={"pid": PARTY_IDENTIFICATION},
):
    """An adult with a party and an opinion on guns."""

    portrait: ClassVar[tuple[str, ...]] = (
        *PROFILE, "party", "pid", "ideology", "gun_owner", "urbanity", "warmth", "in_warmth",
    )  # fmt: skip


class Outlet(
    institutions.Institution,
    table=TABLE["outlet"],
    float_dtype="f4",
    labels={"subject": MESSAGE_TOPICS},
):
    """A source of news with a slant."""


class Persuader(institutions.Institution, table=TABLE["persuader"], float_dtype="f4"):
    """A campaign that sends messages to assigned citizens."""


class StatisticsBureau(
    institutions.StatisticsBureau, table=TABLE["statistics_bureau"], float_dtype="f4"
):
    """The statistics bureau, which publishes opinions, exposure and network figures.

    Opinion figures refer to `attitude.gun_control`. Figures by side exclude Independents.
    """
