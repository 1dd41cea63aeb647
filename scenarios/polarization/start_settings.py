"""Settings of initial citizens."""

from typing import Self

import pydantic

from memopolis.sim.settings import Field, SettingsGroup, Share


class StartSettings(SettingsGroup, origin="found"):
    """Party mix, and correlations of traits and attitudes."""

    democrats: Share = Field(
        0.46, "Share of Democrats with leaners (polls of 2014-22: 0.44 to 0.49)"
    )
    republicans: Share = Field(
        0.44,
        "Share of Republicans with leaners (polls of 2014-22: 0.37 to 0.45); all "
        "others are Independents",
    )
    owner_effect: float = Field(
        0.5,
        "Difference in support for stricter laws between other members of a party and "
        "its gun owners, in standard deviations",
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
    least_activity: float = Field(0.01, "Minimum activity (Baumann et al. 2020)", gt=0, le=0.99)
    activity_exponent: float = Field(2.1, "Exponent of activity (Baumann et al. 2020)", gt=1, le=10)

    @pydantic.model_validator(mode="after")
    def _shares_are_possible(self) -> Self:
        total = self.democrats + self.republicans
        if total > 1 + 1e-9:
            raise ValueError(
                f"democrats and republicans sum to {total:g}; the sum must be at most 1"
            )
        return self
