"""Posts and feeds: citizens post, outlets publish, and a feed ranks what each reader sees."""

from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.scenarios.polarization import messages as words
from memopolis.scenarios.polarization.messages import Messages, Statements
from memopolis.scenarios.polarization.ranking import (
    FOLLOWED,
    NEAREST,
    OUTLET,
    RECOMMENDED,
    draw_follows,
    remove_like_minded,
)
from memopolis.scenarios.polarization.remembering import remember_messages, remember_statements
from memopolis.scenarios.polarization.settings import FeedSettings, MediaSettings, TalkSettings
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population

Rows = NDArray[np.int32]


@dataclass(frozen=True)
class Posts:
    """Posts of today, one entry per author: all citizens, then all outlets.

    Attributes:
        present: Whether the author has posted, shape (authors,).
        statements: Statement of each author, shape (authors,).
        texts: Numbers of the texts in readers' memories, shape (authors,).
        side: Side of the author, shape (authors,).
        ids: unique_id of the author, shape (authors,).
    """

    present: NDArray[np.bool_]
    statements: Statements
    texts: NDArray[np.int32]
    side: NDArray[np.int8]
    ids: NDArray[np.int64]


@dataclass(eq=False, repr=False)
class ReadFeed(Block):
    """Let some citizens post, then let all read what the feed selects.

    State:
        follows: Rows of followed citizens, -1 for none, shape (citizens, slots).
        shown: Rows of citizens read today but not followed, -1 for none, shape
            (citizens, size).
        known: Publicly known stance on gun control: that of the last post, initially that of
            the attitude, shape (citizens,).
    """

    reads = ("attitude", "side", "activity")
    writes = ("posted", "read", "read_like", "read_cross")
    state = ("follows", "shown", "known")

    feed: FeedSettings
    media: MediaSettings
    talk: TalkSettings
    outlets: Population
    _: KW_ONLY
    reading: bool = True
    messages: Messages = field(default_factory=words.read_messages, init=False)

    def setup(self) -> None:
        """Draw initial follows."""
        columns = self.population.memory.columns.arrays
        agents = len(self.population)
        slots = min(self.feed.follows, agents - 1)
        purpose = f"{self.population.name}.{self.name}.follow"
        self.follows: Rows = draw_follows(columns["activity"], slots, self.society.chance, purpose)
        self.shown: Rows = np.full((agents, self.feed.size), -1, np.int32)
        held = columns["attitude.gun_control"]
        self.known = words.draw_stance(held, np.zeros(agents), spread=0.0)

    def step(self, citizens: Cohort) -> None:
        """Post, publish, rank and read."""
        if not self.reading:
            return
        posts = self._collect_posts(citizens)
        if self.feed.size:
            self._read_feeds(citizens, posts)

    def _collect_posts(self, citizens: Cohort) -> Posts:
        """Collect the posts of active citizens and the stories of outlets."""
        authors = self.chance.some(citizens, citizens.status["activity"], "post")
        statements = self._draw_statements(authors, authors.status["attitude.gun_control"],
                                 authors.status["attitude.background_checks"], "post")  # fmt: skip
        remember_statements(authors, statements, self.messages, words.MINE)
        on_guns = statements.topic == 0
        self.known[authors.rows[on_guns]] = statements.stance[on_guns]
        posted = np.zeros(len(self.population), np.int16)
        posted[authors.rows] = 1
        citizens.status["posted"] = posted[citizens.rows]

        outlets = self.outlets.cohort()
        slant = 5 + 5 * outlets.status["slant"]
        stories = self._draw_statements(outlets, slant, slant, "story")
        outlets.status["stories"] = 1
        return self._combine_posts(authors, statements, outlets, stories)

    def _draw_statements(
        self,
        authors: Cohort,
        on_guns: NDArray[np.floating[Any]],
        on_checks: NDArray[np.floating[Any]],
        purpose: str,
    ) -> Statements:
        """Draw a statement of each author."""
        topic = (self.chance.uniform(authors, f"{purpose} topic") < self.talk.checks).astype(
            np.intp
        )
        noise = self.chance.normal(authors, f"{purpose} noise")
        stance = words.draw_stance(
            np.where(topic == 1, on_checks, on_guns), noise, spread=self.talk.noise
        )
        return self.messages.write(stance, topic, self.chance.uniform(authors, f"{purpose} text"))

    def _combine_posts(
        self, authors: Cohort, statements: Statements, outlets: Cohort, stories: Statements
    ) -> Posts:
        people = len(self.population)
        rows = np.concatenate([authors.rows, people + outlets.rows])
        count = people + len(self.outlets)
        present = np.zeros(count, np.bool_)
        present[rows] = True
        joined = Statements(
            _scatter(rows, count, statements.topic, stories.topic),
            _scatter(rows, count, statements.stance, stories.stance),
            _scatter(rows, count, statements.text, stories.text),
        )
        texts = self.society.texts
        numbers = self.messages.numbers(texts, words.POSTED)[joined.text]
        numbers[people:] = self.messages.numbers(texts, words.REPORTED)[joined.text[people:]]
        sides = (p.memory.columns.arrays["side"] for p in (self.population, self.outlets))
        ids = np.concatenate([self.population.ids, self.outlets.ids])
        return Posts(present, joined, numbers, np.concatenate(list(sides)), ids)

    def _read_feeds(self, citizens: Cohort, posts: Posts) -> None:
        """Let all citizens read their feed, and count messages."""
        authors, kinds = self._rank(citizens, posts)
        side = citizens.status["side"][:, None]
        agree = np.where(authors >= 0, posts.side[authors] * side, 0)
        if self.feed.cut:
            order = np.where(authors >= 0, np.arange(authors.shape[1]), -1)
            shown = remove_like_minded(
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
        self._remember(citizens, posts, authors, kinds)
        self.shown[citizens.rows] = np.where(kinds == RECOMMENDED, authors, -1)

    def _draws(self, readers: Cohort, purpose: str, count: int) -> NDArray[np.float64]:
        """Return uniform draws of shape (readers, count)."""
        return np.stack([self.chance.uniform(readers, purpose, n) for n in range(count)], axis=1)

    def _rank(self, citizens: Cohort, posts: Posts) -> tuple[Rows, NDArray[np.int8]]:
        """Rank authors, -1 for none, and the reasons to show them, shapes (readers, places)."""
        from memopolis.scenarios.polarization.ranking_kernels import rank

        tick = self.clock.tick
        active = np.flatnonzero(posts.present[: len(self.population)])
        chance, name = self.society.chance, f"{self.population.name}.{self.name}"
        active = active[chance.order(f"{name}.circle order", active, tick)]
        start = (self.chance.uniform(citizens, "circle") * max(len(active), 1)).astype(np.int64)
        held = [(citizens.status[f"attitude.{topic}"] - 5) / 5 for topic in words.MESSAGE_TOPICS]
        # A cut needs as many reserves as it may remove.
        shape = (len(citizens), self.feed.size * (2 if self.feed.cut else 1))
        authors, kinds = np.empty(shape, np.int32), np.zeros(shape, np.int8)
        rank(
            citizens.rows.astype(np.int64),
            self.follows,
            active.astype(np.int64),
            start,
            self.feed.recommended,
            self.media.reach,
            posts.present,
            posts.statements.topic,
            posts.statements.stance,
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

    def _remember(
        self, citizens: Cohort, posts: Posts, authors: Rows, kinds: NDArray[np.int8]
    ) -> None:
        """Add memories of what citizens read, with trust in the source as confidence."""
        reader, place = np.nonzero(authors >= 0)
        author, kind = authors[reader, place], kinds[reader, place]
        trust = np.zeros(3, np.float32)
        trust[[FOLLOWED, RECOMMENDED, OUTLET]] = (
            self.feed.trust,
            self.feed.trust_recommended,
            self.media.trust,
        )
        remember_messages(
            self.population,
            citizens.rows[reader],
            posts.statements.at(author),
            posts.texts[author],
            actor=posts.ids[author],
            importance=self.talk.importance_post,
            confidence=trust[kind],
        )
        people, outlets = len(self.population), self.outlets.cohort()
        read = np.bincount(author[kind == OUTLET] - people, minlength=len(self.outlets))
        outlets.status["readers"] = read[outlets.rows]


def _scatter(
    rows: NDArray[np.intp], count: int, one: NDArray[Any], other: NDArray[Any]
) -> NDArray[Any]:
    """Place the values of two groups of authors among all authors, 0 elsewhere."""
    spread = np.zeros(count, one.dtype)
    spread[rows] = np.concatenate([one, other])
    return spread
