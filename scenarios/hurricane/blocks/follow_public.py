"""The government remembers how the public reacts and how an evacuation proceeds."""

import numpy as np

from memopolis.agents.remembering import remember
from memopolis.agents.thoughts import find_sign
from memopolis.sim.arrays import Float64
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population

REVIEW_HOUR = 18  # hour of the daily review
SCALE = 0.3
"""Change of mean trust in a day, in points, that counts as fully good or bad (illustrative)."""
NOTABLE = 0.1  # absolute valence from which the public's reaction is good or bad (illustrative)
PROGRESS = 0.02  # rise of the evacuated share in a day that is remembered (illustrative)
BUDGET = 0.005
"""Change of the treasury in a day, relative to its balance, that is remembered (illustrative)."""

REACTIONS = (
    "People's trust in us is unchanged.",
    "People trust us more than yesterday.",
    "People trust us less than yesterday.",
)
TREASURY = (
    "The treasury took in more than it spent.",
    "The treasury spent more than it took in.",
)


class FollowPublic(Block):
    """Remember changes of trust, evacuation and the treasury once a day.

    The state `before` is mean trust, evacuated share and balance in cents at the last review.
    """

    state = ("before",)

    def __init__(self, citizens: Population, account: int) -> None:
        self.citizens = citizens
        self.account = account

    def setup(self) -> None:
        """Start without an earlier review."""
        self.before: Float64 = np.full(3, np.nan)

    def step(self, government: Cohort) -> None:
        """Review the day."""
        if not self.clock.is_hour(REVIEW_HOUR):
            return
        now = self._observe()
        change = now - self.before
        self.before[:] = now
        if np.isnan(change[0]):
            return
        valence = float(np.clip(change[0] / SCALE, -1, 1))
        text = REACTIONS[int(find_sign(np.array(valence), NOTABLE))]
        remember(government, "reaction", text, 0.3 + 0.4 * abs(valence), valence)
        if change[1] > PROGRESS:
            text = "More people have left the region because of the storm."
            remember(government, "evacuation", text, min(0.3 + float(change[1]), 1.0), 0.2)
        ledger = self.society.ledger
        if ledger is not None and now[2] > 0:
            share = float(np.clip(change[2] / now[2], -1, 1))
            if abs(share) >= BUDGET:
                remember(government, "budget", TREASURY[share < 0], 0.2, share)

    def _observe(self) -> Float64:
        people = self.citizens.cohort()
        ledger = self.society.ledger
        balance = np.nan if ledger is None else float(ledger.balance(np.array([self.account]))[0])
        return np.array(
            [
                # Small children have no attitudes.
                np.nanmean(people["attitude.government_trust"], dtype=np.float64),
                people["evacuated"].mean(dtype=np.float64),
                balance,
            ]
        )
