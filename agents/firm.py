"""The firm: employs citizens of its zone and sells what they buy."""

from memopolis.agents.institution import Institution
from memopolis.sim.population import attribute


class Firm(Institution):
    """A workplace and shop."""

    zone: int = attribute(0, "Zone of the firm", role="zone", dtype="i2", record=True)
    employees: int = attribute(0, "Number of employees", role="count", record=True)
    price: float = attribute(25.0, "Price of a basket of goods", unit="USD", record=True)
    productivity: float = attribute(1.0, "Baskets produced per hour", unit="1/h")
    inventory: float = attribute(0.0, "Baskets in stock", record=True)
    target_stock: float = attribute(
        float("inf"), "Baskets in stock up to which goods are produced", low=0, record=True
    )
    open: bool = attribute(True, "Whether the store is open", record=True)
    sold: int = attribute(0, "Baskets sold in this step")
    turned_away: int = attribute(
        0, "Customers in this step who found nothing in stock", role="count", record=True
    )
