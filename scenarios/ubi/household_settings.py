"""Settings of citizens and households: work, consumption, wellbeing and demography."""

from typing import Annotated, Literal

from pydantic import AfterValidator

from memopolis.sim.declarations import FROM_TABLE, read_declarations
from memopolis.sim.settings import SettingsGroup, Share

TABLE = read_declarations(__file__, "settings.toml")

GOODS = ("food", "housing", "transport", "other")
"""Kinds of goods, which are also the sectors of firms."""

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


class WorkExperienceSettings(SettingsGroup, table=TABLE["labour_supply"]["experience"]):
    """Effect of recalled events on desired hours."""

    span: float = FROM_TABLE
    curvature: float = FROM_TABLE
    precaution: float = FROM_TABLE
    pay: float = FROM_TABLE
    noted: Share = FROM_TABLE


class SpendingExperienceSettings(SettingsGroup, table=TABLE["consumption"]["experience"]):
    """Effect of recalled events on spending."""

    span: float = FROM_TABLE
    curvature: float = FROM_TABLE
    caution: float = FROM_TABLE
    restraint: Share = FROM_TABLE
    noted: Share = FROM_TABLE


class LabourSupplySettings(SettingsGroup, table=TABLE["labour_supply"]):
    """Labour supply."""

    substitution: float = FROM_TABLE
    income_effect: float = FROM_TABLE
    join_substitution: float = FROM_TABLE
    join_income_effect: float = FROM_TABLE
    wish_effect: float = FROM_TABLE
    usual_wish: float = FROM_TABLE
    kept: float = FROM_TABLE
    notice: float = FROM_TABLE
    least: float = FROM_TABLE
    memories: int = FROM_TABLE
    experience: WorkExperienceSettings = WorkExperienceSettings()


class ConsumptionSettings(SettingsGroup, table=TABLE["consumption"]):
    """Consumption; quintiles from the lowest to the highest."""

    rule: Literal["buffer", "econagent"] = FROM_TABLE
    mpc: PartsByQuintile = FROM_TABLE
    buffer: ByQuintile = FROM_TABLE
    pace: Share = FROM_TABLE
    habit: float = FROM_TABLE
    subsistence: float = FROM_TABLE
    comfort: float = FROM_TABLE
    basic: Shares = FROM_TABLE
    marginal: Shares = FROM_TABLE
    beyond: Shares = FROM_TABLE
    unit_price: float = FROM_TABLE
    memories: int = FROM_TABLE
    experience: SpendingExperienceSettings = SpendingExperienceSettings()


class MonthSettings(SettingsGroup, table=TABLE["months"]):
    """Memories of a month."""

    least_change: Share = FROM_TABLE
    scale: float = FROM_TABLE
    needs: float = FROM_TABLE
    adaptation: float = FROM_TABLE
    strain: Share = FROM_TABLE
    troubles: Share = FROM_TABLE
    trouble_size: float = FROM_TABLE
    joys: Share = FROM_TABLE
    burden: ByQuintile = FROM_TABLE
    unequal: float = FROM_TABLE


class WellbeingSettings(SettingsGroup, table=TABLE["wellbeing"]):
    """Needs and life satisfaction."""

    setpoint: float = FROM_TABLE
    spread: float = FROM_TABLE
    level: float = FROM_TABLE
    change: float = FROM_TABLE
    adaptation: float = FROM_TABLE
    feelings: float = FROM_TABLE
    jobless: float = FROM_TABLE
    rested: Share = FROM_TABLE
    by_hours: Share = FROM_TABLE
    by_strain: float = FROM_TABLE
    alone: Share = FROM_TABLE
    by_others: Share = FROM_TABLE
    by_work: Share = FROM_TABLE
    disposition: Share = FROM_TABLE


class PanelSettings(SettingsGroup, table=TABLE["panel"]):
    """The panel survey of depression and life satisfaction."""

    every: int = FROM_TABLE
    size: int = FROM_TABLE


class DemographySettings(SettingsGroup, table=TABLE["demography"]):
    """Demography; birth and death rates are tables."""

    births: float = FROM_TABLE
    deaths: float = FROM_TABLE
    moves: Share = FROM_TABLE
    leave_home: Share = FROM_TABLE
    take_along: Share = FROM_TABLE
    pair: Share = FROM_TABLE
    seek_work: Share = FROM_TABLE
    finish: Share = FROM_TABLE
    inherit: Share = FROM_TABLE
