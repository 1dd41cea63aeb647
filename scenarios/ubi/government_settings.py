"""Settings of taxes, transfers, the policy and public purchases."""

from typing import Literal

from memopolis.scenarios.ubi.household_settings import CURVATURE
from memopolis.sim.settings import Field, SettingsGroup, Share


class TaxSettings(SettingsGroup, origin="found"):
    """Taxes."""

    brackets: str = Field(
        "2019",
        "Year of federal brackets and payroll tax (2018, 2019 or 2024), or a CSV file of "
        "brackets (with the payroll tax of 2019)",
        names="file",
        words=("2018", "2019", "2024"),
    )
    local: Share = Field(
        0.08, "Flat rate of state and local taxes on market income", origin="illustrative"
    )
    indexed: bool = Field(True, "Whether tax limits follow the price level, as in law")
    most_surtax: Share = Field(
        0.6, "Maximum rate of the surtax on market income that funds the policy", origin="choice"
    )


class BenefitSettings(SettingsGroup, origin="illustrative"):
    """Transfers that exist without the policy."""

    disregard: float = Field(
        250.0,
        "Household income that does not reduce means-tested benefits",
        ge=0,
        le=100_000,
        unit="USD/month",
    )
    phase_out: Share = Field(0.35, "Means-tested benefits lost per dollar of further income")
    take_up: Share = Field(
        0.6, "Share of households without benefits at the start that would take up food stamps"
    )
    indexed: bool = Field(
        True, "Whether pensions and benefits follow the price level, as in law", origin="found"
    )
    counts_basic_income: bool = Field(
        False, "Whether basic income counts as income in means tests", origin="choice"
    )
    replacement: Share = Field(
        0.45, "Unemployment compensation as a share of former wages", origin="recalled"
    )
    most_unemployment: float = Field(
        2000.0, "Maximum unemployment compensation", ge=0, le=100_000, unit="USD/month"
    )
    unemployment_months: int = Field(
        6,
        "Maximum duration of unemployment compensation",
        ge=0,
        le=120,
        unit="months",
        origin="recalled",
    )

    @property
    def disregard_cents(self) -> int:
        """The disregard in cents."""
        return round(100 * self.disregard)


Funding = Literal["tax", "created", "none"]
Schedule = Literal["monthly", "once"]
Covered = Literal["all", "low_income", "unemployed"]
Enrolment = Literal["fixed", "monthly"]


class PolicySettings(SettingsGroup):
    """Details of the policy; its main settings are at the top level."""

    share: Share = Field(1.0, "Share of eligible adults covered, drawn once per person")
    low_income: float = Field(
        1200.0,
        "Income of the household per adult, after tax and a mean of about a year, below which "
        "who=low_income covers its adults",
        ge=0,
        le=100_000,
        unit="USD/month",
        origin="illustrative",
    )
    enrolment: Enrolment = Field(
        "fixed",
        "Coverage of low_income and unemployed: those of the first month, whatever they earn "
        "later (fixed), or those of each month (monthly)",
        origin="choice",
    )


class PurchaseSettings(SettingsGroup, origin="illustrative"):
    """Government purchases from firms."""

    memory: float = Field(
        0.995, "Weight of the past in the expected ordinary budget", ge=0, le=0.999
    )
    horizon: float = Field(
        120.0,
        "Months over which a surplus or deficit of the ordinary budget is worked off",
        ge=1,
        le=1000,
        unit="months",
    )


class ReviewSettings(SettingsGroup, origin="illustrative"):
    """Yearly review of benefits by what the government remembers."""

    every: int = Field(12, "Time between two reviews", ge=1, le=120, unit="months", origin="choice")
    memories: int = Field(40, "Memories recalled for a review", ge=1, le=200)
    span: float = Field(
        36.0, "Age from which memories have no weight", gt=0, le=1000, unit="months"
    )
    curvature: float = CURVATURE
    unemployment: float = Field(1.0, "Weight of recalled unemployment", ge=0, le=10)
    poverty: float = Field(0.25, "Weight of recalled poverty", ge=0, le=10)
    reaction: float = Field(0.25, "Weight of recalled discontent", ge=0, le=10)
    budget: float = Field(0.25, "Weight of recalled deficits", ge=0, le=10)
    threshold: float = Field(0.1, "Weighted experience from which benefits change", ge=0, le=10)
    step: Share = Field(0.05, "Relative change of benefits by one review")
    bound: Share = Field(0.1, "Maximum relative change of benefits by all reviews")
