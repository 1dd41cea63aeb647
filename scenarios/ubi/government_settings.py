"""Settings of taxes, transfers, the policy and public purchases."""

from typing import Literal

from memopolis.sim.declarations import FROM_TABLE, read_declarations
from memopolis.sim.settings import SettingsGroup, Share

TABLE = read_declarations(__file__, "settings.toml")


class TaxSettings(SettingsGroup, table=TABLE["taxes"]):
    """Taxes."""

    brackets: str = FROM_TABLE
    local: Share = FROM_TABLE
    indexed: bool = FROM_TABLE
    most_surtax: Share = FROM_TABLE


class BenefitSettings(SettingsGroup, table=TABLE["benefits"]):
    """Transfers that exist without the policy."""

    disregard: float = FROM_TABLE
    phase_out: Share = FROM_TABLE
    take_up: Share = FROM_TABLE
    indexed: bool = FROM_TABLE
    counts_basic_income: bool = FROM_TABLE
    replacement: Share = FROM_TABLE
    most_unemployment: float = FROM_TABLE
    unemployment_months: int = FROM_TABLE

    @property
    def disregard_cents(self) -> int:
        """The disregard in cents."""
        return round(100 * self.disregard)


Funding = Literal["tax", "created", "none"]
Schedule = Literal["monthly", "once"]
Covered = Literal["all", "low_income", "unemployed"]
Enrolment = Literal["fixed", "monthly"]


class PolicySettings(SettingsGroup, table=TABLE["policy"]):
    """Details of the policy; its main settings are at the top level."""

    share: Share = FROM_TABLE
    low_income: float = FROM_TABLE
    enrolment: Enrolment = FROM_TABLE


class PurchaseSettings(SettingsGroup, table=TABLE["purchases"]):
    """Government purchases from firms."""

    memory: float = FROM_TABLE
    horizon: float = FROM_TABLE


class ReviewSettings(SettingsGroup, table=TABLE["review"]):
    """Yearly review of benefits by what the government remembers."""

    every: int = FROM_TABLE
    memories: int = FROM_TABLE
    span: float = FROM_TABLE
    curvature: float = FROM_TABLE
    unemployment: float = FROM_TABLE
    poverty: float = FROM_TABLE
    reaction: float = FROM_TABLE
    budget: float = FROM_TABLE
    threshold: float = FROM_TABLE
    step: Share = FROM_TABLE
    bound: Share = FROM_TABLE
