"""Decide how much of its means a household spends this month, and on what."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.economy.consumption import (
    adapted,
    buffer_spending,
    econagent_share,
    engel_split,
    poverty_line,
    spending_share,
)
from memopolis.scenarios.ubi.attitudes import PROFILE
from memopolis.scenarios.ubi.choices import ConsumptionSettings
from memopolis.scenarios.ubi.last_month import price_level
from memopolis.scenarios.ubi.people import GOODS
from memopolis.sim.block import Block
from memopolis.sim.mind.mind import Answer, Decisions, Question
from memopolis.sim.population import Cohort

QUERY = "money, prices, what we could pay for, my pay and the basic income"
DEMAND = "consumption.demand"
"""Name of the policy that shifts all demand, as a factor."""
MOST_DEMAND = 10.0
"""Greatest factor that may be given by hand."""
REASONS = ("spends what it is used to", "spends part of a gain", "saves on a loss", "lacks means")
_NOTICED = 0.01


class DecideConsumption(Block):
    """The head of each household decides what it spends.

    It comes after income and credit of the month and before goods are bought; until then
    `spent` and `consumption` say what is wanted.
    """

    reads = (
        "account", "size", "quintile", "disposable", "usual", "basic_income", "wages",
        "dividends",
    )  # fmt: skip
    writes = ("usual", "consumption", "spent")
    state = ("last_price", "relied_on")

    def __init__(self, settings: ConsumptionSettings | None = None) -> None:
        self.settings = settings or ConsumptionSettings()

    def setup(self) -> None:
        """Prices before the first month are those of the first month; no policy is relied on."""
        self.last_price: NDArray[np.float64] = np.full(1, np.nan)
        self.relied_on: NDArray[np.float64] = np.zeros(len(self.population))
        s = self.settings
        # Without a quintile one is in the middle.
        self.mpc = np.array((s.mpc[2], *s.mpc))
        self.buffer = np.array((s.buffer[2], *s.buffer))

    def perceive(self, households: Cohort) -> Question | None:
        """Get used to income; then ask the heads of households."""
        price = price_level(self.society)
        self._adapt(households, price)
        people = self.society.population("citizen").cohort()
        status = people.status
        rank = (status["household"], status.codes("relation"), status["age"])
        heads = people.at(heads_of(people.rows, *rank))
        house = heads.status["household"]
        there = np.isin(house, households.rows)
        heads, house = heads.where(there), house[there]
        for name in ("consumption", *(f"spent.{kind}" for kind in GOODS)):
            households.status[name] = np.zeros(len(households), np.int64)
        if not len(heads):
            return None
        asked = households.at(house)
        recalled = heads.memory.stream.search(QUERY, k=self.settings.memories, profile=PROFILE)
        return Question(
            "consumption",
            heads,
            "rating",
            partial(share_of_means, settings=self.settings),
            memories=recalled,
            known=self._known(asked, price),
            high=1.0,
        )

    def _adapt(self, households: Cohort, price: float) -> None:
        """Move the income that households are used to; who is new is used to what it has.

        To its own income a household gets used sooner than to what the policy gives or takes.
        """
        growth = 1.0 if np.isnan(self.last_price[0]) else price / self.last_price[0]
        self.last_price = np.full(1, price)
        status, s = households.status, self.settings
        self.relied_on = np.pad(self.relied_on, (0, len(self.population) - len(self.relied_on)))
        policy = self._policy(households)
        own = (status["disposable"] - policy).astype(np.float64)
        before = status["usual"].astype(np.float64)
        relied_on = self.relied_on[households.rows]
        now = adapted(before - relied_on, own, half_life=s.own_habit, growth=growth)
        relied_on = np.asarray(
            adapted(relied_on, policy, half_life=s.habit, growth=growth), np.float64
        )
        known = before > 0
        self.relied_on[households.rows] = np.where(known, relied_on, 0)
        first = np.maximum(own, 0)
        status["usual"] = np.rint(np.where(known, np.maximum(now + relied_on, 0), first))

    def _policy(self, households: Cohort) -> NDArray[np.float64]:
        """What the policy gives to each household, less the surtax it takes; cents."""
        status = households.status
        state = self.society.population("government").memory.columns.arrays
        surtax = float(state["surtax"][0]) * (status["wages"] + status["dividends"])
        return np.asarray(status["basic_income"] - surtax, np.float64)

    def _known(self, households: Cohort, price: float) -> dict[str, NDArray[Any]]:
        status = households.status
        ledger = self.society.ledger
        assert ledger is not None  # noqa: S101 - a household without money decides nothing
        means = np.maximum(ledger.balance(status["account"]), 0)
        quintile = np.asarray(status.codes("quintile"), np.intp)
        need = self.settings.subsistence * poverty_line(status["size"], price)
        return {
            "means": means / 100,
            "income": status["disposable"] / 100,
            "usual": status["usual"] / 100,
            "need": need / 100,
            "people": status["size"],
            "price": np.full(len(households), price),
            "mpc": self.mpc[quintile],
            "buffer": self.buffer[quintile],
            "demand": np.full(len(households), float(self.society.policies.get(DEMAND, 1.0))),
        }

    def apply(self, heads: Cohort, decisions: Decisions) -> None:
        """Set what is to be spent, and split it over goods."""
        households = Cohort(self.population, np.asarray(heads.status["household"], np.intp))
        known, status = decisions.question.known, households.status
        means = np.rint(known["means"] * 100).astype(np.int64)
        share = np.clip(np.nan_to_num(decisions.value), 0, 1).astype(np.float64)
        budget = np.minimum(np.floor(share * means + 0.5).astype(np.int64), means)
        status["consumption"] = budget
        for kind, cents in self._split(budget, households, known["price"]).items():
            status[f"spent.{kind}"] = cents

    def _split(
        self, budget: NDArray[np.int64], households: Cohort, price: NDArray[np.float64]
    ) -> dict[str, NDArray[np.int64]]:
        """Budget by kind of goods."""
        s = self.settings
        line = price * poverty_line(households.status["size"])
        shares = [dict(zip(GOODS, one, strict=True)) for one in (s.basic, s.marginal, s.beyond)]
        return engel_split(budget, (s.subsistence * line, s.comfort * line), shares)


def share_of_means(question: Question, *, settings: ConsumptionSettings) -> Answer:
    """Share of its means that a household spends, by the rule of the settings."""
    known = question.known
    means, income, usual = known["means"], known["income"], known["usual"]
    before = np.maximum(means - np.maximum(income, 0), 0)
    if settings.rule == "econagent":
        price = float(known["price"][0]) * settings.unit_price
        value = econagent_share(price, before, income)
    else:
        wish = buffer_spending(
            income, usual, before, mpc=known["mpc"], buffer=known["buffer"], pace=settings.pace
        )
        value = spending_share(wish, known["need"], means, known["demand"])
    gain = income - usual
    least = _NOTICED * np.maximum(usual, 1)
    reason = np.where(gain > least, 1, np.where(gain < -least, 2, 0))
    reason = np.where(value >= 1, 3, reason).astype(np.uint8)
    return Answer(value, reason=reason, reasons=REASONS)


def heads_of(
    rows: NDArray[np.intp],
    household: NDArray[np.integer[Any]],
    relation: NDArray[np.integer[Any]],
    age: NDArray[np.integer[Any]],
) -> NDArray[np.intp]:
    """Who decides for each household: its head, else the spouse, else the oldest of the rest.

    Args:
        rows: Rows of people, shape (people,).
        household: Number of the household of each, shape (people,).
        relation: Number of `RELATIONS` of each, shape (people,).
        age: Age of each, shape (people,).

    Returns:
        Rows, ascending; of those alike the first by row.
    """
    order = np.lexsort((rows, -age.astype(np.int64), relation, household))
    first = np.ones(len(order), np.bool_)
    first[1:] = household[order][1:] != household[order][:-1]
    return np.sort(rows[order[first]])
