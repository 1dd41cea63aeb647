"""Posts and feeds: citizens post, outlets publish, and a feed ranks what its reader sees."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.scenarios.polarization import messages as words
from memopolis.scenarios.polarization.following import first_follows
from memopolis.scenarios.polarization.messages import Said
from memopolis.scenarios.polarization.ranking import (
    FOLLOWED,
    NEAREST,
    OUTLET,
    RECOMMENDED,
    without_some,
)
from memopolis.scenarios.polarization.remembering import hear, keep_own
from memopolis.scenarios.polarization.settings import FeedSettings, MediaSettings, TalkSettings
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population

Rows = NDArray[np.int32]


@dataclass(frozen=True)
class Posts:
    """What is posted today, one entry an author: all citizens, then all outlets.

    Attributes:
        there: Whether the author has posted, shape (authors,).
        said: What it says, shape (authors,).
        texts: Numbers of the texts as readers keep them, shape (authors,).
        side: Side of the author, shape (authors,).
        ids: unique_id of the author, shape (authors,).
    """

    there: NDArray[np.bool_]
    said: Said
    texts: NDArray[np.int32]
    side: NDArray[np.int8]
    ids: NDArray[np.int64]


class ReadFeed(Block):
    """Some post; then everyone reads what the feed shows of those followed, others and outlets.

    State:
        follows: Rows of those whom each follows, -1 for none, shape (citizens, slots).
        shown: Rows of the citizens read today though not followed, -1 for none, shape
            (citizens, size).
        known: Stance on gun control that each is known by: that of its last post, at first that
            of its attitude, shape (citizens,).
    """

    reads = ("attitude", "side", "activity")
    writes = ("posted", "read", "read_like", "read_cross")
    state = ("follows", "shown", "known")

    def __init__(
        self,
        feed: FeedSettings,
        media: MediaSettings,
        talk: TalkSettings,
        outlets: Population,
        *,
        reading: bool = True,
    ) -> None:
        self.feed = feed
        self.media = media
        self.talk = talk
        self.outlets = outlets
        self.reading = reading
        self.messages = words.shipped()

    def setup(self) -> None:
        """Draw whom each follows at first."""
        columns = self.population.memory.columns.arrays
        agents = len(self.population)
        slots = min(self.feed.follows, agents - 1)
        purpose = f"{self.population.name}.{self.name}.follow"
        self.follows: Rows = first_follows(columns["activity"], slots, self.society.chance, purpose)
        self.shown: Rows = np.full((agents, self.feed.size), -1, np.int32)
        held = columns["attitude.gun_control"]
        self.known = words.stance_of(held, np.zeros(agents), spread=0.0)

    def step(self, citizens: Cohort) -> None:
        """Post, publish, rank and read."""
        if not self.reading:
            return
        posts = self._posts(citizens)
        if self.feed.size:
            self._read(citizens, posts)

    def _posts(self, citizens: Cohort) -> Posts:
        """Let the active post and the outlets publish."""
        authors = self.chance.some(citizens, citizens.status["activity"], "post")
        said = self._said(authors, authors.status["attitude.gun_control"],
                          authors.status["attitude.background_checks"], "post")  # fmt: skip
        keep_own(authors, said, self.messages, words.MINE)
        on_guns = said.topic == 0
        self.known[authors.rows[on_guns]] = said.stance[on_guns]
        posted = np.zeros(len(self.population), np.int16)
        posted[authors.rows] = 1
        citizens.status["posted"] = posted[citizens.rows]

        outlets = self.outlets.cohort()
        slant = 5 + 5 * outlets.status["slant"]
        stories = self._said(outlets, slant, slant, "story")
        outlets.status["stories"] = np.ones(len(outlets), np.int32)
        return self._joined(authors, said, outlets, stories)

    def _said(
        self,
        who: Cohort,
        on_guns: NDArray[np.floating[Any]],
        on_checks: NDArray[np.floating[Any]],
        purpose: str,
    ) -> Said:
        """Put what each holds into words."""
        topic = (self.chance.uniform(who, f"{purpose} topic") < self.talk.checks).astype(np.intp)
        noise = self.chance.normal(who, f"{purpose} noise")
        stance = words.stance_of(
            np.where(topic == 1, on_checks, on_guns), noise, spread=self.talk.noise
        )
        return self.messages.say(stance, topic, self.chance.uniform(who, f"{purpose} text"))

    def _joined(self, authors: Cohort, said: Said, outlets: Cohort, stories: Said) -> Posts:
        people = len(self.population)
        rows = np.concatenate([authors.rows, people + outlets.rows])
        every = people + len(self.outlets)
        there = np.zeros(every, np.bool_)
        there[rows] = True
        whole = Said(
            _spread(rows, every, said.topic, stories.topic),
            _spread(rows, every, said.stance, stories.stance),
            _spread(rows, every, said.text, stories.text),
        )
        texts = self.society.texts
        numbers = self.messages.numbers(texts, words.POSTED)[whole.text]
        numbers[people:] = self.messages.numbers(texts, words.REPORTED)[whole.text[people:]]
        sides = (p.memory.columns.arrays["side"] for p in (self.population, self.outlets))
        ids = np.concatenate([self.population.ids, self.outlets.ids])
        return Posts(there, whole, numbers, np.concatenate(list(sides)), ids)

    def _read(self, citizens: Cohort, posts: Posts) -> None:
        """Let everyone read what its feed shows, and count it."""
        authors, kinds = self._ranked(citizens, posts)
        side = citizens.status["side"][:, None]
        agree = np.where(authors >= 0, posts.side[authors] * side, 0)
        if self.feed.cut:
            order = np.where(authors >= 0, np.arange(authors.shape[1]), -1)
            shown = without_some(
                order, agree > 0, self._draws(citizens, "cut", authors.shape[1]),
                size=self.feed.size, cut=self.feed.cut,
            )  # fmt: skip
            authors, kinds, agree = (
                np.where(shown >= 0, np.take_along_axis(values, shown, axis=1), none)
                for values, none in ((authors, -1), (kinds, 0), (agree, 0))
            )
        status = citizens.status
        status["read"] = (authors >= 0).sum(axis=1).astype(np.int16)
        status["read_like"] = (agree > 0).sum(axis=1).astype(np.int16)
        status["read_cross"] = (agree < 0).sum(axis=1).astype(np.int16)
        self._keep(citizens, posts, authors, kinds)
        self.shown[citizens.rows] = np.where(kinds == RECOMMENDED, authors, -1)

    def _draws(self, readers: Cohort, purpose: str, count: int) -> NDArray[np.float64]:
        """Uniform draws of shape (readers, count)."""
        return np.stack([self.chance.uniform(readers, purpose, n) for n in range(count)], axis=1)

    def _ranked(self, citizens: Cohort, posts: Posts) -> tuple[Rows, NDArray[np.int8]]:
        """Authors offered, best first, -1 for none, and why, both of shape (readers, places)."""
        from memopolis.scenarios.polarization.ranking_kernels import rank

        tick = self.clock.tick
        active = np.flatnonzero(posts.there[: len(self.population)])
        chance, name = self.society.chance, f"{self.population.name}.{self.name}"
        active = active[chance.order(f"{name}.circle order", active, tick)]
        start = (self.chance.uniform(citizens, "circle") * max(len(active), 1)).astype(np.int64)
        held = [(citizens.status[f"attitude.{topic}"] - 5) / 5 for topic in words.TALKED_OF]
        # A cut needs as many in reserve as it may take out.
        shape = (len(citizens), self.feed.size * (2 if self.feed.cut else 1))
        authors, kinds = np.empty(shape, np.int32), np.zeros(shape, np.int8)
        rank(
            citizens.rows.astype(np.int64),
            self.follows,
            active.astype(np.int64),
            start,
            self.feed.recommended,
            self.media.reach,
            posts.there,
            posts.said.topic,
            posts.said.stance,
            np.stack(held, axis=1).astype(np.float32),
            self.feed.strength,
            NEAREST,
            chance.key(f"{name}.rank"),
            chance.key(f"{name}.reach"),
            tick,
            authors,
            kinds,
        )
        return authors, kinds

    def _keep(self, citizens: Cohort, posts: Posts, authors: Rows, kinds: NDArray[np.int8]) -> None:
        """Let readers remember what they read, as surely as they trust where it comes from."""
        reader, place = np.nonzero(authors >= 0)
        who, kind = authors[reader, place], kinds[reader, place]
        trust = np.zeros(3, np.float32)
        trust[[FOLLOWED, RECOMMENDED, OUTLET]] = (
            self.feed.trust,
            self.feed.trust_recommended,
            self.media.trust,
        )
        hear(
            self.population,
            citizens.rows[reader],
            posts.said.at(who),
            posts.texts[who],
            actor=posts.ids[who],
            importance=self.talk.importance_post,
            confidence=trust[kind],
        )
        people, outlets = len(self.population), self.outlets.cohort()
        read = np.bincount(who[kind == OUTLET] - people, minlength=len(self.outlets))
        outlets.status["readers"] = read[outlets.rows]


def _spread(
    rows: NDArray[np.intp], every: int, one: NDArray[Any], other: NDArray[Any]
) -> NDArray[Any]:
    """Values of some authors at their places among all, 0 elsewhere."""
    whole = np.zeros(every, one.dtype)
    whole[rows] = np.concatenate([one, other])
    return whole
