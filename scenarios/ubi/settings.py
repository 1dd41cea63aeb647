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
    LabourSupplySettings,
    MonthSettings,
    PanelSettings,
    WellbeingSettings,
)
from memopolis.sim.declarations import FROM_TABLE, read_declarations
from memopolis.sim.errors import SettingsError
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.settings import Field, Origin, RecordSettings

TABLE = read_declarations(__file__, "settings.toml")


class MonthlyRecordSettings(RecordSettings, table=TABLE["record"]):
    """Recording; agents once a month."""

    agents_every: float = FROM_TABLE


class BasicIncomeSettings(PlaceSettings, table=TABLE):
    """Settings of the basic income scenario."""

    agents: int = FROM_TABLE
    place: str = FROM_TABLE
    days: float = FROM_TABLE
    tick: float = FROM_TABLE
    amount: float = FROM_TABLE
    funding: Funding = FROM_TABLE
    start: int = FROM_TABLE  # type: ignore[assignment]
    schedule: Schedule = FROM_TABLE
    who: Covered = FROM_TABLE
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
    labour_supply: LabourSupplySettings = LabourSupplySettings()
    consumption: ConsumptionSettings = ConsumptionSettings()
    months: MonthSettings = MonthSettings()
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
