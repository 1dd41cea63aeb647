"""Settings of memory in the decisions of firms, the bank and the statistics bureau."""

from memopolis.sim.settings import Field, SettingsGroup, Share


class FirmMemorySettings(SettingsGroup, origin="illustrative"):
    """Effect of a firm's memories on its decisions."""

    memories: int = Field(12, "Memories of each kind recalled for a decision", ge=1, le=100)
    span: float = Field(
        24.0, "Age from which memories have no weight", gt=0, le=1_000, unit="months"
    )
    curvature: float = Field(
        1.5,
        "Weight of recent experience; 0 for equal weights (Malmendier and Nagel 2011)",
        ge=0,
        le=20,
        origin="recalled",
    )
    sales: Share = Field(
        0.3, "Weight of recalled surprises in expected sales, the rest is the latest surprise"
    )
    price: float = Field(
        0.05,
        "Maximum shift of the stocks at which prices change, by recalled shortages and sales",
        ge=0,
        le=2,
        unit="months",
    )
    stock: float = Field(
        0.1,
        "Maximum addition to the target stock, by recalled shortages",
        ge=0,
        le=6,
        unit="months",
    )
    wage: float = Field(
        0.5,
        "Maximum relative extension of the months before a wage cut, by recalled staff shortages",
        ge=0,
        le=10,
    )


class BankMemorySettings(SettingsGroup, origin="illustrative"):
    """Effect of the bank's memories on its interest rate."""

    memories: int = Field(24, "Memories of inflation recalled", ge=1, le=100)
    span: float = Field(
        60.0, "Age from which memories have no weight", gt=0, le=1_000, unit="months"
    )
    curvature: float = Field(
        3.0,
        "Weight of recent experience; 0 for equal weights (Malmendier and Nagel 2016)",
        ge=0,
        le=20,
        origin="recalled",
    )
    inflation: Share = Field(
        0.5, "Weight of recalled inflation in expected inflation, the rest is the latest figure"
    )


class BureauSettings(SettingsGroup, origin="illustrative"):
    """Headlines of the statistics bureau."""

    headlines: bool = Field(True, "Whether the bureau makes news of its figures", origin="choice")
    headline_every: int = Field(
        3, "Time between two headlines", ge=1, le=120, unit="months", origin="choice"
    )
    memories: int = Field(72, "Published figures recalled for a headline", ge=1, le=200)
    importance: Share = Field(0.1, "Importance of a headline to citizens")
