"""Contacts: with whom citizens talk in a step, by the kind of their tie and where both are.

Most talks leave no memory, so a contact is drawn and counted, but not stored. `Talk` lets some
contacts pass on news.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from memopolis.agents.activities import Activity
from memopolis.sim.arrays import Bools, Float32, Intp, UInt8, UInt64
from memopolis.sim.clock import Clock
from memopolis.sim.population import Population
from memopolis.sim.world.ties import Ties

AWAKE = frozenset(Activity) - {Activity.SLEEP, Activity.AWAY, Activity.DRIVE}
FREE = AWAKE - {Activity.WORK, Activity.SCHOOL}
TRAVELLING = {Activity.AWAY, Activity.DRIVE}  # activities outside the region, or on the way out
OUTDOORS = {
    Activity.LEISURE,
    Activity.RELIGION,
    Activity.SPORT,
    Activity.TRAVEL,
    Activity.SHOP,
    Activity.MEET,
    Activity.STOCK_UP,
    Activity.FUEL,
    Activity.SECURE_HOME,
}
DAY = (7.0, 22.0)  # hours between which travellers are awake (illustrative)
ARRANGED = ((Activity.MEET, Activity.EAT), (Activity.MESSAGE,))
"""Activities with the friend of the plan: in the same zone, and anywhere."""
MOST_TIES = 64  # contacts that are distinguished in a day: the bits of a number


@dataclass(frozen=True)
class Occasion:
    """When two people with a tie of a kind talk; both must be in one of the activities.

    The probabilities per hour are illustrative. They give 5 to 10 different people a day, of whom
    the household and colleagues are a quarter each; contact surveys count 13 conversations or
    touches a day, of which 23 % are at home and 21 % at work (Mossong et al. 2008,
    doi:10.1371/journal.pmed.0050074; shares recalled), those in shops and on the way included.
    """

    kind: str  # kind of the tie
    together: Collection[Activity]  # activities in which they talk in the same zone
    hourly: float  # probability of a talk in an hour in the same zone
    apart: Collection[Activity] = ()  # activities in which they talk by telephone
    remote: float = 0.0  # probability of a talk by telephone in an hour
    at_home: bool = False  # whether they talk only in the zone where both live
    travels: bool = False  # whether they travel together and talk on the way
    every: int = 2  # hours between two draws, each of which stands for all of them (choice)


_REACHABLE = FREE | {Activity.AWAY}
OCCASIONS = (
    Occasion("household", FREE | TRAVELLING, 0.25, travels=True),
    Occasion("friend", FREE, 0.04, apart=_REACHABLE, remote=0.02, every=3),
    Occasion("colleague", {Activity.WORK}, 0.25),
    Occasion("schoolmate", {Activity.SCHOOL}, 0.4),
    Occasion("neighbour", OUTDOORS, 0.3, at_home=True),
    Occasion("kin", FREE, 0.04, apart=_REACHABLE, remote=0.02, every=3),
)
"""Occasions by kind of tie. Someone with ties of several kinds is counted once."""


class Contacts(NamedTuple):
    """One new contact of each citizen in a step, of those that have any, shape (m,) each."""

    rows: Intp  # citizens, ascending
    others: Intp  # whom they talk with for the first time today
    kinds: UInt8  # position of the kind of tie among those of `list_kinds`

    def where(self, mask: Bools) -> "Contacts":
        """Return the contacts for which the mask, shape (m,), is true."""
        return Contacts(self.rows[mask], self.others[mask], self.kinds[mask])

    def find_strength(self, ties: Ties) -> Float32:
        """Return the strength of the tie of each contact, shape (m,)."""
        strength = np.empty(len(self.rows), np.float32)
        for number, kind in enumerate(list_kinds(ties)):
            (at,) = (self.kinds == number).nonzero()
            strength[at] = ties[kind].between(self.rows[at], self.others[at])
        return strength


def list_kinds(ties: Ties) -> tuple[str, ...]:
    """Return the kinds of ties along which people talk, in the order of `OCCASIONS`."""
    return tuple(occasion.kind for occasion in OCCASIONS if occasion.kind in ties)


def draw_contacts(people: Population, met: UInt64, *, bits: UInt64, clock: Clock) -> Contacts:
    """Draw who talks with whom in a step, and mark it in `met`, in place.

    `met` has a bit for each of the first `MOST_TIES` ties of a citizen, in the order of
    `OCCASIONS`, that is 1 if they have talked today, shape (people,). Whether a pair talks is one
    draw for both, which combines their random `bits`, shape (people,), by "exclusive or"; draws of
    two pairs are independent. A friend with whom a citizen meets, eats or exchanges messages is
    talked with for certain, if awake. Of several new contacts in a step, a random one is returned.
    """
    from memopolis.agents.contact_kernels import meet

    kinds = list_kinds(people.ties)
    chosen, number = np.full(len(people), -1, np.int32), np.zeros(len(people), np.uint8)
    if kinds:
        networks = [people.ties[kind] for kind in kinds]
        meet(
            tuple(network.starts for network in networks),
            tuple(network.contacts for network in networks),
            people["doing"], people["place"], people["home"], people["partner"], people["alive"],
            bits, met, chosen, number,
            *_tabulate(
                kinds, clock.hours, clock.tick % _CYCLE, is_day=DAY[0] <= clock.hour < DAY[1]
            ),
        )  # fmt: skip
    rows = np.flatnonzero(chosen >= 0)
    return Contacts(rows, chosen[rows].astype(np.intp), number[rows])


@lru_cache(maxsize=64)
def _tabulate(kinds: tuple[str, ...], hours: float, tick: int, *, is_day: bool) -> tuple[Any, ...]:
    """Return the arguments of `contact_kernels.meet` that follow from the occasions."""
    occasions = [occasion for occasion in OCCASIONS if occasion.kind in kinds]
    steps = [max(round(occasion.every / hours), 1) for occasion in occasions]
    together, apart = (
        _list_activities([getattr(occasion, at) for occasion in occasions]) for at in _AT
    )
    if not is_day:
        together[:, [*TRAVELLING]] = apart[:, [*TRAVELLING]] = False
    return (
        together,
        apart,
        *(
            np.array(
                [
                    1 - (1 - getattr(occasion, rate)) ** (hours * every)
                    for occasion, every in zip(occasions, steps, strict=True)
                ],
                np.float32,
            )
            for rate in _RATES
        ),
        *(np.array([getattr(occasion, name) for occasion in occasions]) for name in _WHERE),
        _list_activities(ARRANGED),
        kinds.index("friend") if "friend" in kinds else -1,
        np.array([(tick + number) % every == 0 for number, every in enumerate(steps)]),
    )


_CYCLE = 6  # hours after which all draws are repeated: a multiple of each `Occasion.every`
_AT, _RATES, _WHERE = ("together", "apart"), ("hourly", "remote"), ("at_home", "travels")


def count_met(met: UInt64) -> UInt8:
    """Count the people talked with today, shape (people,)."""
    return np.bitwise_count(met)


def _list_activities(allowed: Sequence[Collection[Activity]]) -> Bools:
    """Return whether each activity is among those allowed, shape (kinds, activities)."""
    table = np.zeros((len(allowed), len(Activity)), np.bool_)
    for row, activities in zip(table, allowed, strict=True):
        row[[int(activity) for activity in activities]] = True
    return table
