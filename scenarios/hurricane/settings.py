"""Settings of the hurricane scenario, each with its origin."""

from datetime import datetime

from memopolis.agents.blocks.cognition import HourlyCognitionSettings
from memopolis.agents.blocks.needs import NeedSettings
from memopolis.agents.blocks.plan import PlanSettings
from memopolis.agents.blocks.sleep import SleepSettings
from memopolis.agents.blocks.social import SocialSettings
from memopolis.sim.settings import (
    Field,
    LocalTime,
    PlanRecordSettings,
    Settings,
    SettingsGroup,
)


class DecisionSettings(SettingsGroup):
    """Evacuation decision of adults and households."""

    every: float = Field(
        3.0,
        gt=0,
        le=48,
        unit="h",
        origin="illustrative",
        description="Time between two decisions of a household",
    )
    alert: float = Field(
        36.0,
        gt=0,
        le=240,
        unit="h",
        origin="illustrative",
        description="Time after a memory of danger during which people decide",
    )
    memories: int = Field(
        10, ge=1, le=100, origin="illustrative", description="Memories recalled for a decision"
    )
    constant: float = Field(
        -10.4,
        ge=-20,
        le=10,
        origin="calibrated",
        description="Constant of the logit, fitted to Dorian",
    )
    mandatory: float = Field(
        1.0,
        ge=-5,
        le=10,
        origin="computed",
        description="Logit of a mandatory order (Irma phones)",
    )
    voluntary: float = Field(
        0.05,
        ge=-5,
        le=10,
        origin="computed",
        description="Logit of a voluntary order (Irma phones)",
    )
    mobile_home: float = Field(
        1.0, ge=-5, le=10, origin="illustrative", description="Logit of a mobile home"
    )
    surge: float = Field(
        0.8, ge=-5, le=10, origin="illustrative", description="Logit of the surge zone"
    )
    contacts: float = Field(
        1.0, ge=-5, le=10, origin="illustrative", description="Logit of all contacts having left"
    )
    threat: float = Field(
        6.0, ge=-5, le=20, origin="calibrated", description="Logit of a threat of 1"
    )
    threat_scale: float = Field(
        4.0,
        gt=0,
        le=100,
        origin="calibrated",
        description="Weighted sum of memories at which threat is 1 - 1/e",
    )
    relief: float = Field(
        3.0,
        ge=0,
        le=100,
        origin="illustrative",
        description="Weight of memories of relief relative to danger",
    )
    coping: float = Field(
        0.4, ge=-5, le=10, origin="illustrative", description="Logit of a coping appraisal of 1"
    )
    trust: float = Field(
        0.3,
        ge=-5,
        le=10,
        origin="illustrative",
        description="Logit of full trust in the government, under an order",
    )
    left_before: float = Field(
        0.2,
        ge=-5,
        le=10,
        origin="illustrative",
        description="Logit of remembering to have left for an earlier storm",
    )
    female: float = Field(
        0.2, ge=-5, le=10, origin="illustrative", description="Logit of being a woman"
    )
    spread: float = Field(
        3.5,
        ge=0,
        le=10,
        origin="calibrated",
        description="Standard deviation of households' fixed inclination, in logits",
    )
    pace: float = Field(
        0.3,
        gt=0,
        le=1,
        origin="calibrated",
        description="Probability that a fully ready household leaves at a decision by day",
    )
    night: float = Field(
        0.08,
        ge=0,
        le=1,
        origin="illustrative",
        description="Pace from midnight to six, relative to the day",
    )
    evening: float = Field(
        0.4,
        ge=0,
        le=1,
        origin="illustrative",
        description="Pace from eight to midnight, relative to the day",
    )
    too_late: float = Field(
        18.0,
        ge=0,
        le=120,
        unit="h",
        origin="illustrative",
        description="Hours before gales from which departures decline",
    )
    most_concerned: float = Field(
        1.0,
        ge=0,
        le=1,
        origin="illustrative",
        description="Weight of the most concerned adult relative to the mean of adults",
    )


