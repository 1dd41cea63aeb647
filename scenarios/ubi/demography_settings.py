"""Settings of births, deaths, migration and household formation."""

from memopolis.sim.settings import Field, SettingsGroup, Share


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
    moves: Share = Field(
        0.03,
        "Share of households that leave the society per year; as many, relative to the "
        "initial number, move in",
        unit="1/year",
    )
    leave_home: Share = Field(
        0.15, "Rate at which employed adult dependants leave home", unit="1/year"
    )
    take_along: Share = Field(0.1, "Share of the household's money they take along")
    pair: Share = Field(
        0.6, "Share of them that move in with a partner, if a single one is available"
    )
    seek_work: Share = Field(0.5, "Share of young adults that look for work at age 18")
    finish: Share = Field(
        0.2,
        "Share of the others that start looking for work at each birthday up to 26",
        unit="1/year",
    )
    inherit: Share = Field(
        0.9, "Share of an estate that another household inherits; the state gets the rest"
    )
