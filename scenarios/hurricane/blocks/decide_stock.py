"""Firms decide how much to keep in stock, from remembered sales and shortages."""

from functools import partial

import numpy as np

from memopolis.agents.experience import Experience
from memopolis.scenarios.hurricane.settings import FirmSettings
from memopolis.sim.block import Block
from memopolis.sim.mind.mind import Answer, Decisions, Question
from memopolis.sim.population import Cohort

QUERY = "sales, customers turned away, we ran out of goods"
REASONS = (
    "expects usual sales",
    "expects higher sales",
    "expects lower sales",
    "recalls shortages",
)
DECIDE_HOUR = 6.0  # hour of the decision, before the store opens
NOTABLE = 0.02  # absolute log change of expected sales from which a reason is given


class DecideStock(Block):
    """Set the target stock once a day, up to which goods are produced."""

    reads = ("usual_sales",)
    writes = ("target_stock",)
    topics = ("sales", "shortage")

    def __init__(self, settings: FirmSettings) -> None:
        self.settings = settings

    def who(self, firms: Cohort) -> Cohort:
        """Select all firms at the hour of the decision."""
        return self.chance.daily(firms, first=DECIDE_HOUR, span=1)

    def perceive(self, firms: Cohort) -> Question:
        """Recall sales and shortages."""
        experience = Experience.recall(firms, QUERY, k=self.settings.memories)
        known = {
            "usual": firms["usual_sales"],
            "sales": experience.mean(experience.about("sales")),
            "shortages": experience.share(experience.about("shortage")),
            "evidence": experience.evidence(experience.about("sales", "shortage")),
        }
        rule = partial(rate_stock, settings=self.settings)
        return experience.ask_rating("stock", rule, known, high=30.0)

    def apply(self, firms: Cohort, decisions: Decisions) -> None:
        """Set the target stock."""
        days = np.clip(np.nan_to_num(decisions.value), 0, 30)
        firms["target_stock"] = days * firms["usual_sales"]


def rate_stock(question: Question, *, settings: FirmSettings) -> Answer:
    """Return the target stock in days of usual sales: the rule of "stock".

    Target = cover * exp(experience * mean experience of sales) * (1 + shortage * share of
    shortages), at most 30 days.

    Source: Target stock in proportion to expected sales: Caiani et al. 2016 (recalled);
    expectations from experience as in `compute_mean_valence`; the effect of shortages is this
    project's.
    """
    known = question.known
    change = settings.experience * known["sales"]
    days = settings.cover * np.exp(change) * (1 + settings.shortage * known["shortages"])
    reason = np.where(change > NOTABLE, 1, np.where(change < -NOTABLE, 2, 0))
    reason = np.where(known["shortages"] > 0, 3, reason).astype(np.uint8)
    return Answer(
        np.minimum(days, question.high).astype(np.float32),
        evidence=known["evidence"],
        reason=reason,
        reasons=REASONS,
    )
