"""Effects of remembered messages on attitudes and feelings."""

from dataclasses import replace

import numpy as np

from memopolis.agents.appraisal import FEELINGS, read_attitudes
from memopolis.agents.blocks import cognition
from memopolis.scenarios.polarization.messages import MESSAGE_TOPICS, NEUTRAL
from memopolis.scenarios.polarization.people import PARTIES
from memopolis.sim.arrays import Float32, Int32
from memopolis.sim.errors import SettingsError
from memopolis.sim.memory.memory import Added
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.streams.encoding import IMPORTANCE
from memopolis.sim.mind.mind import Decisions
from memopolis.sim.population import Cohort

ATTITUDES = read_attitudes(__file__, "citizen")  # attitudes that are updated daily

OPINION = Profile(
    recency=0.5,
    importance=1.0,
    relevance=1.0,
    neighbours=0.0,
    actor=0.0,
    date=0.0,
    half_life=1_080.0,
    since="created",
)
"""Retrieval profile of messages, in which important ones are remembered for weeks.

Recency has a half-life of 45 days since a message was heard; recall does not renew it. Half-life
and weight of importance are calibrated, with the setting `cognition.fresh`, to the decline of
support after Uvalde (Gallup: 9 of 14 points within 4 to 5 months).
"""


class UpdateAttitudes(cognition.UpdateAttitudes):
    """Recall messages and update attitudes daily; backfire may differ by party.

    States: ids of the messages recalled last, -1 for none, in the order of `MESSAGE_TOPICS`, shape
    (topics, citizens, memories), and their weights.
    """

    group = "party"
    reads = ("attitude", "conviction", "age", "party")
    state = ("start", "recalled", "weight")

    def setup(self) -> None:
        """Allocate arrays. Raises SettingsError if backfire is set for an unknown party."""
        super().setup()
        unknown = [name for name in self.settings.opinion.backfire_by_group if name not in PARTIES]
        if unknown:
            raise SettingsError(
                f"setting cognition.opinion.backfire_by_group names {', '.join(unknown)}; it must "
                f"name parties: {', '.join(PARTIES)}"
            )
        shape = (len(MESSAGE_TOPICS), len(self.population), self.settings.memories)
        self.recalled: Int32 = np.full(shape, -1, np.int32)
        self.weight: Float32 = np.zeros(shape, np.float32)

    def apply(self, citizens: Cohort, decisions: Decisions) -> None:
        """Store the new ratings, and keep recalled messages for warmth and for talks."""
        super().apply(citizens, decisions)
        question = decisions.question
        if question.about not in MESSAGE_TOPICS:
            return
        place = MESSAGE_TOPICS.index(question.about)
        count = question.recalled.shape[1]
        self.recalled[place, citizens.rows] = -1
        self.recalled[place, citizens.rows, :count] = question.recalled
        self.weight[place, citizens.rows] = 0
        self.weight[place, citizens.rows, :count] = question.known["weight"]


class Feel(cognition.Feel):
    """Change joy by agreeing messages and anger by disagreeing ones, then let both decay.

    The valence of a message is its stance, which is good news for some and bad news for others.
    """

    reads = ("emotion", "attitude")

    def notice(self, added: Added) -> None:
        """Sum the agreement of messages with their readers' attitudes by feeling."""
        topics = self.population.memory.topics
        numbers = [n for n, topic in enumerate(topics) if topic in (*MESSAGE_TOPICS, NEUTRAL)]
        people = self._extend_arrays()
        for number in numbers:
            topic = topics[number]
            mask = added.topic == number
            if topic == NEUTRAL or not mask.any():
                continue
            rows = added.rows[mask]
            own = (self.population[f"attitude.{topic}"][rows] - 5) / 5
            stance = added.valence[mask].astype(np.float32) / 127
            agreement = own * stance * added.importance[mask].astype(np.float32) / IMPORTANCE
            for feeling, share in (("joy", 1.0), ("anger", -1.0), ("disgust", -0.4)):
                moved = np.bincount(rows, np.maximum(share * agreement, 0), minlength=people)
                self.impulse[FEELINGS.index(feeling)] += moved.astype(np.float32)
        # All other memories cause feelings by their valence.
        is_message = np.isin(added.topic, numbers)
        super().notice(replace(added, valence=np.where(is_message, 0, added.valence)))


class Think(cognition.Think):
    """Form a thought about the day; a message is pleasant if it agrees with the reader."""

    def pleasantness(self, citizens: Cohort, topic: Int32, valence: Float32) -> Float32:
        """Return the agreement of messages with their readers, and the valence of other events."""
        numbers = self.population.memory.topic_numbers
        pleasant = valence
        for name in MESSAGE_TOPICS:
            own = (citizens[f"attitude.{name}"] - 5) / 5
            about = topic == numbers.get(name, -1)
            pleasant = np.where(about, own[:, None] * valence, pleasant)
        return pleasant
