"""Kinds of citizens and how common each is: party, ideology, gender, race, place and guns at once.

No survey shipped here asks for all of these together. Their joint distribution is the one that
has the published margins and is nearest to what pairs of them say (raking): ideology by party
identification, party by gender, race and place, and gun ownership by each of these.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit, logit

from memopolis.scenarios.polarization.people import PARTIES
from memopolis.scenarios.polarization.survey_tables import (
    IDEOLOGIES,
    PARTY_OF_PID,
    groups,
    owners_by_party,
    party_identification,
)
from memopolis.sim.statistics.raking import rake

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

_PARTY = np.array(PARTY_OF_PID, np.intp)

TRAITS = ("gender", "race", "urbanity")
"""Traits whose groups stand in the table of groups."""
LIBERAL, CONSERVATIVE = 3, 5
"""Last step of ideology that is liberal, and first that is conservative."""


@dataclass(frozen=True)
class Kinds:
    """Kinds of citizens.

    Attributes:
        table: Columns pid (0-6), ideology (1-7), gender, race and urbanity (numbers of groups in
            the order of the table of groups) and owner (bool), a row a kind.
        weight: Share of each kind, summing to 1, shape (kinds,).
    """

    table: pd.DataFrame
    weight: Floats

    @property
    def party(self) -> NDArray[np.intp]:
        """Number of the party of each kind, shape (kinds,)."""
        return np.asarray(_PARTY[self.table["pid"].to_numpy()])


@lru_cache(maxsize=16)
def kinds(parties: tuple[float, float, float], *, symmetric: bool) -> Kinds:
    """Fit how common each kind of citizen is.

    Args:
        parties: Shares of Democrats, Independents and Republicans, summing to 1.
        symmetric: Whether the parties are alike in everything but ideology, which is mirrored.

    Returns:
        All kinds there are. Owners are 20, 30 and 45 % of the parties (symmetric: 32 % of each);
        the published rates by camp, gender, race and place are all moved by one factor of odds a
        trait so that they come to the same mean.

    Source:
        The figures: see the README of `data`.
    """
    pid, ideology = _pid_and_ideology(np.array(parties), symmetric=symmetric)
    sizes = [len(_of(trait)) for trait in TRAITS]
    codes = np.indices((len(pid), IDEOLOGIES, *sizes, 2)).reshape(6, -1)
    table = pd.DataFrame(codes.T, columns=["pid", "ideology", *TRAITS, "owner"])
    table["ideology"] += 1
    table["owner"] = table["owner"].astype(bool)
    start = _start(table, pid[:, None] * ideology, symmetric=symmetric)
    found = Kinds(table[start > 0].reset_index(drop=True), start[start > 0])
    wanted = list(_wanted(found, pid, ideology, symmetric=symmetric))
    features = np.column_stack([mask for mask, _ in wanted]).astype(np.float64)
    return Kinds(found.table, rake(found.weight, features, [share for _, share in wanted]))


def _of(trait: str) -> pd.DataFrame:
    table = groups()
    return table[table["trait"] == trait].reset_index(drop=True)


def _pid_and_ideology(parties: Floats, *, symmetric: bool) -> tuple[Floats, Floats]:
    """Share of each party identification, shape (7,), and of ideologies within, shape (7, 7)."""
    table = party_identification()
    people = table["people"].to_numpy(np.float64)
    columns = [f"ideology_{step}" for step in range(1, IDEOLOGIES + 1)]
    ideology = table[columns].to_numpy(np.float64)
    if symmetric:
        people, ideology = people + people[::-1], ideology + ideology[::-1, ::-1]
    within = people / np.bincount(_PARTY, weights=people)[_PARTY]
    return parties[_PARTY] * within, ideology / ideology.sum(axis=1, keepdims=True)


def _start(table: pd.DataFrame, pid_ideology: Floats, *, symmetric: bool) -> Floats:
    """Weights with the odds that pairs of traits show, before the margins are met."""
    party = _PARTY[table["pid"]]
    weight = pid_ideology[table["pid"], table["ideology"] - 1].copy()
    for trait in TRAITS:
        group = _of(trait)
        weight *= group["share"].to_numpy()[table[trait]]
        if not symmetric:
            mix = group[["democrat", "independent", "republican"]].to_numpy(np.float64)
            weight *= mix[table[trait], party]
    rate = owners_by_party()[("Independent", "all")]
    return np.asarray(weight * np.where(table["owner"], rate, 1 - rate))


def _wanted(
    found: Kinds, pid: Floats, ideology: Floats, *, symmetric: bool
) -> Iterator[tuple[Mask, float]]:
    """What must come out: margins of all traits and owners by each, as kinds and their share."""
    both = pid[:, None] * ideology
    parties = np.bincount(_PARTY, weights=pid, minlength=3)
    rates = np.array([owners_by_party()[(name, "all")] for name in PARTIES])
    overall = float(parties @ rates)
    yield from _political(found, both)
    if symmetric:
        rates = np.full(3, overall)
    else:
        yield from _camps(found, both, rates)
    own = found.table["owner"].to_numpy()
    for party, rate in enumerate(rates):
        yield (found.party == party) & own, float(parties[party] * rate)
    for trait in TRAITS:
        yield from _by_trait(found, trait, overall)


def _political(found: Kinds, both: Floats) -> Iterator[tuple[Mask, float]]:
    """All pairs of identification and ideology but the first, which follows from the others."""
    pid, step = found.table["pid"].to_numpy(), found.table["ideology"].to_numpy() - 1
    for p, i in np.argwhere(both > 0)[1:]:
        yield (pid == p) & (step == i), float(both[p, i])


def _camps(found: Kinds, both: Floats, rates: Floats) -> Iterator[tuple[Mask, float]]:
    """Owners among liberal Democrats and conservative Republicans; the others follow."""
    by_ideology = np.zeros((3, IDEOLOGIES))
    np.add.at(by_ideology, _PARTY, both)
    steps, own = np.arange(1, IDEOLOGIES + 1), found.table["owner"].to_numpy()
    step = found.table["ideology"].to_numpy()
    for party, camp, inside, here in (
        (0, "liberal", steps <= LIBERAL, step <= LIBERAL),
        (2, "conservative", steps >= CONSERVATIVE, step >= CONSERVATIVE),
    ):
        share = np.array([by_ideology[party, inside].sum(), by_ideology[party, ~inside].sum()])
        published = [owners_by_party()[(PARTIES[party], name)] for name in (camp, "other")]
        rate = moved_to(published, share, float(rates[party]))
        yield here & (found.party == party) & own, float(share[0] * rate[0])


def _by_trait(found: Kinds, trait: str, overall: float) -> Iterator[tuple[Mask, float]]:
    """Groups of a trait but the first, and owners in each group of which they are known."""
    table, code = _of(trait), found.table[trait].to_numpy()
    share, owners = (table[name].to_numpy(np.float64) for name in ("share", "owners"))
    for group in range(1, len(table)):
        yield code == group, float(share[group])
    known = np.flatnonzero(~np.isnan(owners))
    moved = moved_to(owners[known], share[known], overall)
    for group, rate in zip(known.tolist(), moved.tolist(), strict=True):
        yield (code == group) & found.table["owner"].to_numpy(), float(share[group] * rate)


def moved_to(rates: Floats | list[float], shares: Floats, mean: float) -> Floats:
    """Move rates by one common factor of odds, so that they have a given mean.

    Args:
        rates: In (0, 1), shape (groups,).
        shares: Weight of each group, >= 0, shape (groups,).
        mean: The mean wanted, in (0, 1).

    Returns:
        The rates moved, shape (groups,); unchanged where nobody is in any group.
    """
    odds = logit(np.asarray(rates, np.float64))
    total = float(shares.sum())
    if total <= 0:
        return np.asarray(expit(odds))
    low, high = -20.0, 20.0
    for _ in range(80):
        middle = (low + high) / 2
        if float(shares @ expit(odds + middle)) / total < mean:
            low = middle
        else:
            high = middle
    return np.asarray(expit(odds + (low + high) / 2))
