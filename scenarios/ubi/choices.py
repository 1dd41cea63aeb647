"""Settings of decisions: labour supply and consumption."""

from typing import Annotated, Literal

from pydantic import AfterValidator

from memopolis.scenarios.ubi.people import GOODS
from memopolis.sim.settings import Field, SettingsGroup

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


def _check_shares_by_quintile(values: tuple[float, ...]) -> tuple[float, ...]:
    """Raise ValueError unless there is one share per quintile."""
    if max(_check_by_quintile(values)) > 1:
        raise ValueError("parts")
    return values


Shares = Annotated[tuple[float, ...], AfterValidator(_check_shares)]
ByQuintile = Annotated[tuple[float, ...], AfterValidator(_check_by_quintile)]
PartsByQuintile = Annotated[tuple[float, ...], AfterValidator(_check_shares_by_quintile)]


class LabourSupplySettings(SettingsGroup):
    """Labour supply."""

    substitution: float = Field(
        0.15,
        ge=0,
        le=3,
        origin="recalled",
        description="Elasticity of hours with respect to the net wage",
    )
    income_effect: float = Field(
        -0.13,
        ge=-3,
        le=0,
        origin="calibrated",
        description="Elasticity of hours with respect to unearned income",
    )
    join_substitution: float = Field(
        0.1,
        ge=0,
        le=3,
        origin="illustrative",
        description="Elasticity of participation with respect to the net wage",
    )
    join_income_effect: float = Field(
        -0.16,
        ge=-3,
        le=0,
        origin="calibrated",
        description="Elasticity of participation with respect to unearned income",
    )
    wish_effect: float = Field(
        0.005,
        ge=0,
        le=0.2,
        origin="illustrative",
        description="Relative change of hours per point of the attitude to work",
    )
    usual_wish: float = Field(
        6.0,
        ge=0,
        le=10,
        origin="illustrative",
        description="Attitude to work at baseline hours",
    )
    kept: float = Field(
        0.75,
        gt=0,
        le=1,
        origin="illustrative",
        description="Share of one more dollar of wages left after taxes, without the surtax",
    )
    notice: float = Field(
        3.0,
        gt=0,
        le=120,
        unit="months",
        origin="illustrative",
        description="Half-life of adaptation to unearned income",
    )
    least: float = Field(
        4.0,
        ge=0,
        le=40,
        unit="h/week",
        origin="illustrative",
        description="Minimum hours of a job",
    )
    memories: int = Field(
        5, ge=1, le=100, origin="illustrative", description="Memories recalled for the decision"
    )


class ConsumptionSettings(SettingsGroup):
    """Consumption; quintiles from the lowest to the highest."""

    rule: Literal["buffer", "econagent"] = Field(
        "buffer", description="Consumption rule: buffer stock or EconAgent"
    )
    mpc: PartsByQuintile = Field(
        (0.65, 0.55, 0.45, 0.35, 0.25),
        origin="calibrated",
        description="Marginal propensity to consume, five shares by quintile of income",
    )
    buffer: ByQuintile = Field(
        (0.5, 1.0, 2.0, 3.0, 5.0),
        origin="illustrative",
        description="Target buffer in months of usual income, five numbers by quintile",
    )
    pace: float = Field(
        0.01,
        ge=0,
        le=1,
        unit="1/month",
        origin="calibrated",
        description="Share of money in excess of the buffer that is spent",
    )
    habit: float = Field(
        120.0,
        gt=0,
        le=1_200,
        unit="months",
        origin="calibrated",
        description="Half-life of adaptation to transfers and taxes of the policy",
    )
    own_habit: float = Field(
        12.0,
        gt=0,
        le=1_200,
        unit="months",
        origin="calibrated",
        description="Half-life of adaptation to other income; short enough that a run without the "
        "policy has no long booms or slumps",
    )
    subsistence: float = Field(
        0.6,
        ge=0,
        le=2,
        origin="illustrative",
        description="Spending financed by all means, in poverty lines",
    )
    comfort: float = Field(
        2.0,
        ge=0,
        le=20,
        origin="illustrative",
        description="Spending up to which `marginal` applies, in poverty lines",
    )
    basic: Shares = Field(
        (0.16, 0.50, 0.12, 0.22),
        origin="illustrative",
        description="Shares of food, housing, transport and other goods in subsistence, 1 in total",
    )
    marginal: Shares = Field(
        (0.216, 0.168, 0.161, 0.455),
        origin="computed",
        description="The four shares from there to comfort (67, 52 and 50 of 310 USD), 1 in total",
    )
    beyond: Shares = Field(
        (0.06, 0.385, 0.19, 0.365),
        origin="computed",
        description="The four shares beyond, which yield the mean split of the CEX, 1 in total",
    )
    unit_price: float = Field(
        25.0,
        gt=0,
        le=1e6,
        unit="USD",
        origin="illustrative",
        acts_with={"rule": ("econagent",)},
        description="EconAgent: price of a unit of goods at the start",
    )
    memories: int = Field(
        5, ge=1, le=100, origin="illustrative", description="Memories recalled for the decision"
    )
