"""Social life: receiving news, and exchanging memories with friends."""

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.activities import Activity
from memopolis.agents.block_settings import SocialSettings
from memopolis.agents.citizen import select_old_enough
from memopolis.agents.hearing import Hearing
from memopolis.sim.block import Block
from memopolis.sim.memory.streams.recollection import Recalled
from memopolis.sim.mind.mind import Answer, Question
from memopolis.sim.population import Cohort
from memopolis.sim.timeline import News
from memopolis.sim.world.news import audience_of

RECEIVED = "{actor} told me: "
PASSED_ON = "I told {actor}: "
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
    """Pass on the most important event of today to a friend."""

    reads = ("doing", "age")
    writes = ()

    def __init__(self, settings: SocialSettings | None = None) -> None:
        self.settings = settings or SocialSettings()

    def step(self, citizens: Cohort) -> None:
        """Let agents that meet or write to friends pass on a memory, and remember doing so."""
        ties = self.population.ties
        if "friend" not in ties:
            return
        doing = citizens.status.codes("doing")
        meeting = citizens.where((doing == Activity.MEET) | (doing == Activity.MESSAGE))
        meeting = select_old_enough(meeting)
        senders = self.chance.some(meeting, self.settings.tell, "tell")
        if not len(senders):
            return
        friends = ties["friend"]
        senders = senders.where(friends.count(senders.rows) > 0)
        ids = self._find_events(senders)
        importance = senders.memory.stream.column("importance", ids)
        worth = (ids >= 0) & (importance >= self.settings.least)
        senders, ids = senders.where(worth), ids[worth]
        if len(senders):
            pick = friends.one_of(senders.rows, self.chance.uniform(senders, "whom"))
            listeners = friends.contacts[pick].astype(np.intp)
            alive = self.population.memory.columns.arrays["alive"][listeners]
            senders, pick = senders.where(alive), pick[alive]
            self._pass_on(senders, listeners[alive], friends.strength[pick], ids[alive])

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
            known={"told": default[:, None], "to": np.array(names, object)},
        )
        decisions = self.society.ask(question, block=self.name)
        own = (decisions.text >= 0) & (decisions.text != default)
        texts = default.copy()
        texts[own] = self._prefix(decisions.text[own], RECEIVED)
        return texts

    def _prefix(self, numbers: NDArray[np.int32], prefix: str) -> NDArray[np.int32]:
        """Return the numbers of texts with a prefix, which replaces an earlier `RECEIVED`."""
        texts = self.society.texts
        distinct, back = np.unique(numbers, return_inverse=True)
        prefixed = [texts.intern(prefix + texts[int(n)].removeprefix(RECEIVED)) for n in distinct]
        return np.array(prefixed, np.int32)[back]


def pass_on(question: Question) -> Answer:
    """Pass on a memory in its own words: the rule of the question "message"."""
    text = question.known["told"][:, 0]
    return Answer(np.full(len(text), np.nan, np.float32), text=text)
