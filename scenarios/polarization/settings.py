"""Settings of the polarization scenario, each with its origin."""

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

import pydantic

from memopolis.agents.attitude_rules import OpinionSettings
from memopolis.agents.block_settings import CognitionSettings, ForgetSettings
from memopolis.scenarios.places.settings import PlaceSettings
from memopolis.sim.settings import Field, Origin, SettingsGroup, Share

Arm = Literal["control", "echo", "cross", "random", "neutral", "none"]

WITH_PERSUADERS = ("echo", "cross", "random", "neutral")  # arms with persuaders


class StartSettings(SettingsGroup, origin="found"):
    """Party mix, and correlations of traits and attitudes."""

    democrats: Share = Field(
        0.46, "Share of Democrats with leaners (polls of 2014-22: 0.44 to 0.49)"
    )
    republicans: Share = Field(
        0.44,
        "Share of Republicans with leaners (polls of 2014-22: 0.37 to 0.45); all others are "
        "Independents",
    )
    owner_effect: float = Field(
        0.5,
        "Difference in support for stricter laws between other members of a party and its gun "
        "owners, in standard deviations",
        ge=0,
        le=3,
        origin="illustrative",
    )
    ideology_link: float = Field(
        0.3,
        "Correlation of liberal ideology and gun control within a party",
        ge=0,
        le=0.99,
        origin="illustrative",
    )
    checks_link: float = Field(
        0.5,
        "Correlation of background checks and gun control within a party",
        ge=0,
        le=0.99,
        origin="illustrative",
    )
    least_activity: float = Field(
        0.0005,
        "Minimum activity. Calibrated, with the exponent, to 55 to 85 % of users who do not post "
        "in two months (Pew 2019 to 2021)",
        gt=0,
        le=0.99,
        origin="calibrated",
    )
    activity_exponent: float = Field(
        1.4,
        "Exponent of the density of activity, a power law (Baumann et al. 2020)",
        gt=1,
        le=10,
        origin="calibrated",
    )
    activity_link: float = Field(
        0.5,
        "Correlation of activity with the distance of the attitude from the middle, as ranks "
        "within a party",
        ge=0,
        le=0.99,
        origin="illustrative",
    )

    @pydantic.model_validator(mode="after")
    def _shares_are_possible(self) -> Self:
        total = self.democrats + self.republicans
        if total > 1 + 1e-9:
            raise ValueError(
                f"democrats and republicans sum to {total:g}; the sum must be at most 1"
            )
        return self


class DispositionSettings(SettingsGroup, origin="calibrated"):
    """Shares of dispositions that a lifetime of memories settles.

    The rest are considerations that come to mind for a while, and fade with `cognition.fresh`.
    Calibrated to repeated answers to single questions: a correlation of about 0.85 over a week and
    0.6 over a year, given the error of answers.
    """

    settled: Share = Field(
        0.3, "Settled share of the variance of attitudes within a party, of Independents"
    )
    settled_strong: Share = Field(0.6, "The same of strong partisans; others are in between")


class NetworkSettings(SettingsGroup):
    """Friendships."""

    kind: str = Field(
        "social",
        "social (meeting places, likeness and friends of friends), block (a stochastic block "
        "model), growth (preferential attachment), or an edge-list CSV, GraphML or GML file of "
        "agents",
        names="file",
        words=("social", "block", "growth"),
    )
    mean: float = Field(12.0, "Mean number of friends", gt=0, le=1000, origin="illustrative")
    other_side: Share = Field(
        0.1,
        "Chance of becoming friends with a person met of the other side, relative to one of the "
        "same; 3 to 15 % of friendships are between Democrats and Republicans",
        origin="calibrated",
        acts_with={"kind": ("social",)},
    )
    cross_share: Share = Field(
        0.2,
        "Share of ties that cross sides (political blogs: 0.094)",
        origin="illustrative",
        acts_with={"kind": ("block", "growth")},
    )


