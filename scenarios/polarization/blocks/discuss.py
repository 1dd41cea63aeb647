"""Discussions between pairs of friends."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from memopolis.scenarios.polarization import messages as words
from memopolis.scenarios.polarization.messages import Messages, Statements
from memopolis.scenarios.polarization.remembering import remember_messages, remember_statements
from memopolis.scenarios.polarization.settings import TalkSettings
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort


@dataclass(eq=False, repr=False)
class Discuss(Block):
    """Let some citizens talk with a friend; both hear the other's stance on the same topic."""

    reads = ("attitude", "activity", "side")
    writes = ("heard", "heard_like", "heard_cross")

    settings: TalkSettings
    messages: Messages = field(default_factory=words.read_messages, init=False)

    def step(self, citizens: Cohort) -> None:
        """Let friends talk, and count messages heard."""
        friends = self.population.ties["friend"]
        starts = talk_probability(citizens.status["activity"], self.settings.talks)
        talking = self.chance.some(citizens, starts, "talk")
        talking = talking.where(friends.count(talking.rows) > 0)
        pick = friends.one_of(talking.rows, self.chance.uniform(talking, "whom"))
        other = friends.contacts[pick].astype(np.intp)
        alive = self.population.memory.columns.arrays["alive"][other]
        talking, pick, other = talking.where(alive), pick[alive], other[alive]
        topic = (self.chance.uniform(talking, "topic") < self.settings.checks).astype(np.intp)
        strength = np.clip(friends.strength[pick], 0, 1)
        mine = self._draw_statements(talking.rows, topic, talking, "mine")
        theirs = self._draw_statements(other, topic, talking, "theirs")
        self._remember(talking.rows, other, mine, strength)
        # Citizens with several talks on a day have memories of another talk in between.
        talks = np.bincount(np.concatenate([talking.rows, other]), minlength=len(self.population))
        self._remember(other, talking.rows, theirs, strength, reply_to=talks == 1)
        speaker = np.concatenate([other, talking.rows])
        listener = np.concatenate([talking.rows, other])
        self._count_heard(citizens, speaker, listener)

    def _draw_statements(
        self, speaker: NDArray[np.intp], topic: NDArray[np.intp], talking: Cohort, purpose: str
    ) -> Statements:
        """Draw what each speaker says; draws are indexed by the citizen that started the talk."""
        speakers = self.population.cohort().at(speaker).status
        held = np.where(
            topic == 1,
            speakers["attitude.background_checks"],
            speakers["attitude.gun_control"],
        )
        noise = self.chance.normal(talking, f"{purpose} noise")
        stance = words.draw_stance(held, noise, spread=self.settings.noise)
        return self.messages.write(stance, topic, self.chance.uniform(talking, f"{purpose} text"))

    def _remember(
        self,
        speaker: NDArray[np.intp],
        listener: NDArray[np.intp],
        statements: Statements,
        strength: NDArray[np.float32],
        reply_to: NDArray[np.bool_] | None = None,
    ) -> None:
        """Add the memories of listeners, with tie strength as confidence, and of speakers.

        Args:
            speaker: Rows of speakers, shape (m,).
            listener: Rows of listeners, shape (m,).
            statements: Statements, shape (m,).
            strength: Strength of their ties, shape (m,).
            reply_to: Whether each citizen's memory continues the previous one, shape (citizens,);
                None at the start of a talk.
        """
        continues = np.zeros(len(self.population), np.bool_) if reply_to is None else reply_to
        ids = self.population.ids
        numbers = self.messages.numbers(self.society.texts, words.HEARD)
        remember_messages(
            self.population,
            listener,
            statements,
            numbers[statements.text],
            actor=ids[speaker],
            importance=self.settings.importance_talk,
            confidence=strength,
            continues=continues[listener],
        )
        speakers = self.population.cohort().at(speaker)
        remember_statements(
            speakers,
            statements,
            self.messages,
            words.SPOKEN,
            actor=ids[listener],
            continues=continues[speaker],
        )

    def _count_heard(
        self, citizens: Cohort, speaker: NDArray[np.intp], listener: NDArray[np.intp]
    ) -> None:
        side = self.population.memory.columns.arrays["side"]
        agree = side[speaker] * side[listener]
        people = len(self.population)
        for name, mask in (
            ("heard", np.ones(len(agree), np.bool_)),
            ("heard_like", agree > 0),
            ("heard_cross", agree < 0),
        ):
            count = np.bincount(listener[mask], minlength=people)
            citizens.status[name] = count[citizens.rows].astype(np.int16)


def talk_probability(activity: NDArray[np.floating], talks: float) -> NDArray[np.float64]:
    """Compute the daily probability of starting a talk.

    Args:
        activity: Probability due to activity, shape (agents,).
        talks: Additional probability of all citizens.

    Returns:
        1 - (1 - activity)(1 - talks), shape (agents,).

    Source:
        This project: either of two independent occasions.
    """
    return np.asarray(1 - (1 - activity.astype(np.float64)) * (1 - talks))
