"""The government reviews its benefits once a year, by what it remembers."""

from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from memopolis.agents.aged_experience import AgedExperience, before_now
from memopolis.agents.economy.experience import average_experience
from memopolis.agents.economy.fiscal import adjust_support, weigh_review
from memopolis.scenarios.ubi.attitudes import PROFILE
from memopolis.scenarios.ubi.government_settings import ReviewSettings
from memopolis.sim.block import Block
from memopolis.sim.mind.mind import Answer, Decisions, Question
from memopolis.sim.population import Cohort

if TYPE_CHECKING:
    from numpy.typing import NDArray

QUERY = "unemployment, poverty, our budget and what people think of us"
TOPICS = ("unemployment", "poverty", "reaction", "budget")
OPTIONS = ("consolidate", "keep", "extend support")
REASONS = (
    "nothing calls for a change",
    "recalls hard times and discontent",
    "recalls deficits",
    "recalls good times",
)


class ReviewSupport(Block):
    """Let the government decide whether to extend or reduce its benefits."""

    reads: ClassVar[tuple[str, ...]] = ("support",)
    writes = ("support",)

    def __init__(self, settings: ReviewSettings | None = None) -> None:
        self.settings = settings or ReviewSettings()

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
        known: dict[str, NDArray[np.float64]] = {}
        for topic in TOPICS:
            weight = experience.weigh(topic, span=s.span, curvature=s.curvature)
            known[f"recalled_{topic}"] = average_experience(experience.valence, weight)
        known["support"] = government.status["support"].astype(np.float64)
        return Question(
            "review",
            government,
            "choice",
            partial(review_support, settings=s),
            memories=experience.recalled,
            known=known,
            options=OPTIONS,
        )

    def apply(self, government: Cohort, decisions: Decisions) -> None:
        """Change the factor on benefits by one step, within its bounds."""
        s, status = self.settings, government.status
        sign = np.nan_to_num(decisions.value.astype(np.float64), nan=1.0) - 1
        status["support"] = adjust_support(status["support"], sign, step=s.step, bound=s.bound)


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
