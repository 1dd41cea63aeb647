"""Settings of the effects of experience on work and spending."""

from memopolis.sim.settings import Field, SettingsGroup, Share


class WorkExperienceSettings(SettingsGroup, origin="illustrative"):
    """Effect of recalled events on desired hours."""

    span: float = Field(
        60.0, "Age from which memories have no weight", gt=0, le=1_200, unit="months"
    )
    curvature: float = Field(
        1.5,
        "Weight of recent experience; 0 for equal weights (Malmendier and Nagel 2011)",
        ge=0,
        le=20,
        origin="recalled",
    )
    precaution: float = Field(
        0.02,
        "Maximum relative increase of hours, by recalled job loss and money troubles",
        ge=0,
        le=0.5,
    )
    pay: float = Field(
        0.01, "Maximum relative change of hours, by recalled changes of pay", ge=0, le=0.5
    )
    noted: Share = Field(0.04, "Relative change of desired hours that is remembered as a decision")


class SpendingExperienceSettings(SettingsGroup, origin="illustrative"):
    """Effect of recalled events on spending."""

    span: float = Field(
        60.0, "Age from which memories have no weight", gt=0, le=1_200, unit="months"
    )
    curvature: float = Field(
        1.5,
        "Weight of recent experience; 0 for equal weights (Malmendier and Nagel 2011)",
        ge=0,
        le=20,
        origin="recalled",
    )
    caution: float = Field(
        0.5,
        "Maximum relative increase of the target buffer, by recalled job loss and money troubles",
        ge=0,
        le=10,
    )
    restraint: Share = Field(
        0.03, "Maximum relative reduction of spending, by recalled job loss and money troubles"
    )
    noted: Share = Field(0.1, "Relative change of spending that is remembered as a decision")
