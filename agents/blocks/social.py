"""Social life: receiving news, and conversations with friends."""

from collections.abc import Sequence
from functools import cache, lru_cache

import numpy as np

from memopolis.agents.activities import Activity
from memopolis.agents.appraisal import Attitude
from memopolis.agents.block_settings import SocialSettings
from memopolis.agents.blocks.cognition import ATTITUDES
from memopolis.agents.citizen import AGE_OF_REASON
from memopolis.agents.conversation import (
    ANSWERED,
    OWN_ANSWER,
    OWN_REPORT,
    REPLIES,
    Remarks,
    ask_for_words,
    compute_harmony,
    compute_importance,
    find_only_talks,
    read_remarks,
    remember_heard,
    remember_said,
)
from memopolis.agents.everyday import RECEIVED
from memopolis.agents.experience import Experience
from memopolis.agents.grammar import Grammar
from memopolis.agents.hearing import Hearing
from memopolis.agents.thoughts import SIGNS, find_sign
from memopolis.sim.arrays import Bools, Float32, Intp, Ints
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort
from memopolis.sim.timeline import News
from memopolis.sim.world.news import audience_of

HIGH, LOW = 6.5, 3.5
"""Attitudes from which a reply is favourable, and up to which it is not (illustrative)."""
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
    """Talk with the friend of the plan: one reports an event of today, the other answers.

    Both remember the report, the answer, which depends on an attitude, and how the conversation
    felt: pleasant between friends of similar attitudes.
    """

    reads = ("doing", "age", "partner", "attitude")
    writes = ()

    def __init__(
        self, settings: SocialSettings | None = None, attitudes: Sequence[Attitude] = ATTITUDES
    ) -> None:
        self.settings = settings or SocialSettings()
        self.attitudes = tuple(attitudes)

    def step(self, citizens: Cohort) -> None:
        """Let agents that meet or write to a friend talk."""
        if "friend" not in self.population.ties:
            return
        doing = citizens["doing"]
        meeting = citizens.where((doing == Activity.MEET) | (doing == Activity.MESSAGE))
        partner, people = meeting["partner"], self.population
        able = (partner >= 0) & people["alive"][partner]
        able &= people["age"][partner] >= AGE_OF_REASON
        senders = meeting.where(able).of_age(AGE_OF_REASON)
        senders = self.chance.some(senders, self.settings.tell, "tell")
        if not len(senders):
            return
        event = self._find_events(senders)
        importance = event.column("importance")[:, 0]
        worth = (event.recalled.ids[:, 0] >= 0) & (importance >= self.settings.least)
        senders, event = senders.where(worth), event.where(worth)
        if len(senders):
            listeners = senders.at(senders["partner"].astype(np.intp))
            strength = self.population.ties["friend"].between(senders.rows, listeners.rows)
            opening = self._report(senders, listeners, strength, event)
            self._answer(senders, listeners, strength, opening)

    @staticmethod
    def _find_events(senders: Cohort) -> Experience:
        """Return the most important event of today that is no thought, -1 for none, (agents, 1)."""
        today = senders.stream.today(k=3, by="importance")
        is_event = senders.stream.located(today).column("kind") == 0
        return Experience(senders, today.keep(is_event, 1))

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


@cache
def read_replies() -> Grammar:
    """Read the phrases of replies and closings."""
    return Grammar.read(REPLIES)


@lru_cache(64)
def _number_replies(topics: tuple[str, ...]) -> Intp:
    """Return the number of the key of replies by topic, and level or sign; -1 without one."""
    grammar = read_replies()
    known = grammar.sections["reply"]
    keys = [[f"{name} {word}" for word in (*LEVELS, *SIGNS)] for name in topics]
    has = np.array([[key in known for key in row] for row in keys])
    return np.where(has, [grammar.numbers("reply", row) for row in keys], -1)
