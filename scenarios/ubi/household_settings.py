"""Settings of citizens and households: work, consumption, wellbeing and demography."""

from typing import Annotated, Literal

from pydantic import AfterValidator

from memopolis.sim.settings import Field, SettingsGroup, Share

GOODS = ("food", "housing", "transport", "other")
"""Kinds of goods, which are also the sectors of firms."""

CURVATURE = Field(
    1.5,
    "Weight of recent experience; 0 for equal weights (Malmendier and Nagel 2011)",
    ge=0,
    le=20,
    origin="recalled",
)
"""Setting of several groups: how recalled experience counts by its age."""

_QUINTILES = 5
_ROUNDING = 1e-6


def _check_shares(shares: tuple[float, ...]) -> tuple[float, ...]:
    """Raise ValueError unless the shares of goods sum to 1."""
    if len(shares) != len(GOODS) or min(shares) < 0 or abs(sum(shares) - 1) > _ROUNDING:
        raise ValueError("shares")
    return shares


def _check_by_quintile(values: tuple[float, ...]) -> tuple[float, ...]:
    """Raise ValueError unless there is one number of at least 0 per quintile."""
    if len(values) != _QUINTILES or min(values) < 0:
        raise ValueError("by quintile")
    return values


Shares = Annotated[tuple[float, ...], AfterValidator(_check_shares)]
ByQuintile = Annotated[tuple[float, ...], AfterValidator(_check_by_quintile)]


class WorkExperienceSettings(SettingsGroup, origin="illustrative"):
    """Effect of recalled events on desired hours."""

    span: float = Field(
        60.0, "Age from which memories have no weight", gt=0, le=1200, unit="months"
    )
    curvature: float = CURVATURE
    precaution: float = Field(
        0.02,
        "Maximum relative increase of hours, by recalled job loss and money troubles",
        ge=0,
        le=0.5,
    )
    pay: float = Field(
        0.01, "Maximum relative change of hours, by recalled changes of pay", ge=0, le=0.5
    )
    noted: Share = Field(0.04, "Relative change of desired hours that is remembered as a decision")


class SpendingExperienceSettings(SettingsGroup, origin="illustrative"):
    """Effect of recalled events on spending."""

    span: float = Field(
        60.0, "Age from which memories have no weight", gt=0, le=1200, unit="months"
    )
    curvature: float = CURVATURE
    caution: float = Field(
        0.5,
        "Maximum relative increase of the target buffer, by recalled job loss and money troubles",
        ge=0,
        le=10,
    )
    outlook: Share = Field(
        0.03,
        "Maximum relative change of expected income, by recalled changes of pay and prices",
    )
    restraint: Share = Field(
        0.03, "Maximum relative reduction of spending, by recalled job loss and money troubles"
    )
    noted: Share = Field(0.1, "Relative change of spending that is remembered as a decision")


class LabourSupplySettings(SettingsGroup, origin="illustrative"):
    """Labour supply."""

    substitution: float = Field(
        0.15, "Elasticity of hours with respect to the net wage", ge=0, le=3, origin="recalled"
    )
    income_effect: float = Field(
        -0.13,
        "Elasticity of hours with respect to unearned income",
        ge=-3,
        le=0,
        origin="calibrated",
        interval=(-0.29, -0.04),
    )
    join_substitution: float = Field(
        0.1, "Elasticity of participation with respect to the net wage", ge=0, le=3
    )
    join_income_effect: float = Field(
        -0.16,
        "Elasticity of participation with respect to unearned income",
        ge=-3,
        le=0,
        origin="calibrated",
    )
    wish_effect: float = Field(
        0.005, "Relative change of hours per point of the attitude to work", ge=0, le=0.2
    )
    usual_wish: float = Field(6.0, "Attitude to work at baseline hours", ge=0, le=10)
    kept: float = Field(
        0.75, "Share of one more dollar of wages left after taxes, without the surtax", gt=0, le=1
    )
    notice: float = Field(
        3.0, "Half-life of adaptation to unearned income", gt=0, le=120, unit="months"
    )
    least: float = Field(4.0, "Minimum hours of a job", ge=0, le=40, unit="h/week")
    memories: int = Field(5, "Memories recalled for the decision", ge=1, le=100)
    experience: WorkExperienceSettings = WorkExperienceSettings()


class EarningsSettings(SettingsGroup, origin="recalled"):
    """Changes of wages, hours and paydays."""

    permanent: float = Field(
        0.02,
        "Variance of persistent shocks to the logarithm of wages (Meghir and Pistaferri 2004)",
        ge=0,
        le=0.4,
        unit="1/year",
    )
    transitory: float = Field(
        0.014,
        "Variance of the logarithm of a year's pay by hours and bonuses that vary from month to "
        "month; spells without work add to it (Meghir and Pistaferri 2004: .03 to .05 in all)",
        ge=0,
        le=0.1,
    )
    by_hours: Share = Field(
        0.3,
        "Share of this variance by hours: overtime, short weeks and illness; the rest is bonuses, "
        "commissions and tips",
        origin="illustrative",
    )
    paydays: bool = Field(
        True,
        "Whether pay varies with the number of paydays in a calendar month",
        origin="choice",
    )


