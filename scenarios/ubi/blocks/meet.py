"""Meet people in a week that stands for the month, and talk about jobs, pay and prices."""

from typing import ClassVar, override

import numpy as np

from memopolis.agents.block_settings import SocialSettings
from memopolis.agents.blocks.social import NEWS, Talk
from memopolis.agents.contacts import Contacts
from memopolis.agents.experience import Experience
from memopolis.agents.replies import find_ties
from memopolis.scenarios.ubi.attitudes import ATTITUDES
from memopolis.scenarios.ubi.household_settings import TalkSettings
from memopolis.scenarios.ubi.people import ADULT, Labour
from memopolis.sim.arrays import Bools, Float32, Floats, Intp, Ints
from memopolis.sim.population import Cohort
from memopolis.sim.world.ties import Ties

TOPICS = ("job", "vacancy", "pay", "prices", "policy", "tax", "help", "money", "spending")
"""Topics of which people talk: all that concerns work and money."""

SETTINGS = ("home", "work", "friends")
STRENGTH = (0.75, 0.55, 0.55)
"""Where people meet, and the strength of their ties there: the middle of the ranges of family,
colleagues and friends (AgentSociety 1.5.7, found)."""

_RECENT = 3 * NEWS  # memories of a month among which are those that people talk about (choice)


class Meetings(Contacts):
    """Contacts of a month, whose `kinds` are positions in `SETTINGS`."""

    @override
    def where(self, mask: Bools) -> "Meetings":
        """Return the contacts for which the mask, shape (m,), is true."""
        return Meetings(self.rows[mask], self.others[mask], self.kinds[mask])

    @override
    def find_strength(self, ties: Ties) -> Float32:
        """Return the strength of the tie of each contact, shape (m,)."""
        del ties
        return np.array(STRENGTH, np.float32)[self.kinds]


class Meet(Talk):
    """Meet one person at home, at work and among friends, and pass on news of the month.

    A month is too long for the hours in which people meet, so one week stands for it. The person
    met is a member of the present household, works at the present employer or is a friend. Those
    who moved in have no friends yet.
    """

    reads = ("age", "household", "employer", "labour", "notice", "attitude")
    writes: ClassVar[tuple[str, ...]] = ()  # people met are not counted
    topics = (*TOPICS, *Talk.topics)

    def __init__(self, settings: TalkSettings | None = None) -> None:
        own = settings or TalkSettings()
        super().__init__(SocialSettings(tell=own.tell, least=own.least), ATTITUDES)

    @override
    def step(self, citizens: Cohort) -> None:
        """Let adults meet and talk in each of the settings."""
        self._extend()
        adults = citizens.where(citizens["age"] >= ADULT)
        first = self.population.memory.today[0]
        others = (
            find_member(adults["household"], self.chance.uniform(adults, "home")),
            find_member(adults["employer"], self.chance.uniform(adults, "work")),
            self._find_friends(adults),
        )
        for kind, place in enumerate(others):
            tells = (place >= 0) & (self.news[adults.rows] >= first)
            tells &= self.chance.uniform(adults, f"tell {SETTINGS[kind]}") < self.settings.tell
            if tells.any():
                to = adults.rows[place[tells]]
                kinds = np.full(len(to), kind, np.uint8)
                self._tell(Meetings(adults.rows[tells], to.astype(np.intp), kinds))

    def _find_friends(self, adults: Cohort) -> Intp:
        """Return the position of an adult friend of each, -1 without any."""
        friends = self.population.ties["friend"]
        places = np.full(len(adults), -1, np.intp)
        some = np.flatnonzero(friends.count(adults.rows) > 0)
        if not len(some):
            return places
        u = self.chance.uniform(adults, "friend")[some]
        met = friends.contacts[friends.one_of(adults.rows[some].astype(np.intp), u)]
        position = np.full(len(self.population), -1, np.intp)
        position[adults.rows] = np.arange(len(adults))
        places[some] = position[met]
        return places

    @staticmethod
    @override
    def _find_events(senders: Cohort) -> Experience:
        """Return the most important events of the month that concern money, (agents, NEWS)."""
        today = senders.stream.today(k=_RECENT, by="importance")
        events = Experience(senders, today)
        is_event = (events.column("kind") == 0) & events.about(*TOPICS)
        return Experience(senders, today.keep(is_event, NEWS))

    @override
    def _find_worth_telling(self, senders: Cohort, others: Cohort, events: Experience) -> Bools:
        """Return which events are reported, shape (agents, NEWS).

        Those who look for work hear of vacancies before anything else, and others of none.
        """
        worth = super()._find_worth_telling(senders, others, events)
        searches = (others["labour"] == Labour.UNEMPLOYED) | others["notice"]
        is_vacancy = events.about("vacancy")
        has_vacancy = (is_vacancy & worth).any(axis=1) & searches
        return np.asarray(worth & (is_vacancy == has_vacancy[:, None]))

    @override
    def _find_ties(self, contacts: Contacts) -> Intp:
        """Return the tie of each contact, a position in `TIES`."""
        is_home, is_close = (contacts.kinds == SETTINGS.index(name) for name in ("home", "friends"))
        age = self.population["age"]
        return find_ties(is_home, is_close, age[contacts.rows], age[contacts.others])


def find_member(group: Ints, draw: Floats) -> Intp:
    """Return the position of another member of each agent's group, -1 without any, (agents,).

    `group` has the number of the group of each agent, below 0 for none; `draw` in [0, 1) selects
    the member.
    """
    order = np.argsort(group, kind="stable")
    ordered = group[order]
    first = np.searchsorted(ordered, group, "left")
    size = np.searchsorted(ordered, group, "right") - first
    rank = np.empty(len(group), np.intp)
    rank[order] = np.arange(len(group))
    step = 1 + (draw * (size - 1)).astype(np.intp)
    member = order[first + (rank - first + step) % np.maximum(size, 1)]
    return np.where((group >= 0) & (size > 1), member, -1)
