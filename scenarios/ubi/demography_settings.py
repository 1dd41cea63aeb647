"""Settings of births, deaths, migration and household formation."""

from memopolis.sim.settings import Field, SettingsGroup


class DemographySettings(SettingsGroup, origin="illustrative"):
    """Demography; birth and death rates are tables."""

    births: float = Field(
        1.0,
        "Births relative to the rates of the United States in 2019; 0 for none",
        ge=0,
        le=10,
        origin="recalled",
    )
    deaths: float = Field(
        1.0,
        "Deaths relative to the rates of the United States in 2019; 0 for none",
        ge=0,
        le=10,
        origin="recalled",
    )
    moves: float = Field(
        0.03,
        "Share of households that leave the society per year; as many, relative to the "
        "initial number, move in",
        ge=0,
        le=1,
        unit="1/year",
    )
    leave_home: float = Field(
        0.15, "Rate at which employed adult dependants leave home", ge=0, le=1, unit="1/year"
    )
    take_along: float = Field(0.1, "Share of the household's money they take along", ge=0, le=1)
    pair: float = Field(
        0.6, "Share of them that move in with a partner, if a single one is available", ge=0, le=1
    )
    seek_work: float = Field(0.5, "Share of young adults that look for work at age 18", ge=0, le=1)
    finish: float = Field(
        0.2,
        "Share of the others that start looking for work at each birthday up to 26",
        ge=0,
        le=1,
        unit="1/year",
    )
    inherit: float = Field(
        0.9,
        "Share of an estate that another household inherits; the state gets the rest",
        ge=0,
        le=1,
    )
