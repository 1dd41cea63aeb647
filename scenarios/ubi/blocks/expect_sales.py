"""Firms form expectations of their sales from the latest surprise and from recalled ones."""

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from memopolis.agents.aged_experience import AgedExperience, before_now
from memopolis.agents.economy.experience import average_experience, decode_change
from memopolis.agents.economy.production import adapt_expected_sales
from memopolis.scenarios.ubi.attitudes import PROFILE
from memopolis.scenarios.ubi.blocks.remember_business import SURPRISE, measure_surprise
from memopolis.scenarios.ubi.firm_settings import FirmSettings
from memopolis.sim.block import Block
from memopolis.sim.mind.mind import Answer, Decisions, Question
from memopolis.sim.population import Cohort

if TYPE_CHECKING:
    from numpy.typing import NDArray

QUERY = "our sales, and what our customers wanted compared with what we had expected"
MAX_RATIO = 10.0
"""Maximum of expected sales relative to those of the month before (choice)."""
REASONS = (
    "follows the latest sales",
    "recalls better months",
    "recalls weaker months",
)
_NOTICED = 0.005


class ExpectSales(Block):
    """Let each firm decide what sales it expects, relative to what it expected last month."""

    reads: ClassVar[tuple[str, ...]] = ("expected", "wanted", "age")
    writes = ("expected",)

    def __init__(self, settings: FirmSettings | None = None) -> None:
        self.settings = settings or FirmSettings()

    def who(self, firms: Cohort) -> Cohort:
        """Select firms that have sold for a month; there are no sales before the first month."""
        return firms.where((firms.status["age"] > 0) & (self.clock.tick > 0))

    def perceive(self, firms: Cohort) -> Question:
        """Recall the sales of earlier months."""
        memory = self.settings.memory
        experience = AgedExperience.recall(
            firms, QUERY, k=memory.memories, profile=PROFILE, where=before_now(firms, "sales")
        )
        weight = experience.weigh("sales", span=memory.span, curvature=memory.curvature)
        past = decode_change(experience.valence, scale=SURPRISE)
        status = firms.status
        known: dict[str, NDArray[Any]] = {
            "expected": status["expected"].astype(np.float64),
            "wanted": status["wanted"].astype(np.float64),
            "latest_surprise": measure_surprise(status["wanted"], status["expected"]),
            "recalled_surprise": average_experience(past, weight, neutral=np.nan),
        }
        return Question(
            "expected_sales",
            firms,
            "rating",
            partial(expect_sales, settings=self.settings),
            memories=experience.recalled,
            known=known,
            high=MAX_RATIO,
        )

    def apply(self, firms: Cohort, decisions: Decisions) -> None:
        """Store expected sales."""
        ratio = np.clip(np.nan_to_num(decisions.value, nan=1.0), 0, MAX_RATIO)
        before = decisions.question.known["expected"]
        # A firm that expects nothing would do so indefinitely.
        ruled = self.settings.learning * decisions.question.known["wanted"]
        firms.status["expected"] = np.where(before > 0, before * ratio, ruled)


def expect_sales(question: Question, *, settings: FirmSettings) -> Answer:
    """Adapt expected sales to the latest surprise and to recalled ones: the rule of the question.

    Source:
        Adaptive expectations (Caiani et al. 2016) in which part of the surprise is the
        recency-weighted mean of remembered surprises (Malmendier and Nagel 2011; both recalled).
        Without memories, these are adaptive expectations.
    """
    known, before = question.known, question.known["expected"]
    adapted = adapt_expected_sales(before, known["wanted"], weight=settings.learning)
    expects = before > 0
    ratio = np.where(expects, adapted / np.where(expects, before, 1.0), 1.0)
    recalled = known["recalled_surprise"]
    differs = np.nan_to_num(recalled - known["latest_surprise"])
    change = settings.learning * settings.memory.sales * differs
    moved = np.clip(ratio * np.exp(change), 0, MAX_RATIO)
    has_experience = ~np.isnan(recalled)
    reason = np.where(change > _NOTICED, 1, np.where(change < -_NOTICED, 2, 0))
    return Answer(moved, reason=np.where(has_experience, reason, 0), reasons=REASONS)
