"""Settings of taxes, transfers and the policy."""

from typing import Literal

from memopolis.sim.settings import Field, SettingsGroup


class TaxSettings(SettingsGroup):
    """What the government takes."""

    brackets: str = Field(
        "2019",
        origin="found",
        description="Federal brackets and payroll tax of 2018, 2019 or 2024, or a CSV file of "
        "brackets (payroll tax of 2019)",
    )
    local: float = Field(
        0.08,
        ge=0,
        le=1,
        origin="illustrative",
        description="Flat rate of state and local taxes on market income",
    )
    indexed: bool = Field(
        default=True,
        origin="found",
        description="Whether limits of brackets and payroll tax follow the price level, as in law",
    )
    most_surtax: float = Field(
        0.6,
        ge=0,
        le=1,
        origin="choice",
        description="Highest rate of the surtax on market income that pays for the policy",
    )


class BenefitSettings(SettingsGroup):
    """Transfers that there are without the policy."""

    disregard: float = Field(
        250.0,
        ge=0,
        le=100_000,
        unit="USD/month",
        origin="illustrative",
        description="Income of a household that costs no means-tested help",
    )
    phase_out: float = Field(
        0.35,
        ge=0,
        le=1,
        origin="illustrative",
        description="Means-tested help lost for a dollar of income above that",
    )
    take_up: float = Field(
        0.6,
        ge=0,
        le=1,
        origin="illustrative",
        description="Share of households without help at the start that would take up food stamps",
    )
    indexed: bool = Field(
        default=True,
        origin="found",
        description="Whether pensions and help follow the price level, as in law",
    )
    counts_basic_income: bool = Field(
        default=False,
        origin="choice",
        description="Whether basic income counts as income that costs means-tested help",
    )
    replacement: float = Field(
        0.45,
        ge=0,
        le=1,
        origin="recalled",
        description="Unemployment pay as a share of former wages",
    )
    most_unemployment: float = Field(
        2_000.0,
        ge=0,
        le=100_000,
        unit="USD/month",
        origin="illustrative",
        description="Highest unemployment pay",
    )
    unemployment_months: int = Field(
        6,
        ge=0,
        le=120,
        unit="months",
        origin="recalled",
        description="Time for which unemployment pay is paid",
    )

    @property
    def disregard_cents(self) -> int:
        """The disregard in cents."""
        return round(100 * self.disregard)


Funding = Literal["tax", "created", "none"]
Schedule = Literal["monthly", "once"]
Covered = Literal["all", "low_income", "unemployed"]


class PolicySettings(SettingsGroup):
    """Finer points of the policy; the main ones stand at the top of the settings."""

    share: float = Field(
        1.0,
        ge=0,
        le=1,
        description="Share of those eligible who are covered, drawn by lot once for each person",
    )
    low_income: float = Field(
        1_200.0,
        ge=0,
        le=100_000,
        unit="USD/month",
        origin="illustrative",
        description="Market income of the household for each adult below which who=low_income "
        "covers its adults",
    )


class PurchaseSettings(SettingsGroup):
    """Goods that the government buys of firms."""

    memory: float = Field(
        0.995,
        ge=0,
        le=0.999,
        origin="illustrative",
        description="Weight of the past in what the government expects to be able to spend",
    )
    horizon: float = Field(
        120.0,
        ge=1,
        le=1_000,
        unit="months",
        origin="illustrative",
        description="Months over which a surplus or deficit of the ordinary budget is worked off",
    )
