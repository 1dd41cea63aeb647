"""Settings of what people remember of a month, how they live, and who is asked of it."""

from memopolis.scenarios.ubi.choices import ByQuintile
from memopolis.sim.settings import Field, SettingsGroup


class MonthSettings(SettingsGroup):
    """What of a month is remembered."""

    least_change: float = Field(
        0.03, ge=0, le=1, origin="illustrative", description="Change of pay that is noticed"
    )
    scale: float = Field(
        0.2,
        gt=0,
        le=10,
        origin="illustrative",
        description="Logarithm of a change that matters by all but 1/e",
    )
    needs: float = Field(
        2.0,
        gt=0,
        le=5,
        origin="calibrated",
        description="Means below which not all can be paid, in poverty lines",
    )
    adaptation: float = Field(
        4.0,
        gt=0,
        le=120,
        unit="months",
        origin="illustrative",
        description="Half-life of how much a payment of basic income matters",
    )
    strain: float = Field(
        0.08,
        ge=0,
        le=1,
        origin="calibrated",
        description="Greatest importance of not being able to pay for all that is needed",
    )
    troubles: float = Field(
        0.15,
        ge=0,
        le=1,
        unit="1/month",
        origin="calibrated",
        description="Chance of a misfortune of one's own that has no part in the economy",
    )
    trouble_size: float = Field(
        0.5,
        gt=0,
        le=5,
        origin="illustrative",
        description="Mean importance of a misfortune, before it is cut off at 1",
    )
    joys: float = Field(
        0.1,
        ge=0,
        le=1,
        unit="1/month",
        origin="illustrative",
        description="Chance of a joy of one's own",
    )
    burden: ByQuintile = Field(
        (1.7, 1.25, 1.0, 0.8, 0.6),
        origin="calibrated",
        description="How often misfortune comes by quintile of income, against `troubles`",
    )
    unequal: float = Field(
        1.0,
        ge=0,
        le=3,
        origin="illustrative",
        description="Standard deviation of the logarithm of how often people meet misfortune",
    )


class WellbeingSettings(SettingsGroup):
    """Needs, and satisfaction with life."""

    setpoint: float = Field(
        6.7,
        ge=0,
        le=10,
        origin="illustrative",
        description="Mean satisfaction with life at the poverty line",
    )
    spread: float = Field(
        1.3, ge=0, le=5, origin="illustrative", description="Standard deviation of it"
    )
    level: float = Field(
        0.2,
        ge=0,
        le=5,
        origin="illustrative",
        description="Satisfaction that a unit of the logarithm of usual income adds",
    )
    change: float = Field(
        0.5,
        ge=0,
        le=10,
        origin="illustrative",
        description="Satisfaction that a unit of the logarithm above usual income adds",
    )
    adaptation: float = Field(
        6.0,
        gt=0,
        le=240,
        unit="months",
        origin="illustrative",
        description="Half-life of the income that satisfaction is used to",
    )
    feelings: float = Field(
        0.15,
        ge=0,
        le=5,
        origin="illustrative",
        description="Satisfaction that a point of joy above sadness adds",
    )
    jobless: float = Field(
        0.7,
        ge=0,
        le=5,
        origin="recalled",
        description="Satisfaction that unemployment takes away beside the income",
    )
    rested: float = Field(
        0.85, ge=0, le=1, origin="illustrative", description="Rest of who neither works nor worries"
    )
    by_hours: float = Field(
        0.25, ge=0, le=1, origin="illustrative", description="Rest that a week of 60 hours takes"
    )
    by_strain: float = Field(
        0.3, ge=0, le=2, origin="illustrative", description="Rest that strain of 1 takes"
    )
    alone: float = Field(
        0.5, ge=0, le=1, origin="illustrative", description="Company of who lives alone, unemployed"
    )
    by_others: float = Field(
        0.3, ge=0, le=1, origin="illustrative", description="Company that living with many adds"
    )
    by_work: float = Field(
        0.1, ge=0, le=1, origin="illustrative", description="Company that having work adds"
    )
    disposition: float = Field(
        0.2,
        ge=0,
        le=1,
        origin="illustrative",
        description="Standard deviation of people's lasting rest and company",
    )


class PanelSettings(SettingsGroup):
    """The panel that the statistics bureau asks of depression and life satisfaction."""

    every: int = Field(3, ge=1, le=120, unit="months", description="Time between two panels")
    size: int = Field(2_000, ge=1, le=10_000_000, description="About the most adults who are asked")
