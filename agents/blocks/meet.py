"""Meet: friends who meet, eat together or exchange messages do so at the same time and place."""

from functools import lru_cache
from typing import ClassVar

import numpy as np

from memopolis.agents.activities import (
    DOING_OF_STEPS,
    EATS,
    INTERRUPTIBLE,
    STEPS,
    VISITS,
    Activity,
    Need,
    mark_activities,
    replace_visit,
)
from memopolis.agents.ages import INDEPENDENT_AGE
from memopolis.agents.block_settings import SocialSettings
from memopolis.agents.everyday import (
    add_subject,
    draw_quality,
    draw_rapport,
    find_mood,
    read_replies,
)
from memopolis.agents.experience import Experience
from memopolis.agents.plans import AS_SCHEDULED_PLANS, find_step, kind_of, need_of
from memopolis.sim.arguments import find_distinct
from memopolis.sim.arrays import Array, Bools, Float32, Int32, Int64, Intp, Ints, UInt8
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort

_HOSTS = INTERRUPTIBLE | mark_activities(Activity.IDLE)
"""Activities that people interrupt when a friend comes."""
_IMPORTANCE = np.array([step.importance for step in STEPS], np.float32)
_VALENCE = np.array([step.valence for step in STEPS], np.float32)
_WRITES = DOING_OF_STEPS == Activity.MESSAGE


