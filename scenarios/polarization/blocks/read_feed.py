"""Posts and feeds: citizens post, outlets publish, and a feed ranks what each reader sees."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from memopolis.agents.conversation import prefix_texts, remember_heard, remember_said
from memopolis.scenarios.polarization import messages as words
from memopolis.scenarios.polarization.grounds import Grounds
from memopolis.scenarios.polarization.messages import Draft, Statements
from memopolis.scenarios.polarization.ranking import (
    FOLLOWED,
    NEAREST,
    OUTLET,
    RECOMMENDED,
    draw_follows,
    draw_least_preferred,
    log_preference,
    remove_like_minded,
)
from memopolis.scenarios.polarization.settings import FeedSettings, MediaSettings, TalkSettings
from memopolis.scenarios.polarization.subjects import Subject
from memopolis.sim.arrays import (
    Array,
    Bools,
    Float64,
    Int8,
    Int32,
    Int64,
    Intp,
    Ints,
)
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population


@dataclass(frozen=True)
class Posts:
    """Posts of today, one entry per author: all citizens, then all outlets."""

    present: Bools  # whether the author has posted, shape (authors,)
    # Statement of each author, with the text in readers' memories, shape (authors,)
    statements: Statements
    side: Int8  # side of the author, shape (authors,)
    ids: Int64  # unique_id of the author, shape (authors,)


@dataclass(eq=False, repr=False)
class ReadFeed(Block):
    """Write the posts of citizens and stories of outlets, then let all read what the feed selects.

    States: rows of followed citizens, (citizens, slots); rows of citizens read today but not
    followed, (citizens, size), each -1 for none; and the publicly known stance on the subject, that
    of the last post, initially that of the attitude, (citizens,).
    """

    reads = ("attitude", "conviction", "side", "posted", "gun_owner", "urbanity", "outlet")
    writes = ("read", "read_like", "read_cross")
    topics = Grounds.topics
    state = ("follows", "shown", "known")
    refers: ClassVar[Mapping[str, str]] = {"follows": "citizen", "shown": "citizen"}

    feed: FeedSettings
    media: MediaSettings
    talk: TalkSettings
    outlets: Population
    grounds: Grounds
    _: KW_ONLY
    reading: bool = True

    @property
    def subject(self) -> Subject:
        """Subject of the messages."""
        return self.grounds.attitudes.subject

    def setup(self) -> None:
        """Draw initial follows."""
        people = self.population
        agents = len(self.population)
        slots = min(self.feed.follows, agents - 1)
        purpose = f"{self.population.name}.{self.name}.follow"
        self.follows: Int32 = draw_follows(
            people["activity"], slots, self.society.chance, purpose,
            side=people["side"], other_side=self.feed.other_side,
        )  # fmt: skip
        self.shown: Int32 = np.full((agents, self.feed.size), -1, np.int32)
        held = people[f"attitude.{self.subject.main}"]
        self.known = words.draw_stance(held, np.zeros(agents), spread=0.0)

    def step(self, citizens: Cohort) -> None:
        """Post, publish, rank and read."""
        if not self.reading:
            return
        posts = self._collect_posts(citizens)
        if self.feed.size:
            self._read_feeds(citizens, posts)

    def _collect_posts(self, citizens: Cohort) -> Posts:
        """Collect the posts of citizens that decided to post, and the stories of outlets."""
        authors = citizens.where(citizens["posted"] > 0)
        topic = self._draw_topics(authors, self.talk.checks, "post")
        statements = self.grounds.state_views(self, authors, topic, "post", spread=self.talk.noise)
        remember_said(authors, statements.text, words.MINE)
        on_main = statements.topic == 0
        self.known[authors.rows[on_main]] = statements.stance[on_main]

        outlets = self.outlets.cohort()
        stories = self._write_stories(outlets)
        outlets["subject"] = stories.topic.astype(np.uint8)
        outlets["stories"] = 1
        return self._combine_posts(authors, statements, outlets, stories)

    def _write_stories(self, outlets: Cohort) -> Statements:
        """Compose the story of each outlet from its slant and its outlook."""
        noise = self.chance.normal(outlets, "story noise")
        return words.write_stories(
            self.society.texts,
            Draft(
                self._draw_topics(outlets, outlets["checks_share"], "story"),
                words.draw_stance(5 + 5 * outlets["slant"], noise, spread=self.talk.noise),
                self.chance.uniforms(outlets, words.DRAWS, "story text"),
                self.subject,
            ),
            opening=words.number_outlook("outlet", outlets["attitude.outlook"]),
        )

    def _draw_topics(self, authors: Cohort, checks: ArrayLike, purpose: str) -> Intp:
        """Draw the topic of each author; `checks` is the share of the second topic."""
        u = self.chance.uniform(authors, f"{purpose} topic")
        return np.asarray(u < checks, np.intp)

    def _combine_posts(
        self, authors: Cohort, statements: Statements, outlets: Cohort, stories: Statements
    ) -> Posts:
        people = len(self.population)
        rows = np.concatenate([authors.rows, people + outlets.rows])
        count = people + len(self.outlets)
        present = np.zeros(count, np.bool_)
        present[rows] = True
        texts = self.society.texts
        joined = Statements(
            _scatter(rows, count, statements.topic, stories.topic),
            _scatter(rows, count, statements.stance, stories.stance),
            _scatter(
                rows,
                count,
                prefix_texts(texts, statements.text, words.POSTED),
                prefix_texts(texts, stories.text, words.REPORTED),
            ),
            self.subject,
        )
        sides = (p["side"] for p in (self.population, self.outlets))
        ids = np.concatenate([self.population.ids, self.outlets.ids])
        return Posts(present, joined, np.concatenate(list(sides)), ids)

    def _read_feeds(self, citizens: Cohort, posts: Posts) -> None:
        """Let all citizens read their feed, and count messages."""
        authors, kinds = self._rank(citizens, posts)
        side = citizens["side"][:, None]
        agree = np.where(authors >= 0, posts.side[authors] * side, 0)
        if self.feed.cut:
            order = np.where(authors >= 0, np.arange(authors.shape[1]), -1)
            shown = remove_like_minded(
                order, agree > 0, self.chance.uniforms(citizens, authors.shape[1], "cut"),
                size=self.feed.size, cut=self.feed.cut,
            )  # fmt: skip
            authors, kinds, agree = (
                np.where(shown >= 0, np.take_along_axis(values, shown, axis=1), none)
                for values, none in ((authors, -1), (kinds, 0), (agree, 0))
            )
        citizens["read"] = (authors >= 0).sum(axis=1).astype(np.int16)
        citizens["read_like"] = (agree > 0).sum(axis=1).astype(np.int16)
        citizens["read_cross"] = (agree < 0).sum(axis=1).astype(np.int16)
        self._remember(citizens, posts, authors, kinds, agree)
        self.shown[citizens.rows] = np.where(kinds == RECOMMENDED, authors, -1)

    def _rank(self, citizens: Cohort, posts: Posts) -> tuple[Int32, Int8]:
        """Rank authors, -1 for none, and the reasons to show them, shapes (readers, places)."""
        from memopolis.scenarios.polarization.ranking_kernels import rank

        tick = self.clock.tick
        active = np.flatnonzero(posts.present[: len(self.population)])
        chance, name = self.society.chance, f"{self.population.name}.{self.name}"
        active = active[chance.order(f"{name}.circle order", active, tick)]
        start = (self.chance.uniform(citizens, "circle") * max(len(active), 1)).astype(np.int64)
        held = [(citizens[f"attitude.{topic}"] - 5) / 5 for topic in self.subject.topics]
        # A cut needs as many reserves as it may remove.
        shape = (len(citizens), self.feed.size * (2 if self.feed.cut else 1))
        authors, kinds = np.empty(shape, np.int32), np.zeros(shape, np.int8)
        rank(
            citizens.rows.astype(np.int64),
            self.follows,
            self.population["outlet"].astype(np.int32),
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
        self, citizens: Cohort, posts: Posts, authors: Int32, kinds: Int8, agree: Ints
    ) -> None:
        """Add memories of what citizens read, with trust in the source as confidence.

        Authors, -1 for none, kinds and agreement, 1 or -1 by side, have shape (readers, places).
        """
        reader, place = np.nonzero(authors >= 0)
        author, kind = authors[reader, place], kinds[reader, place]
        trust = np.zeros(3, np.float32)
        trust[[FOLLOWED, RECOMMENDED, OUTLET]] = (
            self.feed.trust,
            self.feed.trust_recommended,
            self.media.trust,
        )
        believed = trust[kind] * np.where(agree[reader, place] < 0, self.media.trust_opposed, 1)
        story = kind == OUTLET
        importance = np.where(story, self.media.importance, self.talk.importance_post)
        read = posts.statements.at(author).remarks(importance, believed)
        remember_heard(citizens.at(citizens.rows[reader]), read, "", actor=posts.ids[author])
        people, outlets = len(self.population), self.outlets.cohort()
        count = np.bincount(author[story] - people, minlength=len(self.outlets))
        outlets["readers"] = count[outlets.rows]


def _scatter(rows: Intp, count: int, one: Array, other: Array) -> Array:
    """Place the values of two groups of authors among all authors, 0 elsewhere."""
    spread = np.zeros(count, one.dtype)
    spread[rows] = np.concatenate([one, other])
    return spread


@dataclass(eq=False, repr=False)
class Follow(Block):
    """Let some citizens unfollow one citizen and follow an author shown by the feed today."""

    reads = ("attitude",)

    settings: FeedSettings
    feed: ReadFeed

    def step(self, citizens: Cohort) -> None:
        """Rewire the follows of randomly drawn citizens."""
        movers = self.chance.some(citizens, self.settings.rewire, "rewire")
        shown = self.feed.shown[movers.rows]
        some = (shown >= 0).any(axis=1)
        movers, shown = movers.where(some), shown[some]
        if len(movers) and self.feed.follows.shape[1]:
            new = draw_shown(shown, self.chance.uniform(movers, "whom"))
            self.feed.follows[movers.rows, self._choose_unfollowed(movers)] = new

    def _choose_unfollowed(self, movers: Cohort) -> Intp:
        """Choose the place to be replaced in each list of follows; empty places come first."""
        follows = self.feed.follows[movers.rows]
        own = (movers[f"attitude.{self.feed.subject.main}"] - 5) / 5
        preferred = log_preference(
            own[:, None], self.feed.known[follows], strength=self.settings.strength
        )
        left = draw_least_preferred(preferred, self.chance.uniform(movers, "leave"))
        empty = follows < 0
        return np.where(empty.any(axis=1), empty.argmax(axis=1), left)


def draw_shown(shown: Int32, u: Float64) -> Int32:
    """Draw one of the authors shown to each reader, -1 for none; each row must have one."""
    present = shown >= 0
    which = (u * present.sum(axis=1)).astype(np.intp)
    place = (np.cumsum(present, axis=1) > which[:, None]).argmax(axis=1)
    return shown[np.arange(len(shown)), place]
