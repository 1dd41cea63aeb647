"""Discuss: two friends tell each other what they think."""

import numpy as np
from numpy.typing import NDArray

from memopolis.scenarios.polarization import messages as words
from memopolis.scenarios.polarization.messages import Said
from memopolis.scenarios.polarization.remembering import hear, keep_own
from memopolis.scenarios.polarization.settings import TalkSettings
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort


class Discuss(Block):
    """Some start a talk with a friend; each hears what the other holds on the same topic."""

    reads = ("attitude", "activity", "side")
    writes = ("heard", "heard_like", "heard_cross")

    def __init__(self, settings: TalkSettings) -> None:
        self.settings = settings
        self.messages = words.shipped()

    def step(self, citizens: Cohort) -> None:
        """Let friends talk, and count what each hears."""
        friends = self.population.ties["friend"]
        starts = starting(citizens.status["activity"], self.settings.talks)
        talking = self.chance.some(citizens, starts, "talk")
        talking = talking.where(friends.count(talking.rows) > 0)
        pick = friends.one_of(talking.rows, self.chance.uniform(talking, "whom"))
        other = friends.contacts[pick].astype(np.intp)
        there = self.population.memory.columns.arrays["alive"][other]
        talking, pick, other = talking.where(there), pick[there], other[there]
        topic = (self.chance.uniform(talking, "topic") < self.settings.checks).astype(np.intp)
        strength = np.clip(friends.strength[pick], 0, 1)
        mine = self._said(talking.rows, topic, talking, "mine")
        theirs = self._said(other, topic, talking, "theirs")
        self._tell(talking.rows, other, mine, strength)
        self._tell(other, talking.rows, theirs, strength)
        speaker = np.concatenate([other, talking.rows])
        listener = np.concatenate([talking.rows, other])
        self._count(citizens, speaker, listener)

    def _said(
        self, speaker: NDArray[np.intp], topic: NDArray[np.intp], talking: Cohort, purpose: str
    ) -> Said:
        """What each speaker of a talk says; the luck is that of who started it."""
        speakers = self.population.cohort().at(speaker).status
        held = np.where(
            topic == 1,
            speakers["attitude.background_checks"],
            speakers["attitude.gun_control"],
        )
        noise = self.chance.normal(talking, f"{purpose} noise")
        stance = words.stance_of(held, noise, spread=self.settings.noise)
        return self.messages.say(stance, topic, self.chance.uniform(talking, f"{purpose} text"))

    def _tell(
        self,
        speaker: NDArray[np.intp],
        listener: NDArray[np.intp],
        said: Said,
        strength: NDArray[np.float32],
    ) -> None:
        """Let the listener remember it as surely as the tie is strong, and the speaker too."""
        ids = self.population.ids
        numbers = self.messages.numbers(self.society.texts, words.TOLD)
        hear(
            self.population,
            listener,
            said,
            numbers[said.text],
            actor=ids[speaker],
            importance=self.settings.importance_talk,
            confidence=strength,
        )
        speakers = self.population.cohort().at(speaker)
        keep_own(speakers, said, self.messages, words.TELLING, ids[listener])

    def _count(
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


def starting(activity: NDArray[np.floating], talks: float) -> NDArray[np.float64]:
    """Chance of starting a talk on a day.

    Args:
        activity: Chance by one's activity, shape (agents,).
        talks: Chance that everyone has beside it.

    Returns:
        1 - (1 - activity)(1 - talks), shape (agents,).

    Source:
        This project: either of two independent occasions.
    """
    return np.asarray(1 - (1 - activity.astype(np.float64)) * (1 - talks))
