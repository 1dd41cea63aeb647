"""Social life: receiving news, contacts, and conversations that pass on news."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from memopolis.agents.appraisal import Attitude
from memopolis.agents.block_settings import SocialSettings
from memopolis.agents.blocks.cognition import ATTITUDES
from memopolis.agents.citizen import AGE_OF_REASON
from memopolis.agents.contacts import Contacts, count_met, draw_contacts
from memopolis.agents.conversation import (
    ANSWERED,
    OWN_ANSWER,
    OWN_REPORT,
    Remarks,
    ask_for_words,
    compute_harmony,
    compute_importance,
    find_only_talks,
    find_versions,
    read_remarks,
    remember_heard,
    remember_said,
)
from memopolis.agents.everyday import RECEIVED, read_replies
from memopolis.agents.experience import Experience
from memopolis.agents.grammar import Grammar
from memopolis.agents.hearing import Hearing
from memopolis.agents.thoughts import SIGNS, find_sign
from memopolis.sim.arrays import Bools, Float32, Intp, Ints
from memopolis.sim.block import Block
from memopolis.sim.memory.streams.encoding import IMPORTANCE
from memopolis.sim.memory.streams.pending import Added
from memopolis.sim.population import Cohort
from memopolis.sim.timeline import News
from memopolis.sim.world.news import audience_of

HIGH, LOW = 6.5, 3.5
"""Attitudes from which a reply is favourable, and up to which it is not (illustrative)."""
HOURS = 24  # hours of a day
_NEVER = -1_000_000  # tick of an event that never happened
NEWS = 3  # events of today of which a citizen may report one (choice)
KNOWN = 10  # memories of today in which a listener may know the news (choice)
LEVELS = ("high", "middle", "low")  # levels of the attitude by which a reply is chosen


class FollowNews(Block):
    """Receive broadcast news, each agent after a delay of its own, and remember it."""

    reads = ("home", "age")
    writes = ()

    def __init__(self, settings: SocialSettings | None = None) -> None:
        self.settings = settings or SocialSettings()

    def setup(self) -> None:
        """Prepare the delays of reception."""
        purpose = f"{self.population.name}.{self.name}"
        self.hearing = Hearing(self.society, purpose, self.settings.news_delay)

    def step(self, citizens: Cohort) -> None:
        """Remember the news received in this step."""
        everyone = len(self.population)
        for number, (tick, news) in enumerate(self.society.on_air()):
            rows = self.hearing.now(number, tick, everyone)
            if len(rows):
                self._remember(citizens.among(rows).of_age(AGE_OF_REASON), news)

    def _remember(self, citizens: Cohort, news: News) -> None:
        is_reached = audience_of(citizens, news.audience)
        if is_reached.any():
            citizens.where(is_reached).stream.add(
                news.topic,
                news.text,
                importance=news.importance,
                valence=news.stance,
                confidence=self.settings.trust,
            )


class Talk(Block):
    """Talk with family, friends, colleagues and neighbours; some talks pass on news.

    Contacts are drawn where people meet, and counted; see `contacts`. In some, one reports an event
    of today that is news to the other, who answers. Both remember the report, the answer, which
    depends on an attitude, and how the conversation felt: pleasant between people of similar
    attitudes.

    States: a bit for each tie of a citizen, 1 if they have talked today; and the tick of the last
    event worth passing on, (citizens,) each.
    """

    reads = ("doing", "age", "partner", "attitude", "place", "home")
    writes = ("talked_with",)
    state = ("met", "news")

    def __init__(
        self, settings: SocialSettings | None = None, attitudes: Sequence[Attitude] = ATTITUDES
    ) -> None:
        self.settings = settings or SocialSettings()
        self.attitudes = tuple(attitudes)

    def setup(self) -> None:
        """Note that no citizen has talked yet, and subscribe to stored memories."""
        self.met = np.zeros(len(self.population), np.uint64)
        self.news = np.full(len(self.population), _NEVER, np.int32)
        self.population.memory.stored.append(self.notice)

    def notice(self, added: Added) -> None:
        """Note who has a new event worth passing on."""
        self._extend()
        worth = (added.importance >= self.settings.least * IMPORTANCE) & ((added.kind & 1) == 0)
        self.news[added.rows[worth]] = added.time[worth]

    def _extend(self) -> None:
        """Extend the states for new agents."""
        new = len(self.population) - len(self.met)
        if new:
            self.met = np.concatenate([self.met, np.zeros(new, np.uint64)])
            self.news = np.concatenate([self.news, np.full(new, _NEVER, np.int32)])

    def step(self, citizens: Cohort) -> None:
        """Draw contacts, count them at the end of a day, and let some pass on news."""
        self._extend()
        people, clock = self.population, self.clock
        purpose = f"{people.name}.{self.name}.contact"
        bits = self.society.chance.bits(purpose, np.arange(len(people)), clock.tick)
        contacts = draw_contacts(people, self.met, bits=bits, clock=clock)
        self._count(citizens)
        first, age = people.memory.today[0], people["age"]
        able = (self.news[contacts.rows] >= first) & (age[contacts.rows] >= AGE_OF_REASON)
        contacts = contacts.where(able & (age[contacts.others] >= AGE_OF_REASON))
        senders = citizens.at(contacts.rows)
        contacts = contacts.where(self.chance.uniform(senders, "tell") < self.settings.tell)
        if len(contacts.rows):
            self._tell(contacts)

    def _count(self, citizens: Cohort) -> None:
        """Store the number of people talked with today, in the last step of a day."""
        if self.clock.hour + self.clock.hours >= HOURS:
            citizens["talked_with"] = count_met(self.met[citizens.rows])
            self.met[:] = 0

    def _tell(self, contacts: Contacts) -> None:
        """Let citizens report events of today that are news to their contacts, who answer."""
        senders = self.population.at(contacts.rows)
        events = self._find_events(senders)
        worth = events.column("importance") >= self.settings.least
        worth &= events.recalled.ids >= 0
        chosen = self._choose_news(events, self.population.at(contacts.others), worth)
        is_sender = chosen >= 0
        if not is_sender.any():
            return
        is_chosen = np.arange(NEWS) == chosen[:, None]
        event = Experience(senders, events.recalled.keep(is_chosen, 1)).where(is_sender)
        contacts, senders = contacts.where(is_sender), senders.where(is_sender)
        listeners = self.population.at(contacts.others)
        strength = contacts.find_strength(self.population.ties)
        opening = self._report(senders, listeners, strength, event)
        self._answer(senders, listeners, strength, opening)

    @staticmethod
    def _find_events(senders: Cohort) -> Experience:
        """Return the most important events of today that are no thoughts, (agents, NEWS)."""
        today = senders.stream.today(k=NEWS, by="importance")
        is_event = senders.stream.located(today).column("kind") == 0
        return Experience(senders, today.keep(is_event, NEWS))

    def _choose_news(self, events: Experience, listeners: Cohort, worth: Bools) -> Intp:
        """Return the first event that each listener does not know, -1 for none, shape (m,).

        Listeners know what they remember of today: the same text of the same place, experienced or
        heard. Of several people that pass the same news to the same listener, only the first does.
        """
        rows, back = np.unique(listeners.rows, return_inverse=True)
        hearing = listeners.at(rows)
        recalled = hearing.memory.observed.stream.today(k=KNOWN, by="importance")
        heard = Experience(hearing, recalled)
        place = events.column("place")
        news = find_versions(self.society.texts, events.column("text"))
        known, known_at = (heard.column(name)[back] for name in ("text", "place"))
        same = ((news[..., None] == known[:, None, None]) & (news >= 0)[..., None]).any(axis=2)
        is_known = (same & (place[:, :, None] == known_at[:, None])).any(axis=2)
        fits = worth & ~is_known
        chosen = np.where(fits.any(axis=1), fits.argmax(axis=1), -1)
        (at,) = (chosen >= 0).nonzero()
        selected = at, chosen[at]
        news_of = np.stack(
            [back[at], news[selected][:, 1], news[selected][:, 0], place[selected]], axis=1
        )
        _, first = np.unique(news_of, axis=0, return_index=True)
        is_first = np.zeros(len(chosen), np.bool_)
        is_first[at[first]] = True
        return np.where(is_first, chosen, -1)

    def _report(
        self, senders: Cohort, listeners: Cohort, strength: Float32, event: Experience
    ) -> Remarks:
        """Let the senders report an event, and let both remember the report."""
        words, topic, place, importance, valence, confidence = (
            event.column(name)[:, 0]
            for name in ("text", "topic", "place", "importance", "valence", "confidence")
        )
        if self.settings.ask:
            words = ask_for_words(
                self, senders, words, to=listeners.rows, about="what happened",
                memories=event.recalled,
            )  # fmt: skip
        # Passed-on memories are less important than the original, and their confidence depends on
        # tie strength and on the sender's confidence.
        opening = Remarks(
            self.population.memory.topics,
            topic,
            words,
            importance=0.8 * importance,
            valence=valence,
            confidence=0.5 * strength * (1 + confidence),
            place=place,
        )
        remember_said(senders, words, OWN_REPORT, actor=listeners.ids, place=place)
        remember_heard(listeners, opening, RECEIVED, actor=senders.ids)
        return opening

    def _answer(
        self, senders: Cohort, listeners: Cohort, strength: Float32, opening: Remarks
    ) -> None:
        """Let the listeners answer, and let both remember the answer and how it felt."""
        own, rated = self._ratings(listeners, opening.topic)
        others, _ = self._ratings(senders, opening.topic)
        felt = compute_harmony(own, others, strength)
        u = self.chance.uniforms(senders, 2, "answer")
        grammar = read_replies()
        parts = {
            "reply": self._reply_keys(grammar, opening, own, rated),
            "closing": grammar.numbers("closing", SIGNS)[find_sign(felt)],
        }
        words = grammar.compose(parts, u, self.society.texts)
        if self.settings.ask:
            words = ask_for_words(
                self, listeners, words, to=senders.rows, about="what happened",
                heard=read_remarks(self, opening.text, opening.place),
            )  # fmt: skip
        reply = Remarks(
            ("social",),
            np.zeros(len(words), np.intp),
            words,
            importance=compute_importance(felt),
            valence=felt,
            confidence=1.0,
        )
        sent, heard = find_only_talks(senders, listeners)
        remember_heard(senders, reply, ANSWERED, actor=listeners.ids, continues=sent)
        remember_said(listeners, words, OWN_ANSWER, actor=senders.ids, felt=felt, continues=heard)

    def _ratings(self, agents: Cohort, topic: Ints) -> tuple[Float32, Bools]:
        """Return each agent's attitude that a topic changes most, and whether there is one."""
        rating = np.full(len(agents), 5.0, np.float32)
        rated = np.zeros(len(agents), np.bool_)
        for number in np.flatnonzero(np.bincount(topic)):
            name = self.population.memory.topics[number]
            attitude = max(self.attitudes, key=lambda one: abs(one.effect.get(name, 0.0)))
            if attitude.effect.get(name):
                mask = topic == number
                rating[mask] = agents[f"attitude.{attitude.name}"][mask]
                rated |= mask
        return rating, rated

    def _reply_keys(
        self, grammar: Grammar, opening: Remarks, rating: Float32, rated: Bools
    ) -> Intp:
        """Return the number of the key of each reply."""
        sign = find_sign(opening.valence)
        level = np.where(rating >= HIGH, 0, np.where(rating <= LOW, 2, 1))
        level = np.where(rated, level, len(LEVELS) + sign)
        number = _number_replies(tuple(opening.topics))[opening.topic, level]
        by_sign = grammar.numbers("reply", SIGNS)[sign]
        return np.where(number >= 0, number, by_sign)


@lru_cache(64)
def _number_replies(topics: tuple[str, ...]) -> Intp:
    """Return the number of the key of replies by topic, and level or sign; -1 without one."""
    grammar = read_replies()
    known = grammar.sections["reply"]
    keys = [[f"{name} {word}" for word in (*LEVELS, *SIGNS)] for name in topics]
    has = np.array([[key in known for key in row] for row in keys])
    return np.where(has, [grammar.numbers("reply", row) for row in keys], -1)
