"""Discussions between pairs of friends."""

from dataclasses import dataclass

import numpy as np

from memopolis.agents.conversation import (
    ANSWERED,
    OWN_ANSWER,
    OWN_REPORT,
    ask_for_words,
    begin_with,
    compute_harmony,
    find_only_talks,
    list_remembered,
    read_remarks,
    recall_history,
    remember_heard,
    remember_said,
    split_repeats,
)
from memopolis.agents.everyday import RECEIVED
from memopolis.agents.experience import Experience
from memopolis.agents.thoughts import SIGNS, find_sign
from memopolis.scenarios.polarization import messages as words
from memopolis.scenarios.polarization.grounds import Grounds
from memopolis.scenarios.polarization.messages import WROTE, Draft, Statements
from memopolis.scenarios.polarization.settings import TalkSettings
from memopolis.scenarios.polarization.subjects import Subject
from memopolis.sim.arrays import Bools, Float32, Float64, Floats, Int8, Intp, Ints
from memopolis.sim.block import Block
from memopolis.sim.memory.memory import Added
from memopolis.sim.memory.retrieval.recollection import Recalled
from memopolis.sim.population import Cohort

_CLOSINGS = tuple(f"{sign} close" for sign in SIGNS[:2]) + SIGNS[2:]
AGREEMENTS = ("same", "near", "apart")  # agreement of two statements, by which a reply begins
SAME, APART = 0.3, 0.8
"""Distances of stances up to which statements agree, and from which they disagree
(illustrative)."""


@dataclass(frozen=True)
class Talks:
    """Talks of today, one entry each, shape (m,)."""

    starts: Cohort  # citizens that start a talk
    others: Cohort  # their friends, repeated for several talks
    topic: Intp  # position in the topics of the subject
    strength: Float32  # strength of the tie, at most 1
    felt: Float32  # how the talk feels to both, in [-1, 1]
    continues: Bools  # whether the reply is the next memory of the citizen that starts
    continues_other: Bools  # whether it is the next memory of the friend


