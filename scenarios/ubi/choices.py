"""Settings of what people decide: how long to work, and how much to spend on what."""

from typing import Annotated, Literal

from pydantic import AfterValidator

from memopolis.scenarios.ubi.people import GOODS
from memopolis.sim.settings import Field, SettingsGroup

_QUINTILES = 5
_ROUNDING = 1e-6


def _shares(given: tuple[float, ...]) -> tuple[float, ...]:
    """Refuse what does not split a whole over the goods."""
    if len(given) != len(GOODS) or min(given) < 0 or abs(sum(given) - 1) > _ROUNDING:
        raise ValueError("shares")
    return given


def _by_quintile(given: tuple[float, ...]) -> tuple[float, ...]:
    """Refuse what is not one number of at least 0 for each quintile."""
    if len(given) != _QUINTILES or min(given) < 0:
        raise ValueError("by quintile")
    return given


def _parts(given: tuple[float, ...]) -> tuple[float, ...]:
    """Refuse more than a whole, too."""
    if max(_by_quintile(given)) > 1:
        raise ValueError("parts")
    return given


Shares = Annotated[tuple[float, ...], AfterValidator(_shares)]
ByQuintile = Annotated[tuple[float, ...], AfterValidator(_by_quintile)]
PartsByQuintile = Annotated[tuple[float, ...], AfterValidator(_parts)]


class LabourSupplySettings(SettingsGroup):
    """How many hours people want to work."""

    substitution: float = Field(
        0.15, ge=0, le=3, origin="recalled", description="Elasticity of hours in the net wage"
    )
    income_effect: float = Field(
        -0.13,
        ge=-3,
        le=0,
        origin="calibrated",
        description="Elasticity of hours in unearned income",
    )
    join_substitution: float = Field(
        0.1,
        ge=0,
        le=3,
        origin="illustrative",
        description="Elasticity of participation in the net wage",
    )
    join_income_effect: float = Field(
        -0.16,
        ge=-3,
        le=0,
        origin="calibrated",
        description="Elasticity of participation in unearned income",
    )
    wish_effect: float = Field(
        0.005,
        ge=0,
        le=0.2,
        origin="illustrative",
        description="Share of hours that a point of the attitude towards work adds",
    )
    usual_wish: float = Field(
        6.0,
        ge=0,
        le=10,
        origin="illustrative",
        description="Attitude towards work at which the usual hours are worked",
    )
    kept: float = Field(
        0.75,
        gt=0,
        le=1,
        origin="illustrative",
        description="Part of one more dollar of wages that taxes leave, without the surtax",
    )
    notice: float = Field(
        3.0,
        gt=0,
        le=120,
        unit="months",
        origin="illustrative",
        description="Half-life of the time until unearned income is counted on",
    )
    least: float = Field(
        4.0,
        ge=0,
        le=40,
        unit="h/week",
        origin="illustrative",
        description="Hours below which nobody takes a job",
    )
    memories: int = Field(
        5, ge=1, le=100, origin="illustrative", description="Memories recalled for the decision"
    )


class ConsumptionSettings(SettingsGroup):
    """How much households spend, and on what; quintiles from the lowest to the highest."""

    rule: Literal["buffer", "econagent"] = Field(
        "buffer", description="Rule of spending: usual income and a buffer, or EconAgent's"
    )
    mpc: PartsByQuintile = Field(
        (0.65, 0.55, 0.45, 0.35, 0.25),
        origin="calibrated",
        description="Marginal propensity to consume, five shares by quintile of income",
    )
    buffer: ByQuintile = Field(
        (0.5, 1.0, 2.0, 3.0, 5.0),
        origin="illustrative",
        description="Money wanted at hand, in months of usual income, five numbers by quintile",
    )
    pace: float = Field(
        0.01,
        ge=0,
        le=1,
        unit="1/month",
        origin="calibrated",
        description="Part of money beyond the buffer that is spent",
    )
    habit: float = Field(
        120.0,
        gt=0,
        le=1_200,
        unit="months",
        origin="calibrated",
        description="Half-life of getting used to what the policy gives or takes",
    )
    own_habit: float = Field(
        12.0,
        gt=0,
        le=1_200,
        unit="months",
        origin="calibrated",
        description="Half-life of getting used to other income, so that a run without the policy "
        "neither booms nor slumps for long",
    )
    subsistence: float = Field(
        0.6,
        ge=0,
        le=2,
        origin="illustrative",
        description="Spending that is financed by all means, in poverty lines",
    )
    comfort: float = Field(
        2.0,
        ge=0,
        le=20,
        origin="illustrative",
        description="Spending up to which `marginal` holds, in poverty lines",
    )
    basic: Shares = Field(
        (0.16, 0.50, 0.12, 0.22),
        origin="illustrative",
        description="Shares of food, housing, transport and other goods in subsistence, 1 in all",
    )
    marginal: Shares = Field(
        (0.216, 0.168, 0.161, 0.455),
        origin="computed",
        description="The four shares from there to comfort (67, 52 and 50 of 310 USD), 1 in all",
    )
    beyond: Shares = Field(
        (0.06, 0.385, 0.19, 0.365),
        origin="computed",
        description="The four shares beyond, which lead to the mean split of the CEX, 1 in all",
    )
    unit_price: float = Field(
        25.0,
        gt=0,
        le=1e6,
        unit="USD",
        origin="illustrative",
        description="EconAgent's rule: price of a unit of goods at the start",
    )
    memories: int = Field(
        5, ge=1, le=100, origin="illustrative", description="Memories recalled for the decision"
    )
