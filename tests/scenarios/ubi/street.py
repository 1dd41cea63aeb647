"""A street of three households, whose money and work a test sets by hand."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np

from memopolis.scenarios.ubi.people import (
    RELATIONS,
    Bank,
    Citizen,
    Firm,
    Government,
    Household,
    Labour,
    StatisticsBureau,
)
from memopolis.scenarios.ubi.settings import BasicIncomeSettings
from memopolis.sim.block import Block
from memopolis.sim.society import Society
from memopolis.sim.world.ledger import Ledger

LABOUR = (
    Labour.EMPLOYED,
    Labour.EMPLOYED,
    Labour.UNEMPLOYED,
    Labour.CHILD,
    Labour.RETIRED,
)
HEAD, SPOUSE, DEPENDANT = (RELATIONS.index(name) for name in ("head", "spouse", "dependant"))


class Street(Society[BasicIncomeSettings]):
    """Ann (0) lives alone and works; Bob (1) and Cyd (2) have a child (3); Dan (4) is retired."""

    order = ("firm", "citizen", "government", "household", "bank", "statistics_bureau")

    @classmethod
    def starts(cls, settings: BasicIncomeSettings) -> datetime:
        del settings
        return datetime(2019, 1, 1)

    def build(self, settings: BasicIncomeSettings) -> None:
        del settings
        self.citizens = self.populate(
            Citizen,
            5,
            status={
                "age": np.array([30, 40, 41, 8, 70]),
                "household": np.array([0, 1, 1, 1, 2]),
                "relation": np.array([HEAD, SPOUSE, HEAD, DEPENDANT, HEAD]),
                "labour": np.array(LABOUR),
                "employer": np.array([0, 1, -1, -1, -1]),
                "wage": np.array([20.0, 30.0, 0.0, 0.0, 0.0]),
                "skill": np.array([20.0, 30.0, 25.0, 0.0, 25.0]),
                "usual_hours": np.array([40.0, 40.0, 20.0, 0.0, 0.0]),
                "pay": np.array([340_000, 510_000, 0, 0, 0]),
                "insured": np.array([340_000, 510_000, 0, 0, 0]),
            },
        )  # fmt: skip
        self.firms = self.populate(Firm, 2)
        self.government = self.populate(Government, 1)
        self.households = self.populate(
            Household,
            3,
            status={
                "size": np.array([1, 3, 1]),
                "quintile": np.array([1, 3, 5]),
                "account": np.array([1, 2, 3]),
                "disposable": np.array([250_000, 400_000, 300_000]),
                "usual": np.array([250_000, 400_000, 300_000]),
                "consumption": np.array([240_000, 390_000, 290_000]),
                "deposit": np.array([500_000, 500_000, 500_000]),
            },
        )
        self.bank = self.populate(Bank, 1)
        self.bureau = self.populate(StatisticsBureau, 1)
        self.ledger = Ledger()
        bank = self.ledger.open("bank", issuer=True)
        homes = self.ledger.open("household", 3)
        self.ledger.create(bank[0], 1_950_000, "opening")
        self.ledger.pay(bank[0], homes, [375_000, 1_200_000, 375_000], "opening")


def street(**changes: Any) -> Street:
    return Street(rng=1, amount=0, agents=10, **changes)


def live(society: Street, months: int = 1) -> None:
    for _ in range(months):
        society.step()


def value(society: Street, population: str, name: str, row: int = 0) -> float:
    """A status attribute of one agent."""
    return float(society.population(population)[name][row])


def memories_of(society: Street, row: int) -> list[str]:
    """Texts of what a citizen remembers, in order."""
    stream = society.citizens.memory[row].stream
    return [one.text for one in stream.read(np.arange(len(stream)))]


def give(society: Street, population: str, *blocks: Block) -> None:
    society.give(society.population(population), *blocks)


def set_status(society: Street, population: str, **values: Sequence[Any]) -> None:
    for name, value in values.items():
        society.population(population).cohort()[name.replace("__", ".")] = np.array(value)
