"""Firms decide prices, wage offers and target stocks, by stocks, vacancies and memories."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import ClassVar

import numpy as np

from memopolis.agents.economy.experience import AgedExperience, before_now
from memopolis.agents.economy.firms import change_price, choose_price_change, choose_wage_change
from memopolis.scenarios.ubi.attitudes import PROFILE
from memopolis.scenarios.ubi.firm_settings import FirmSettings, LabourMarketSettings
from memopolis.sim.arrays import Array, Float32, Float64
from memopolis.sim.block import Block
from memopolis.sim.mind.mind import Answer, Decisions, Question
from memopolis.sim.population import Cohort

QUERIES = {
    "price": "empty shelves, rising labour costs, and how much our customers wanted",
    "wage_offer": "jobs that we could not fill and workers who left",
    "target_stock": "empty shelves before all customers were served",
}
"""Query of each decision."""
CHANGES = ("lower", "keep", "raise")
MAX_STOCK = 12.0  # maximum target stock, in months of expected sales (choice)
REASONS = {
    "price": (
        "the price covers costs and the usual mark-up",
        "costs call for another price",
        "recalled shortages or costs call for a higher price",
        "recalled weak sales call for a lower price",
    ),
    "wage_offer": (
        "jobs are filled",
        "jobs are vacant",
        "jobs have been filled for long",
        "recalls how hard it was to find workers",
    ),
    "target_stock": ("keeps its usual stock", "recalls empty shelves"),
}


class SetTerms(Block):
    """Let each firm decide its price, its wage offer and its target stock once a month."""

    reads: ClassVar[tuple[str, ...]] = (
        "efficiency", "wage", "price", "vacancies", "filled_for",
    )  # fmt: skip
    writes = ("price", "wage", "filled_for", "target_months")
    topics = ("shortage", "price", "sales", "staff")

    def __init__(self, settings: FirmSettings, labour: LabourMarketSettings) -> None:
        self.settings = settings
        self.labour_market = labour

    def who(self, firms: Cohort) -> Cohort:
        """Select all firms; there are neither sales nor vacancies before the first month."""
        return firms if self.clock.tick > 0 else firms.none()

    def perceive(self, firms: Cohort) -> Iterable[Question]:
        """Recall shortages, costs, sales and staff of earlier months."""
        vacancies = firms["vacancies"]
        filled = np.minimum(np.where(vacancies > 0, 0, firms["filled_for"] + 1), 1_000)
        price: dict[str, Array] = {
            "price": firms["price"].astype(np.float64),
            "cost": firms["wage"].astype(np.float64) / firms["efficiency"],
        }
        wage: dict[str, Array] = {"vacancies": vacancies, "filled_for": filled}
        return [
            self._question("price", firms, price),
            self._question("wage_offer", firms, wage),
            self._question("target_stock", firms, {}),
        ]

    def _question(self, kind: str, firms: Cohort, known: dict[str, Array]) -> Question:
        memories, query = self.settings.memory.memories, QUERIES[kind]
        past = AgedExperience.recall(
            firms, query, k=memories, profile=PROFILE, where=before_now(firms)
        )
        known |= self._weigh(kind, past)
        if kind == "target_stock":
            rule = partial(choose_target_stock, settings=self.settings)
            return past.ask_rating(kind, rule, known, high=MAX_STOCK)
        patience = self.labour_market.wage_patience
        rule = (
            partial(choose_price, settings=self.settings)
            if kind == "price"
            else partial(choose_wage_offer, settings=self.settings, patience=patience)
        )
        return past.ask_choice(kind, rule, known, CHANGES)

    def _weigh(self, kind: str, past: AgedExperience) -> dict[str, Float32]:
        """Return the recalled experience that concerns a decision, in [0, 1)."""
        memory = self.settings.memory

        def bad(topic: str) -> Float32:
            return past.accumulate(topic, span=memory.span, curvature=memory.curvature)[1]

        if kind == "price":
            return {
                "recalled_shortage": bad("shortage"),
                "recalled_costs": bad("price"),
                "recalled_weak_sales": bad("sales"),
            }
        return {"recalled_trouble": bad("staff" if kind == "wage_offer" else "shortage")}

    def apply(self, firms: Cohort, decisions: Decisions) -> None:
        """Set the price to its target, change the wage offer, or store the target stock."""
        kind = decisions.question.kind
        if kind == "target_stock":
            firms["target_months"] = np.clip(decisions.value, 0, MAX_STOCK)
            return
        known = decisions.question.known
        sign = np.nan_to_num(decisions.value.astype(np.float64), nan=1.0) - 1
        if kind == "price":
            target = find_target_price(known, self.settings)
            firms["price"] = change_price(known["price"], target, sign, menu=self.settings.menu)
            return
        firms["filled_for"] = known["filled_for"]
        size = sign * self.labour_market.wage_step * self.chance.uniform(firms, "wage")
        firms["wage"] = firms["wage"].astype(np.float64) * (1 + size)


def find_target_price(known: Mapping[str, Array], settings: FirmSettings) -> Float64:
    """Return unit cost at normal utilisation times the usual mark-up, shifted by memories.

    Recalled shortages and cost rises raise the mark-up; recalled weak sales lower it.
    """
    pressure = known["recalled_shortage"] + known["recalled_costs"] - known["recalled_weak_sales"]
    usual = known["cost"] / settings.labour_share
    return np.asarray(usual * np.exp(settings.memory.price * np.clip(pressure, -1, 1)), np.float64)


def choose_price(question: Question, *, settings: FirmSettings) -> Answer:
    """Change prices by costs: the rule of "price".

    Source: See `choose_price_change`; the effect of memories is this project's.
    """
    known = question.known
    usual = known["cost"] / settings.labour_share
    alone, sign = (
        choose_price_change(known["price"], target, menu=settings.menu)
        for target in (usual, find_target_price(known, settings))
    )
    reason = np.where(sign != 0, 1, 0)
    reason = np.where(sign > alone, 2, np.where(sign < alone, 3, reason))
    return Answer(sign + 1, reason=reason, reasons=REASONS["price"])


def choose_wage_offer(question: Question, *, settings: FirmSettings, patience: int) -> Answer:
    """Change wage offers by vacancies: the rule of "wage_offer".

    Firms that recall staff shortages wait longer before they lower wages.

    Source: Lengnick 2013 (recalled); the effect of memories is this project's, after the fear of
    quits as a reason against wage cuts (Bewley 1999, recalled).
    """
    known = question.known
    longer = patience * (1 + settings.memory.wage * known["recalled_trouble"])
    alone = choose_wage_change(known["vacancies"], known["filled_for"], patience=patience)
    sign = choose_wage_change(known["vacancies"], known["filled_for"], patience=longer)
    reason = np.where(sign > 0, 1, np.where(sign < 0, 2, np.where(alone < 0, 3, 0)))
    return Answer(sign + 1, reason=reason, reasons=REASONS["wage_offer"])


def choose_target_stock(question: Question, *, settings: FirmSettings) -> Answer:
    """Add to the usual target stock by recalled shortages: the rule of "target_stock".

    Source: Stocks as a buffer against running out (Kahn 1987, American Economic Review 77:667-679,
    recalled); the effect of memories is this project's.
    """
    added = settings.memory.stock * question.known["recalled_trouble"]
    reason = (added > 0).astype(np.uint8)
    return Answer(settings.stock + added, reason=reason, reasons=REASONS["target_stock"])
