"""The bank: holds all deposits, grants loans and sets the interest rate."""

from memopolis.agents.institution import Institution
from memopolis.sim.population import attribute


class Bank(Institution):
    """The only bank, which is also the central bank.

    Every account of the society, its own capital included, is a deposit with the bank, so
    deposits = loans + reserves.
    """

    rate: float = attribute(0.03, "Interest rate on loans", unit="1/year", low=0, record=True)
    deposits: int = attribute(0, "Sum of all accounts", unit="cents", dtype="i8", record=True)
    loans: int = attribute(0, "Loans outstanding", unit="cents", dtype="i8", record=True)
    reserves: int = attribute(
        0, "Money created without a loan", unit="cents", dtype="i8", record=True
    )
    capital: int = attribute(0, "Capital of the bank", unit="cents", dtype="i8", record=True)
    lent: int = attribute(0, "Loans granted in this step", unit="cents", dtype="i8", record=True)
    repaid: int = attribute(0, "Loans repaid in this step", unit="cents", dtype="i8", record=True)
    written_off: int = attribute(
        0, "Loans written off in this step", unit="cents", dtype="i8", record=True
    )
    interest_paid: int = attribute(
        0, "Interest on deposits paid in this step", unit="cents", dtype="i8"
    )
    interest_taken: int = attribute(0, "Interest received in this step", unit="cents", dtype="i8")
