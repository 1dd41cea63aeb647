"""Joint distribution of party, ideology, gender, race, urbanity and gun ownership.

No shipped survey has all of these. The joint distribution is the one with the published margins
that is closest to the published pairwise tables (raking): ideology by party identification, party
by gender, race and urbanity, and gun ownership by each of these.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
from scipy.special import expit, logit

from memopolis.scenarios.polarization.people import PARTIES
from memopolis.scenarios.polarization.survey_tables import (
    IDEOLOGIES,
    PARTY_OF_PID,
    read_groups,
    read_owners,
    read_party_identification,
)
from memopolis.sim.arrays import Bools, Float64, Intp
from memopolis.sim.statistics.raking import rake

_PARTY = np.array(PARTY_OF_PID, np.intp)

TRAITS = ("gender", "race", "urbanity")  # traits in the table of groups
LIBERAL, CONSERVATIVE = 3, 5
"""Last step of ideology that is liberal, and first that is conservative."""


@dataclass(frozen=True)
class Kinds:
    """Kinds of citizens with their shares."""

    # Columns pid (0-6), ideology (1-7), gender, race and urbanity (numbers of groups in the order
    # of the table of groups) and owner (bool), one row per kind
    table: pd.DataFrame
    weight: Float64  # share of each kind, summing to 1, shape (kinds,)

    @property
    def party(self) -> Intp:
        """Number of the party of each kind, shape (kinds,)."""
        return np.asarray(_PARTY[self.table["pid"].to_numpy()])


@lru_cache(maxsize=16)
def fit_kinds(parties: tuple[float, float, float], *, symmetric: bool) -> Kinds:
    """Fit the shares of all kinds of citizens, by the shares of the parties.

    Published rates of owners by camp, gender, race and urbanity are shifted by one odds ratio per
    trait so that their means agree. If `symmetric`, parties are equal in all traits but ideology,
    which is mirrored.

    Source: See the README of `data`.
    """
    pid, ideology = _compute_pid_and_ideology(np.array(parties), symmetric=symmetric)
    sizes = [len(_select_groups(trait)) for trait in TRAITS]
    codes = np.indices((len(pid), IDEOLOGIES, *sizes, 2)).reshape(6, -1)
    table = pd.DataFrame(codes.T, columns=["pid", "ideology", *TRAITS, "owner"])
    table["ideology"] += 1
    table["owner"] = table["owner"].astype(bool)
    start = _compute_initial_weights(table, pid[:, None] * ideology, symmetric=symmetric)
    kinds = Kinds(table[start > 0].reset_index(drop=True), start[start > 0])
    targets = list(_list_targets(kinds, pid, ideology, symmetric=symmetric))
    features = np.column_stack([mask for mask, _ in targets]).astype(np.float64)
    return Kinds(kinds.table, rake(kinds.weight, features, [share for _, share in targets]))


def _select_groups(trait: str) -> pd.DataFrame:
    table = read_groups()
    return table[table["trait"] == trait].reset_index(drop=True)


def _compute_pid_and_ideology(parties: Float64, *, symmetric: bool) -> tuple[Float64, Float64]:
    """Return shares of party identifications, shape (7,), and ideologies within, shape (7, 7)."""
    table = read_party_identification()
    people = table["people"].to_numpy(np.float64)
    columns = [f"ideology_{step}" for step in range(1, IDEOLOGIES + 1)]
    ideology = table[columns].to_numpy(np.float64)
    if symmetric:
        people, ideology = people + people[::-1], ideology + ideology[::-1, ::-1]
    within = people / np.bincount(_PARTY, weights=people)[_PARTY]
    return parties[_PARTY] * within, ideology / ideology.sum(axis=1, keepdims=True)


def _compute_initial_weights(
    table: pd.DataFrame, pid_ideology: Float64, *, symmetric: bool
) -> Float64:
    """Return weights with the odds ratios of pairwise tables, before raking."""
    party = _PARTY[table["pid"]]
    weight = pid_ideology[table["pid"], table["ideology"] - 1].copy()
    for trait in TRAITS:
        group = _select_groups(trait)
        weight *= group["share"].to_numpy()[table[trait]]
        if not symmetric:
            mix = group[["democrat", "independent", "republican"]].to_numpy(np.float64)
            weight *= mix[table[trait], party]
    rate = read_owners()[("Independent", "all")]
    return np.asarray(weight * np.where(table["owner"], rate, 1 - rate))


def _list_targets(
    kinds: Kinds, pid: Float64, ideology: Float64, *, symmetric: bool
) -> Iterator[tuple[Bools, float]]:
    """Yield raking targets, as masks of kinds with their share: margins and owners by trait."""
    both = pid[:, None] * ideology
    parties = np.bincount(_PARTY, weights=pid, minlength=3)
    rates = np.array([read_owners()[(name, "all")] for name in PARTIES])
    overall = float(parties @ rates)
    yield from _list_political_targets(kinds, both)
    if symmetric:
        rates = np.full(3, overall)
    else:
        yield from _list_camp_targets(kinds, both, rates)
    own = kinds.table["owner"].to_numpy()
    for party, rate in enumerate(rates):
        yield (kinds.party == party) & own, float(parties[party] * rate)
    for trait in TRAITS:
        yield from _list_trait_targets(kinds, trait, overall)


def _list_political_targets(kinds: Kinds, both: Float64) -> Iterator[tuple[Bools, float]]:
    """Yield all pairs of identification and ideology but the first, which is implied."""
    pid, step = kinds.table["pid"].to_numpy(), kinds.table["ideology"].to_numpy() - 1
    for p, i in np.argwhere(both > 0)[1:]:
        yield (pid == p) & (step == i), float(both[p, i])


def _list_camp_targets(
    kinds: Kinds, both: Float64, rates: Float64
) -> Iterator[tuple[Bools, float]]:
    """Yield owners among liberal Democrats and conservative Republicans; others are implied."""
    by_ideology = np.zeros((3, IDEOLOGIES))
    np.add.at(by_ideology, _PARTY, both)
    steps, own = np.arange(1, IDEOLOGIES + 1), kinds.table["owner"].to_numpy()
    step = kinds.table["ideology"].to_numpy()
    for party, camp, inside, here in (
        (0, "liberal", steps <= LIBERAL, step <= LIBERAL),
        (2, "conservative", steps >= CONSERVATIVE, step >= CONSERVATIVE),
    ):
        share = np.array([by_ideology[party, inside].sum(), by_ideology[party, ~inside].sum()])
        published = [read_owners()[(PARTIES[party], name)] for name in (camp, "other")]
        rate = shift_to_mean(published, share, float(rates[party]))
        yield here & (kinds.party == party) & own, float(share[0] * rate[0])


def _list_trait_targets(kinds: Kinds, trait: str, overall: float) -> Iterator[tuple[Bools, float]]:
    """Yield all groups of a trait but the first, and owners in each group if known."""
    table, code = _select_groups(trait), kinds.table[trait].to_numpy()
    share, owners = (table[name].to_numpy(np.float64) for name in ("share", "owners"))
    for group in range(1, len(table)):
        yield code == group, float(share[group])
    known = np.flatnonzero(~np.isnan(owners))
    moved = shift_to_mean(owners[known], share[known], overall)
    for group, rate in zip(known.tolist(), moved.tolist(), strict=True):
        yield (code == group) & kinds.table["owner"].to_numpy(), float(share[group] * rate)


def shift_to_mean(rates: Float64 | list[float], shares: Float64, mean: float) -> Float64:
    """Shift rates by a common odds ratio to a mean weighted by shares, shape (groups,)."""
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
