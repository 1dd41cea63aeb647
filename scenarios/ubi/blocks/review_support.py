"""The government remembers public figures, and reviews its benefits once a year."""

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from memopolis.agents.economy.experience import AgedExperience, average_experience, before_now
from memopolis.agents.economy.policy import adjust_support, weigh_review
from memopolis.scenarios.ubi.attitudes import PROFILE
from memopolis.scenarios.ubi.government_settings import ReviewSettings
from memopolis.scenarios.ubi.memories import BUDGET, POVERTY, REACTION, UNEMPLOYMENT
from memopolis.scenarios.ubi.people import ADULT
from memopolis.sim.block import Block
from memopolis.sim.mind.mind import Answer, Decisions, Question
from memopolis.sim.population import Cohort, Population

QUARTER = 3  # months between two memories of poverty, the budget and public reaction (choice)
ATTITUDES = ("government_trust", "basic_income")
"""Attitudes of citizens that make up public reaction."""

QUERY = "unemployment, poverty, our budget and what people think of us"
TOPICS = ("unemployment", "poverty", "reaction", "budget")
OPTIONS = ("consolidate", "keep", "extend support")
REASONS = (
    "nothing calls for a change",
    "recalls hard times and discontent",
    "recalls deficits",
    "recalls good times",
)


@dataclass(eq=False, repr=False)
class RememberPublic(Block):
    """Store last month's unemployment, and each quarter poverty, the budget and public reaction.

    States: the mean attitude at the last memory of reaction, NaN before the first, shape (1,);
    revenue minus spending, and revenue, since the last memory of the budget, shape (2,).
    """

    reads = ("revenue", "deficit")
    state = ("mood", "balance")

    citizens: Population
    bureau: Population

    def setup(self) -> None:
        """Start without a previous quarter."""
        self.mood = np.full(1, np.nan)
        self.balance = np.zeros(2)

    def step(self, government: Cohort) -> None:
        """Remember; there is no month before the first."""
        if self.clock.tick == 0:
            return
        published = self.bureau
        UNEMPLOYMENT.remember(government, float(published["unemployment"][0]))
        flows = (-float(government["deficit"][0]), float(government["revenue"][0]))
        self.balance = self.balance + np.array(flows)
        if self.clock.tick % QUARTER:
            return
        POVERTY.remember(government, float(published["poverty"][0]))
        BUDGET.remember(government, self.balance[0] / max(self.balance[1], 1.0))
        self.balance = np.zeros(2)
        mood = self._mean_attitude()
        REACTION.remember(government, 0.0 if np.isnan(self.mood[0]) else mood - self.mood[0])
        self.mood = np.array([mood])

    def _mean_attitude(self) -> float:
        people = self.citizens.cohort()
        adults = people.where(people["age"] >= ADULT)
        if not len(adults):
            return 5.0
        each = [adults[f"attitude.{name}"].mean(dtype=np.float64) for name in ATTITUDES]
        return float(np.mean(each))


@dataclass(eq=False, repr=False)
class ReviewSupport(Block):
    """Let the government decide whether to extend or reduce its benefits."""

    reads = ("support",)
    writes = ("support",)
    topics = TOPICS

    settings: ReviewSettings = field(default_factory=ReviewSettings)

    def who(self, government: Cohort) -> Cohort:
        """Select the government in the months of a review."""
        due = self.clock.tick > 0 and self.clock.tick % self.settings.every == 0
        return government if due else government.none()

    def perceive(self, government: Cohort) -> Question:
        """Recall unemployment, poverty, public reaction and the budget."""
        s = self.settings
        experience = AgedExperience.recall(
            government, QUERY, k=s.memories, profile=PROFILE, where=before_now(government)
        )
        known = {}
        for topic in TOPICS:
            weight = experience.weigh(topic, span=s.span, curvature=s.curvature)
            known[f"recalled_{topic}"] = average_experience(experience.valence, weight)
        known["support"] = government["support"].astype(np.float64)
        return experience.ask_choice("review", partial(review_support, settings=s), known, OPTIONS)

    def apply(self, government: Cohort, decisions: Decisions) -> None:
        """Change the factor on benefits by one step, within its bounds."""
        s = self.settings
        sign = np.nan_to_num(decisions.value.astype(np.float64), nan=1.0) - 1
        government["support"] = adjust_support(
            government["support"], sign, step=s.step, bound=s.bound
        )


def review_support(question: Question, *, settings: ReviewSettings) -> Answer:
    """Extend support after hard times and consolidate after deficits: the rule of "review"."""
    known, s = question.known, settings
    good = {topic: known[f"recalled_{topic}"] for topic in TOPICS}
    need = -s.unemployment * good["unemployment"] - s.poverty * good["poverty"]
    need = need - s.reaction * good["reaction"]
    strain = -s.budget * good["budget"]
    value = weigh_review(need, strain, threshold=s.threshold)
    down = np.where(strain > -need, 2, 3)
    reason = np.where(value > 0, 1, np.where(value < 0, down, 0))
    return Answer(value + 1, reason=reason, reasons=REASONS)
