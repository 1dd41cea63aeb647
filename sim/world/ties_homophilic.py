"""Create ties between two sides with a given share of cross ties: a block model, and growth.

Sides are 1, -1, and 0 for neither (Independents). The cross share is the share of cross ties among
ties between two people with a side. Ties of Independents do not depend on sides and count as
neither. The mean number of ties is the same for all sides: with shares a and b of the two sides
among people with a side, a tie of the first crosses with probability c / 2a and one of the second
with c / 2b, which gives a cross share of c. With c = 2ab, ties are independent of sides.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.chance import Chance, options_of
from memopolis.sim.errors import ParameterError
from memopolis.sim.world.place import Place
from memopolis.sim.world.ties import Network
from memopolis.sim.world.ties_social import FRIEND_STRENGTH, LOCAL_KM

SEATS = 4
"""Seats per agent on the ring from which contacts are drawn (choice); more reduce the variance of
degrees."""
ATTEMPTS = 12  # maximum number of draws for a tie that would be a self-loop or a duplicate

Rows = NDArray[np.int64]
Blocks = NDArray[np.intp]
Floats = NDArray[np.float64]


def block_model(
    sides: ArrayLike,
    *,
    mean: float,
    cross_share: float,
    chance: Chance,
    strength: float = FRIEND_STRENGTH,
    zones: tuple[Place, ArrayLike] | None = None,
) -> Network:
    """Tie people at random within and between sides, 1, 0 or -1, shape (agents,).

    Every agent seeks `mean / 2` ties. The block of each contact is drawn first, then the contact:
    the members of a block have random seats on a ring, and the next seat after a random place is
    chosen. Adding an agent therefore changes hardly more than its own ties. Every agent has at
    least `mean / 2` ties, rounded down; their variance is about that of the Poisson distribution.
    In small, dense networks some ties cannot be placed.

    With `zones`, the place and the home zone of each agent, shape (agents,), contacts become rarer
    with distance, by e over `LOCAL_KM`. Raises ParameterError if a number is out of range, or the
    cross share exceeds `most_crossing`.

    Source: P. W. Holland, K. B. Laskey, S. Leinhardt 1983, Social Networks 5, 109-137,
    doi:10.1016/0378-8733(83)90021-7 (recalled); with unequal probabilities of choice: B. Karrer and
    M. E. J. Newman 2011, Physical Review E 83, 016107 (recalled).
    """
    if not 0 <= mean < np.inf:
        raise ParameterError(f"mean is {mean}; a mean number of ties of at least 0 is needed")
    block, table = _sought(sides, cross_share)
    rows = np.arange(len(block), dtype=np.int64)
    # If mean / 2 is not a whole number, a random part of the agents seeks one more tie.
    more = chance.uniform("tie count", rows) < mean / 2 % 1
    seeker = np.repeat(rows, int(mean / 2) + more)
    turn = np.arange(len(seeker)) - np.searchsorted(seeker, seeker)
    falls = _falls(table, block[seeker], _by_turn(chance, "tie block", seeker, turn))
    group, zone = block, np.zeros(len(block), np.intp)
    nearness = np.ones((1, 1))
    if zones is not None:
        zone = np.asarray(zones[1], np.intp)
        nearness = np.exp(-zones[0].distance_km / LOCAL_KM)
        group = block * len(nearness) + zone
    choose = _ByZone(chance, falls, zone[seeker], nearness, group)
    low, high = _seated(chance, group, seeker, turn, choose)
    return Network(len(block), low, high, strength)


def homophilic_growth(
    sides: ArrayLike,
    *,
    links: int,
    cross_share: float,
    chance: Chance,
    strength: float = FRIEND_STRENGTH,
) -> Network:
    """Grow a network by preferential attachment with homophily; sides as in `block_model`.

    Agents arrive in random order. Each newcomer seeks `links` ties; the block of each contact is
    drawn as in `block_model`, and within it an agent with k ties is k times as likely as an agent
    with one. The mean number of ties is about twice `links`, and the degree distribution has a
    heavy tail. The homophily h of the published model, the weight of the same side against the
    other, follows from the cross share for any sizes of the sides: for two equal sides h = 1 -
    cross_share.

    Source: A.-L. Barabasi and R. Albert 1999, Science 286, 509-512,
    doi:10.1126/science.286.5439.509; with homophily: F. Karimi, M. Genois, C. Wagner, P. Singer, M.
    Strohmaier 2018, Scientific Reports 8, 11077, doi:10.1038/s41598-018-29405-7 (both recalled).
    """
    from memopolis.sim.world.ties_kernels import grown

    if not 0 <= links < np.inf or links != int(links):
        raise ParameterError(f"links is {links}; a whole number of at least 0 is needed")
    block, table = _sought(sides, cross_share)
    arrivals = chance.order("tie arrival", np.arange(len(block))).astype(np.int64)
    seeker = np.repeat(arrivals, int(links))
    turn = np.tile(np.arange(int(links)), len(arrivals))
    falls = _falls(table, block[seeker], _by_turn(chance, "tie block", seeker, turn))
    place = _by_turn(chance, "tie contact", seeker, turn)
    shape = (len(arrivals), int(links))
    first, second = grown(
        arrivals, block.astype(np.int8), falls.astype(np.int8).reshape(shape), place.reshape(shape)
    )
    return Network(len(block), first, second, strength)


def most_crossing(sides: ArrayLike) -> float:
    """Return the largest cross share at which all agents can have the same number of ties.

    It is twice the share of the smaller side among agents with a side; 0 if no agent has one.
    """
    side = np.asarray(sides)
    sided = np.count_nonzero(side)
    smaller = min(np.count_nonzero(side == 1), np.count_nonzero(side == -1))
    return 2 * smaller / sided if sided else 0.0


def _sought(sides: ArrayLike, cross_share: float) -> tuple[Blocks, Floats]:
    """Return the block of each agent (0 side 1, 1 none, 2 side -1), and block probabilities."""
    side = np.asarray(sides, np.int64).ravel()
    if not np.isin(side, (-1, 0, 1)).all():
        raise ParameterError("sides must be 1, 0 or -1; Independents are 0")
    most = most_crossing(side)
    # If one side is empty, no tie can cross.
    if not 0 <= cross_share <= 1 or cross_share > most > 0:
        raise ParameterError(
            f"cross_share is {cross_share}; a share of 0 to {min(most or 1.0, 1.0):g} is needed: "
            "more ties cannot cross than the smaller side has"
        )
    crossing = cross_share if most else 0.0
    block = (1 - side).astype(np.intp)
    shares = np.bincount(block, minlength=3) / max(len(block), 1)
    sided = shares[0] + shares[2]
    table = np.tile(shares, (3, 1))
    for own, other in ((0, 2), (2, 0)):
        part = crossing * sided / (2 * shares[own]) if shares[own] else 0.0
        table[own, own], table[own, other] = sided * (1 - part), sided * part
    return block, table


def _by_turn(chance: Chance, purpose: str, rows: Rows, turn: Rows, tick: int = 0) -> Floats:
    """Draw a uniform number for each row and turn."""
    drawn = np.empty(len(rows))
    for n in np.unique(turn):
        now = turn == n
        drawn[now] = chance.uniform(purpose, rows[now], tick, int(n))
    return drawn


def _falls(table: Floats, own: Blocks, u: Floats) -> Blocks:
    """Return the block of each contact by the rank of its draw, so that shares are exact."""
    falls = np.empty(len(own), np.intp)
    for block in range(3):
        here = np.flatnonzero(own == block)
        ranked = here[np.argsort(u[here], kind="stable")]
        ends = np.rint(np.cumsum(table[block])[:2] * len(here)).astype(np.int64)
        falls[ranked] = np.searchsorted(ends, np.arange(len(here)), side="right")
    return falls


@dataclass(frozen=True, eq=False)
class _ByZone:
    """Groups of contacts: blocks divided by zone."""

    chance: Chance  # random streams of the run
    falls: Blocks  # block of the contact of each tie
    home: Blocks  # zone of the seeker of each tie
    nearness: Floats  # weight of the contacts of a zone by zone of the seeker, (zones, zones)
    # Group of each agent: number of the block times the number of zones, plus the zone
    group: Blocks

    def draw(self, ties: Rows, seeker: Rows, turn: Rows, attempt: int) -> Blocks:
        """Draw the group of the contact of each tie."""
        zones = len(self.nearness)
        if zones == 1:
            return self.falls[ties]
        u = _by_turn(self.chance, "tie zone", seeker, turn, attempt)
        cell = self.falls[ties] * zones + self.home[ties]
        return self.falls[ties] * zones + options_of(self._edges, cell, u)

    @cached_property
    def _edges(self) -> Floats:
        """Cumulated shares of zones by block of the contact and zone of the seeker."""
        zones = len(self.nearness)
        members = np.bincount(self.group, minlength=3 * zones).reshape(3, 1, zones)
        edges = np.cumsum(members * self.nearness, axis=2)
        # Where no zone of the block is near, all would be 0.
        edges = np.where(edges[..., -1:] > 0, edges, np.cumsum(members + 0.0 * edges, axis=2))
        return np.asarray((edges / np.maximum(edges[..., -1:], 1e-300)).reshape(3 * zones, zones))


def _seated(
    chance: Chance, group: Blocks, seeker: Rows, turn: Rows, choose: _ByZone
) -> tuple[Rows, Rows]:
    """Draw a contact for each tie, and draw again if the two are already tied."""
    agents = max(len(group), 1)
    rings = {one: _ring(chance, np.flatnonzero(group == one)) for one in np.unique(group).tolist()}
    pairs = np.empty(0, np.int64)
    open_ = np.arange(len(seeker))
    for attempt in range(ATTEMPTS):
        place = _by_turn(chance, "tie contact", seeker[open_], turn[open_], attempt)
        contact = seeker[open_].copy()
        falls = choose.draw(open_, seeker[open_], turn[open_], attempt)
        for one, (places, owners) in rings.items():
            here = falls == one
            at = np.searchsorted(places, place[here]) % len(owners)
            contact[here] = owners[at]
        pair = np.minimum(seeker[open_], contact) * agents + np.maximum(seeker[open_], contact)
        _, first = np.unique(pair, return_index=True)
        new = np.zeros(len(pair), bool)
        new[first] = True
        new &= (seeker[open_] != contact) & ~np.isin(pair, pairs)
        pairs = np.concatenate([pairs, pair[new]])
        open_ = open_[~new]
        if not len(open_):
            break
    low, high = np.divmod(pairs, agents)
    return low, high


def _ring(chance: Chance, members: NDArray[np.intp]) -> tuple[Floats, Rows]:
    """Return the seats of a block on a ring of length 1, ascending, and the agent of each."""
    places = np.concatenate([chance.uniform("tie seat", members, n=n) for n in range(SEATS)])
    order = np.argsort(places, kind="stable")
    return places[order], np.tile(members, SEATS)[order].astype(np.int64)
