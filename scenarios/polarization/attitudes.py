"""What memories of messages do to attitudes and feelings."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from memopolis.agents.appraisal import FEELINGS, Attitude
from memopolis.agents.blocks import cognition
from memopolis.scenarios.polarization.messages import NEUTRAL, TALKED_OF
from memopolis.scenarios.polarization.people import PARTIES
from memopolis.sim.errors import SettingsError
from memopolis.sim.memory.memory import Added
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.mind.mind import Decisions
from memopolis.sim.population import Cohort

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Each attitude is moved by the messages of its own topic, which alone are recalled for it: what
# has no stance, and what one said oneself, neither moves it nor takes the place of what does. The
# topic of the placebo is never spoken of. Every message of a topic holds all words of its query:
# were one side's texts nearer to the query, it would be recalled better and win.
ATTITUDES = (
    Attitude(
        "gun_control",
        "gun laws",
        {"gun_control": 1.0},
        topic="gun_control",
    ),
    Attitude(
        "background_checks",
        "background checks",
        {"background_checks": 1.0},
        topic="background_checks",
    ),
    Attitude(
        "left_right",
        "the left and the right: taxes, welfare, the economy and big government",
        {"left_right": 1.0},
        topic="left_right",
    ),
)
"""Attitudes that are judged anew every day."""

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
"""How messages are recalled: what mattered stays in mind for weeks.

Recency falls by half in 45 days since a message was heard, so that recalling does not keep it for
ever. Half-life and weight of importance are calibrated, with the setting `cognition.fresh`, on the
way in which support fell after Uvalde (Gallup: 9 of 14 points within 4 to 5 months).
"""


class UpdateAttitudes(cognition.UpdateAttitudes):
    """Recall what was said and judge anew, every day; backfire may differ by party.

    State:
        recalled: Ids of the messages on gun control that each recalled last, -1 for none, shape
            (citizens, memories).
        weight: Their weights, 0 for none, of the same shape.
    """

    group = "party"
    reads = ("attitude", "conviction", "age", "party")
    state = ("start", "recalled", "weight")

    def setup(self) -> None:
        """Make room for what is recalled.

        Raises:
            SettingsError: If backfire is set for a party that there is not.
        """
        super().setup()
        unknown = [name for name in self.settings.opinion.backfire_by_group if name not in PARTIES]
        if unknown:
            raise SettingsError(
                f"setting cognition.opinion.backfire_by_group names {', '.join(unknown)}; allowed: "
                f"{', '.join(PARTIES)}"
            )
        shape = (len(self.population), self.settings.memories)
        self.recalled: NDArray[np.int32] = np.full(shape, -1, np.int32)
        self.weight: NDArray[np.float32] = np.zeros(shape, np.float32)

    def apply(self, citizens: Cohort, decisions: Decisions) -> None:
        """Take over the new ratings; what was recalled bears on feelings too."""
        super().apply(citizens, decisions)
        question = decisions.question
        if question.about != TALKED_OF[0]:
            return
        known, found = question.known, question.recalled.shape[1]
        self.recalled[citizens.rows] = -1
        self.recalled[citizens.rows, :found] = question.recalled
        weight = known["weight"] * known["importance"] * known["confidence"]
        self.weight[citizens.rows, :found] = np.where(known["effect"] != 0, weight, 0)


class Feel(cognition.Feel):
    """Be pleased by messages that agree and angered by those that do not; then calm down.

    A message's valence is its stance, which is good news for one and bad news for another.
    """

    reads = ("emotion", "attitude")

    def notice(self, added: Added) -> None:
        """Add up how far messages agree with what their readers hold, by feeling."""
        topics = self.population.memory.topics
        numbers = [n for n, topic in enumerate(topics) if topic in (*TALKED_OF, NEUTRAL)]
        held = self.population.memory.columns.arrays
        people = self._widen()
        for number in numbers:
            topic = topics[number]
            mask = added.topic == number
            if topic == NEUTRAL or not mask.any():
                continue
            rows = added.rows[mask]
            own = (held[f"attitude.{topic}"][rows] - 5) / 5
            stance = added.valence[mask].astype(np.float32) / 127
            agreement = own * stance * added.importance[mask].astype(np.float32) / 255
            for feeling, sign in (("joy", 1), ("anger", -1)):
                moved = np.bincount(rows, np.maximum(sign * agreement, 0), minlength=people)
                self.impulse[FEELINGS.index(feeling)] += moved.astype(np.float32)
        # What is left stirs feelings as everywhere.
        said = np.isin(added.topic, numbers)
        super().notice(replace(added, valence=np.where(said, 0, added.valence)))
