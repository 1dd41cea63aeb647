"""Settings of the blocks of citizens; this module imports neither Mesa nor any block."""

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from pydantic import ValidationInfo, field_validator

from memopolis.agents.attitude_rules import OpinionSettings
from memopolis.sim.settings import Field, SettingsGroup, Share

if TYPE_CHECKING:
    from memopolis.sim.memory.night.sleep import Night


THINK_AT = 20.0  # hour from which the thought of the day is formed (illustrative)


class NeedSettings(SettingsGroup, origin="found"):
    """Decay rates of needs per hour awake."""

    hunger_rate: Share = Field(0.15, "Decay rate of satiety", unit="1/h")
    safety_rate: Share = Field(0.05, "Decay rate of safety", unit="1/h")
    social_rate: Share = Field(0.1, "Decay rate of company", unit="1/h")
    asleep: Share = Field(0.15, "Decay while asleep, relative to awake", origin="illustrative")


class PlanSettings(SettingsGroup, origin="found"):
    """Thresholds of needs in free time, and the choice of plans."""

    hungry_at: Share = Field(0.2, "Satisfaction at which hunger becomes urgent")
    unsafe_at: Share = Field(0.2, "Satisfaction at which safety becomes urgent")
    lonely_at: Share = Field(0.3, "Satisfaction at which company becomes urgent")
    choice_noise: float = Field(
        0.35, "Scale of the noise in the choice of a plan", ge=0, le=10, origin="illustrative"
    )
    memories: int = Field(
        8, "Memories recalled for the choice of a plan", ge=1, le=100, origin="illustrative"
    )
    experience: float = Field(
        1.0, "Weight of remembered pleasantness in attitudes", ge=0, le=10, origin="illustrative"
    )
    conformity: float = Field(
        0.5,
        "Weight of the remembered behaviour of others in norms",
        ge=0,
        le=10,
        origin="illustrative",
    )
    intention: float = Field(
        0.3,
        "Attitude added to the plan that the last thought intends",
        ge=0,
        le=10,
        origin="illustrative",
    )
    write_steps: bool = Field(
        False, "Whether the mind writes the steps of plans, not only the purpose", origin="choice"
    )
    choose_blocks: bool = Field(
        False, "Whether the mind chooses the block that carries out each step", origin="choice"
    )


class SocialSettings(SettingsGroup, origin="illustrative"):
    """Spread of news and memories."""

    news_delay: float = Field(
        4.0, "Mean delay until an agent receives news", gt=0, le=240, unit="h"
    )
    trust: Share = Field(0.8, "Confidence of memories of news")
    tell: Share = Field(
        0.25, "Probability that a citizen with new contacts in a step passes on news to one"
    )
    least: Share = Field(0.3, "Minimum importance of a memory that is passed on")
    ask: bool = Field(
        False, "Whether the mind writes what is passed on: the question message", origin="choice"
    )


class SummarySettings(SettingsGroup):
    """Tags and summaries of memories, which searches, interviews and models use."""

    tags: bool = Field(
        True, "Whether memories are tagged by time, task and feeling; urgent ones are due first"
    )
    summaries: Share = Field(
        0.002,
        "Share of the agents with nightly summaries, if no model decides for them",
        origin="illustrative",
    )
    key_memories: Share = Field(
        0.0,
        "Share of the agents whose often recalled memories become key memories, if no model "
        "decides for them",
        origin="choice",
    )

    @property
    def night(self) -> "Night":
        """The night as an operation on memories, which changes none."""
        from memopolis.sim.memory.night.sleep import Night

        return Night(replay=0)


class ForgetSettings(SummarySettings):
    """Nights that only forget."""

    forget_days: float = Field(
        0.0, "Age at which a night forgets memories, 0 for never", ge=0, le=36_600, unit="d"
    )
    forget_below: Share = Field(
        0.5,
        "Retention, the probability of recall, below which a night forgets a memory, 0 for never",
        origin="illustrative",
    )

    @property
    def night(self) -> "Night":
        """The settings as an operation on memories."""
        from memopolis.sim.memory.night.sleep import Night

        return Night(
            replay=0,
            forget_older=24 * self.forget_days if self.forget_days else None,
            forget_below=self.forget_below,
        )


class SleepSettings(ForgetSettings):
    """What a night does to memories; each part can be switched off by itself."""

    replay: int = Field(
        3,
        "Number of memories due for review that a night rehearses, so that they are recalled "
        "sooner and forgotten later",
        ge=0,
        le=1000,
        origin="illustrative",
    )
    repeats: int = Field(
        2,
        "Number of exact repeats of a trivial memory that a night merges into one with a count,"
        " at least 2, or 0 for none",
        ge=0,
        le=1000,
    )
    trivia: Share = Field(
        0.25,
        "Greatest importance of a trivial memory, which is an event without strong feeling",
        origin="illustrative",
    )
    merge: int = Field(
        0,
        "Number of near duplicates that a night replaces by an abstract memory, at least 2, or "
        "0 for none",
        ge=0,
        le=1000,
    )
    relate: bool = Field(
        False, "Whether a night links related memories; otherwise they are linked when first read"
    )

    @field_validator("repeats", "merge")
    @classmethod
    def _is_no_single_repeat(cls, number: int, field: ValidationInfo) -> int:
        if number == 1:
            raise ValueError(f"setting {field.field_name} is 1; it must be 0, or at least 2")
        return number

    @property
    def night(self) -> "Night":
        """The settings as an operation on memories."""
        from memopolis.sim.memory.night.merging import Trivia

        return replace(
            super().night,
            replay=self.replay,
            relate=self.relate,
            merge=self.merge,
            repeats=self.repeats,
            trivia=Trivia(self.trivia),
        )


class CognitionSettings(SettingsGroup, origin="illustrative"):
    """Rates of change of feelings, attitudes and thoughts."""

    appraisal: Literal["topic", "occ"] = Field(
        "topic",
        "Appraisal of events: one feeling per topic, or the 21 emotions of OCC",
        origin="choice",
    )
    gain: float = Field(
        3.0, "Initial slope of a feeling as a function of the weight of an event", ge=0, le=50
    )
    calm_half_life: float = Field(
        30.0, "Half-life of a feeling's return to its baseline", gt=0, le=10_000, unit="h"
    )
    memories: int = Field(
        20, "Memories recalled for an attitude or a thought", ge=1, le=200, origin="found"
    )
    attitude_rate: Share = Field(
        0.12,
        "Leaning: share of the remaining distance covered by one update",
        acts_with={"opinion.model": ("leaning",)},
    )
    conviction_rate: Share = Field(
        0.2,
        "Leaning: rate of change of conviction, which slows attitude change",
        acts_with={"opinion.model": ("leaning",)},
    )
    fresh: float = Field(
        48.0, "Half-life of an event's effect on attitudes", gt=0, le=10_000, unit="h"
    )
    profile: str = Field(
        "act", "Retrieval profile of attitude updates", origin="choice", names="word"
    )
    opinion: OpinionSettings = OpinionSettings()


class HourlyCognitionSettings(CognitionSettings, origin="illustrative"):
    """Settings of cognition for steps shorter than a day."""

    think_at: float = Field(
        THINK_AT, "Hour from which the thought of the day is formed", ge=0, le=23, unit="h"
    )
