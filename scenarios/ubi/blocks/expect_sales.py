"""Firms remember their business, and form expectations of their sales."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from memopolis.agents.economy.experience import (
    AgedExperience,
    average_experience,
    before_now,
    decode_change,
    encode_change,
)
from memopolis.agents.economy.firms import adapt_expected_sales
from memopolis.agents.joining import extend_rows
from memopolis.scenarios.ubi.attitudes import PROFILE
from memopolis.scenarios.ubi.firm_settings import FirmSettings
from memopolis.scenarios.ubi.memories import Importance, remember_by_size
from memopolis.sim.arrays import Array, Bools, Float64, Floats
from memopolis.sim.block import Block
from memopolis.sim.mind.mind import Answer, Decisions, Question
from memopolis.sim.population import Cohort, Population

SURPRISE = 0.5
"""Log of demand over expected sales at which the valence of a memory is 1 or -1 (choice)."""
USUAL = 0.05  # log of demand over expected sales up to which sales are as expected (illustrative)
LEAST_SHORTAGE, LEAST_LOSS, LEAST_COSTS = 0.02, 0.1, 0.02
"""Unmet share of demand, share of workers lost, and log rise of unit labour costs since the last
such memory that a firm remembers (illustrative)."""
IMPORTANCE = Importance(least=0.1, most=0.8, scale=0.15)  # importance by valence

SALES = (
    "Our customers wanted much less than we had expected.",
    "Our customers wanted a little less than we had expected.",
    "Our customers wanted about as much as we had expected.",
    "Our customers wanted a little more than we had expected.",
    "Our customers wanted much more than we had expected.",
)
SHORTAGE = "Our shelves were empty before all customers were served."
VACANT = "We could not fill all our jobs."
FILLED = "We found the workers that we had been looking for."
LOST = "Several of our workers left."
COSTS = "Our labour costs rose."

type Business = tuple[str, str, Bools, Float64]
"""Topic and text of an event, the firms that remember it, and its valence for each firm."""


@dataclass(eq=False, repr=False)
class RememberBusiness(Block):
    """Store what last month meant for each firm, at the start of a month.

    States: whether jobs were vacant in the month before, and unit labour cost at the last memory of
    costs, NaN before the first month, shape (firms,) each.
    """

    reads = (
        "expected", "wanted", "sold", "vacancies", "employees", "wage", "productivity", "age",
    )  # fmt: skip
    state = ("short_of_staff", "cost")

    citizens: Population

    def setup(self) -> None:
        """Start without a previous month."""
        firms = len(self.population)
        self.short_of_staff: Bools = np.zeros(firms, np.bool_)
        self.cost: Float64 = np.full(firms, np.nan)

    def step(self, firms: Cohort) -> None:
        """Store the events of last month; there is none before the first."""
        self.short_of_staff = extend_rows(self.short_of_staff, len(self.population), 0)
        self.cost = extend_rows(self.cost, len(self.population), np.nan)
        # New firms have no month yet.
        known = firms.where((firms["age"] > 0) & (self.clock.tick > 0))
        if len(known):
            events = (*self._market(known), *self._staff(known), self._costs(known))
            for topic, text, who, valence in events:
                remember_by_size(known.where(who), topic, text, valence[who], IMPORTANCE)

    @staticmethod
    def _market(firms: Cohort) -> list[Business]:
        """Return sales compared with expected sales, and unmet demand."""
        wanted, sold = (
            np.maximum(firms[name].astype(np.float64), 0) for name in ("wanted", "sold")
        )
        surprise = measure_surprise(wanted, firms["expected"])
        # Places in SALES: below, from a large to a small surprise, as usual, above.
        place = np.searchsorted((-4 * USUAL, -USUAL, USUAL, 4 * USUAL), surprise)
        valence = encode_change(surprise, scale=SURPRISE)
        unmet = np.maximum(wanted - sold, 0) / np.maximum(wanted, 1e-9)
        events = [("sales", text, place == at, valence) for at, text in enumerate(SALES)]
        return [*events, ("shortage", SHORTAGE, unmet > LEAST_SHORTAGE, -unmet)]

    def _staff(self, firms: Cohort) -> list[Business]:
        """Return jobs that stayed vacant or were filled, and workers who left."""
        rows = firms.rows
        vacancies = firms["vacancies"].astype(np.float64)
        vacant = vacancies / np.maximum(vacancies + firms["employees"], 1)
        before = self.short_of_staff[rows]
        self.short_of_staff[rows] = short = vacancies > 0
        people = self.citizens
        employer = people["employer"][people["alive"] & (people["employer"] >= 0)]
        now = np.bincount(employer, minlength=len(self.population))[rows]
        lost = (firms["employees"] - now) / np.maximum(firms["employees"], 1)
        return [
            ("staff", VACANT, short, -vacant),
            ("staff", FILLED, before & ~short, np.full(len(rows), 0.3)),
            ("staff", LOST, lost > LEAST_LOSS, -lost),
        ]

    def _costs(self, firms: Cohort) -> Business:
        """Return rises of unit labour costs since the last memory of costs."""
        rows = firms.rows
        cost = firms["wage"].astype(np.float64) / firms["productivity"]
        before = np.where(np.isnan(self.cost[rows]), cost, self.cost[rows])
        change = np.log(cost / before)
        risen = change > LEAST_COSTS
        # Falling costs are the new reference at once.
        self.cost[rows] = np.where(risen, cost, np.minimum(cost, before))
        return ("price", COSTS, risen, -change)


def measure_surprise(wanted: Floats, expected: Floats) -> Float64:
    """Compute the log of demand over expected sales, within `SURPRISE`; 0 without any expected."""
    known = np.asarray(expected, np.float64) > 0
    ratio = np.where(known, wanted / np.where(known, expected, 1.0), 1.0)
    return np.clip(np.log(np.maximum(ratio, 1e-9)), -SURPRISE, SURPRISE)


QUERY = "our sales, and what our customers wanted compared with what we had expected"
MAX_RATIO = 10.0  # maximum of expected sales relative to those of the month before (choice)
REASONS = ("follows the latest sales", "recalls better months", "recalls weaker months")
_NOTICED = 0.005


class ExpectSales(Block):
    """Let each firm decide what sales it expects, relative to what it expected last month."""

    reads: ClassVar[tuple[str, ...]] = ("expected", "wanted", "age")
    writes = ("expected",)
    topics = ("sales",)

    def __init__(self, settings: FirmSettings | None = None) -> None:
        self.settings = settings or FirmSettings()

    def who(self, firms: Cohort) -> Cohort:
        """Select firms that have sold for a month; there are no sales before the first month."""
        return firms.where((firms["age"] > 0) & (self.clock.tick > 0))

    def perceive(self, firms: Cohort) -> Question:
        """Recall the sales of earlier months."""
        memory = self.settings.memory
        experience = AgedExperience.recall(
            firms, QUERY, k=memory.memories, profile=PROFILE, where=before_now(firms, "sales")
        )
        weight = experience.weigh("sales", span=memory.span, curvature=memory.curvature)
        past = decode_change(experience.valence, scale=SURPRISE)
        known: dict[str, Array] = {
            "expected": firms["expected"].astype(np.float64),
            "wanted": firms["wanted"].astype(np.float64),
            "latest_surprise": measure_surprise(firms["wanted"], firms["expected"]),
            "recalled_surprise": average_experience(past, weight, neutral=np.nan),
        }
        rule = partial(expect_sales, settings=self.settings)
        return experience.ask_rating("expected_sales", rule, known, high=MAX_RATIO)

    def apply(self, firms: Cohort, decisions: Decisions) -> None:
        """Store expected sales."""
        ratio = np.clip(np.nan_to_num(decisions.value, nan=1.0), 0, MAX_RATIO)
        before = decisions.question.known["expected"]
        # A firm that expects nothing would do so indefinitely.
        ruled = self.settings.learning * decisions.question.known["wanted"]
        firms["expected"] = np.where(before > 0, before * ratio, ruled)


def expect_sales(question: Question, *, settings: FirmSettings) -> Answer:
    """Adapt expected sales to the latest surprise and to recalled ones: the rule of the question.

    Source: Adaptive expectations (Caiani et al. 2016) in which part of the surprise is the
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
