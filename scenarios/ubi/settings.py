"""Settings of the basic income scenario; the groups are in the modules that it imports."""

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import model_validator

from memopolis.agents.block_settings import CognitionSettings, SleepSettings
from memopolis.scenarios.places.settings import PlaceSettings
from memopolis.scenarios.ubi.attitudes import COGNITION, PROFILES
from memopolis.scenarios.ubi.firm_settings import (
    BankSettings,
    BureauSettings,
    FirmSettings,
    GoodsMarketSettings,
    LabourMarketSettings,
    ShockSettings,
)
from memopolis.scenarios.ubi.government_settings import (
    BenefitSettings,
    Covered,
    Funding,
    PolicySettings,
    PurchaseSettings,
    ReviewSettings,
    Schedule,
    TaxSettings,
)
from memopolis.scenarios.ubi.household_settings import (
    ConsumptionSettings,
    DemographySettings,
    EarningsSettings,
    LabourSupplySettings,
    MonthSettings,
    PanelSettings,
    TalkSettings,
    WellbeingSettings,
)
from memopolis.sim.errors import SettingsError
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.settings import Field, Origin, RecordSettings


class MonthlyRecordSettings(RecordSettings):
    """Recording; agents once a month."""

    agents_every: float = Field(
        720.0, "Time between two records of the status of agents", gt=0, le=8784, unit="h"
    )


class BasicIncomeSettings(PlaceSettings):
    """Settings of the basic income scenario."""

    agents: int = Field(
        2500, "Citizens of all ages; all for one per resident of the place", ge=10, le=10_000_000
    )
    place: str = Field(
        "none",
        "none, charleston, columbia, or a folder or CSV file of zones, whose people are "
        "synthesised",
        names="file",
        words=("none", "charleston", "columbia"),
    )
    days: float = Field(
        3600.0, "Length of the run, 30 days per calendar month", gt=0, le=36_600, unit="d"
    )
    tick: float = Field(
        720.0,
        "Length of a step, a calendar month counted as 30 days: wages, prices and taxes are "
        "monthly",
        ge=720.0,
        le=720.0,
        unit="h",
    )
    amount: float = Field(
        1000.0,
        "Basic income per adult; with schedule=once a single payment",
        ge=0,
        le=100_000,
        unit="USD/month",
    )
    funding: Funding = Field(
        "tax", "Funding: surtax on market income (tax), new money (created), or debt (none)"
    )
    start: int = Field(96, "First month of the policy, from 0", ge=0, le=12_000, unit="months")  # type: ignore[assignment]
    schedule: Schedule = Field("monthly", "Payment every month, or once")
    who: Covered = Field("all", "Adults covered: all, low_income, or unemployed")
    record: RecordSettings = MonthlyRecordSettings()
    retrieval: dict[str, Profile] = Field(
        PROFILES, "Custom retrieval profiles, by name", names="word"
    )
    policy: PolicySettings = PolicySettings()
    taxes: TaxSettings = TaxSettings()
    benefits: BenefitSettings = BenefitSettings()
    review: ReviewSettings = ReviewSettings()
    purchases: PurchaseSettings = PurchaseSettings()
    demography: DemographySettings = DemographySettings()
    firms: FirmSettings = FirmSettings()
    labour_market: LabourMarketSettings = LabourMarketSettings()
    goods_market: GoodsMarketSettings = GoodsMarketSettings()
    bank: BankSettings = BankSettings()
    bureau: BureauSettings = BureauSettings()
    shocks: ShockSettings = ShockSettings()
    earnings: EarningsSettings = EarningsSettings()
    labour_supply: LabourSupplySettings = LabourSupplySettings()
    consumption: ConsumptionSettings = ConsumptionSettings()
    months: MonthSettings = MonthSettings()
    talk: TalkSettings = TalkSettings()
    sleep: SleepSettings = SleepSettings()
    cognition: CognitionSettings = COGNITION
    origins: ClassVar[Mapping[str, Origin]] = dict.fromkeys(
        (f"cognition.{name}" for name in ("attitude_rate", "calm_half_life", "fresh", "gain")),
        "illustrative",
    )
    wellbeing: WellbeingSettings = WellbeingSettings()
    panel: PanelSettings = PanelSettings()

    @model_validator(mode="after")
    def _starts_within_the_run(self) -> Any:
        months = int(self.days * 24 / self.tick + 0.5)
        if self.amount > 0 and not months:
            raise SettingsError(
                f"days={self.days:g}: the run has no month for the policy; set days to "
                f"{30 * (self.start + 1)} or more, or amount=0 for no policy"
            )
        if self.amount > 0 and self.start >= months:
            raise SettingsError(
                f"start={self.start}: the policy would begin after the run, which has "
                f"{months} months (0 to {months - 1}); set start below {months}, increase days "
                f"({30 * (self.start + 1)} or more), or set amount=0 for no policy"
            )
        return self
