"""Social life: receiving news, and conversations with friends."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.activities import Activity
from memopolis.agents.appraisal import Attitude
from memopolis.agents.block_settings import SocialSettings
from memopolis.agents.blocks.cognition import ATTITUDES
from memopolis.agents.citizen import select_old_enough
from memopolis.agents.everyday import RECEIVED, name_friend
from memopolis.agents.grammar import Grammar
from memopolis.agents.hearing import Hearing
from memopolis.agents.thoughts import SIGNS, find_sign
from memopolis.sim.block import Block
from memopolis.sim.memory.streams.recollection import Recalled
from memopolis.sim.mind.mind import Answer, Question
from memopolis.sim.population import Cohort
from memopolis.sim.timeline import News
from memopolis.sim.world.news import audience_of

PASSED_ON = "I told {actor}: "
ANSWERED = "{actor} answered: "
OWN_ANSWER = "I answered {actor}: "
HIGH, LOW = 6.5, 3.5
"""Attitudes from which an answer is favourable, and up to which it is not (illustrative)."""
COPIED = ("text", "topic", "place", "importance", "valence", "confidence")
"""Columns of a memory that are passed on to the listener."""


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
                self._remember(select_old_enough(citizens.among(rows)), news)

    def _remember(self, citizens: Cohort, news: News) -> None:
        is_reached = audience_of(citizens, news.audience)
        if is_reached.any():
            citizens.where(is_reached).memory.stream.add(
                news.topic,
                news.text,
                importance=news.importance,
                valence=news.stance,
                confidence=self.settings.trust,
            )


class Talk(Block):
    """Talk with the friend of the plan: one reports an event of today, the other answers.

    Both remember the report and the answer. The answer depends on the attitude of the agent that
    answers. Its valence is how the conversation felt: pleasant if both have similar attitudes.
    """

    reads = ("doing", "age", "partner", "attitude")
    writes = ()

    def __init__(
        self,
        settings: SocialSettings | None = None,
        attitudes: Sequence[Attitude] = ATTITUDES,
    ) -> None:
        self.settings = settings or SocialSettings()
        self.attitudes = tuple(attitudes)

    def step(self, citizens: Cohort) -> None:
        """Let agents that meet or write to a friend talk."""
        if "friend" not in self.population.ties:
            return
        status = citizens.status
        doing, partner = status.codes("doing"), status["partner"]
        meeting = ((doing == Activity.MEET) | (doing == Activity.MESSAGE)) & (partner >= 0)
        meeting &= self.population.memory.columns.arrays["alive"][partner]
        senders = select_old_enough(citizens.where(meeting))
        senders = self.chance.some(senders, self.settings.tell, "tell")
        if not len(senders):
            return
        ids = self._find_events(senders)
        importance = senders.memory.stream.column("importance", ids)
        worth = (ids >= 0) & (importance >= self.settings.least)
        senders, ids = senders.where(worth), ids[worth]
        if len(senders):
            listeners = senders.status["partner"].astype(np.intp)
            strength = self.population.ties["friend"].between(senders.rows, listeners)
            self._pass_on(senders, listeners, strength, ids)
            self._answer(senders, listeners, strength, ids)

    @staticmethod
    def _find_events(senders: Cohort) -> NDArray[np.int32]:
        """Return the id of the most important event of today that is no thought, -1 for none."""
        stream = senders.memory.stream
        ids = stream.today(k=3, by="importance").ids
        event = (ids >= 0) & (stream.column("kind", ids) == 0)
        first = event.argmax(axis=1)
        rows = np.arange(len(ids))
        return np.where(event[rows, first], ids[rows, first], -1).astype(np.int32)

    def _pass_on(
        self,
        senders: Cohort,
        listeners: NDArray[np.intp],
        strength: NDArray[np.float32],
        ids: NDArray[np.int32],
    ) -> None:
        stream = senders.memory.stream
        memory = {name: stream.column(name, ids) for name in COPIED}
        texts = self._prefix(memory["text"], RECEIVED)
        if self.settings.ask:
            texts = self._ask_for_texts(senders, listeners, ids, texts)
        stream.add(
            "social",
            self._prefix(memory["text"], PASSED_ON),
            actor=self.population.ids[listeners],
            place=memory["place"],
            importance=0.1,
            confidence=1.0,
        )
        names = self.population.memory.topics
        for topic in np.unique(memory["topic"]):
            mask = memory["topic"] == topic
            # Passed-on memories are less important than the original, and their confidence depends
            # on tie strength and on the sender's confidence.
            senders.at(listeners[mask]).memory.stream.add(
                names[topic],
                texts[mask],
                actor=senders.ids[mask],
                place=memory["place"][mask],
                importance=0.8 * memory["importance"][mask],
                valence=memory["valence"][mask],
                confidence=0.5 * strength[mask] * (1 + memory["confidence"][mask]),
            )

    def _answer(
        self,
        senders: Cohort,
        listeners: NDArray[np.intp],
        strength: NDArray[np.float32],
        ids: NDArray[np.int32],
    ) -> None:
        """Let the listeners answer, and let both remember the answer."""
        stream = senders.memory.stream
        topic, valence = stream.column("topic", ids), stream.column("valence", ids)
        answering = senders.at(listeners)
        own, rated = self._ratings(answering, topic)
        others, _ = self._ratings(senders, topic)
        felt = compute_harmony(own, others, strength)
        u = np.stack([self.chance.uniform(senders, "answer", n) for n in range(2)], axis=1)
        grammar, texts = read_replies(), self.society.texts
        parts = {
            "reply": self._reply_keys(grammar, topic, valence, own, rated),
            "closing": grammar.numbers("closing", SIGNS)[find_sign(felt)],
        }
        words = grammar.compose(parts, u, texts)
        importance = 0.1 + 0.2 * np.abs(felt)
        stream.add(
            "social",
            self._prefix(words, ANSWERED),
            actor=self.population.ids[listeners],
            importance=importance,
            valence=felt,
            continues=True,
        )
        answering.memory.stream.add(
            "social",
            self._prefix(words, OWN_ANSWER),
            actor=senders.ids,
            importance=importance,
            valence=felt,
            continues=True,
        )

    def _ratings(
        self, agents: Cohort, topic: NDArray[np.int32]
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Return each agent's attitude that a topic changes most, and whether there is one."""
        rating = np.full(len(agents), 5.0, np.float32)
        rated = np.zeros(len(agents), np.bool_)
        status = agents.status
        for number in np.unique(topic):
            name = self.population.memory.topics[number]
            attitude = max(self.attitudes, key=lambda one: abs(one.effect.get(name, 0.0)))
            if attitude.effect.get(name):
                mask = topic == number
                rating[mask] = status[f"attitude.{attitude.name}"][mask]
                rated |= mask
        return rating, rated

    def _reply_keys(
        self,
        grammar: Grammar,
        topic: NDArray[np.int32],
        valence: NDArray[np.float32],
        rating: NDArray[np.float32],
        rated: NDArray[np.bool_],
    ) -> NDArray[np.intp]:
        """Return the number of the key of each reply."""
        names = self.population.memory.topics
        by_sign = grammar.numbers("reply", SIGNS)[find_sign(valence)]
        level = np.where(rating >= HIGH, 0, np.where(rating <= LOW, 2, 1))
        level = np.where(rated, level, 3 + find_sign(valence))
        words = ("high", "middle", "low", *SIGNS)
        known = grammar.sections["reply"]
        keys = [[f"{name} {word}" for word in words] for name in names]
        has = np.array([[key in known for key in row] for row in keys])
        number = np.array([grammar.numbers("reply", row) for row in keys])
        return np.where(has[topic, level], number[topic, level], by_sign)

    def _ask_for_texts(
        self,
        senders: Cohort,
        listeners: NDArray[np.intp],
        ids: NDArray[np.int32],
        default: NDArray[np.int32],
    ) -> NDArray[np.int32]:
        """Ask the senders' minds for the texts that listeners receive, and return their numbers."""
        names = [self.society.name_of(one) for one in self.population.ids[listeners].tolist()]
        question = Question(
            "message",
            senders,
            "text",
            pass_on,
            about="what happened",
            memories=Recalled(senders.rows, ids[:, None], np.ones((len(ids), 1), np.float32)),
            known={"report": default[:, None], "to": np.array(names, object)},
        )
        decisions = self.society.ask(question, block=self.name)
        own = (decisions.text >= 0) & (decisions.text != default)
        texts = default.copy()
        texts[own] = self._prefix(decisions.text[own], RECEIVED)
        return texts

    def _prefix(self, numbers: NDArray[np.int32], prefix: str) -> NDArray[np.int32]:
        """Return the numbers of texts with a prefix, which replaces an earlier `RECEIVED`.

        The prefix names the other side of the conversation as {actor}, so a person in the text
        itself becomes a friend.
        """
        texts = self.society.texts
        distinct, back = np.unique(numbers, return_inverse=True)
        plain = [texts[int(n)].removeprefix(RECEIVED) for n in distinct]
        prefixed = texts.intern_many([prefix + name_friend(one) for one in plain])
        return prefixed[back]


