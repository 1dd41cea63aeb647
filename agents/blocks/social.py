"""Social life: news that is heard, and what people tell each other."""

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.activities import Activity
from memopolis.agents.citizen import old_enough
from memopolis.agents.hearing import Hearing
from memopolis.sim.block import Block
from memopolis.sim.memory.streams.recollection import Recalled
from memopolis.sim.mind.mind import Answer, Question
from memopolis.sim.population import Cohort
from memopolis.sim.settings import Field, SettingsGroup
from memopolis.sim.timeline import News
from memopolis.sim.world.news import audience_of

TOLD = "{actor} told me: "
TELLING = "I told {actor}: "
TOLD_ON = ("text", "topic", "place", "importance", "valence", "confidence")
"""What of a memory a listener hears."""


class SocialSettings(SettingsGroup):
    """How news and words travel."""

    news_delay: float = Field(
        4.0,
        gt=0,
        le=240,
        unit="h",
        origin="illustrative",
        description="Mean time until news is heard",
    )
    trust: float = Field(
        0.8, ge=0, le=1, origin="illustrative", description="Confidence in what is read in the news"
    )
    tell: float = Field(
        0.7,
        ge=0,
        le=1,
        origin="illustrative",
        description="Chance that a meeting passes a memory on",
    )
    least: float = Field(
        0.3,
        ge=0,
        le=1,
        origin="illustrative",
        description="Importance from which something is told",
    )
    ask: bool = Field(
        default=False, description="Whether the mind words what is told, as the question message"
    )


class FollowNews(Block):
    """Hear the news that is on air, some sooner and some later, and remember it."""

    reads = ("home", "age")
    writes = ()

    def __init__(self, settings: SocialSettings | None = None) -> None:
        self.settings = settings or SocialSettings()

    def setup(self) -> None:
        """Prepare who hears what when."""
        purpose = f"{self.population.name}.{self.name}"
        self.hearing = Hearing(self.society, purpose, self.settings.news_delay)

    def step(self, citizens: Cohort) -> None:
        """Let each hear what reaches it in this tick."""
        everyone = len(self.population)
        for number, (tick, news) in enumerate(self.society.on_air()):
            rows = self.hearing.now(number, tick, everyone)
            if len(rows):
                self._hear(old_enough(citizens.among(rows)), news)

    def _hear(self, citizens: Cohort, news: News) -> None:
        reached = audience_of(citizens, news.audience)
        if reached.any():
            citizens.where(reached).memory.stream.add(
                news.topic,
                news.text,
                importance=news.importance,
                valence=news.stance,
                confidence=self.settings.trust,
            )


class Talk(Block):
    """Tell a friend the most important thing of today that is worth telling."""

    reads = ("doing", "age")
    writes = ()

    def __init__(self, settings: SocialSettings | None = None) -> None:
        self.settings = settings or SocialSettings()

    def step(self, citizens: Cohort) -> None:
        """Let those who meet or write to friends pass on a memory, and remember having done so."""
        ties = self.population.ties
        if "friend" not in ties:
            return
        doing = citizens.status.codes("doing")
        meeting = citizens.where((doing == Activity.MEET) | (doing == Activity.MESSAGE))
        meeting = old_enough(meeting)
        telling = self.chance.some(meeting, self.settings.tell, "tell")
        if not len(telling):
            return
        friends = ties["friend"]
        telling = telling.where(friends.count(telling.rows) > 0)
        ids = self._worth_telling(telling)
        importance = telling.memory.stream.column("importance", ids)
        worth = (ids >= 0) & (importance >= self.settings.least)
        telling, ids = telling.where(worth), ids[worth]
        if len(telling):
            pick = friends.one_of(telling.rows, self.chance.uniform(telling, "whom"))
            listeners = friends.contacts[pick].astype(np.intp)
            there = self.population.memory.columns.arrays["alive"][listeners]
            telling, pick = telling.where(there), pick[there]
            self._tell(telling, listeners[there], friends.strength[pick], ids[there])

    @staticmethod
    def _worth_telling(telling: Cohort) -> NDArray[np.int32]:
        """Id of the most important event of today, -1 for none: thoughts are kept to oneself."""
        stream = telling.memory.stream
        ids = stream.today(k=3, by="importance").ids
        event = (ids >= 0) & (stream.column("kind", ids) == 0)
        first = event.argmax(axis=1)
        rows = np.arange(len(ids))
        return np.where(event[rows, first], ids[rows, first], -1).astype(np.int32)

    def _tell(
        self,
        telling: Cohort,
        listeners: NDArray[np.intp],
        strength: NDArray[np.float32],
        ids: NDArray[np.int32],
    ) -> None:
        stream = telling.memory.stream
        tale = {name: stream.column(name, ids) for name in TOLD_ON}
        texts = self._retold(tale["text"], TOLD)
        if self.settings.ask:
            texts = self._worded(telling, listeners, ids, texts)
        stream.add(
            "social",
            self._retold(tale["text"], TELLING),
            actor=self.population.ids[listeners],
            importance=0.1,
            confidence=1.0,
        )
        names = self.population.memory.topics
        for topic in np.unique(tale["topic"]):
            mask = tale["topic"] == topic
            # A tale is worth less than what it tells of; it is as sure as the tie is strong,
            # and less where the teller is not sure.
            telling.at(listeners[mask]).memory.stream.add(
                names[topic],
                texts[mask],
                actor=telling.ids[mask],
                place=tale["place"][mask],
                importance=0.8 * tale["importance"][mask],
                valence=tale["valence"][mask],
                confidence=0.5 * strength[mask] * (1 + tale["confidence"][mask]),
            )

    def _worded(
        self,
        telling: Cohort,
        listeners: NDArray[np.intp],
        ids: NDArray[np.int32],
        told: NDArray[np.int32],
    ) -> NDArray[np.int32]:
        """Numbers of the texts that listeners hear, in the words of the tellers' minds."""
        names = [self.society.name_of(one) for one in self.population.ids[listeners].tolist()]
        question = Question(
            "message",
            telling,
            "text",
            tell_on,
            about="what happened",
            memories=Recalled(telling.rows, ids[:, None], np.ones((len(ids), 1), np.float32)),
            known={"told": told[:, None], "to": np.array(names, object)},
        )
        decisions = self.society.ask(question, block=self.name)
        own = (decisions.text >= 0) & (decisions.text != told)
        texts = told.copy()
        texts[own] = self._retold(decisions.text[own], TOLD)
        return texts

    def _retold(self, numbers: NDArray[np.int32], opening: str) -> NDArray[np.int32]:
        """Numbers of the texts that tell other texts on; a tale told on stays one tale."""
        texts = self.society.texts
        distinct, back = np.unique(numbers, return_inverse=True)
        told = [texts.intern(opening + texts[int(n)].removeprefix(TOLD)) for n in distinct]
        return np.array(told, np.int32)[back]


def tell_on(question: Question) -> Answer:
    """Pass on a memory in the words it is kept in: the rule of a message."""
    told = question.known["told"][:, 0]
    return Answer(np.full(len(told), np.nan, np.float32), text=told)
