"""Settings of the hurricane scenario, each with its origin."""

from datetime import datetime
from typing import Literal

from memopolis.agents.block_settings import (
    HourlyCognitionSettings,
    NeedSettings,
    PlanSettings,
    SleepSettings,
    SocialSettings,
)
from memopolis.scenarios.places.settings import PlaceSettings
from memopolis.sim.declarations import FROM_TABLE, read_declarations
from memopolis.sim.settings import LocalTime, PlanRecordSettings, SettingsGroup, Share

TABLE = read_declarations(__file__, "settings.toml")

WindModel = Literal["rankine", "holland_1980", "holland_2010"]
"""Wind profiles; the default is Rankine, fitted to the observed radius of 34 kt."""


class DecisionSettings(SettingsGroup, table=TABLE["decision"]):
    """Evacuation decision of adults and households."""

    every: float = FROM_TABLE
    alert: float = FROM_TABLE
    memories: int = FROM_TABLE
    key_memories: int = FROM_TABLE
    constant: float = FROM_TABLE
    mandatory: float = FROM_TABLE
    voluntary: float = FROM_TABLE
    mobile_home: float = FROM_TABLE
    surge: float = FROM_TABLE
    contacts: float = FROM_TABLE
    threat: float = FROM_TABLE
    threat_scale: float = FROM_TABLE
    relief: float = FROM_TABLE
    coping: float = FROM_TABLE
    trust: float = FROM_TABLE
    left_before: float = FROM_TABLE
    female: float = FROM_TABLE
    spread: float = FROM_TABLE
    pace: float = FROM_TABLE
    night: Share = FROM_TABLE
    evening: Share = FROM_TABLE
    too_late: float = FROM_TABLE
    most_concerned: Share = FROM_TABLE


class EvacuationSettings(SettingsGroup, table=TABLE["evacuation"]):
    """Departure, destinations, shelters and return."""

    packing: float = FROM_TABLE
    family: Share = FROM_TABLE
    hotel: Share = FROM_TABLE
    shelter: Share = FROM_TABLE
    other: Share = FROM_TABLE
    beds: Share = FROM_TABLE
    back_family: float = FROM_TABLE
    back_hotel: float = FROM_TABLE
    back_shelter: float = FROM_TABLE
    back_other: float = FROM_TABLE


class RoadSettings(SettingsGroup, table=TABLE["roads"]):
    """Roads and traffic."""

    table: str = FROM_TABLE
    capacity: float = FROM_TABLE
    contraflow: float = FROM_TABLE
    choice: float = FROM_TABLE


class DailyLifeSettings(SettingsGroup, table=TABLE["daily"]):
    """Effects of a storm on daily life."""

    gust_home: float = FROM_TABLE
    gust_doubt: float = FROM_TABLE
    prepare_rate: Share = FROM_TABLE
    prepare_within: float = FROM_TABLE


class FirmSettings(SettingsGroup, table=TABLE["firms"]):
    """Decisions of firms."""

    memories: int = FROM_TABLE
    every: float = FROM_TABLE
    close_at: float = FROM_TABLE
    reopen_at: float = FROM_TABLE
    missing_staff: float = FROM_TABLE
    experience: float = FROM_TABLE
    cover: float = FROM_TABLE
    shortage: float = FROM_TABLE
    adapt: Share = FROM_TABLE


class GovernmentSettings(SettingsGroup, table=TABLE["government"]):
    """Decisions of the government."""

    memories: int = FROM_TABLE
    every: float = FROM_TABLE
    voluntary_at: Share = FROM_TABLE
    mandatory_at: Share = FROM_TABLE
    lifted_at: Share = FROM_TABLE
    shelters_at: Share = FROM_TABLE
    reaction: float = FROM_TABLE
    past: float = FROM_TABLE
    messages: bool = FROM_TABLE


class HurricaneSettings(PlaceSettings, table=TABLE):
    """Settings of the hurricane scenario."""

    days: float = FROM_TABLE
    tick: float = FROM_TABLE
    start: LocalTime | None = FROM_TABLE  # type: ignore[assignment]
    place: str = FROM_TABLE
    storm: str = FROM_TABLE
    storm_name: str = FROM_TABLE
    orders: str = FROM_TABLE
    wind: WindModel = FROM_TABLE
    forecast_error: float = FROM_TABLE
    trust_at_start: float = FROM_TABLE
    preparedness_at_start: float = FROM_TABLE
    past_storms: str = FROM_TABLE
    record: PlanRecordSettings = PlanRecordSettings()
    needs: NeedSettings = NeedSettings()
    plans: PlanSettings = PlanSettings()
    social: SocialSettings = SocialSettings()
    sleep: SleepSettings = SleepSettings()
    cognition: HourlyCognitionSettings = HourlyCognitionSettings()
    decision: DecisionSettings = DecisionSettings()
    evacuation: EvacuationSettings = EvacuationSettings()
    roads: RoadSettings = RoadSettings()
    daily: DailyLifeSettings = DailyLifeSettings()
    firms: FirmSettings = FirmSettings()
    government: GovernmentSettings = GovernmentSettings()


FIRST_DAY_OF_DORIAN = datetime(2019, 8, 28)  # start of a run without a storm, equal to Dorian's