@dataclass(eq=False, repr=False)
class Discuss(Block):
    """Let some citizens talk with a friend: both state their view on a topic, and how it felt.

    Both remember the other's statement with its stance, and their own with the feeling: pleasant
    between friends of similar attitudes.
    """

    reads = ("attitude", "conviction", "activity", "side", "gun_owner", "urbanity", "age")
    writes = ("heard", "heard_like", "heard_cross")
    topics = Grounds.topics

    settings: TalkSettings
    grounds: Grounds

    @property
    def subject(self) -> Subject:
        """Subject of the talks."""
        return self.grounds.attitudes.subject

    def step(self, citizens: Cohort) -> None:
        """Let friends talk, and count messages heard."""
        talks = self._draw_talks(citizens)
        if len(talks.starts):
            self._reply(talks, self._open(talks))
        self._count_heard(citizens, talks)

    def _draw_talks(self, citizens: Cohort) -> Talks:
        """Draw who talks with whom about what."""
        friends = self.population.ties["friend"]
        starts = talk_probability(citizens["activity"], self.settings.talks)
        talking = self.chance.some(citizens, starts, "talk")
        talking = talking.where(friends.count(talking.rows) > 0)
        pick = friends.one_of(talking.rows, self.chance.uniform(talking, "whom"))
        other = friends.contacts[pick].astype(np.intp)
        alive = self.population["alive"][other]
        talking, pick, other = talking.where(alive), pick[alive], other[alive]
        topic = (self.chance.uniform(talking, "topic") < self.settings.checks).astype(np.intp)
        strength = np.clip(friends.strength[pick], 0, 1)
        others = talking.at(other)
        held, held_other = (
            find_attitudes(people, topic, self.subject) for people in (talking, others)
        )
        return Talks(
            talking,
            others,
            topic,
            strength,
            compute_harmony(held, held_other, strength),
            *find_only_talks(talking, others),
        )

    def _open(self, talks: Talks) -> Statements:
        """Let those who start state their view, and let both remember it."""
        statements = self.grounds.state_views(
            self, talks.starts, talks.topic, "mine", spread=self.settings.noise
        )
        if self.settings.ask:
            statements = statements.reword(
                ask_for_words(
                    self, talks.starts, statements.text, to=talks.others.rows,
                    about=self.subject.about,
                    history=recall_history(talks.starts, talks.others.ids),
                    memories=self._recalled(talks.starts, talks.topic),
                )
            )  # fmt: skip
        starters, others = talks.starts, talks.others
        heard = statements.remarks(self.settings.importance_talk, talks.strength)
        remember_heard(others, heard, RECEIVED, actor=starters.ids)
        remember_said(starters, statements.text, OWN_REPORT, actor=others.ids, felt=talks.felt)
        return statements

    def _reply(self, talks: Talks, opening: Statements) -> None:
        """Let their friends reply and close, and let both remember it."""
        grammar = words.read_messages()
        closing = grammar.numbers("closing", _CLOSINGS)[find_sign(talks.felt)]
        # Draws are indexed by those who started the talk, since a friend may be in several.
        noise = self.chance.normal(talks.starts, "theirs noise")
        held = find_attitudes(talks.others, talks.topic, self.subject)
        stance = words.draw_stance(held, noise, spread=self.settings.noise)
        u = self.chance.uniforms(talks.starts, words.DRAWS, "theirs text")
        agrees = find_agreement(opening.stance, stance)
        agreement = grammar.numbers("agreement", AGREEMENTS)[agrees]
        statements = words.write_replies(
            self.society.texts,
            Draft(talks.topic, stance, u, self.subject),
            agreement=agreement,
            closing=closing,
        )
        history = recall_history(talks.others, talks.starts.ids)
        statements = self._take_up(statements, talks, opening, agrees, history)
        if self.settings.ask:
            statements = statements.reword(
                ask_for_words(
                    self, talks.others, statements.text, to=talks.starts.rows,
                    about=self.subject.about,
                    history=history,
                    memories=self._recalled(talks.others, talks.topic),
                    heard=read_remarks(self, opening.text),
                )
            )  # fmt: skip
        starters, others = talks.starts, talks.others
        heard = statements.remarks(self.settings.importance_talk, talks.strength)
        remember_heard(starters, heard, ANSWERED, actor=others.ids, continues=talks.continues)
        remember_said(
            others, statements.text, OWN_ANSWER, actor=starters.ids, felt=talks.felt,
            continues=talks.continues_other,
        )  # fmt: skip

    def _take_up(
        self, statements: Statements, talks: Talks, opening: Statements, agrees: Intp,
        history: Recalled,
    ) -> Statements:  # fmt: skip
        """Let replies begin with what the speakers remember of the friend's views, if anything."""
        topics, texts = self.subject.topics, self.society.texts
        u = self.chance.uniform(talks.starts, "remembered")
        remembered = list_remembered(
            self.society, Experience(talks.others, history), words.STATEMENTS
        )
        beginnings = [
            words.take_up(
                [memory for memory in memories if memory.topic == topics[talks.topic[at]]],
                float(opening.stance[at]),
                AGREEMENTS[agrees[at]],
                float(u[at]),
            )
            for at, memories in enumerate(remembered)
        ]
        return statements.reword(begin_with(texts, beginnings, statements.text))

    def _recalled(self, speakers: Cohort, topic: Intp) -> Recalled:
        """Return the messages that the speakers recalled last."""
        attitudes = self.grounds.attitudes
        at = (topic, speakers.rows)
        return Recalled(speakers.rows, attitudes.recalled[at], attitudes.weight[at])

    def _count_heard(self, citizens: Cohort, talks: Talks) -> None:
        """Count the statements that citizens heard, by side."""
        side = self.population["side"]
        speaker = np.concatenate([talks.others.rows, talks.starts.rows])
        listener = np.concatenate([talks.starts.rows, talks.others.rows])
        agree = side[speaker] * side[listener]
        people = len(self.population)
        for name, mask in (
            ("heard", np.ones(len(agree), np.bool_)),
            ("heard_like", agree > 0),
            ("heard_cross", agree < 0),
        ):
            count = np.bincount(listener[mask], minlength=people)
            citizens[name] = count[citizens.rows].astype(np.int16)


