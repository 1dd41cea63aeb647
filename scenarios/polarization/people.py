"""Agent classes: citizens of two parties, news outlets, persuaders and the statistics bureau."""

from typing import ClassVar

from memopolis.agents import citizen, statistics_bureau
from memopolis.agents.attitude_attributes import declare_attitudes, declare_convictions
from memopolis.agents.institution import Institution
from memopolis.scenarios.polarization.messages import MESSAGE_TOPICS
from memopolis.sim.declarations import FROM_TABLE, read_declarations
from memopolis.sim.population import PROFILE, attribute

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
_NO_DAILY_LIFE = ("hunger", "energy", "safety", "social", "doing")


class Citizen(
    citizen.Citizen, unrecorded=_NO_DAILY_LIFE, in_zones=("home", "place"), table=TABLE["citizen"]
):
    """An adult with a party and an opinion on guns."""

    portrait: ClassVar[tuple[str, ...]] = (
        *PROFILE, "party", "pid", "ideology", "gun_owner", "urbanity", "warmth", "in_warmth",
    )  # fmt: skip

    # Identity
    party: str = FROM_TABLE
    side: int = FROM_TABLE
    pid: int = attribute(
        3,
        "Number of the party identification",
        role="code",
        dtype="u1",
        labels=PARTY_IDENTIFICATION,
        record=True,
    )
    ideology: int = FROM_TABLE
    gun_owner: bool = FROM_TABLE
    urbanity: str = FROM_TABLE
    activity: float = FROM_TABLE

    # Opinions
    attitude: dict[str, float] = declare_attitudes(
        {"gun_control": 5.0, "background_checks": 5.0, "left_right": 5.0},
        "Attitude: 10 is stricter gun laws, checks on all buyers, the right",
    )
    conviction: dict[str, float] = declare_convictions(
        "gun_control", "background_checks", "left_right"
    )
    warmth: float = FROM_TABLE
    in_warmth: float = FROM_TABLE

    # Messages of today
    posted: int = FROM_TABLE
    read: int = FROM_TABLE
    read_like: int = FROM_TABLE
    read_cross: int = FROM_TABLE
    heard: int = FROM_TABLE
    heard_like: int = FROM_TABLE
    heard_cross: int = FROM_TABLE
    persuader: int = FROM_TABLE
    persuaded: int = FROM_TABLE


class Outlet(Institution, table=TABLE["outlet"]):
    """A source of news with a slant."""

    slant: float = FROM_TABLE
    side: int = FROM_TABLE
    stories: int = FROM_TABLE
    readers: int = FROM_TABLE
    usual_readers: float = FROM_TABLE
    subject: int = attribute(
        0, "Subject of its story in this step", role="code", dtype="u1", record=True,
        labels=MESSAGE_TOPICS,
    )  # fmt: skip
    checks_share: float = FROM_TABLE


class Persuader(Institution, table=TABLE["persuader"]):
    """A campaign that sends messages to assigned citizens."""

    side: int = FROM_TABLE
    stance: float = FROM_TABLE
    sent: int = FROM_TABLE
    checks_share: float = FROM_TABLE


class StatisticsBureau(statistics_bureau.StatisticsBureau, table=TABLE["statistics_bureau"]):
    """The statistics bureau, which publishes opinions, exposure and network figures.

    Opinion figures refer to `attitude.gun_control`. Figures by side exclude Independents.
    """

    mean: float = FROM_TABLE
    variance: float = FROM_TABLE
    sd: float = FROM_TABLE
    bimodality: float = FROM_TABLE
    esteban_ray: float = FROM_TABLE
    support: float = FROM_TABLE
    support_democrat: float = FROM_TABLE
    support_independent: float = FROM_TABLE
    support_republican: float = FROM_TABLE
    mean_democrat: float = FROM_TABLE
    mean_independent: float = FROM_TABLE
    mean_republican: float = FROM_TABLE
    party_gap: float = FROM_TABLE
    extreme_share: float = FROM_TABLE
    warmth: float = FROM_TABLE
    in_warmth: float = FROM_TABLE
    warmth_gap: float = FROM_TABLE
    left_right: float = FROM_TABLE
    left_right_variance: float = FROM_TABLE
    background_checks: float = FROM_TABLE
    assortativity: float = FROM_TABLE
    opinion_assortativity: float = FROM_TABLE
    modularity: float = FROM_TABLE
    ei_friends: float = FROM_TABLE
    ei_follows: float = FROM_TABLE
    ei_exposure: float = FROM_TABLE
    messages: int = FROM_TABLE
