"""Changes of households: partners, new heads, and the money of those that end, form or move."""

from dataclasses import dataclass

import numpy as np

from memopolis.scenarios.ubi.money import Money
from memopolis.scenarios.ubi.people import ADULT
from memopolis.sim.arrays import Array, Bools, Cents, Floats, Intp, Ints

MAX_MATCH_AGE, MAX_AGE_DIFFERENCE = 45, 10
"""Maximum age of single persons in partner search, and maximum age difference
(illustrative)."""


def find_partners(seekers: Intp, alone: Bools, *, age: Array, female: Bools, draw: Floats) -> Intp:
    """Find partners of other sex and similar age among single persons, one seeker after the other.

    Seekers and results are positions, -1 for none, without repeats; `draw` selects a candidate.
    """
    free = np.flatnonzero(alone & (age >= ADULT) & (age <= MAX_MATCH_AGE))
    matches = np.full(len(seekers), -1, np.intp)
    for number, (seeker, u) in enumerate(zip(seekers.tolist(), draw.tolist(), strict=True)):
        near = np.abs(age[free] - age[seeker]) <= MAX_AGE_DIFFERENCE
        candidates = free[near & (female[free] != female[seeker])]
        if len(candidates):
            matches[number] = candidates[int(u * len(candidates))]
            free = free[free != matches[number]]
    return matches


def choose_heads(relation: Array, house: Array, age: Array, headless: Bools) -> Intp:
    """Choose a head for each household without one: the first adult by relation, then by age.

    Returns their positions. Without adults, all members count.
    """
    members = np.flatnonzero(headless[house])
    ranks = (age < ADULT, relation, -age)
    return members[find_first_members(house[members], *(rank[members] for rank in ranks))]


def find_heads(rows: Intp, household: Ints, relation: Ints, age: Ints) -> Intp:
    """Find the row of each household's head, else spouse, else oldest member, ascending."""
    return np.sort(rows[find_first_members(household, relation, -age.astype(np.int64), rows)])


def find_first_members(house: Array, *ranks: Array) -> Intp:
    """Return the position of each household's member with the lowest ranks, by household.

    The first of `ranks`, of shape (persons,) each, counts most.
    """
    order = np.lexsort((*reversed(ranks), house))
    first = np.ones(len(order), np.bool_)
    first[1:] = house[order][1:] != house[order][:-1]
    return order[first]


@dataclass(frozen=True)
class Estates:
    """Transfers of money between households; no money is lost."""

    money: Money  # accounts and loans
    elsewhere: int  # account of the outside world: receives what leaves, pays what arrives
    inherit: float  # share of an estate that goes to the heir; the state gets the rest

    def pass_on(self, accounts: Intp, heirs: Intp) -> None:
        """Settle the estates of accounts, then pay heirs their share and the state the rest."""
        left = self.money.settle_debts(accounts, "estate")
        share = np.rint(self.inherit * left).astype(np.int64)
        ledger = self.money.ledger
        ledger.pay(accounts, heirs, share, "inheritance")
        ledger.pay(accounts, self.money.government, left - share, "estate")

    def move_away(self, accounts: Intp) -> None:
        """Settle debts of households that leave, and transfer their money to the outside world."""
        left = self.money.settle_debts(accounts, "arrears")
        self.money.ledger.pay(accounts, self.elsewhere, left, "moved away")

    def move_in(self, deposits: Cents) -> Intp:
        """Open accounts for households that move in, and return their numbers.

        Together they bring at most what earlier leavers took away; if that is not enough, all
        deposits are scaled down.
        """
        ledger = self.money.ledger
        accounts = ledger.open("household", len(deposits))
        available = int(ledger.balance(self.elsewhere))
        share = min(available / max(int(deposits.sum()), 1), 1.0)
        ledger.pay(
            self.elsewhere, accounts, np.floor(share * deposits).astype(np.int64), "moved in"
        )
        return accounts

    def transfer_share(self, parents: Intp, to: Intp, share: float) -> None:
        """Transfer a share of a household's money to the account of a person that leaves it."""
        ledger = self.money.ledger
        gift = np.floor(share * np.maximum(ledger.balance(parents), 0)).astype(np.int64)
        ledger.pay(parents, to, gift, "founding", short="part")
