"""Settings of births, deaths, migration and household formation."""

from memopolis.sim.settings import Field, SettingsGroup


class DemographySettings(SettingsGroup):
    """Demography; birth and death rates are tables."""

    births: float = Field(
        1.0,
        ge=0,
        le=10,
        origin="recalled",
        description="Births relative to the rates of the United States in 2019; 0 for none",
    )
    deaths: float = Field(
        1.0,
        ge=0,
        le=10,
        origin="recalled",
        description="Deaths relative to the rates of the United States in 2019; 0 for none",
    )
    moves: float = Field(
        0.03,
        ge=0,
        le=1,
        unit="1/year",
        origin="illustrative",
        description="Share of households that leave the society per year; as many, relative to the "
        "initial number, move in",
    )
    leave_home: float = Field(
        0.15,
        ge=0,
        le=1,
        unit="1/year",
        origin="illustrative",
        description="Rate at which employed adult dependants leave home",
    )
    take_along: float = Field(
        0.1,
        ge=0,
        le=1,
        origin="illustrative",
        description="Share of the household's money they take along",
    )
    pair: float = Field(
        0.6,
        ge=0,
        le=1,
        origin="illustrative",
        description="Share of them that move in with a partner, if a single one is available",
    )
    seek_work: float = Field(
        0.5,
        ge=0,
        le=1,
        origin="illustrative",
        description="Share of young adults that look for work at age 18",
    )
    finish: float = Field(
        0.2,
        ge=0,
        le=1,
        unit="1/year",
        origin="illustrative",
        description="Share of the others that start looking for work at each birthday up to 26",
    )
    inherit: float = Field(
        0.9,
        ge=0,
        le=1,
        origin="illustrative",
        description="Share of an estate that another household inherits; the state gets the rest",
    )
