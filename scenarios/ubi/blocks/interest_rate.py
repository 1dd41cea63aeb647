"""The bank remembers figures and losses, forecasts inflation, and sets its interest rate."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from memopolis.agents.economy.experience import (
    AgedExperience,
    average_experience,
    before_now,
    blend_expectation,
    decode_change,
    encode_change,
)
from memopolis.agents.economy.policy import policy_rate
from memopolis.scenarios.ubi.attitudes import PROFILE
from memopolis.scenarios.ubi.figures import INFLATION, OF_FIGURE, UNEMPLOYMENT
from memopolis.scenarios.ubi.firm_settings import BankSettings
from memopolis.scenarios.ubi.memories import remember_by_size
from memopolis.sim.block import Block
from memopolis.sim.mind.mind import Answer, Decisions, Question
from memopolis.sim.population import Cohort, Population

LOSSES = "Borrowers could not repay us, and we wrote off their loans."
LOSS_SCALE = 0.03  # share of loans written off in a month at which the valence is -1 (illustrative)

QUERY = "inflation compared with our target"
LOWEST, HIGHEST = -50.0, 100.0  # range of expected inflation in percent a year (choice)
REASONS = ("follows the latest figure", "recalls higher inflation", "recalls lower inflation")
_NOTICED = 0.05


@dataclass(eq=False, repr=False)
class RememberCredit(Block):
    """Store last month's published figures and write-offs, at the start of the bank's month."""

    reads = ("written_off", "loans")

    bureau: Population

    def step(self, bank: Cohort) -> None:
        """Remember; there are no published figures in the first month."""
        if self.clock.tick == 0:
            return
        published = self.bureau
        for one in (INFLATION, UNEMPLOYMENT):
            one.remember(bank, float(published[one.name][0]))
        lost = float(bank["written_off"][0]) / max(float(bank["loans"][0]), 1.0)
        if lost > 0:
            valence = -float(encode_change(lost, scale=LOSS_SCALE))
            remember_by_size(bank, "default", LOSSES, valence, OF_FIGURE)


@dataclass(eq=False, repr=False)
class ExpectInflation(Block):
    """Let the bank decide what inflation it expects, in percent a year."""

    reads: ClassVar[tuple[str, ...]] = ()
    writes = ("expected_inflation",)
    topics = ("inflation",)

    settings: BankSettings
    bureau: Population

    def who(self, bank: Cohort) -> Cohort:
        """Select the bank; there are no published figures in the first month."""
        return bank if self.clock.tick > 0 else bank.none()

    def perceive(self, bank: Cohort) -> Question:
        """Recall the inflation of earlier months."""
        memory = self.settings.memory
        experience = AgedExperience.recall(
            bank, QUERY, k=memory.memories, profile=PROFILE, where=before_now(bank, "inflation")
        )
        weight = experience.weigh("inflation", span=memory.span, curvature=memory.curvature)
        # High inflation is remembered as bad.
        past = INFLATION.usual - decode_change(experience.valence, scale=INFLATION.scale)
        latest = 100 * float(self.bureau["inflation"][0])
        known = {
            "latest_inflation": np.full(len(bank), latest),
            "recalled_inflation": 100 * average_experience(past, weight, neutral=np.nan),
        }
        rule = partial(expect_inflation, share=memory.inflation)
        return experience.ask_rating("expected_inflation", rule, known, low=LOWEST, high=HIGHEST)

    def apply(self, bank: Cohort, decisions: Decisions) -> None:
        """Store expected inflation as a fraction."""
        bank["expected_inflation"] = np.clip(decisions.value, LOWEST, HIGHEST) / 100


def expect_inflation(question: Question, *, share: float) -> Answer:
    """Expect a mean of the latest and of recalled inflation: the rule of the question.

    Source: Malmendier and Nagel 2016, Quarterly Journal of Economics 131:53-87; central bankers
    also expect what they have experienced: Malmendier, Nagel and Yan 2021, Journal of Monetary
    Economics 117:532-556 (both recalled). Without memories, the latest figure.
    """
    latest, recalled = question.known["latest_inflation"], question.known["recalled_inflation"]
    experience = np.where(np.isnan(recalled), latest, recalled)
    value = np.clip(blend_expectation(latest, experience, share=share), LOWEST, HIGHEST)
    gap = value - latest
    reason = np.where(gap > _NOTICED, 1, np.where(gap < -_NOTICED, 2, 0))
    return Answer(value, reason=reason, reasons=REASONS)


@dataclass(eq=False, repr=False)
class SetRate(Block):
    """Set the interest rate by figures that are fractions, not percentages."""

    reads = ("expected_inflation",)
    writes = ("rate",)

    settings: BankSettings
    bureau: Population

    def step(self, bank: Cohort) -> None:
        """Set the rate; there are no published figures in the first month."""
        if self.clock.tick == 0:
            return
        published = self.bureau
        bank["rate"] = policy_rate(
            float(bank["expected_inflation"][0]),
            float(published["unemployment"][0]),
            neutral=self.settings.neutral,
        )