class Meet(Block):
    """Bring together friends who meet, and let both remember the occasion when it begins.

    The one who plans to meet goes to where the friend is, if the friend is free, or joins the
    friend's own meeting; the friend takes part until the diary schedules something else. Guests
    without a free friend, and those whose friend leaves, go home. Both remember the same place,
    mood and subject: what occupied the one who planned it most today.

    State: the row of the other person of the last occasion, to which nothing refers, -1 for none.
    """

    reads: ClassVar[tuple[str, ...]] = (
        "plan", "plan_step", "doing", "until", "scheduled", "partner", "place", "target", "home",
        "age",
    )  # fmt: skip
    writes = ("plan", "plan_step", "doing", "until", "follows", "partner", "target")
    state = ("company",)

    def __init__(self, settings: SocialSettings | None = None) -> None:
        self.settings = settings or SocialSettings()

    def setup(self) -> None:
        """Note that no citizen has company yet."""
        self.company: Int32 = np.full(len(self.population), -1, np.int32)
        place = self.society.place
        zones = 0 if place is None else len(place.population)
        self.quality = draw_quality(np.arange(zones * len(STEPS)), self.society.chance)

    def step(self, citizens: Cohort) -> None:
        """Bring friends together, part those whose friend has left, and store memories."""
        new = len(self.population) - len(self.company)
        if new:
            self.company = np.append(self.company, np.full(new, -1, np.int32))
        people = citizens.population
        kind = kind_of(find_step(people["plan"], people["plan_step"]))
        partner = people["partner"].astype(np.int64)
        has_partner = (partner >= 0) & people["alive"]
        visits, writes = VISITS[kind] & has_partner, _WRITES[kind] & has_partner
        self.company[~(visits | writes)] = -1
        self._keep_guests(visits, partner)
        (writers,) = (writes & (self.company != partner)).nonzero()
        (seekers,) = (visits & ~self._are_together(visits, partner)).nonzero()
        before = self.company[seekers]
        is_met = self._bring_together(seekers, visits, kind, partner)
        self._send_home(seekers[~is_met], kind)
        # A meeting that goes on is no new occasion.
        guests = seekers[is_met & (before != partner[seekers])]
        first = np.concatenate([writers, guests])
        self.company[writers] = partner[writers]
        # Two people who seek each other have one occasion.
        order = np.full(len(partner), -1)
        order[first] = np.arange(len(first))
        other = partner[first]
        is_second = (order[other] >= 0) & (order[other] < order[first]) & (partner[other] == first)
        first = first[~is_second]
        if len(first):
            self._remember(first, partner[first], kind[first])

    def _are_together(self, visits: Bools, partner: Int64) -> Bools:
        """Return whether visitors are still with their partner, shape (people,)."""
        other = np.maximum(partner, 0)
        return np.asarray(visits & (self.company == partner) & visits[other])

    def _keep_guests(self, visits: Bools, partner: Int64) -> None:
        """Let hosts whose first guest has left turn to another one, in place."""
        together = self._are_together(visits, partner)
        (guests,) = together.nonzero()
        guest_of = np.full(len(partner), -1, np.int64)
        guest_of[partner[guests]] = guests
        (hosts,) = (visits & ~together & (guest_of >= 0)).nonzero()
        if len(hosts):
            partner[hosts] = self.company[hosts] = guest_of[hosts]
            self.population.at(hosts)["partner"] = partner[hosts]

    def _bring_together(self, seekers: Intp, visits: Bools, kind: UInt8, partner: Int64) -> Bools:
        """Let seekers visit their partners, in random order; return which have met, (seekers,).

        A seeker that is visited stays for the visitor. `partner` of these changes in place.
        """
        is_met = np.zeros(len(seekers), np.bool_)
        if not len(seekers):
            return is_met
        people = self.population
        place, target = people["place"].tolist(), people["target"].copy()
        waiting = set(seekers.tolist())  # seekers without company so far
        free = self._find_free(partner[seekers], kind[seekers])
        meets = visits.copy()
        meets[seekers] = False
        joined: dict[int, int] = {}  # hosts who were doing something else, and their first guest
        order = self.chance.order(people.at(seekers), "order")
        for guest in seekers[order].tolist():
            host = int(partner[guest])
            if guest not in waiting or place[guest] < 0:
                continue
            has_same_plan = kind[host] == kind[guest]
            if host in waiting and has_same_plan:
                waiting.remove(host)
                partner[host], target[host], self.company[host] = guest, place[host], guest
                meets[host] = True
            elif host in free:
                free.remove(host)
                joined[host], kind[host] = guest, kind[guest]
                target[host], meets[host] = place[host], True
            elif not (meets[host] and has_same_plan):
                continue
            waiting.remove(guest)
            target[guest], self.company[guest], meets[guest] = target[host], host, True
        self._join(joined, kind)
        is_met = meets[seekers]
        met = people.at(seekers[is_met])
        met["target"], met["partner"] = target[met.rows], partner[met.rows]
        return is_met

    def _find_free(self, rows: Int64, kind: UInt8) -> set[int]:
        """Return those of some people who have time for a friend, who plans a step of a kind.

        For a meal, they are having theirs.
        """
        people = self.population
        doing = people["doing"][rows]
        free = np.where(EATS[kind], doing == Activity.EAT, _HOSTS[doing]) & people["alive"][rows]
        free &= (people["place"][rows] >= 0) & (people["age"][rows] >= INDEPENDENT_AGE)
        free &= need_of(people["plan"][rows]) != Need.INTERVENTION
        return set(rows[free].tolist())

    def _join(self, joined: dict[int, int], kind: UInt8) -> None:
        """Let hosts interrupt what they do for their first guest."""
        if not joined:
            return
        rows = np.array(sorted(joined), np.intp)
        guest = np.array([joined[row] for row in rows.tolist()], np.intp)
        hosts = self.population.at(rows)
        hosts["target"] = hosts["place"]
        hosts["partner"] = guest
        self.company[rows] = guest
        self._begin(hosts, kind[guest], self.population["until"][guest])

    def _send_home(self, rows: Intp, kind: UInt8) -> None:
        """Let people without company rest or eat at home instead."""
        if not len(rows):
            return
        alone = self.population.at(rows)
        alone["target"] = np.where(alone["place"] >= 0, alone["home"], alone["target"])
        alone["partner"] = -1
        self.company[rows] = -1
        instead = replace_visit(EATS[kind[rows]])
        self._begin(alone, instead, alone["until"])

    @staticmethod
    def _begin(people: Cohort, kind: Ints, until: Array) -> None:
        if not len(people):
            return
        people["plan"], people["plan_step"] = AS_SCHEDULED_PLANS[kind], 0
        people["doing"], people["until"] = DOING_OF_STEPS[kind], until
        people["follows"] = people["scheduled"]

    def _remember(self, first: Int64, second: Int64, kind: UInt8) -> None:
        """Let both people of each pair remember the occasion."""
        people = self.population
        place = np.where(_WRITES[kind], people["place"][first], people["target"][first])
        valence = draw_rapport(
            first,
            second,
            kind,
            place=place,
            usual=_VALENCE[kind],
            quality=self.quality,
            chance=self.society.chance,
            tick=self.clock.tick,
        )
        text = self._compose(kind, valence, self._find_subjects(first))
        importance = np.minimum(_IMPORTANCE[kind] * (1 + np.abs(valence)), 1)
        rows, others = np.concatenate([first, second]), np.concatenate([second, first])
        people.at(rows).stream.add(
            "social",
            np.tile(text, 2),
            actor=people.ids[others],
            place=np.tile(place, 2),
            importance=np.tile(importance, 2),
            valence=np.tile(valence, 2),
        )

    def _find_subjects(self, rows: Int64) -> Intp:
        """Return what citizens talk about: a phrase of "subject" by its number, -1 for none.

        It is the topic of their most important event of today.
        """
        remembering = self.population.at(np.unique(rows))
        today = remembering.memory.observed.stream.today(k=1, by="importance")
        events = Experience(remembering, today)
        topic, importance = (events.column(name)[:, 0] for name in ("topic", "importance"))
        subject = _number_subjects(tuple(self.population.memory.topics))[topic]
        subject[(topic < 0) | (importance < self.settings.least)] = -1
        return np.asarray(subject[np.searchsorted(remembering.rows, rows)])

    def _compose(self, kind: UInt8, valence: Float32, subject: Intp) -> Int32:
        """Return the numbers of the texts of memories, shape (pairs,)."""
        phrases = ["", *read_replies().phrases("subject")]
        mood = find_mood(valence)
        code = (kind.astype(np.int64) * 3 + mood) * len(phrases) + subject + 1
        distinct, back = find_distinct(code)
        texts = []
        for number in distinct.tolist():
            step, at = divmod(number, len(phrases))
            shared = STEPS[step // 3]
            texts.append(add_subject(shared, shared.memories[step % 3], phrases[at]))
        return self.society.texts.intern_many(texts)[back]


@lru_cache(64)
def _number_subjects(topics: tuple[str, ...]) -> Intp:
    """Return the number of the phrase that names each topic as a subject of talk, -1 for none.

    A last number is for no topic.
    """
    names = list(read_replies().sections["subject"])
    return np.array([names.index(topic) if topic in names else -1 for topic in (*topics, "")])
