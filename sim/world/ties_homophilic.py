"""Ties among people of two sides, of which a set share crosses: a block model, and growth.

Sides are 1, -1, and 0 for those of neither (Independents). The cross share is that among ties
between two people who have a side. Ties of somebody without a side fall on anybody alike, so
they are neither like-minded nor crossing. Everybody has the same mean number of ties, of
whatever side: with shares a and b of the two sides among those who have one, a tie of the first
crosses with the chance c / 2a and one of the second with c / 2b, which makes c of all of them.
With c = 2ab the sides do not matter.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError
from memopolis.sim.world.ties import Network

STRENGTH = 0.6
"""Strength of these ties, that of friends (illustrative)."""
SEATS = 4
"""Seats of each on the ring on which contacts are drawn (choice); more make degrees more even."""
ATTEMPTS = 12
"""Draws for a tie that falls on oneself or on somebody tied already, before it is given up."""

Rows = NDArray[np.int64]
Blocks = NDArray[np.intp]
Floats = NDArray[np.float64]


def block_model(
    sides: ArrayLike, *, mean: float, cross_share: float, chance: Chance, strength: float = STRENGTH
) -> Network:
    """Tie people at random within and between sides.

    Everybody seeks `mean / 2` ties. Which block each falls on is drawn first, then who: those of
    a block sit on a ring at places drawn for them, and the next after a place drawn for the tie
    is meant. So one more agent changes hardly more than the ties that fall on it.

    Args:
        sides: Side of each agent, 1, 0 or -1, shape (agents,).
        mean: Mean number of ties of an agent, >= 0. As many as there are people at most; in
            dense networks of few people some ties find no place.
        cross_share: Share of ties that cross, in [0, 1], among those between people with a side.
        chance: Luck of the run.
        strength: Strength of the ties, > 0.

    Returns:
        The network. Nobody has less than `mean / 2` ties, rounded down; their variance is about
        that of Poisson's distribution.

    Raises:
        ParameterError: If a number is out of range, or more ties are to cross than the smaller
            side has.

    Source:
        P. W. Holland, K. B. Laskey, S. Leinhardt 1983, Social Networks 5, 109-137,
        doi:10.1016/0378-8733(83)90021-7 (recalled); with unlike chances of being chosen: B.
        Karrer and M. E. J. Newman 2011, Physical Review E 83, 016107 (recalled).
    """
    if not 0 <= mean < np.inf:
        raise ParameterError(f"mean is {mean}; a mean number of ties of at least 0 is needed")
    block, table = _sought(sides, cross_share)
    rows = np.arange(len(block), dtype=np.int64)
    # Half a tie too many is sought by some, drawn by chance, where mean / 2 is no whole number.
    more = chance.uniform("tie count", rows) < mean / 2 % 1
    seeker = np.repeat(rows, int(mean / 2) + more)
    turn = np.arange(len(seeker)) - np.searchsorted(seeker, seeker)
    falls = _falls(table, block[seeker], _by_turn(chance, "tie block", seeker, turn))
    low, high = _seated(chance, block, seeker, turn, falls)
    return Network(len(block), low, high, strength)


def homophilic_growth(
    sides: ArrayLike, *, links: int, cross_share: float, chance: Chance, strength: float = STRENGTH
) -> Network:
    """Let people arrive one by one and tie themselves to those who have many ties.

    The order of arrival is drawn by chance. Each newcomer seeks some ties; the block each falls
    on is drawn as in `block_model`, and within it somebody with k ties is k times as likely as
    somebody with one. Homophily h of the published model, the weight of one's own side against
    that of the other, is thereby at every size of the sides what gives the cross share set: for
    two equal sides h = 1 - cross_share.

    Args:
        sides: Side of each agent, 1, 0 or -1, shape (agents,).
        links: Ties that each newcomer seeks, >= 0; the mean number of ties is about twice it.
        cross_share: Share of ties that cross, in [0, 1], among those between people with a side.
        chance: Luck of the run.
        strength: Strength of the ties, > 0.

    Returns:
        The network; numbers of ties have a heavy tail.

    Raises:
        ParameterError: If a number is out of range, or more ties are to cross than the smaller
            side has.

    Source:
        A.-L. Barabasi and R. Albert 1999, Science 286, 509-512, doi:10.1126/science.286.5439.509;
        with homophily: F. Karimi, M. Genois, C. Wagner, P. Singer, M. Strohmaier 2018, Scientific
        Reports 8, 11077, doi:10.1038/s41598-018-29405-7 (both recalled).
    """
    from memopolis.sim.world.ties_homophilic_kernels import grown

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
    """Give the greatest cross share at which all can have equally many ties.

    Args:
        sides: Side of each agent, 1, 0 or -1, shape (agents,).

    Returns:
        Twice the share of the smaller side among those with a side; 0 where nobody has one.
    """
    side = np.asarray(sides)
    sided = np.count_nonzero(side)
    smaller = min(np.count_nonzero(side == 1), np.count_nonzero(side == -1))
    return 2 * smaller / sided if sided else 0.0


def _sought(sides: ArrayLike, cross_share: float) -> tuple[Blocks, Floats]:
    """Block of each agent (0 side 1, 1 none, 2 side -1), and chances of a tie to fall on each."""
    side = np.asarray(sides, np.int64).ravel()
    if not np.isin(side, (-1, 0, 1)).all():
        raise ParameterError("sides must be 1, 0 or -1; Independents are 0")
    most = most_crossing(side)
    # Where one side has nobody, there is nobody to cross to.
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
    """A uniform draw for each row and turn."""
    drawn = np.empty(len(rows))
    for n in np.unique(turn):
        now = turn == n
        drawn[now] = chance.uniform(purpose, rows[now], tick, int(n))
    return drawn


def _falls(table: Floats, own: Blocks, u: Floats) -> Blocks:
    """Block that each tie falls on, by the rank of its draw, so that shares are met exactly."""
    falls = np.empty(len(own), np.intp)
    for block in range(3):
        here = np.flatnonzero(own == block)
        ranked = here[np.argsort(u[here], kind="stable")]
        ends = np.rint(np.cumsum(table[block])[:2] * len(here)).astype(np.int64)
        falls[ranked] = np.searchsorted(ends, np.arange(len(here)), side="right")
    return falls


def _seated(
    chance: Chance, block: Blocks, seeker: Rows, turn: Rows, falls: Blocks
) -> tuple[Rows, Rows]:
    """Find somebody of the block for each tie, drawing anew where the two are tied already."""
    agents = max(len(block), 1)
    rings = [_ring(chance, np.flatnonzero(block == b)) for b in range(3)]
    found = np.empty(0, np.int64)
    open_ = np.arange(len(seeker))
    for attempt in range(ATTEMPTS):
        place = _by_turn(chance, "tie contact", seeker[open_], turn[open_], attempt)
        contact = seeker[open_].copy()
        for b, (places, owners) in enumerate(rings):
            here = falls[open_] == b
            if len(owners):
                at = np.searchsorted(places, place[here]) % len(owners)
                contact[here] = owners[at]
        pair = np.minimum(seeker[open_], contact) * agents + np.maximum(seeker[open_], contact)
        _, first = np.unique(pair, return_index=True)
        new = np.zeros(len(pair), bool)
        new[first] = True
        new &= (seeker[open_] != contact) & ~np.isin(pair, found)
        found = np.concatenate([found, pair[new]])
        open_ = open_[~new]
        if not len(open_):
            break
    low, high = np.divmod(found, agents)
    return low, high


def _ring(chance: Chance, members: NDArray[np.intp]) -> tuple[Floats, Rows]:
    """Places of the members of a block on a ring of length 1, rising, and whose each is."""
    places = np.concatenate([chance.uniform("tie seat", members, n=n) for n in range(SEATS)])
    order = np.argsort(places, kind="stable")
    return places[order], np.tile(members, SEATS)[order].astype(np.int64)
