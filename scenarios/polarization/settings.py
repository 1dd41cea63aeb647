"""Settings of the polarization scenario, each with its origin."""

from typing import Literal

from memopolis.agents.attitude_settings import OpinionSettings
from memopolis.agents.blocks.cognition import CognitionSettings
from memopolis.scenarios.polarization.start_settings import StartSettings
from memopolis.sim.settings import Field, Settings, SettingsGroup

Arm = Literal["control", "echo", "cross", "random", "neutral", "none"]

WITH_PERSUADERS = ("echo", "cross", "random", "neutral")
"""Arms in which persuaders send messages."""


class NetworkSettings(SettingsGroup):
    """Who is friends with whom."""

    kind: str = Field(
        "block",
        description="block, growth, or an edge-list CSV, GraphML or GML file of agents",
    )
    mean: float = Field(
        12.0, gt=0, le=1_000, origin="illustrative", description="Mean number of friends"
    )
    cross_share: float = Field(
        0.2,
        ge=0,
        le=1,
        origin="illustrative",
        description="Share of ties that cross sides (political blogs: 0.094)",
    )


class MediaSettings(SettingsGroup):
    """Outlets, each with one story a day, and news that all hear."""

    outlets: int = Field(6, ge=1, le=1_000, origin="illustrative", description="News outlets")
    slant: float = Field(
        0.8,
        ge=0,
        le=1,
        origin="illustrative",
        description="Slant of the outermost outlets; the others lie evenly between",
    )
    reach: float = Field(
        0.3,
        ge=0,
        le=1,
        origin="illustrative",
        description="Chance that an outlet's story is among what a feed may show",
    )
    trust: float = Field(
        0.5, ge=0, le=1, origin="illustrative", description="Confidence in a story"
    )
    news_delay: float = Field(
        12.0,
        gt=0,
        le=240,
        unit="h",
        origin="illustrative",
        description="Mean time until news of an event, or of a file, is heard",
    )
    news_trust: float = Field(
        0.8, ge=0, le=1, origin="illustrative", description="Confidence in such news"
    )


class FeedSettings(SettingsGroup):
    """What the feed shows, and whom people follow."""

    size: int = Field(
        6, ge=0, le=100, unit="1/d", origin="illustrative", description="Messages read a day"
    )
    strength: float = Field(
        1.0,
        ge=0,
        le=20,
        origin="calibrated",
        description="How much the feed prefers stances like the reader's; 0 shows any. "
        "On the majority of like-minded sources in Nyhan et al. 2023",
    )
    cut: float = Field(
        0.0,
        ge=0,
        le=1,
        description="Share of like-minded messages that is taken out of the feed",
    )
    follows: int = Field(
        20, ge=1, le=1_000, origin="illustrative", description="Citizens that each one follows"
    )
    recommended: int = Field(
        20,
        ge=0,
        le=1_000,
        origin="illustrative",
        description="Posts of others among what a feed may show",
    )
    rewire: float = Field(
        0.2,
        ge=0,
        le=1,
        unit="1/d",
        origin="illustrative",
        description="Chance of unfollowing one citizen and following a recommended one",
    )
    trust: float = Field(
        0.5,
        ge=0,
        le=1,
        origin="illustrative",
        description="Confidence in a post of somebody followed",
    )
    trust_recommended: float = Field(
        0.35, ge=0, le=1, origin="illustrative", description="Confidence in a recommended post"
    )


class TalkSettings(SettingsGroup):
    """What is said, and how often friends talk."""

    talks: float = Field(
        0.3,
        ge=0,
        le=1,
        unit="1/d",
        origin="illustrative",
        description="Chance of starting a talk with a friend, beside one's activity",
    )
    noise: float = Field(
        0.15,
        ge=0,
        le=1,
        origin="illustrative",
        description="Standard deviation of a stance said about the one held, of 1",
    )
    checks: float = Field(
        0.25,
        ge=0,
        le=1,
        origin="illustrative",
        description="Share of messages on background checks; the others are on gun control",
    )
    importance_post: float = Field(
        0.3, ge=0, le=1, origin="illustrative", description="Importance of a message in the feed"
    )
    importance_talk: float = Field(
        0.5, ge=0, le=1, origin="illustrative", description="Importance of what a friend says"
    )


class PersuasionSettings(SettingsGroup):
    """Persuaders and their messages."""

    messages: int = Field(
        3,
        ge=0,
        le=100,
        unit="1/d",
        origin="found",
        description="Messages a day to each citizen assigned: every 8 h in AgentSociety",
    )
    stance: float = Field(
        0.8,
        gt=0,
        le=1,
        origin="illustrative",
        description="Stance of the persuader for stricter laws; the other takes the opposite",
    )
    importance: float = Field(
        0.5, ge=0, le=1, origin="illustrative", description="Importance of their messages"
    )
    trust: float = Field(
        0.5, ge=0, le=1, origin="illustrative", description="Confidence in their messages"
    )
    keep_friends: bool = Field(
        default=True,
        description="Whether friends talk and feeds are read where there are persuaders; false "
        "is the design of AgentSociety",
    )


class WarmthSettings(SettingsGroup):
    """How messages of the other party change the feeling towards it."""

    rate: float = Field(
        0.1,
        ge=0,
        le=100,
        unit="1/d",
        origin="illustrative",
        description="Points a day, of 100, that friendly messages alone would add",
    )
    hostile: float = Field(
        0.85,
        gt=0,
        le=1,
        origin="illustrative",
        description="Strength of a stance from which a message is felt as hostile",
    )


class PolarizationSettings(Settings):
    """Settings of the polarization scenario."""

    days: float = Field(60.0, gt=0, le=3_650, unit="d", description="Length of the run")
    tick: float = Field(
        24.0, ge=24, le=24, unit="h", description="Length of a step, which is a day"
    )
    arm: Arm = Field(
        "control",
        description="control (no persuaders), echo (like-minded ones), cross (opposing), random "
        "(either), neutral (messages without a stance), none (nobody talks)",
    )
    symmetric: bool = Field(
        default=False, description="Whether both parties start as mirror images of each other"
    )
    event: str = Field(
        "none", description="none, shooting (news after a school shooting), or a CSV file of news"
    )
    event_day: int = Field(10, ge=0, le=3_650, unit="d", description="Day of the shooting, from 0")
    people: StartSettings = StartSettings()
    network: NetworkSettings = NetworkSettings()
    media: MediaSettings = MediaSettings()
    feed: FeedSettings = FeedSettings()
    talk: TalkSettings = TalkSettings()
    persuasion: PersuasionSettings = PersuasionSettings()
    warmth: WarmthSettings = WarmthSettings()
    cognition: CognitionSettings = CognitionSettings(
        # Calibrated with the profile "opinion" on support after Uvalde (Gallup): 14 points up,
        # 9 of them lost within 4 to 5 months.
        opinion=OpinionSettings(model="friedkin_johnsen", susceptibility=0.45, own_weight=40.0),
        fresh=2_160.0,
        calm_half_life=48.0,
        profile="opinion",
    )
