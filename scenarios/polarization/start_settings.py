"""Settings of who the citizens are at the start."""

from typing import Self

import pydantic

from memopolis.sim.settings import Field, SettingsGroup


class StartSettings(SettingsGroup):
    """Party mix, and how the traits and attitudes of a citizen hang together."""

    democrats: float = Field(
        0.46,
        ge=0,
        le=1,
        origin="found",
        description="Share of Democrats and who lean to them (polls of 2014-22: 0.44 to 0.49)",
    )
    republicans: float = Field(
        0.44,
        ge=0,
        le=1,
        origin="found",
        description="Share of Republicans and who lean to them (polls of 2014-22: 0.37 to 0.45); "
        "all others are Independents",
    )
    owner_effect: float = Field(
        0.5,
        ge=0,
        le=3,
        origin="illustrative",
        description="Support for stricter laws of owners below others of their party, in standard "
        "deviations",
    )
    ideology_link: float = Field(
        0.3,
        ge=0,
        le=0.99,
        origin="illustrative",
        description="Correlation of liberal ideology and gun control within a party",
    )
    checks_link: float = Field(
        0.5,
        ge=0,
        le=0.99,
        origin="illustrative",
        description="Correlation of background checks and gun control within a party",
    )
    least_activity: float = Field(
        0.01, gt=0, le=0.99, origin="found", description="Least activity (Baumann et al. 2020)"
    )
    activity_exponent: float = Field(
        2.1, gt=1, le=10, origin="found", description="Exponent of activity (Baumann et al. 2020)"
    )

    @pydantic.model_validator(mode="after")
    def _no_more_than_everybody(self) -> Self:
        total = self.democrats + self.republicans
        if total > 1 + 1e-9:
            raise ValueError(
                f"democrats and republicans are {total:g} of all together; at most 1 is possible"
            )
        return self
