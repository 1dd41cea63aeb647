"""The government: collects taxes, pays benefits, and orders."""

from memopolis.sim.population import Agent, attribute


class Government(Agent):
    """The public authorities as one agent."""

    tax_rate: float = attribute(
        0.12, description="Share of wages withheld (illustrative)", low=0, high=1
    )
    revenue: int = attribute(
        0, description="Taxes taken in this step", unit="cents", dtype="i8", record=True
    )
    benefits: int = attribute(
        0, description="Benefits paid in this step", unit="cents", dtype="i8", record=True
    )
