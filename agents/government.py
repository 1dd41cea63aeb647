"""The government: collects taxes, pays benefits and issues orders."""

from memopolis.agents.institution import Institution
from memopolis.sim.population import attribute


class Government(Institution):
    """All public authorities as one agent."""

    tax_rate: float = attribute(0.12, "Share of wages withheld (illustrative)", low=0, high=1)
    revenue: int = attribute(
        0, "Taxes collected since the start", unit="cents", dtype="i8", record=True
    )
    benefits: int = attribute(
        0, "Benefits paid since the start", unit="cents", dtype="i8", record=True
    )
