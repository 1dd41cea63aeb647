"""Settings of the blocks of citizens; this module imports neither Mesa nor any block."""

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from pydantic import ValidationInfo, field_validator

from memopolis.agents.attitude_rules import OpinionSettings
from memopolis.sim.declarations import FROM_TABLE, read_declarations
from memopolis.sim.settings import Field, SettingsGroup, Share

if TYPE_CHECKING:
    from memopolis.sim.memory.night.sleep import Night

TABLE = read_declarations(__file__, "settings.toml")

THINK_AT = 20.0  # hour from which the thought of the day is formed (illustrative)


class NeedSettings(SettingsGroup, table=TABLE["needs"]):
    """Decay rates of needs per hour awake."""

    hunger_rate: Share = FROM_TABLE
    energy_rate: Share = FROM_TABLE
    safety_rate: Share = FROM_TABLE
    social_rate: Share = FROM_TABLE
    asleep: Share = FROM_TABLE


class PlanSettings(SettingsGroup, table=TABLE["plans"]):
    """Thresholds of needs, and hours of work and night."""

    hungry_at: Share = FROM_TABLE
    tired_at: Share = FROM_TABLE
    unsafe_at: Share = FROM_TABLE
    lonely_at: Share = FROM_TABLE
    work_from: float = FROM_TABLE
    work_until: float = FROM_TABLE
    resume_until: float = FROM_TABLE
    night_from: float = FROM_TABLE
    night_until: float = FROM_TABLE
    choice_noise: float = FROM_TABLE
    memories: int = FROM_TABLE
    experience: float = FROM_TABLE
    conformity: float = FROM_TABLE
    intention: float = FROM_TABLE
    combine_at: Share = FROM_TABLE
    write_steps: bool = FROM_TABLE
    choose_blocks: bool = FROM_TABLE


class SocialSettings(SettingsGroup, table=TABLE["social"]):
    """Spread of news and memories."""

    news_delay: float = FROM_TABLE
    trust: Share = FROM_TABLE
    tell: Share = FROM_TABLE
    least: Share = FROM_TABLE
    ask: bool = FROM_TABLE


class SummarySettings(SettingsGroup, table=TABLE["summaries"]):
    """Tags and summaries of memories, which searches, interviews and models use."""

    tags: bool = FROM_TABLE
    summaries: Share = FROM_TABLE
    key_memories: Share = FROM_TABLE

    @property
    def night(self) -> "Night":
        """The night as an operation on memories, which changes none."""
        from memopolis.sim.memory.night.sleep import Night

        return Night(replay=0)


class ForgetSettings(SummarySettings, table=TABLE["forgetting"]):
    """Nights that only forget."""

    forget_days: float = FROM_TABLE
    forget_below: Share = FROM_TABLE

    @property
    def night(self) -> "Night":
        """The settings as an operation on memories."""
        from memopolis.sim.memory.night.sleep import Night

        return Night(
            replay=0,
            forget_older=24 * self.forget_days if self.forget_days else None,
            forget_below=self.forget_below,
        )


class SleepSettings(ForgetSettings, table=TABLE["sleep"]):
    """What a night does to memories; each part can be switched off by itself."""

    replay: int = FROM_TABLE
    repeats: int = FROM_TABLE
    trivia: Share = FROM_TABLE
    merge: int = FROM_TABLE
    relate: bool = FROM_TABLE

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


class CognitionSettings(SettingsGroup, table=TABLE["cognition"]):
    """Rates of change of feelings, attitudes and thoughts."""

    appraisal: Literal["topic", "occ"] = FROM_TABLE
    gain: float = FROM_TABLE
    calm_half_life: float = FROM_TABLE
    memories: int = FROM_TABLE
    attitude_rate: Share = FROM_TABLE
    conviction_rate: Share = FROM_TABLE
    fresh: float = FROM_TABLE
    profile: str = FROM_TABLE
    opinion: OpinionSettings = OpinionSettings()


class HourlyCognitionSettings(CognitionSettings, origin="illustrative"):
    """Settings of cognition for steps shorter than a day."""

    think_at: float = Field(
        THINK_AT, "Hour from which the thought of the day is formed", ge=0, le=23, unit="h"
    )
