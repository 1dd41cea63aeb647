"""Settings of the polarization scenario, each with its origin."""

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

import pydantic

from memopolis.agents.attitude_rules import OpinionSettings
from memopolis.agents.block_settings import CognitionSettings, ForgetSettings
from memopolis.scenarios.places.settings import PlaceSettings
from memopolis.sim.declarations import FROM_TABLE, read_declarations
from memopolis.sim.settings import Origin, SettingsGroup, Share

TABLE = read_declarations(__file__, "settings.toml")

Arm = Literal["control", "echo", "cross", "random", "neutral", "none"]

WITH_PERSUADERS = ("echo", "cross", "random", "neutral")  # arms with persuaders


class StartSettings(SettingsGroup, table=TABLE["people"]):
    """Party mix, and correlations of traits and attitudes."""

    democrats: Share = FROM_TABLE
    republicans: Share = FROM_TABLE
    owner_effect: float = FROM_TABLE
    ideology_link: float = FROM_TABLE
    checks_link: float = FROM_TABLE
    least_activity: float = FROM_TABLE
    activity_exponent: float = FROM_TABLE

    @pydantic.model_validator(mode="after")
    def _shares_are_possible(self) -> Self:
        total = self.democrats + self.republicans
        if total > 1 + 1e-9:
            raise ValueError(
                f"democrats and republicans sum to {total:g}; the sum must be at most 1"
            )
        return self


class NetworkSettings(SettingsGroup, table=TABLE["network"]):
    """Friendships."""

    kind: str = FROM_TABLE
    mean: float = FROM_TABLE
    cross_share: Share = FROM_TABLE


class MediaSettings(SettingsGroup, table=TABLE["media"]):
    """Outlets, each with one story per day, and news that all citizens receive."""

    outlets: int = FROM_TABLE
    slant: Share = FROM_TABLE
    reach: Share = FROM_TABLE
    trust: Share = FROM_TABLE
    trust_opposed: Share = FROM_TABLE
    news_delay: float = FROM_TABLE
    news_trust: Share = FROM_TABLE


class FeedSettings(SettingsGroup, table=TABLE["feed"]):
    """Posts, feeds and follows."""

    size: int = FROM_TABLE
    strength: float = FROM_TABLE
    cut: Share = FROM_TABLE
    follows: int = FROM_TABLE
    recommended: int = FROM_TABLE
    rewire: Share = FROM_TABLE
    climate: float = FROM_TABLE
    trust: Share = FROM_TABLE
    trust_recommended: Share = FROM_TABLE


class TalkSettings(SettingsGroup, table=TABLE["talk"]):
    """Content of messages, and frequency of talks."""

    talks: Share = FROM_TABLE
    noise: Share = FROM_TABLE
    checks: Share = FROM_TABLE
    importance_post: Share = FROM_TABLE
    importance_talk: Share = FROM_TABLE
    ask: bool = FROM_TABLE
    reinforce: float = FROM_TABLE


class PersuasionSettings(SettingsGroup, table=TABLE["persuasion"]):
    """Persuaders and their messages."""

    messages: int = FROM_TABLE
    stance: float = FROM_TABLE
    importance: Share = FROM_TABLE
    trust: Share = FROM_TABLE
    keep_friends: bool = FROM_TABLE


class SubjectSettings(SettingsGroup, table=TABLE["subjects"]):
    """Decisions of outlets, persuaders and the statistics bureau."""

    memories: int = FROM_TABLE
    weight: float = FROM_TABLE


class PolarizationSettings(PlaceSettings, table=TABLE):
    """Settings of the polarization scenario."""

    days: float = FROM_TABLE
    place: str = FROM_TABLE
    tick: float = FROM_TABLE
    news: str = FROM_TABLE
    arm: Arm = FROM_TABLE
    symmetric: bool = FROM_TABLE
    event: str = FROM_TABLE
    event_day: int = FROM_TABLE
    people: StartSettings = StartSettings()
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
        "cognition.opinion.ambivalence": "calibrated",
        "cognition.opinion.own_weight": "calibrated",
        "cognition.opinion.susceptibility": "calibrated",
    }
    cognition: CognitionSettings = CognitionSettings(
        # Calibrated with the profile "opinion" to support after Uvalde (Gallup): 14 points up,
        # 9 of them lost within 4 to 5 months.
        opinion=OpinionSettings(
            model="friedkin_johnsen", susceptibility=0.45, own_weight=40.0, ambivalence=0.85
        ),
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
    def _has_no_default_news(self) -> Self:
        if self.news == "default":
            raise ValueError(
                "setting news is 'default', but this scenario has no default news; it must be "
                "none, or a CSV file"
            )
        return self
