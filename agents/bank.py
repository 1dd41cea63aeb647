"""The bank: keeps all money, lends, and sets the rate of interest."""

from memopolis.sim.population import Agent, attribute


class Bank(Agent):
    """The one bank, which is central bank as well.

    Every account of the society is a deposit with it, its own capital among them, so
    deposits = loans + reserves.
    """

    rate: float = attribute(
        0.03, description="Rate of interest on loans", unit="1/year", low=0, record=True
    )
    deposits: int = attribute(
        0, description="Sum of all accounts", unit="cents", dtype="i8", record=True
    )
    loans: int = attribute(
        0, description="Loans outstanding", unit="cents", dtype="i8", record=True
    )
    reserves: int = attribute(
        0, description="Money created without a loan", unit="cents", dtype="i8", record=True
    )
    capital: int = attribute(0, description="Its own money", unit="cents", dtype="i8", record=True)
    lent: int = attribute(0, description="Lent in this step", unit="cents", dtype="i8", record=True)
    repaid: int = attribute(
        0, description="Repaid in this step", unit="cents", dtype="i8", record=True
    )
    written_off: int = attribute(
        0, description="Loans given up in this step", unit="cents", dtype="i8", record=True
    )
    interest_paid: int = attribute(
        0, description="Interest on deposits paid in this step", unit="cents", dtype="i8"
    )
    interest_taken: int = attribute(
        0, description="Interest on loans taken in this step", unit="cents", dtype="i8"
    )
