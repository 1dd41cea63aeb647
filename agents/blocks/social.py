"""Social life: receiving news, contacts, and conversations that pass on news."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from memopolis.agents.ages import AGE_OF_REASON, INDEPENDENT_AGE
from memopolis.agents.appraisal import Attitude
from memopolis.agents.block_settings import SocialSettings
from memopolis.agents.blocks.cognition import ATTITUDES
from memopolis.agents.contacts import Contacts, count_met, draw_contacts, list_kinds
from memopolis.agents.conversation import (
    ANSWERED,
    INVITATION,
    OWN_ANSWER,
    OWN_REPORT,
    Remarks,
    ask_for_words,
    begin_with,
    compute_harmony,
    compute_importance,
    find_only_talks,
    find_sources,
    find_versions,
    list_remembered,
    read_remarks,
    recall_history,
    remember_heard,
    remember_said,
)
from memopolis.agents.everyday import RECEIVED, draw_accord, read_replies
from memopolis.agents.experience import Experience
from memopolis.agents.hearing import Hearing
from memopolis.agents.replies import (
    CLOSE,
    HOUSEHOLD,
    LEVELS,
    OCCASIONS,
    SOURCES,
    TIES,
    find_signs,
    find_ties,
    number_closings,
    number_replies,
    take_up,
)
from memopolis.agents.thoughts import find_sign
from memopolis.sim.arrays import Bools, Float32, Int32, Int64, Intp, Ints
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
RETOLD = 0.8  # importance of what others report, relative to that of the event (illustrative)


def _join(high: Ints, low: Ints) -> Int64:
    """Return a number for each pair of 32-bit numbers, shape (m,)."""
    return np.asarray(high.astype(np.int64) << 32 | (low.astype(np.int64) & 0xFFFFFFFF))


class FollowNews(Block):
    """Receive broadcast news, each agent awake after a delay of its own, and remember it.

    The state is the tick until which each agent has listened, shape (citizens,).
    """

    reads = ("home", "age", "scheduled", "doing")
    writes = ()
    reacts_to = (News,)
    state = ("heard",)

    def __init__(self, settings: SocialSettings | None = None) -> None:
        self.settings = settings or SocialSettings()

    def setup(self) -> None:
        """Prepare the delays of reception."""
        purpose = f"{self.population.name}.{self.name}"
        self.hearing = Hearing(self.society, purpose, self.settings.news_delay)
        self.heard = np.full(len(self.population), self.clock.tick - 1, np.int32)

    def step(self, citizens: Cohort) -> None:
        """Remember the news received in this step."""
        heard, awake = self.hearing.listen(citizens, self.heard)
        for number, (tick, news) in enumerate(self.society.on_air()):
            until = tick + self.clock.ticks(news.lasts) if news.lasts else None
            rows = self.hearing.now(number, tick, heard, awake, until=until)
            if len(rows):
                self._remember(citizens.among(rows).of_age(AGE_OF_REASON), news)
        self.heard = np.where(awake, np.int32(self.clock.tick), heard)

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


@dataclass(frozen=True)
class Talks:
    """Talks in which one person reports an event to another, one entry each, shape (m,)."""

    senders: Cohort
    listeners: Cohort  # repeated for several talks
    strength: Float32  # strength of the tie
    tie: Intp  # position in `replies.TIES`
    source: Intp  # how the sender knows of the event: position in `replies.SOURCES`


class Talk(Block):
    """Talk with family, friends, colleagues and neighbours; some talks pass on news.

    Contacts are drawn where people meet, and counted; see `contacts`. In some, one reports an event
    of today that is news to the other, who answers: by the report, by an attitude, by their tie
    and by what it remembers of the other; see `replies`. Both remember the report, the answer and
    how the conversation felt: pleasant between people of similar attitudes.

    States: a bit for each tie of a citizen, 1 if they have talked today; and the tick of the last
    event worth passing on, (citizens,) each.
    """

    reads: ClassVar[tuple[str, ...]] = ("doing", "age", "partner", "attitude", "place", "home")
    writes: ClassVar[tuple[str, ...]] = ("talked_with",)
    topics: tuple[str, ...] = (INVITATION,)
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
        people = self.population
        senders, others = people.at(contacts.rows), people.at(contacts.others)
        events = self._find_events(senders)
        worth = self._find_worth_telling(senders, others, events)
        chosen = np.full(len(worth), -1, np.intp)
        (at,) = worth.any(axis=1).nonzero()
        if len(at):
            some = worth.any(axis=1)
            chosen[at] = self._choose_news(
                events.where(some), senders.where(some), people.at(others.rows[at]), worth[at]
            )
        is_sender = chosen >= 0
        if not is_sender.any():
            return
        is_chosen = np.arange(NEWS) == chosen[:, None]
        event = Experience(senders, events.recalled.keep(is_chosen, 1)).where(is_sender)
        contacts = contacts.where(is_sender)
        text, place = event.column("text")[:, 0], event.column("place")[:, 0]
        talks = Talks(
            senders.where(is_sender),
            people.at(contacts.others),
            contacts.find_strength(people.ties),
            self._find_ties(contacts),
            find_sources(self.society.texts, text, place),
        )
        opening = self._report(talks, event)
        self._answer(talks, opening)

    @staticmethod
    def _find_events(senders: Cohort) -> Experience:
        """Return the most important events of today that are no thoughts, (agents, NEWS)."""
        today = senders.stream.today(k=NEWS, by="importance")
        is_event = senders.stream.located(today).column("kind") == 0
        return Experience(senders, today.keep(is_event, NEWS))

    def _find_worth_telling(self, senders: Cohort, others: Cohort, events: Experience) -> Bools:
        """Return which events the senders report, shape (agents, NEWS).

        They are important, and nothing that the listener has done or said, offers to the sender, or
        news that is past.
        Children report their own lives, and what happens somewhere.
        """
        worth = (events.column("importance") >= self.settings.least) & (events.recalled.ids >= 0)
        worth &= (events.column("actor") != others.ids[:, None]) & ~events.about(INVITATION)
        worth &= ~np.isin(events.column("text"), self._find_past_news())
        (young,) = (senders["age"] < INDEPENDENT_AGE).nonzero()
        text, place = events.column("text")[young], events.column("place")[young]
        worth[young] &= find_sources(self.society.texts, text, place) != SOURCES.index("news")
        return np.asarray(worth)

    def _find_past_news(self) -> Int32:
        """Return the numbers of the texts of news that can no longer be received."""
        now, ticks = self.clock.tick, self.clock.ticks
        past = [
            news.text
            for tick, news in self.society.on_air()
            if news.lasts and now >= tick + ticks(news.lasts)
        ]
        return self.society.texts.find_many([*past, *(RECEIVED + text for text in past)])

    def _choose_news(
        self, events: Experience, senders: Cohort, listeners: Cohort, worth: Bools
    ) -> Intp:
        """Return the event to report to each listener, -1 for none, shape (m,).

        It is the first one that the listener does not know, and rather one on whose topic the
        listener has talked to the sender before. Listeners know what they remember of today: the
        same text of the same place, experienced or heard. Of several people that pass the same news
        to the same listener, only the first does.
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
        preferred = fits.astype(np.int8)
        (several,) = (preferred.sum(axis=1) > 1).nonzero()
        if len(several):
            topics = self._find_topics(senders.at(senders.rows[several]), listeners.ids[several])
            taken_up = (events.column("topic")[several, :, None] == topics[:, None]).any(axis=2)
            preferred[several] += fits[several] & taken_up
        chosen = np.where(fits.any(axis=1), preferred.argmax(axis=1), -1)
        (at,) = (chosen >= 0).nonzero()
        selected = at, chosen[at]
        _, content = np.unique(_join(*news[selected].T[:2]), return_inverse=True)
        _, where = np.unique(_join(back[at], place[selected]), return_inverse=True)
        _, first = np.unique(_join(where, content), return_index=True)
        is_first = np.zeros(len(chosen), np.bool_)
        is_first[at[first]] = True
        return np.where(is_first, chosen, -1)

    def _find_topics(self, people: Cohort, others: Int64) -> Ints:
        """Return the topics on which others have talked to people, -1 for none, (m, HISTORY)."""
        texts, remembered = self.society.texts, Experience(people, recall_history(people, others))
        is_report = texts.start_with(remembered.column("text"), RECEIVED)
        return np.where(is_report, remembered.column("topic"), -1)

    def _find_ties(self, contacts: Contacts) -> Intp:
        """Return the tie of each contact, a position in `TIES`."""
        people = self.population
        kinds = list_kinds(people.ties)
        is_home, is_close = (
            np.array([kind in some for kind in kinds], np.bool_)[contacts.kinds]
            for some in ((HOUSEHOLD,), CLOSE)
        )
        age = people["age"]
        return find_ties(is_home, is_close, age[contacts.rows], age[contacts.others])

    def _report(self, talks: Talks, event: Experience) -> Remarks:
        """Let the senders report an event, and let both remember the report."""
        senders, listeners = talks.senders, talks.listeners
        words, topic, place, importance, valence, confidence = (
            event.column(name)[:, 0]
            for name in ("text", "topic", "place", "importance", "valence", "confidence")
        )
        if self.settings.ask:
            words = ask_for_words(
                self, senders, words, to=listeners.rows, about="what happened",
                history=recall_history(senders, listeners.ids), memories=event.recalled,
            )  # fmt: skip
        # Passed-on memories are less important than the original, and their confidence depends on
        # tie strength and on the sender's confidence.
        opening = Remarks(
            self.population.memory.topics,
            topic,
            words,
            importance=RETOLD * importance,
            valence=valence,
            confidence=0.5 * talks.strength * (1 + confidence),
            place=place,
        )
        remember_said(senders, words, OWN_REPORT, actor=listeners.ids, place=place)
        remember_heard(listeners, opening, RECEIVED, actor=senders.ids)
        return opening

    def _answer(self, talks: Talks, opening: Remarks) -> None:
        """Let the listeners answer, and let both remember the answer and how it felt."""
        senders, listeners = talks.senders, talks.listeners
        own, rated = self._ratings(listeners, opening.topic)
        others, _ = self._ratings(senders, opening.topic)
        accord = draw_accord(senders.rows, listeners.rows, self.society.chance, self.clock.tick)
        harmony = compute_harmony(own, others, talks.strength) + accord
        felt = np.clip(harmony, -1, 1).astype(np.float32)
        history = recall_history(listeners, senders.ids)
        recalled = self._take_up(talks, opening, Experience(listeners, history))
        words = self._write_answers(talks, opening, np.where(rated, own, np.nan), felt, recalled)
        if self.settings.ask:
            words = ask_for_words(
                self, listeners, words, to=senders.rows, about="what happened", history=history,
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

    def _take_up(self, talks: Talks, opening: Remarks, history: Experience) -> list[str]:
        """Return what each listener says of what it remembers of the other, "" for nothing."""
        topics, u = opening.topics, self.chance.uniform(talks.senders, "recall").tolist()
        return [
            take_up(memories, topics[topic], TIES[tie], draw)
            for memories, topic, tie, draw in zip(
                list_remembered(self.society, history, OCCASIONS),
                opening.topic,
                talks.tie,
                u,
                strict=True,
            )
        ]

    def _write_answers(
        self,
        talks: Talks,
        opening: Remarks,
        rating: Float32,
        felt: Float32,
        recalled: Sequence[str],
    ) -> Int32:
        """Return the numbers of answers that fit the reports, shape (m,).

        `rating` is the attitude of each listener to the topic, NaN without one, and `recalled` what
        the answer begins with, "" for nothing.
        """
        grammar, topics = read_replies(), tuple(opening.topics)
        sign = find_signs(opening.valence, np.asarray(opening.importance) / RETOLD)
        level = np.where(rating >= HIGH, 0, np.where(rating <= LOW, 2, 1))
        level[np.isnan(rating)] = LEVELS.index("")
        recalls = np.array([bool(words) for words in recalled], np.intp)
        closings = number_closings(topics)
        parts = {
            "reply": number_replies(topics)[opening.topic, talks.source, sign, level, talks.tie],
            "closing": closings[opening.topic, sign, find_sign(felt), talks.tie, recalls],
        }
        u = self.chance.uniforms(talks.senders, 2, "answer")
        words = grammar.compose(parts, u, self.society.texts)
        return begin_with(self.society.texts, recalled, words)
