"""Draw the ties of a population: household, kin, friends, colleagues, schoolmates, neighbours.

One model serves all scenarios, which add the traits by which their people choose friends.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from memopolis.agents.ages import AGE_OF_REASON
from memopolis.sim.arrays import Array, Bools, Float64, Ints
from memopolis.sim.chance import Chance
from memopolis.sim.world.place import Place
from memopolis.sim.world.ties import Network, Ties
from memopolis.sim.world.ties_built import colleagues, groups, neighbours, schoolmates
from memopolis.sim.world.ties_kin import draw_kin
from memopolis.sim.world.ties_social import (
    FRIENDS,
    Labels,
    Likeness,
    Meetings,
    Numbers,
    draw_friends,
)

OTHER_RACE, OTHER_GENDER, OTHER_EDUCATION = 0.15, 0.5, 0.7
"""Chance of becoming friends with a person met who has another race, gender or education, relative
to one of the same (illustrative; the order of the traits is that of McPherson, Smith-Lovin and Cook
2001)."""
YEARS, OTHER_AGE = 6.0, 0.03
"""Years of difference in age over which that chance falls by e, and the chance with a person of a
very different age (calibrated to a correlation of adult friends' ages of about .6, recalled)."""
YOUNG, YEARS_OF_YOUNG = 22, 1.2
"""Age up to which differences count in addition, and years over which the chance falls by e: the
young are friends of people of about their age (illustrative)."""
RANKS, OTHER_INCOME = 0.25, 0.3
"""The same for the difference in the rank of the household's income, from 0 to 1 (illustrative)."""
AT_WORK, AT_SCHOOL = 0.35, 0.6
"""Share of the people met at work and at school, of those who go there (illustrative)."""
NEAR_HOME, FAR_AWAY = 0.1, 0.5
"""Share of the others who are met across the region: of people without and with family and friends
elsewhere, who more often have moved themselves (illustrative)."""
KIN_REACH = 0.5  # share of kin who live across the region rather than near home (illustrative)
CLASS_YEARS = 2  # years of age in a class of a school (choice)
ADULT = 18  # age in years from which people know the neighbours (choice)


@dataclass(frozen=True, eq=False, kw_only=True)
class SocialLife:
    """What the ties of people depend on; one entry per person, shape (people,).

    Labels are whole numbers, below 0 for unknown or none.
    """

    household: Ints  # number of the household
    age: Array  # age in years
    place: Place | None = None  # the zones, None without any
    zone: Ints | int = 0  # home zone
    employer: Ints | int = -1  # workplace, -1 for none
    school: Ints | int = -1  # school, -1 for none
    descent: Ints | int = -1  # race or origin, which kin share
    has_moved: Bools | bool = False  # whether family and friends live elsewhere
    traits: Sequence[Labels | Numbers] = field(default=())  # further traits of friends

    def __len__(self) -> int:
        """Return the number of people."""
        return len(self.household)


def describe_likeness(people: SocialLife) -> Likeness:
    """Return how people choose friends: by age, race and the traits of the scenario."""
    traits = [
        Numbers(people.age, YEARS, OTHER_AGE),
        Numbers(np.minimum(people.age, YOUNG), YEARS_OF_YOUNG),
        Labels(np.broadcast_to(people.descent, (len(people),)), OTHER_RACE),
        *people.traits,
    ]
    return Likeness.of(len(people), traits)


def rank_income(income: Array) -> Numbers:
    """Return the trait that compares incomes by their rank, from 0 to 1."""
    order = np.argsort(np.argsort(income, kind="stable"), kind="stable")
    rank: Float64 = order / max(len(order), 1)
    return Numbers(rank, RANKS, OTHER_INCOME)


def describe_meetings(people: SocialLife) -> Meetings:
    """Return where people meet: at work, in their class, near home and across the region."""
    shape = (len(people),)
    employer, school = (np.broadcast_to(of, shape) for of in (people.employer, people.school))
    classes = np.asarray(people.age, np.int64) // CLASS_YEARS
    at_school = 128 * school.astype(np.int64) + classes
    works = employer >= 0
    focus = np.where(works, 2 * employer.astype(np.int64), -1)
    focus = np.where(school >= 0, 2 * at_school + 1, focus)
    return Meetings.of(
        len(people),
        place=people.place,
        zones=people.zone,
        focus=focus,
        at_focus=np.where(school >= 0, AT_SCHOOL, AT_WORK),
        reach=np.where(people.has_moved, FAR_AWAY, NEAR_HOME),
    )


def draw_friendships(people: SocialLife, chance: Chance, *, mean: float = FRIENDS) -> Network:
    """Draw friends, from the age of reason on."""
    return draw_friends(
        describe_meetings(people),
        describe_likeness(people),
        chance,
        households=people.household,
        takes_part=np.asarray(people.age) >= AGE_OF_REASON,
        mean=mean,
    )


def draw_ties(people: SocialLife, chance: Chance, *, friends: float = FRIENDS) -> Ties:
    """Draw all ties of people, of each kind that they describe; `friends` is the mean number."""
    household, school = np.asarray(people.household, np.int64), np.asarray(people.school)
    adult = np.asarray(people.age) >= ADULT
    homes = Meetings.of(len(people), place=people.place, zones=people.zone, reach=KIN_REACH)
    networks = {
        "household": groups(household),
        "kin": draw_kin(
            homes, chance, households=household, ages=people.age,
            descent=np.broadcast_to(people.descent, (len(people),)),
        ),
        "friend": draw_friendships(people, chance, mean=friends),
    }  # fmt: skip
    if np.ndim(people.employer):
        networks["colleague"] = colleagues(people.employer, chance)
    if school.ndim:
        networks["schoolmate"] = schoolmates(school, people.age, chance)
    if people.place is not None:
        networks["neighbour"] = neighbours(people.zone, household, chance, takes_part=adult)
    return Ties(len(people), networks)
