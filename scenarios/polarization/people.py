"""Agent classes: citizens of two parties, news outlets, persuaders and the statistics bureau."""

from typing import ClassVar

from memopolis.agents import citizen, statistics_bureau
from memopolis.agents.attitude_attributes import declare_attitudes, declare_convictions
from memopolis.agents.institution import Institution
from memopolis.scenarios.polarization.messages import MESSAGE_TOPICS
from memopolis.sim.population import PROFILE, attribute

PARTIES = ("Democrat", "Independent", "Republican")
"""Labels of `party`; leaners count as members."""

SIDES = (1, 0, -1)
"""Side by party, in the order of `PARTIES`; 1 is the side for stricter gun laws."""

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


def _count(description: str) -> int:
    return attribute(0, description, dtype="i2", low=0, record=True)


# There is no daily life: needs, activities and places stay constant.
_NO_DAILY_LIFE = ("home", "place", "hunger", "energy", "safety", "social", "doing")


class Citizen(citizen.Citizen, unrecorded=_NO_DAILY_LIFE):
    """An adult with a party and an opinion on guns."""

    portrait: ClassVar[tuple[str, ...]] = (
        *PROFILE,
        "party",
        "pid",
        "ideology",
        "gun_owner",
        "urbanity",
        "warmth",
        "in_warmth",
    )

    # Identity
    party: str = attribute("Independent", "Party, with leaners", record=True)
    side: int = attribute(
        0,
        "Side: 1 for stricter gun laws, -1 against, 0 neither",
        low=-1,
        high=1,
        dtype="i1",
        record=True,
    )
    pid: int = attribute(
        3,
        "Number of the party identification",
        role="code",
        dtype="u1",
        labels=PARTY_IDENTIFICATION,
        record=True,
    )
    ideology: int = attribute(
        4,
        "Self-placement from 1 (extremely liberal) to 7 (extremely conservative)",
        low=1,
        high=7,
        dtype="u1",
        record=True,
    )
    gun_owner: bool = attribute(False, "Whether the citizen owns a gun", record=True)
    urbanity: str = attribute(
        "suburban", "Kind of residence: urban, suburban or rural", record=True
    )
    activity: float = attribute(
        0.1,
        "Daily probability of posting if as many voices agree as disagree, and of starting a talk",
        low=0,
        high=1,
        record=True,
    )

    # Opinions
    attitude: dict[str, float] = declare_attitudes(
        {"gun_control": 5.0, "background_checks": 5.0, "left_right": 5.0},
        "Attitude: 10 is stricter gun laws, checks on all buyers, the right",
    )
    conviction: dict[str, float] = declare_convictions(
        "gun_control", "background_checks", "left_right"
    )
    warmth: float = attribute(
        30.0,
        "Feeling thermometer of the other party, from 0 (cold) to 100 (warm)",
        low=0,
        high=100,
        record=True,
    )
    in_warmth: float = attribute(
        70.0,
        "Feeling thermometer of the citizen's own party, from 0 (cold) to 100 (warm)",
        low=0,
        high=100,
        record=True,
    )

    # Messages of today
    posted: int = _count("Messages posted in this step")
    read: int = _count("Messages read in the feed in this step")
    read_like: int = _count("Of these, by authors of the reader's own side")
    read_cross: int = _count("Of these, by authors of the other side")
    heard: int = _count("Messages heard from friends in this step")
    heard_like: int = _count("Of these, from friends of the citizen's own side")
    heard_cross: int = _count("Of these, from friends of the other side")
    persuader: int = attribute(
        -1, "Row of the assigned persuader, -1 for none", role="reference", record=True
    )
    persuaded: int = _count("Messages received from persuaders in this step")