def find_attitudes(speakers: Cohort, topic: Intp, subject: Subject) -> Float32:
    """Return the attitude of each speaker to its topic, shape (m,)."""
    return words.select_topic([speakers[f"attitude.{name}"] for name in subject.topics], topic)


def find_agreement(one: Floats, other: Floats) -> Intp:
    """Return the position in `AGREEMENTS` of each pair of stances, shape (m,).

    Stances that are not on the same side, or in the middle both, are near at most.
    """
    distance = np.abs(one - other)
    same_side = words.find_side(one) == words.find_side(other)
    return np.where((distance <= SAME) & same_side, 0, np.where(distance < APART, 1, 2))


def talk_probability(activity: Floats, talks: float) -> Float64:
    """Return 1 - (1 - activity)(1 - talks), the daily probability of starting a talk, (agents,).

    Source: This project: either of two independent occasions.
    """
    return np.asarray(1 - (1 - activity.astype(np.float64)) * (1 - talks))


# Strengthen attitudes after many similar views in conversations; off by default.


LAST = 10  # number of the last views that count (choice: AgentSociety states none)
SIMILAR = 5  # number of similar views above which an attitude strengthens (AgentSociety)
CONVERSATIONS = (RECEIVED, ANSWERED, WROTE)
"""Beginnings of memories of views that friends and persuaders addressed to the citizen."""


class StrengthenViews(Block):
    """Strengthen attitudes after more than five similar views in the last conversations.

    States: sides of the last views, newest first, 0 for none, shape (topics, citizens, `LAST`), and
    whether a view was heard since the last step.

    Source: AgentSociety, arXiv:2502.08691: an attitude strengthens by 0.1 after more than five
    conversations with similar views (recalled). Here a view is similar if it is on the side of the
    citizen's own attitude, and the rule applies on days with a new view on the topic.
    """

    reads = ("attitude",)
    writes = ("attitude",)
    state = ("views", "heard")

    def __init__(self, points: float, subject: Subject) -> None:
        self.points = points
        self.subject = subject

    def setup(self) -> None:
        """Subscribe to stored memories."""
        shape = (len(self.subject.topics), len(self.population))
        self.views: Int8 = np.zeros((*shape, LAST), np.int8)
        self.heard: Bools = np.zeros(shape, np.bool_)
        self.population.memory.stored.append(self.notice)

    def notice(self, added: Added) -> None:
        """Keep the views of conversations."""
        topics = self.population.memory.topic_numbers
        for place, name in enumerate(self.subject.topics):
            about = np.flatnonzero(added.topic == topics.get(name, -1))
            about = about[self.society.texts.start_with(added.text[about], CONVERSATIONS)]
            rows, side = added.rows[about], np.sign(added.valence[about])
            for some in split_repeats(rows):
                views = self.views[place, rows[some]]
                views = np.concatenate([side[some][:, None], views[:, :-1]], axis=1)
                self.views[place, rows[some]] = views
            self.heard[place, rows] = True

    def step(self, citizens: Cohort) -> None:
        """Move attitudes away from 5 where views are similar."""
        for place, name in enumerate(self.subject.topics):
            held = citizens[f"attitude.{name}"]
            strengthened = strengthen(held, self.views[place, citizens.rows], points=self.points)
            heard = self.heard[place, citizens.rows]
            citizens[f"attitude.{name}"] = np.where(heard, strengthened, held)
        self.heard[:] = False


def strengthen(attitude: Floats, views: Ints, *, points: float) -> Float32:
    """Move attitudes that more than `SIMILAR` views support by `points` away from 5.

    `views` are sides, 1, -1, or 0 for none, shape (agents, k).
    """
    side = np.sign(attitude - 5)
    similar = (views == side[:, None]).sum(axis=1) > SIMILAR
    moved = np.where(similar & (side != 0), attitude + points * side, attitude)
    return np.clip(moved, 0, 10).astype(np.float32)