class EvacuationSettings(SettingsGroup):
    """Roads, destinations, shelters and return."""

    packing: float = Field(
        5.0,
        gt=0,
        le=72,
        unit="h",
        origin="illustrative",
        description="Mean time from decision to departure",
    )
    road_capacity: float = Field(
        4_500.0,
        gt=0,
        le=1e6,
        unit="vehicles/h",
        origin="illustrative",
        description="Road capacity out of the region",
    )
    contraflow: float = Field(
        1.6,
        ge=1,
        le=3,
        origin="illustrative",
        description="Capacity with reversed lanes, relative to normal",
    )
    family: float = Field(
        0.65,
        ge=0,
        le=1,
        origin="found",
        description="Share to family or friends (Smith and McCarty 2009)",
    )
    hotel: float = Field(0.15, ge=0, le=1, origin="found", description="Share to hotels")
    shelter: float = Field(0.06, ge=0, le=1, origin="found", description="Share to public shelters")
    other: float = Field(0.14, ge=0, le=1, origin="found", description="Share elsewhere")
    beds: float = Field(
        0.05, ge=0, le=1, origin="illustrative", description="Shelter beds per citizen"
    )
    back_family: float = Field(
        22.0,
        gt=0,
        le=1_000,
        unit="h",
        origin="illustrative",
        description="Mean waking time until return from family or friends",
    )
    back_hotel: float = Field(
        14.0,
        gt=0,
        le=1_000,
        unit="h",
        origin="illustrative",
        description="Mean waking time until return from a hotel",
    )
    back_shelter: float = Field(
        9.0,
        gt=0,
        le=1_000,
        unit="h",
        origin="illustrative",
        description="Mean waking time until return from a shelter",
    )
    back_other: float = Field(
        22.0,
        gt=0,
        le=1_000,
        unit="h",
        origin="illustrative",
        description="Mean waking time until return from elsewhere",
    )


class DailyLifeSettings(SettingsGroup):
    """Effects of a storm on daily life."""

    gust_home: float = Field(
        40.0,
        gt=0,
        le=200,
        unit="kt",
        origin="illustrative",
        description="Gust above which people stay at home",
    )
    gust_doubt: float = Field(
        25.0,
        ge=0,
        le=200,
        unit="kt",
        origin="illustrative",
        description="Gust from which some outings are cancelled",
    )
    prepare_rate: float = Field(
        0.25,
        ge=0,
        le=1,
        unit="1/h",
        origin="calibrated",
        description="Probability that a threatened household prepares",
    )
    prepare_within: float = Field(
        60.0,
        gt=0,
        le=240,
        unit="h",
        origin="illustrative",
        description="Hours before arrival during which people prepare",
    )


class HurricaneSettings(Settings):
    """Settings of the hurricane scenario."""

    days: float = Field(14.0, gt=0, le=120, unit="d", description="Length of the run")
    tick: float = Field(
        1.0, gt=0, le=6, unit="h", description="Length of a step; long steps omit meals and trips"
    )
    start: LocalTime | None = Field(
        None, description="Start of the run; none for 8 days before the nearest approach"
    )  # type: ignore[assignment]
    place: str = Field("charleston", names="word", description="charleston or columbia")
    zones: str = Field(
        "default",
        names="file",
        words=("default",),
        description="Zones of the place (default), or a CSV file",
    )
    storm: str = Field(
        "dorian",
        names="file",
        words=("dorian", "florence", "matthew", "ian", "none"),
        description="dorian, florence, matthew, ian, none, or a CSV file with HURDAT2 columns",
    )
    orders: str = Field(
        "default",
        names="file",
        words=("default", "none"),
        description="Dorian's orders, shifted to nearest approach (default), none, or a CSV file",
    )
    wind: str = Field(
        "rankine",
        names="word",
        description="Wind model: rankine, holland_1980 or holland_2010",
    )
    forecast_error: float = Field(
        1.0,
        ge=0,
        le=5,
        origin="found",
        description="Forecast errors relative to the National Hurricane Center's",
    )
    trust_at_start: float = Field(
        8.0, ge=0, le=10, origin="illustrative", description="Initial trust in the government"
    )
    preparedness_at_start: float = Field(
        3.0,
        ge=0,
        le=10,
        origin="illustrative",
        description="Initial attitude to emergency preparedness",
    )
    past_storms: bool = Field(
        True,
        origin="illustrative",
        description="Whether people remember the storms of 2016 and 2018",
    )
    record: PlanRecordSettings = PlanRecordSettings()
    needs: NeedSettings = NeedSettings()
    plans: PlanSettings = PlanSettings()
    social: SocialSettings = SocialSettings()
    sleep: SleepSettings = SleepSettings()
    cognition: HourlyCognitionSettings = HourlyCognitionSettings()
    decision: DecisionSettings = DecisionSettings()
    evacuation: EvacuationSettings = EvacuationSettings()
    daily: DailyLifeSettings = DailyLifeSettings()


FIRST_DAY_OF_DORIAN = datetime(2019, 8, 28)
"""Start of a run without a storm, equal to Dorian's."""
