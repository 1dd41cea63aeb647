"""Draw friendships and other ties from meeting places, likeness and friends of friends.

People meet where their lives take place: at work or school, in the neighbourhood, farther away.
Among those whom they meet they choose people like themselves, and later they choose among the
friends of their friends. Sociable people begin more ties and are met more often, so numbers of
ties are skewed.

Sources:
    Meeting places: S. L. Feld 1981, American Journal of Sociology 86, 1015-1035,
    doi:10.1086/227352. Likeness: M. McPherson, L. Smith-Lovin, J. M. Cook 2001, Annual Review of
    Sociology 27, 415-444, doi:10.1146/annurev.soc.27.1.415. Friends of friends: E. M. Jin, M.
    Girvan, M. E. J. Newman 2001, Physical Review E 64, 046132, doi:10.1103/PhysRevE.64.046132; R.
    Toivonen and others 2009, Social Networks 31, 240-254, doi:10.1016/j.socnet.2009.06.004 (all
    recalled). The numbers are illustrative.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.arguments import as_indices
from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError
from memopolis.sim.world.place import Place
from memopolis.sim.world.ties import Network

FRIEND_STRENGTH = 0.6  # strength of a friendship (illustrative)
FRIENDS = 5.0  # mean number of friends aimed at (illustrative)
LOCAL_KM, WIDE_KM = 6.0, 30.0
"""Distances over which the number of people met falls by e, near home and across the region
(illustrative)."""
SOCIABILITY = 0.5
"""Standard deviation of the logarithm of sociability, for a coefficient of variation of the number
of friends above .5 (illustrative)."""
CLOSURE = 0.6  # share of ties to friends of friends (illustrative)
ROUNDS = 3  # rounds in which ties to friends of friends are begun (choice)
MET, INTRODUCED = 16, 4
"""Number of people met at places, and of friends of friends, among whom an agent chooses a friend
(illustrative)."""
SEATS = 4
"""Seats of an agent of mean sociability on the ring from which the people of a place are drawn
(choice); more make the shares of agents more exact."""
MOST_SEATS = 512  # maximum number of seats of an agent (choice)

Rows = NDArray[np.int64]
Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Likeness:
    """How much more often agents choose others like themselves.

    The weight of a candidate is the product over traits. A trait with labels multiplies it by 1 for
    equal labels and by its number `apart` for others; a label below 0 is unknown and changes
    nothing. A trait with numbers multiplies it by `least + (1 - least) exp(-|distance| / scale)`,
    in which an exponential below `NEGLIGIBLE` is 0.
    """

    labels: NDArray[np.int32]  # shape (agents, label traits)
    apart: Floats32  # weight of another label, in [0, 1], shape (label traits,)
    numbers: Floats32  # shape (agents, number traits)
    sought: Floats32  # the number at distance 0 for each agent that chooses, as `numbers`
    scale: Floats32  # > 0, shape (number traits,)
    least: Floats32  # weight of distant numbers, in [0, 1], shape (number traits,)

    @classmethod
    def of(cls, agents: int, traits: Sequence["Labels | Numbers"]) -> Self:
        """Combine traits. Raises ParameterError if one has not a value per agent."""
        for trait in traits:
            if np.shape(trait.values) != (agents,):
                raise ParameterError(
                    f"a trait has shape {np.shape(trait.values)}; one value for each of {agents} "
                    "agents is needed"
                )
        labels = [trait for trait in traits if isinstance(trait, Labels)]
        numbers = [trait for trait in traits if isinstance(trait, Numbers)]
        values = _stack(agents, [trait.values for trait in numbers]).astype(np.float32)
        shifts = np.array([trait.shift for trait in numbers], np.float32)
        return cls(
            _stack(agents, [trait.values for trait in labels]).astype(np.int32),
            np.array([trait.apart for trait in labels], np.float32),
            values,
            values + shifts,
            np.array([trait.scale for trait in numbers], np.float32),
            np.array([trait.least for trait in numbers], np.float32),
        )


class Labels(NamedTuple):
    """A trait with labels; see `Likeness`."""

    values: ArrayLike  # whole numbers, below 0 for unknown, shape (agents,)
    apart: float  # weight of another label


class Numbers(NamedTuple):
    """A trait with numbers; see `Likeness`."""

    values: ArrayLike  # shape (agents,)
    scale: float  # distance over which the weight falls by e
    least: float = 0.0  # weight of distant numbers
    shift: float = 0.0  # sought number minus own number


@dataclass(frozen=True, eq=False)
class Meetings:
    """Where agents meet: at a focus, such as a workplace or class, or in the zones of a place."""

    zone: NDArray[np.int32]  # home zone of each agent, shape (agents,)
    focus: NDArray[np.int32]  # number of the focus of each agent, -1 for none, shape (agents,)
    at_focus: Floats32  # share of people met there, shape (agents,)
    reach: Floats32  # share of the others who are met across the region, shape (agents,)
    # Cumulative shares of zones met near home and across the region, shape (2, zones, zones)
    edges: Floats32

    @classmethod
    def of(
        cls,
        agents: int,
        *,
        place: Place | None = None,
        zones: ArrayLike = 0,
        focus: ArrayLike = -1,
        at_focus: ArrayLike = 0.0,
        reach: ArrayLike = 0.2,
    ) -> Self:
        """Describe the meetings of agents; without a place, all live in one zone."""
        shape = (agents,)
        edges = np.ones((2, 1, 1), np.float32)
        if place is not None:
            edges = np.stack([_near_edges(place, km) for km in (LOCAL_KM, WIDE_KM)])
        home = as_indices(
            "zones", np.broadcast_to(np.asarray(zones, np.int64), shape), len(edges[0])
        )
        group = np.broadcast_to(np.asarray(focus, np.int64), shape)
        _, numbered = np.unique(group, return_inverse=True)
        numbered = numbered - int(bool((group < 0).any())) if len(group) else numbered
        if (group < -1).any():
            raise ParameterError("focus is below -1; -1 stands for none")
        return cls(
            home.astype(np.int32),
            numbered.astype(np.int32),
            np.broadcast_to(np.asarray(at_focus, np.float32), shape).copy(),
            np.broadcast_to(np.asarray(reach, np.float32), shape).copy(),
            edges,
        )


@dataclass(frozen=True, eq=False)
class Crowd:
    """Agents that meet and choose one another."""

    chance: Chance
    meetings: Meetings
    likeness: Likeness
    household: Rows  # household of each agent; its members are not chosen, shape (agents,)
    ring: "Ring"  # who is met in each zone and at each focus
    purpose: str  # name of the random streams

    def meet(self, seekers: Rows, turns: Rows, *, met: int, least: float = 0.0) -> Rows:
        """Choose one of `met` people for each seeker, -1 for none, shape (m,).

        `turns` separate the draws of a seeker. Weights up to `least` count as 0.
        """
        from memopolis.sim.world.ties_social_kernels import choose_among_met

        at, like, ring = self.meetings, self.likeness, self.ring
        key = self.chance.key(f"{self.purpose} met")
        return choose_among_met(
            seekers, turns, met, least, key, at.zone, at.focus, at.at_focus, at.reach,
            at.edges, ring.starts, ring.places, ring.owners, self.household, like.labels,
            like.apart, like.numbers, like.sought, like.scale, like.least,
        )  # fmt: skip

    def introduce(self, friends: Network, seekers: Rows, turns: Rows, *, introduced: int) -> Rows:
        """Choose a friend of a friend for each seeker, -1 for none, shape (m,)."""
        from memopolis.sim.world.ties_social_kernels import choose_among_introduced

        like, key = self.likeness, self.chance.key(f"{self.purpose} introduced")
        return choose_among_introduced(
            seekers, turns, introduced, key, friends.starts, friends.contacts, self.household,
            like.labels, like.apart, like.numbers, like.sought, like.scale, like.least,
        )  # fmt: skip


class Ring(NamedTuple):
    """Seats of agents in groups: the zones, then the foci; seats of a group are sorted by place.

    The next seat after a random place in a group is that of a person met. More sociable agents have
    more seats. A further agent therefore changes hardly more than its own meetings.
    """

    starts: Rows  # first seat of each group, and the end, shape (groups + 1,)
    places: Floats32  # in [0, 1), ascending in a group, shape (seats,)
    owners: NDArray[np.int32]  # agent of each seat, shape (seats,)

    @classmethod
    def of(cls, meetings: Meetings, attraction: Floats, chance: Chance, purpose: str) -> Self:
        """Seat agents in their zone and at their focus; attraction 0 is not seated."""
        rows = np.arange(len(attraction))
        wanted = SEATS * attraction + chance.uniform(f"{purpose} seats", rows)
        seats = np.where(attraction > 0, np.minimum(wanted.astype(np.int64), MOST_SEATS), 0)
        owner = np.repeat(rows, seats)
        number = np.arange(len(owner)) - np.repeat(np.cumsum(seats) - seats, seats)
        place = chance.uniform(f"{purpose} seat", owner * MOST_SEATS + number)
        zones = meetings.edges.shape[1]
        focus = meetings.focus[owner]
        groups = zones + int(meetings.focus.max(initial=-1)) + 1
        group = np.concatenate([meetings.zone[owner], zones + focus[focus >= 0]])
        owner, place = (np.concatenate([of, of[focus >= 0]]) for of in (owner, place))
        order = np.lexsort((place, group))
        starts = np.zeros(groups + 1, np.int64)
        np.cumsum(np.bincount(group, minlength=groups), out=starts[1:])
        return cls(starts, place[order].astype(np.float32), owner[order].astype(np.int32))


def draw_friends(
    meetings: Meetings,
    likeness: Likeness,
    chance: Chance,
    *,
    households: ArrayLike,
    takes_part: ArrayLike = True,
    mean: float = FRIENDS,
    closure: float = CLOSURE,
    strength: float = FRIEND_STRENGTH,
) -> Network:
    """Draw friendships among agents; see the module.

    Every agent begins half of its ties, in proportion to its sociability, which is lognormal, and
    is met in proportion to it. The share `closure` is begun with friends of friends, in `ROUNDS`
    rounds; an agent without any meets people instead. Members of a household do not become friends,
    nor do agents that do not take part, such as small children, shape (agents,) each. The mean
    number of friends of those that do is about `mean`; ties that two agents both begin leave it
    slightly lower.

    The draws of an agent depend on its row, so that a further agent changes few other ties. Raises
    ParameterError if a number is out of range.
    """
    if not 0 <= mean < np.inf or not 0 <= closure <= 1:
        raise ParameterError(
            f"mean is {mean} and closure {closure}; at least 0, and a share, are needed"
        )
    household = np.ascontiguousarray(households, np.int64)
    rows = np.arange(len(household))
    part = np.broadcast_to(np.asarray(takes_part, np.bool_), rows.shape)
    sociability = np.where(part, draw_sociability(rows, chance), 0.0)
    ring = Ring.of(meetings, sociability, chance, "friend")
    crowd = Crowd(chance, meetings, likeness, household, ring, "friend")
    begun = np.append((1 - closure) * mean / 2, np.full(ROUNDS, closure * mean / 2 / ROUNDS))
    friends, ends = Network(len(rows), [], []), np.empty((2, 0), np.int64)
    turn = 0
    for stage, ties in enumerate(begun):
        count = (sociability * ties + chance.uniform("friend count", rows, n=stage)).astype(
            np.int64
        )
        count = np.where(part, count, 0)
        seekers = np.repeat(rows, count)
        turns = turn + np.arange(len(seekers)) - np.repeat(np.cumsum(count) - count, count)
        chosen = np.full(len(seekers), -1, np.int64)
        if stage:
            chosen = crowd.introduce(friends, seekers, turns, introduced=INTRODUCED)
        (alone,) = (chosen < 0).nonzero()
        chosen[alone] = crowd.meet(seekers[alone], turns[alone], met=MET)
        tied = chosen >= 0
        ends = np.concatenate([ends, np.stack([seekers[tied], chosen[tied]])], axis=1)
        friends = Network(len(rows), ends[0], ends[1], strength)
        turn += int(count.max(initial=0))
    return friends


def draw_sociability(rows: ArrayLike, chance: Chance) -> Floats:
    """Draw how sociable agents are, lognormal with mean 1, shape of `rows`."""
    z = chance.normal("sociability", rows)
    return np.asarray(np.exp(SOCIABILITY * z - SOCIABILITY**2 / 2))


def _near_edges(place: Place, km: float) -> Floats32:
    """Return cumulative shares of the zones of people met, by home zone, (zones, zones)."""
    weight = place.population * np.exp(-place.distance_km / km)
    edges = np.cumsum(weight, axis=1)
    return np.asarray(edges / edges[:, -1:], np.float32)


def _stack(agents: int, values: Sequence[ArrayLike]) -> Floats:
    """Return columns as one array, a row per agent."""
    table = np.empty((agents, len(values)))
    for number, column in enumerate(values):
        table[:, number] = column
    return table