class Outlet(Institution):
    """A source of news with a slant."""

    slant: float = attribute(
        0.0,
        "Slant of its stories: 1 for stricter gun laws, -1 against",
        low=-1,
        high=1,
        record=True,
    )
    side: int = attribute(0, "Sign of the slant, 0 near the middle", low=-1, high=1, dtype="i1")
    stories: int = attribute(0, "Stories published in this step", low=0, record=True)
    readers: int = attribute(0, "Times a story was read in this step", record=True)
    usual_readers: float = attribute(-1.0, "Usual number of readers, -1 if unknown", record=True)
    subject: int = attribute(
        0, "Subject of its story in this step", role="code", dtype="u1", record=True,
        labels=MESSAGE_TOPICS,
    )  # fmt: skip
    checks_share: float = attribute(
        0.25, "Share of its stories on background checks", low=0, high=1, record=True
    )


class Persuader(Institution):
    """A campaign that sends messages to assigned citizens."""

    side: int = attribute(
        0, "Side represented, 0 for none", low=-1, high=1, dtype="i1", record=True
    )
    stance: float = attribute(
        0.0,
        "Stance of the messages: 1 for stricter gun laws, -1 against, 0 for none",
        low=-1,
        high=1,
        record=True,
    )
    sent: int = attribute(0, "Messages sent in this step", low=0, record=True)
    checks_share: float = attribute(
        0.25, "Share of its messages on background checks", low=0, high=1, record=True
    )


def _figure(
    default: float, description: str, *, low: float | None = None, high: float | None = None
) -> float:
    return attribute(default, description, low=low, high=high, record=True)


class StatisticsBureau(statistics_bureau.StatisticsBureau):
    """The statistics bureau, which publishes opinions, exposure and network figures.

    Opinion figures refer to `attitude.gun_control`. Figures by side exclude Independents.
    """

    mean: float = _figure(5.0, "Mean attitude", low=0, high=10)
    variance: float = _figure(0.0, "Variance of attitudes", low=0)
    sd: float = _figure(0.0, "Standard deviation of attitudes", low=0)
    bimodality: float = _figure(0.0, "Bimodality coefficient of attitudes; above 0.555 bimodal")
    esteban_ray: float = _figure(0.0, "Polarization index of Esteban and Ray", low=0)
    support: float = _figure(0.5, "Share with an attitude above 5", low=0, high=1)
    support_democrat: float = _figure(0.5, "The same among Democrats", low=0, high=1)
    support_independent: float = _figure(0.5, "The same among Independents", low=0, high=1)
    support_republican: float = _figure(0.5, "The same among Republicans", low=0, high=1)
    mean_democrat: float = _figure(5.0, "Mean attitude of Democrats", low=0, high=10)
    mean_independent: float = _figure(5.0, "Mean attitude of Independents", low=0, high=10)
    mean_republican: float = _figure(5.0, "Mean attitude of Republicans", low=0, high=10)
    party_gap: float = _figure(0.0, "Mean attitude of side 1 minus that of side -1")
    extreme_share: float = _figure(
        0.0, "Share beyond one standard deviation from the initial mean", low=0, high=1
    )
    warmth: float = _figure(0.0, "Mean thermometer of the other party", low=0, high=100)
    in_warmth: float = _figure(0.0, "Mean thermometer of the citizens' own party", low=0, high=100)
    warmth_gap: float = _figure(0.0, "Own-party minus other-party thermometer, mean")
    left_right: float = _figure(5.0, "Mean placebo attitude, left to right", low=0, high=10)
    left_right_variance: float = _figure(0.0, "Variance of the placebo attitude", low=0)
    background_checks: float = _figure(5.0, "Mean attitude to background checks", low=0, high=10)
    assortativity: float = _figure(0.0, "Assortativity of friends by side", low=-1, high=1)
    opinion_assortativity: float = _figure(
        0.0, "Correlation of attitudes between friends", low=-1, high=1
    )
    modularity: float = _figure(0.0, "Modularity of friends by side", low=-1, high=1)
    ei_friends: float = _figure(0.0, "E-I index of friends", low=-1, high=1)
    ei_follows: float = _figure(0.0, "E-I index of follows", low=-1, high=1)
    ei_exposure: float = _figure(0.0, "E-I index of messages read in the feed", low=-1, high=1)
    messages: int = attribute(
        0, "Messages read, heard and received in this step", dtype="i8", record=True
    )