class ConsumptionSettings(SettingsGroup, origin="illustrative"):
    """Consumption; quintiles from the lowest to the highest."""

    rule: Literal["buffer", "econagent"] = Field(
        "buffer", "Consumption rule: buffer stock or EconAgent", origin="choice"
    )
    mpc: Share = Field(
        0.45,
        "Marginal propensity to consume in a month of a household without liquid wealth",
        unit="1/month",
        origin="calibrated",
    )
    liquid: float = Field(
        0.75,
        "Liquid wealth at which this propensity is half as large, in usual incomes",
        gt=0,
        le=100,
        unit="months",
        origin="calibrated",
    )
    substitution: float = Field(
        0.4,
        "Elasticity of intertemporal substitution of a household with wealth: percentage by which "
        "spending falls if interest is a point above neutral for a year (Havranek 2015: .3 to .4 "
        "of asset holders)",
        ge=0,
        le=10,
        origin="found",
    )
    buffer: ByQuintile = Field(
        (0.5, 1.0, 2.0, 3.0, 5.0),
        "Target buffer in months of usual income, five numbers by quintile",
    )
    habit: float = Field(
        4.0,
        "Half-life of adaptation of usual income; about 7 would be optimal for the variances of "
        "`earnings` alone (Muth 1960)",
        gt=0,
        le=1200,
        unit="months",
    )
    subsistence: float = Field(0.6, "Spending financed by all means, in poverty lines", ge=0, le=2)
    comfort: float = Field(
        2.0, "Spending up to which `marginal` applies, in poverty lines", ge=0, le=20
    )
    basic: Shares = Field(
        (0.16, 0.5, 0.12, 0.22),
        "Shares of food, housing, transport and other goods in subsistence, 1 in total",
    )
    marginal: Shares = Field(
        (0.216, 0.168, 0.161, 0.455),
        "The four shares from there to comfort (67, 52 and 50 of 310 USD), 1 in total",
        origin="computed",
    )
    beyond: Shares = Field(
        (0.06, 0.385, 0.19, 0.365),
        "The four shares beyond, which yield the mean split of the CEX, 1 in total",
        origin="computed",
    )
    unit_price: float = Field(
        25.0,
        "EconAgent: price of a unit of goods at the start",
        gt=0,
        le=1000000.0,
        unit="USD",
        acts_with={"rule": ("econagent",)},
    )
    memories: int = Field(5, "Memories recalled for the decision", ge=1, le=100)
    experience: SpendingExperienceSettings = SpendingExperienceSettings()


class MonthSettings(SettingsGroup, origin="illustrative"):
    """Memories of a month."""

    least_change: Share = Field(0.03, "Minimum relative change of pay that is noticed")
    usual_change: float = Field(
        0.5,
        "Log difference of a month's pay from that of recent months up to which it is usual",
        ge=0,
        le=10,
    )
    scale: float = Field(
        0.2, "Log change at which importance reaches 1 - 1/e of its maximum", gt=0, le=10
    )
    needs: float = Field(
        2.0, "Means below which needs are unmet, in poverty lines", gt=0, le=5, origin="calibrated"
    )
    adaptation: float = Field(
        4.0,
        "Half-life of adaptation to unmet needs and to the basic income",
        gt=0,
        le=120,
        unit="months",
    )
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


class TalkSettings(SettingsGroup, origin="illustrative"):
    """Talk in the week that stands for a month."""

    tell: Share = Field(
        0.5, "Probability that an adult passes on news to a person met: at home, at work, a friend"
    )
    least: Share = Field(0.06, "Minimum importance of a memory that is passed on")


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
    size: int = Field(2000, "Approximate maximum number of adults asked", ge=1, le=10_000_000)


class DemographySettings(SettingsGroup, origin="illustrative"):
    """Demography; birth and death rates are tables."""

    births: float = Field(
        1.0,
        "Births relative to the rates of the United States in 2019; 0 for none",
        ge=0,
        le=10,
        origin="recalled",
    )
    deaths: float = Field(
        1.0,
        "Deaths relative to the rates of the United States in 2019; 0 for none",
        ge=0,
        le=10,
        origin="recalled",
    )
    moves: Share = Field(
        0.03,
        "Share of households that leave the society per year; as many, relative to the initial "
        "number, move in",
        unit="1/year",
    )
    leave_home: Share = Field(
        0.15, "Rate at which employed adult dependants leave home", unit="1/year"
    )
    take_along: Share = Field(0.1, "Share of the household's money they take along")
    pair: Share = Field(
        0.6, "Share of them that move in with a partner, if a single one is available"
    )
    seek_work: Share = Field(0.5, "Share of young adults that look for work at age 18")
    finish: Share = Field(
        0.2,
        "Share of the others that start looking for work at each birthday up to 26",
        unit="1/year",
    )
    inherit: Share = Field(
        0.9, "Share of an estate that another household inherits; the state gets the rest"
    )
