"""Settings of the polarization scenario, each with its origin."""

from typing import Literal, Self

import pydantic

from memopolis.agents.attitude_settings import OpinionSettings
from memopolis.agents.blocks.cognition import CognitionSettings
from memopolis.scenarios.polarization.start_settings import StartSettings
from memopolis.sim.settings import Field, Settings, SettingsGroup

Arm = Literal["control", "echo", "cross", "random", "neutral", "none"]

WITH_PERSUADERS = ("echo", "cross", "random", "neutral")
"""Arms with persuaders."""


class NetworkSettings(SettingsGroup):
    """Friendships."""

    kind: str = Field(
        "block",
        names="file",
        words=("block", "growth"),
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
    """Outlets, each with one story per day, and news that all citizens receive."""

    outlets: int = Field(6, ge=1, le=1_000, origin="illustrative", description="News outlets")
    slant: float = Field(
        0.8,
        ge=0,
        le=1,
        origin="illustrative",
        description="Slant of the outermost outlets; the others are evenly spaced between",
    )
    reach: float = Field(
        0.3,
        ge=0,
        le=1,
        origin="illustrative",
        description="Probability that a feed may show an outlet's story",
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
        description="Mean delay until news of an event, or of a file, is received",
    )
    news_trust: float = Field(
        0.8, ge=0, le=1, origin="illustrative", description="Confidence in such news"
    )


class FeedSettings(SettingsGroup):
    """Feeds and follows."""

    size: int = Field(
        6, ge=0, le=100, unit="1/d", origin="illustrative", description="Messages read per day"
    )
    strength: float = Field(
        1.0,
        ge=0,
        le=20,
        origin="calibrated",
        description="Preference of the feed for stances similar to the reader's; 0 for none. "
        "Calibrated to the majority of like-minded sources in Nyhan et al. 2023",
    )
    cut: float = Field(
        0.0,
        ge=0,
        le=1,
        description="Share of like-minded messages removed from the feed",
    )
    follows: int = Field(
        20, ge=1, le=1_000, origin="illustrative", description="Number of follows per citizen"
    )
    recommended: int = Field(
        20,
        ge=0,
        le=1_000,
        origin="illustrative",
        description="Number of posts by others that a feed may show",
    )
    rewire: float = Field(
        0.2,
        ge=0,
        le=1,
        unit="1/d",
        origin="illustrative",
        description="Probability of unfollowing one citizen and following a recommended one",
    )
    trust: float = Field(
        0.5,
        ge=0,
        le=1,
        origin="illustrative",
        description="Confidence in a post of a followed citizen",
    )
    trust_recommended: float = Field(
        0.35, ge=0, le=1, origin="illustrative", description="Confidence in a recommended post"
    )


class TalkSettings(SettingsGroup):
    """Content of messages, and frequency of talks."""

    talks: float = Field(
        0.3,
        ge=0,
        le=1,
        unit="1/d",
        origin="illustrative",
        description="Probability of starting a talk with a friend, in addition to activity",
    )
    noise: float = Field(
        0.15,
        ge=0,
        le=1,
        origin="illustrative",
        description="Standard deviation of expressed around held stances, which range from -1 to 1",
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
        0.5, ge=0, le=1, origin="illustrative", description="Importance of a friend's statement"
    )


class PersuasionSettings(SettingsGroup):
    """Persuaders and their messages."""

    messages: int = Field(
        3,
        ge=0,
        le=100,
        unit="1/d",
        origin="found",
        description="Messages per day to each assigned citizen: every 8 h in AgentSociety",
    )
    stance: float = Field(
        0.8,
        gt=0,
        le=1,
        origin="illustrative",
        description="Stance of the persuader for stricter laws; the other has the opposite",
    )
    importance: float = Field(
        0.5, ge=0, le=1, origin="illustrative", description="Importance of their messages"
    )
    trust: float = Field(
        0.5, ge=0, le=1, origin="illustrative", description="Confidence in their messages"
    )
    keep_friends: bool = Field(
        default=True,
        description="Whether friends talk and feeds are read in arms with persuaders; false is "
        "the design of AgentSociety",
    )


class WarmthSettings(SettingsGroup):
    """Effect of messages of the other party on feelings towards it."""

    rate: float = Field(
        0.1,
        ge=0,
        le=100,
        unit="1/d",
        origin="illustrative",
        description="Points per day, of 100, added by friendly messages",
    )
    hostile: float = Field(
        0.85,
        gt=0,
        le=1,
        origin="illustrative",
        description="Absolute stance from which a message is hostile",
    )


class PolarizationSettings(Settings):
    """Settings of the polarization scenario."""

    days: float = Field(60.0, gt=0, le=3_650, unit="d", description="Length of the run")
    tick: float = Field(24.0, ge=24, le=24, unit="h", description="Length of a step: one day")
    news: str = Field(
        "none",
        names="file",
        words=("none",),
        description="News that all citizens receive: none, or a CSV file",
    )
    arm: Arm = Field(
        "control",
        description="control (no persuaders), echo (like-minded ones), cross (opposing), random "
        "(either), neutral (messages without a stance), none (no messages)",
    )
    symmetric: bool = Field(
        default=False, description="Whether both parties are initially mirror images of each other"
    )
    event: str = Field(
        "none",
        names="file",
        words=("none", "shooting"),
        description="none, shooting (news after a school shooting), or a CSV file of news",
    )
    event_day: int = Field(
        10,
        ge=0,
        le=3_650,
        unit="d",
        acts_with={"event": ("shooting",)},
        description="Day of the shooting, from 0",
    )
    people: StartSettings = StartSettings()
    network: NetworkSettings = NetworkSettings()
    media: MediaSettings = MediaSettings()
    feed: FeedSettings = FeedSettings()
    talk: TalkSettings = TalkSettings()
    persuasion: PersuasionSettings = PersuasionSettings()
    warmth: WarmthSettings = WarmthSettings()
    cognition: CognitionSettings = CognitionSettings(
        # Calibrated with the profile "opinion" to support after Uvalde (Gallup): 14 points up,
        # 9 of them lost within 4 to 5 months.
        opinion=OpinionSettings(model="friedkin_johnsen", susceptibility=0.45, own_weight=40.0),
        fresh=2_160.0,
        calm_half_life=48.0,
        profile="opinion",
    )

    @pydantic.model_validator(mode="after")
    def _has_no_default_news(self) -> Self:
        if self.news == "default":
            raise ValueError(
                "setting news is 'default', but this scenario has no default news; it must be "
                "none, or a CSV file"
            )
        return self