@cache
def read_replies() -> Grammar:
    """Read the phrases of answers."""
    return Grammar.read(Path(__file__).parents[1] / "data" / "replies.toml")


def compute_harmony(
    own: NDArray[np.floating], others: NDArray[np.floating], strength: NDArray[np.floating]
) -> NDArray[np.float32]:
    """Compute how pleasant a conversation felt to both.

    Args:
        own: Attitude of one side to the subject, in [0, 10], shape (pairs,).
        others: Attitude of the other side, shape (pairs,).
        strength: Strength of the tie, >= 0, shape (pairs,).

    Returns:
        Valence in [-1, 1], shape (pairs,): strong ties and similar attitudes are pleasant.

    Source:
        Attraction by similar attitudes: Byrne 1961, doi:10.1037/h0044721 (recalled); the linear
        form is this project's, illustrative.
    """
    distance = np.abs(own - others) / 5
    felt = 0.6 * np.clip(strength, 0, 1) + 0.2 - 0.8 * distance
    return np.asarray(np.clip(felt, -1, 1), np.float32)


def pass_on(question: Question) -> Answer:
    """Pass on a memory in its own words: the rule of the question "message"."""
    text = question.known["report"][:, 0]
    return Answer(np.full(len(text), np.nan, np.float32), text=text)
