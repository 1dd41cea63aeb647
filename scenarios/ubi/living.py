"""Settings of memories of a month, wellbeing, and the panel."""

from memopolis.scenarios.ubi.choices import ByQuintile
from memopolis.sim.settings import Field, SettingsGroup


class MonthSettings(SettingsGroup):
    """Memories of a month."""

    least_change: float = Field(
        0.03,
        ge=0,
        le=1,
        origin="illustrative",
        description="Minimum relative change of pay that is noticed",
    )
    scale: float = Field(
        0.2,
        gt=0,
        le=10,
        origin="illustrative",
        description="Log change at which importance reaches 1 - 1/e of its maximum",
    )
    needs: float = Field(
        2.0,
        gt=0,
        le=5,
        origin="calibrated",
        description="Means below which needs are unmet, in poverty lines",
    )
    adaptation: float = Field(
        4.0,
        gt=0,
        le=120,
        unit="months",
        origin="illustrative",
        description="Half-life of the importance of basic income payments",
    )
    strain: float = Field(
        0.08,
        ge=0,
        le=1,
        origin="calibrated",
        description="Maximum importance of unmet needs",
    )
    troubles: float = Field(
        0.15,
        ge=0,
        le=1,
        unit="1/month",
        origin="calibrated",
        description="Probability of a misfortune unrelated to the economy",
    )
    trouble_size: float = Field(
        0.5,
        gt=0,
        le=5,
        origin="illustrative",
        description="Mean importance of a misfortune, before truncation at 1",
    )
    joys: float = Field(
        0.1,
        ge=0,
        le=1,
        unit="1/month",
        origin="illustrative",
        description="Probability of a joy unrelated to the economy",
    )
    burden: ByQuintile = Field(
        (1.7, 1.25, 1.0, 0.8, 0.6),
        origin="calibrated",
        description="Frequency of misfortune by quintile of income, relative to `troubles`",
    )
    unequal: float = Field(
        1.0,
        ge=0,
        le=3,
        origin="illustrative",
        description="Standard deviation of the logarithm of individual frequencies of misfortune",
    )


class WellbeingSettings(SettingsGroup):
    """Needs and life satisfaction."""

    setpoint: float = Field(
        6.7,
        ge=0,
        le=10,
        origin="illustrative",
        description="Mean life satisfaction at the poverty line",
    )
    spread: float = Field(
        1.3, ge=0, le=5, origin="illustrative", description="Standard deviation of `setpoint`"
    )
    level: float = Field(
        0.2,
        ge=0,
        le=5,
        origin="illustrative",
        description="Life satisfaction per unit of the logarithm of usual income",
    )
    change: float = Field(
        0.5,
        ge=0,
        le=10,
        origin="illustrative",
        description="Life satisfaction per log unit of income above usual income",
    )
    adaptation: float = Field(
        6.0,
        gt=0,
        le=240,
        unit="months",
        origin="illustrative",
        description="Half-life of adaptation to income",
    )
    feelings: float = Field(
        0.15,
        ge=0,
        le=5,
        origin="illustrative",
        description="Life satisfaction per point of joy minus sadness",
    )
    jobless: float = Field(
        0.7,
        ge=0,
        le=5,
        origin="recalled",
        description="Life satisfaction lost by unemployment, in addition to income effects",
    )
    rested: float = Field(
        0.85, ge=0, le=1, origin="illustrative", description="Rest without work and worries"
    )
    by_hours: float = Field(
        0.25, ge=0, le=1, origin="illustrative", description="Rest lost by a week of 60 hours"
    )
    by_strain: float = Field(
        0.3, ge=0, le=2, origin="illustrative", description="Rest lost by a strain of 1"
    )
    alone: float = Field(
        0.5,
        ge=0,
        le=1,
        origin="illustrative",
        description="Company of an unemployed person living alone",
    )
    by_others: float = Field(
        0.3,
        ge=0,
        le=1,
        origin="illustrative",
        description="Maximum company gained from household members",
    )
    by_work: float = Field(
        0.1, ge=0, le=1, origin="illustrative", description="Company gained from having work"
    )
    disposition: float = Field(
        0.2,
        ge=0,
        le=1,
        origin="illustrative",
        description="Standard deviation of fixed individual differences in rest and company",
    )


class PanelSettings(SettingsGroup):
    """The panel survey of depression and life satisfaction."""

    every: int = Field(3, ge=1, le=120, unit="months", description="Time between two panels")
    size: int = Field(
        2_000, ge=1, le=10_000_000, description="Approximate maximum number of adults asked"
    )