class MediaSettings(SettingsGroup, origin="illustrative"):
    """Outlets, each with one story per day, and news that all citizens receive."""

    outlets: int = Field(6, "News outlets", ge=1, le=1000)
    slant: Share = Field(
        1.0, "Slant of the outermost outlets; the others are evenly spaced between"
    )
    followers: Share = Field(0.6, "Share of citizens who follow an outlet")
    partisan: float = Field(
        1.4,
        "Change of the logit of following an outlet by slant, towards the citizen's side. "
        "Calibrated to outlets with audiences of 79 to 95 % of one party (Pew 2020, recalled)",
        ge=0,
        le=20,
        origin="calibrated",
    )
    counter: Share = Field(
        0.0,
        "Share of followers who choose an outlet as the other side does: counter-attitudinal "
        "subscriptions (Levy 2021)",
        origin="choice",
    )
    reach: Share = Field(
        0.1, "Probability that a feed may show a story of an outlet that is not followed"
    )
    importance: Share = Field(0.45, "Importance of a story")
    trust: Share = Field(0.7, "Confidence in a story")
    trust_opposed: Share = Field(
        0.3,
        "Confidence in posts, stories and campaigns of the other side, relative to those of "
        "others. Newspapers, trusted by 53 and 47 % of Democrats, 15 and 13 % of Republicans "
        "(Pew 2020)",
        origin="found",
    )
    news_delay: float = Field(
        12.0, "Mean delay until news of an event, or of a file, is received", gt=0, le=240, unit="h"
    )
    news_trust: Share = Field(0.8, "Confidence in such news")


class FeedSettings(SettingsGroup, origin="illustrative"):
    """Posts, feeds and follows."""

    size: int = Field(6, "Messages read per day", ge=0, le=100, unit="1/d")
    strength: float = Field(
        2.0,
        "Preference of the feed for stances similar to the reader's; 0 for none. Calibrated to "
        "the majority of like-minded sources in Nyhan et al. 2023",
        ge=0,
        le=20,
        origin="calibrated",
        interval=(0.25, 7.4),
    )
    cut: Share = Field(0.0, "Share of like-minded messages removed from the feed", origin="choice")
    follows: int = Field(20, "Number of follows per citizen", ge=1, le=1000)
    other_side: Share = Field(
        0.8,
        "Chance of initially following an author of the other side, relative to others; after "
        "that, the feed suggests authors",
    )
    recommended: int = Field(20, "Number of posts by others that a feed may show", ge=0, le=1000)
    rewire: Share = Field(
        0.2, "Probability of unfollowing one citizen and following a recommended one", unit="1/d"
    )
    climate: float = Field(
        0.5,
        "Change of the logit of posting if all recalled voices agree; 0 for none. Calibrated to"
        " a correlation of 0.1 (Matthes et al. 2018, recalled)",
        ge=0,
        le=20,
        origin="calibrated",
    )
    trust: Share = Field(0.5, "Confidence in a post of a followed citizen")
    trust_recommended: Share = Field(0.35, "Confidence in a recommended post")


class TalkSettings(SettingsGroup, origin="illustrative"):
    """Content of messages, and frequency of talks."""

    talks: Share = Field(
        0.1, "Probability of starting a talk with a friend, in addition to activity", unit="1/d"
    )
    noise: Share = Field(
        0.15, "Standard deviation of expressed around held stances, which range from -1 to 1"
    )
    checks: Share = Field(
        0.25,
        "Share of messages on the second topic of the subject, such as background checks; the "
        "others are on the first",
    )
    importance_post: Share = Field(0.4, "Importance of a post in the feed")
    importance_talk: Share = Field(0.5, "Importance of a friend's statement")
    ask: bool = Field(
        False, "Whether the mind writes what friends say: the question message", origin="choice"
    )
    reinforce: float = Field(
        0.0,
        "Change of an attitude away from 5 after more than five similar views in the last ten "
        "conversations; 0 for none, 0.1 in AgentSociety",
        ge=0,
        le=5,
        unit="points",
        origin="choice",
    )


class PersuasionSettings(SettingsGroup, origin="illustrative"):
    """Persuaders and their messages."""

    messages: int = Field(
        3,
        "Messages per day to each assigned citizen: every 8 h in AgentSociety",
        ge=0,
        le=100,
        unit="1/d",
        origin="found",
    )
    stance: float = Field(
        0.8, "Stance of the persuader for stricter laws; the other has the opposite", gt=0, le=1
    )
    importance: Share = Field(0.5, "Importance of their messages")
    trust: Share = Field(0.5, "Confidence in their messages")
    keep_friends: bool = Field(
        True,
        "Whether friends talk and feeds are read in arms with persuaders; false is the design "
        "of AgentSociety",
        origin="choice",
    )


