"""Settings of memories of a month, wellbeing, and the panel."""

from memopolis.scenarios.ubi.choices import ByQuintile
from memopolis.sim.settings import Field, SettingsGroup, Share


class MonthSettings(SettingsGroup, origin="illustrative"):
    """Memories of a month."""

    least_change: Share = Field(0.03, "Minimum relative change of pay that is noticed")
    scale: float = Field(
        0.2, "Log change at which importance reaches 1 - 1/e of its maximum", gt=0, le=10
    )
    needs: float = Field(
        2.0, "Means below which needs are unmet, in poverty lines", gt=0, le=5, origin="calibrated"
    )
    adaptation: float = Field(
        4.0, "Half-life of the importance of basic income payments", gt=0, le=120, unit="months"
    )
    strain: Share = Field(0.08, "Maximum importance of unmet needs", origin="calibrated")
    troubles: Share = Field(
        0.15,
        "Probability of a misfortune unrelated to the economy",
        unit="1/month",
        origin="calibrated",
    )
    trouble_size: float = Field(
        0.5, "Mean importance of a misfortune, before truncation at 1", gt=0, le=5
    )
    joys: Share = Field(0.1, "Probability of a joy unrelated to the economy", unit="1/month")
    burden: ByQuintile = Field(
        (1.7, 1.25, 1.0, 0.8, 0.6),
        "Frequency of misfortune by quintile of income, relative to `troubles`",
        origin="calibrated",
    )
    unequal: float = Field(
        1.0,
        "Standard deviation of the logarithm of individual frequencies of misfortune",
        ge=0,
        le=3,
    )


class WellbeingSettings(SettingsGroup, origin="illustrative"):
    """Needs and life satisfaction."""

    setpoint: float = Field(6.7, "Mean life satisfaction at the poverty line", ge=0, le=10)
    spread: float = Field(1.3, "Standard deviation of `setpoint`", ge=0, le=5)
    level: float = Field(
        0.2, "Life satisfaction per unit of the logarithm of usual income", ge=0, le=5
    )
    change: float = Field(
        0.5, "Life satisfaction per log unit of income above usual income", ge=0, le=10
    )
    adaptation: float = Field(6.0, "Half-life of adaptation to income", gt=0, le=240, unit="months")
    feelings: float = Field(0.15, "Life satisfaction per point of joy minus sadness", ge=0, le=5)
    jobless: float = Field(
        0.7,
        "Life satisfaction lost by unemployment, in addition to income effects",
        ge=0,
        le=5,
        origin="recalled",
    )
    rested: Share = Field(0.85, "Rest without work and worries")
    by_hours: Share = Field(0.25, "Rest lost by a week of 60 hours")
    by_strain: float = Field(0.3, "Rest lost by a strain of 1", ge=0, le=2)
    alone: Share = Field(0.5, "Company of an unemployed person living alone")
    by_others: Share = Field(0.3, "Maximum company gained from household members")
    by_work: Share = Field(0.1, "Company gained from having work")
    disposition: Share = Field(
        0.2, "Standard deviation of fixed individual differences in rest and company"
    )


class PanelSettings(SettingsGroup):
    """The panel survey of depression and life satisfaction."""

    every: int = Field(3, "Time between two panels", ge=1, le=120, unit="months")
    size: int = Field(2_000, "Approximate maximum number of adults asked", ge=1, le=10_000_000)
