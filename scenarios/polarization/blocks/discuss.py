"""Discussions between pairs of friends."""

from dataclasses import dataclass

import numpy as np

from memopolis.agents.conversation import (
    ANSWERED,
    OWN_ANSWER,
    OWN_REPORT,
    ask_for_words,
    compute_harmony,
    find_only_talks,
    read_remarks,
    remember_heard,
    remember_said,
)
from memopolis.agents.everyday import RECEIVED
from memopolis.agents.thoughts import SIGNS, find_sign
from memopolis.scenarios.polarization import messages as words
from memopolis.scenarios.polarization.grounds import Grounds
from memopolis.scenarios.polarization.messages import MESSAGE_TOPICS, Draft, Statements
from memopolis.scenarios.polarization.settings import TalkSettings
from memopolis.sim.arrays import Bools, Float32, Float64, Floats, Intp
from memopolis.sim.block import Block
from memopolis.sim.memory.retrieval.recollection import Recalled
from memopolis.sim.population import Cohort

AGREEMENTS = ("same", "near", "apart")  # agreement of two statements, by which a reply begins
SAME, APART = 0.3, 0.8
"""Distances of stances up to which statements agree, and from which they disagree
(illustrative)."""


@dataclass(frozen=True)
class Talks:
    """Talks of today, one entry each, shape (m,)."""

    starts: Cohort  # citizens that start a talk
    others: Cohort  # their friends, repeated for several talks
    topic: Intp  # position of the topic in `MESSAGE_TOPICS`
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

    reads = ("attitude", "conviction", "activity", "side", "gun_owner", "urbanity")
    writes = ("heard", "heard_like", "heard_cross")
    topics = Grounds.topics

    settings: TalkSettings
    grounds: Grounds

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
        held, held_other = find_attitudes(talking, topic), find_attitudes(others, topic)
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
        topic = talks.topic
        conviction = words.select_topic(
            [talks.starts[f"conviction.{name}"] for name in MESSAGE_TOPICS], topic
        )
        stance = self._draw_stances(talks, talks.starts, "mine")
        openings = words.number_openings(conviction, stance)
        u = self.chance.uniform(talks.starts, "mine ground")
        statements = words.write_claims(
            self.society.texts,
            Draft(topic, stance, self._draw_phrases(talks, "mine")),
            opening=openings,
            ground=self.grounds.find(talks.starts, topic, stance, u),
        )
        if self.settings.ask:
            statements = statements.reword(
                ask_for_words(
                    self, talks.starts, statements.text, to=talks.others.rows, about="guns",
                    memories=self._recalled(talks.starts, topic),
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
        closing = grammar.numbers("closing", SIGNS)[find_sign(talks.felt)]
        stance = self._draw_stances(talks, talks.others, "theirs")
        agreement = grammar.numbers("agreement", AGREEMENTS)[find_agreement(opening.stance, stance)]
        statements = words.write_replies(
            self.society.texts,
            Draft(talks.topic, stance, self._draw_phrases(talks, "theirs")),
            agreement=agreement,
            closing=closing,
        )
        if self.settings.ask:
            statements = statements.reword(
                ask_for_words(
                    self, talks.others, statements.text, to=talks.starts.rows, about="guns",
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

    def _draw_stances(self, talks: Talks, speakers: Cohort, purpose: str) -> Float32:
        """Draw what each speaker expresses; draws are indexed by those who started the talk."""
        noise = self.chance.normal(talks.starts, f"{purpose} noise")
        held = find_attitudes(speakers, talks.topic)
        return words.draw_stance(held, noise, spread=self.settings.noise)

    def _draw_phrases(self, talks: Talks, purpose: str) -> Float64:
        """Draw what selects the phrases of each statement, shape (m, draws)."""
        return self.chance.uniforms(talks.starts, words.DRAWS, f"{purpose} text")

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


def find_attitudes(speakers: Cohort, topic: Intp) -> Float32:
    """Return the attitude of each speaker to its topic, shape (m,)."""
    return words.select_topic([speakers[f"attitude.{name}"] for name in MESSAGE_TOPICS], topic)


def find_agreement(one: Floats, other: Floats) -> Intp:
    """Return the position in `AGREEMENTS` of each pair of stances, shape (m,)."""
    distance = np.abs(one - other)
    return np.where(distance <= SAME, 0, np.where(distance < APART, 1, 2))


def talk_probability(activity: Floats, talks: float) -> Float64:
    """Return 1 - (1 - activity)(1 - talks), the daily probability of starting a talk, (agents,).

    Source: This project: either of two independent occasions.
    """
    return np.asarray(1 - (1 - activity.astype(np.float64)) * (1 - talks))
