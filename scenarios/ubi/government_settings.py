"""Settings of taxes, transfers, the policy and public purchases."""

from typing import Literal

from memopolis.sim.settings import Field, SettingsGroup


class TaxSettings(SettingsGroup):
    """Taxes."""

    brackets: str = Field(
        "2019",
        names="file",
        words=("2018", "2019", "2024"),
        origin="found",
        description="Year of federal brackets and payroll tax (2018, 2019 or 2024), or a CSV file "
        "of brackets (with the payroll tax of 2019)",
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
        description="Whether tax limits follow the price level, as in law",
    )
    most_surtax: float = Field(
        0.6,
        ge=0,
        le=1,
        origin="choice",
        description="Maximum rate of the surtax on market income that funds the policy",
    )


class BenefitSettings(SettingsGroup):
    """Transfers that exist without the policy."""

    disregard: float = Field(
        250.0,
        ge=0,
        le=100_000,
        unit="USD/month",
        origin="illustrative",
        description="Household income that does not reduce means-tested benefits",
    )
    phase_out: float = Field(
        0.35,
        ge=0,
        le=1,
        origin="illustrative",
        description="Means-tested benefits lost per dollar of further income",
    )
    take_up: float = Field(
        0.6,
        ge=0,
        le=1,
        origin="illustrative",
        description="Share of households without benefits at the start that would take up food "
        "stamps",
    )
    indexed: bool = Field(
        default=True,
        origin="found",
        description="Whether pensions and benefits follow the price level, as in law",
    )
    counts_basic_income: bool = Field(
        default=False,
        origin="choice",
        description="Whether basic income counts as income in means tests",
    )
    replacement: float = Field(
        0.45,
        ge=0,
        le=1,
        origin="recalled",
        description="Unemployment compensation as a share of former wages",
    )
    most_unemployment: float = Field(
        2_000.0,
        ge=0,
        le=100_000,
        unit="USD/month",
        origin="illustrative",
        description="Maximum unemployment compensation",
    )
    unemployment_months: int = Field(
        6,
        ge=0,
        le=120,
        unit="months",
        origin="recalled",
        description="Maximum duration of unemployment compensation",
    )

    @property
    def disregard_cents(self) -> int:
        """The disregard in cents."""
        return round(100 * self.disregard)


Funding = Literal["tax", "created", "none"]
Schedule = Literal["monthly", "once"]
Covered = Literal["all", "low_income", "unemployed"]


class PolicySettings(SettingsGroup):
    """Details of the policy; its main settings are at the top level."""

    share: float = Field(
        1.0,
        ge=0,
        le=1,
        description="Share of eligible adults covered, drawn once per person",
    )
    low_income: float = Field(
        1_200.0,
        ge=0,
        le=100_000,
        unit="USD/month",
        origin="illustrative",
        description="Monthly market income of the household per adult below which who=low_income "
        "covers its adults",
    )


class PurchaseSettings(SettingsGroup):
    """Government purchases from firms."""

    memory: float = Field(
        0.995,
        ge=0,
        le=0.999,
        origin="illustrative",
        description="Weight of the past in the expected ordinary budget",
    )
    horizon: float = Field(
        120.0,
        ge=1,
        le=1_000,
        unit="months",
        origin="illustrative",
        description="Months over which a surplus or deficit of the ordinary budget is worked off",
    )