class SubjectSettings(SettingsGroup, origin="illustrative"):
    """Decisions of outlets, persuaders and the statistics bureau."""

    memories: int = Field(12, "Memories recalled for a decision", ge=1, le=100)
    weight: float = Field(
        1.0, "Change of the logit of a subject by responses that differ by 1", ge=0, le=20
    )


class PolarizationSettings(PlaceSettings):
    """Settings of the polarization scenario."""

    days: float = Field(60.0, "Length of the run", gt=0, le=3650, unit="d")
    place: str = Field(
        "none",
        "none, charleston, columbia, or a folder or CSV file of zones, whose adults are "
        "synthesised",
        names="file",
        words=("none", "charleston", "columbia"),
    )
    tick: float = Field(24.0, "Length of a step: one day", ge=24, le=24, unit="h")
    news: str = Field(
        "none", "News that all citizens receive: none, or a CSV file", names="file", words=("none",)
    )
    arm: Arm = Field(
        "control",
        "control (no persuaders), echo (like-minded ones), cross (opposing), random (either), "
        "neutral (messages without a stance), none (no messages)",
    )
    subject: Literal["gun_control", "immigration", "climate"] = Field(
        "gun_control", "Subject of messages and attitudes: gun_control, immigration, climate"
    )
    symmetric: bool = Field(False, "Whether both parties are initially mirror images of each other")
    event: str = Field(
        "none",
        "none, shooting (news after a school shooting), or a CSV file of news",
        names="file",
        words=("none", "shooting"),
    )
    event_day: int = Field(
        10,
        "Day of the shooting, from 0",
        ge=0,
        le=3650,
        unit="d",
        acts_with={"event": ("shooting",)},
    )
    people: StartSettings = StartSettings()
    dispositions: DispositionSettings = DispositionSettings()
    network: NetworkSettings = NetworkSettings()
    media: MediaSettings = MediaSettings()
    feed: FeedSettings = FeedSettings()
    talk: TalkSettings = TalkSettings()
    persuasion: PersuasionSettings = PersuasionSettings()
    subjects: SubjectSettings = SubjectSettings()
    # Messages are important and seldom repeat: nights only forget.
    sleep: ForgetSettings = ForgetSettings()
    origins: ClassVar[Mapping[str, Origin]] = {
        "cognition.calm_half_life": "illustrative",
        "cognition.fresh": "calibrated",
        "cognition.opinion.own_weight": "calibrated",
        "cognition.opinion.susceptibility": "calibrated",
    }
    cognition: CognitionSettings = CognitionSettings(
        # Calibrated with the profile "opinion" to support after Uvalde (Gallup): 14 points up,
        # 9 of them lost within 4 to 5 months.
        opinion=OpinionSettings(model="friedkin_johnsen", susceptibility=0.45, own_weight=40.0),
        fresh=2_160.0,
        calm_half_life=48.0,
        profile="opinion",
    )

    @classmethod
    def count_residents(cls, place: str, /) -> int:
        """Return the number of adults of the place; children are no citizens here."""
        from memopolis.scenarios.places.zones import read_place
        from memopolis.scenarios.synthesis.residents import compute_adult_share

        residents = super().count_residents(place)
        return round(residents * compute_adult_share(read_place(place)))

    @pydantic.model_validator(mode="after")
    def _event_is_of_subject(self) -> Self:
        if self.event == "shooting" and self.subject != "gun_control":
            raise ValueError(
                f"setting event is 'shooting', which is news of gun_control, but subject is "
                f"'{self.subject}'; set event to a CSV file of news on its topics"
            )
        return self

    @pydantic.model_validator(mode="after")
    def _has_no_default_news(self) -> Self:
        if self.news == "default":
            raise ValueError(
                "setting news is 'default', but this scenario has no default news; it must be "
                "none, or a CSV file"
            )
        return self
