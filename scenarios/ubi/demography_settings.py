"""Settings of births, deaths, moves and new households."""

from memopolis.sim.settings import Field, SettingsGroup


class DemographySettings(SettingsGroup):
    """How people and households come and go; rates of births and deaths are tables."""

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
        description="Share of households that leave the society in a year, and of the first "
        "households that move in",
    )
    leave_home: float = Field(
        0.15,
        ge=0,
        le=1,
        unit="1/year",
        origin="illustrative",
        description="Rate at which grown dependants with a job found a household of their own",
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
        description="Share of them who move in with a partner who lives alone, if there is one",
    )
    seek_work: float = Field(
        0.5,
        ge=0,
        le=1,
        origin="illustrative",
        description="Share of those who come of age that look for work at once",
    )
    finish: float = Field(
        0.2,
        ge=0,
        le=1,
        unit="1/year",
        origin="illustrative",
        description="Share of the others who look for work at each birthday up to 26",
    )
    inherit: float = Field(
        0.9,
        ge=0,
        le=1,
        origin="illustrative",
        description="Share of estates that another household inherits; the state has the rest",
    )
