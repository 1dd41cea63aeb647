"""Budgets of households: rank by income, credit, and spending by kind of goods."""

from dataclasses import KW_ONLY, dataclass, field
from functools import partial

import numpy as np

from memopolis.agents.economy.consumption import (
    adapt_usual_income,
    buffer_spending,
    econagent_share,
    expect_income,
    poverty_line,
    raise_buffer,
    restrain_spending,
    shortfall,
    spending_share,
    split_budget,
    substitute_over_time,
)
from memopolis.agents.economy.experience import AgedExperience
from memopolis.agents.joining import extend_rows
from memopolis.scenarios.ubi.attitudes import PROFILE
from memopolis.scenarios.ubi.families import find_heads
from memopolis.scenarios.ubi.firm_settings import BankSettings, ShockSettings
from memopolis.scenarios.ubi.household_settings import GOODS, ConsumptionSettings
from memopolis.scenarios.ubi.memories import DecisionTexts, remember_decisions
from memopolis.scenarios.ubi.money import Money, read_price_level
from memopolis.scenarios.ubi.synthesis import draw_patience
from memopolis.sim.arrays import Array, Float32, Float64, Int64
from memopolis.sim.block import Block
from memopolis.sim.mind.mind import Answer, Decisions, Question
from memopolis.sim.population import Cohort, Population

YEAR = 12  # mean age in months of the incomes that count (choice)
_QUINTILES = 5


@dataclass(eq=False, repr=False)
class RankHouseholds(Block):
    """Update the mean of each household's own income, and its quintile, and that of its members.

    Incomes of a month are noisy, and the quintiles of a past year drift to the middle, as those of
    real households do. Own income excludes the basic income, so that payments change no ranks.
    """

    reads = ("disposable", "basic_income", "own_income")
    writes = ("own_income", "quintile")
    state = ("last_price",)

    citizens: Population

    def setup(self) -> None:
        """Start without a last price level."""
        self.last_price = np.full(1, np.nan)

    def step(self, households: Cohort) -> None:
        """Rank all households."""
        price = read_price_level(self.society)
        now = (households["disposable"] - households["basic_income"]).astype(np.float64)
        growth = 1.0 if np.isnan(self.last_price[0]) else price / self.last_price[0]
        self.last_price = np.full(1, price)
        before = households["own_income"] * growth
        mean = np.where(before < 0, np.maximum(now, 0), before + (now - before) / YEAR)
        households["own_income"] = np.maximum(mean, 0)
        rank = np.empty(len(mean), np.intp)
        rank[np.argsort(mean, kind="stable")] = np.arange(len(mean))
        households["quintile"] = 1 + rank * _QUINTILES // len(mean)
        people = self.citizens.cohort()
        homes = self.population
        people["quintile"] = homes["quintile"][people["household"]]


@dataclass(eq=False, repr=False)
class Borrow(Block):
    """Borrow what is missing for subsistence, up to some usual incomes."""

    reads = ("account", "size", "usual")
    writes = ()

    settings: BankSettings
    money: Money
    _: KW_ONLY
    subsistence: float

    def step(self, households: Cohort) -> None:
        """Lend each household what it lacks, within its limit."""
        loans = self.money.loans
        account = households["account"].astype(np.intp)
        price = read_price_level(self.society)
        need = self.subsistence * poverty_line(households["size"], price)
        missing = shortfall(need, self.money.ledger.balance(account).astype(np.float64))
        limit = np.rint(self.settings.household_credit * np.maximum(households["usual"], 0))
        available = np.maximum(limit.astype(np.int64) - loans.of(account), 0)
        loans.lend(account, np.minimum(missing, available), "consumer loan")


QUERY = "money, prices, what we could not pay for, losing my job, my pay and the basic income"
DEMAND = "consumption.demand"  # name of the policy that scales all demand
MAX_DEMAND = 10.0  # maximum factor that may be set by hand
TEXTS = DecisionTexts.read("consumption")
_NOTICED = 0.01
_FELT = 0.002
"""Relative reduction of spending from which recalled hardship is a reason (illustrative)."""


@dataclass(eq=False, repr=False)
class DecideConsumption(Block):
    """Let the head of each household decide its spending.

    The block runs after income and credit of the month and before goods are bought. Until then,
    `spent` and `consumption` hold desired spending.
    """

    reads = ("account", "size", "quintile", "disposable", "usual")
    writes = ("usual", "consumption", "spent")
    topics = ("job", "money", "pay", "prices")
    state = ("last_price", "noted")

    settings: ConsumptionSettings = field(default_factory=ConsumptionSettings)
    bank: BankSettings = field(default_factory=BankSettings)
    shocks: ShockSettings = field(default_factory=ShockSettings)

    def setup(self) -> None:
        """Start with unknown prices and without remembered decisions."""
        self.last_price: Float64 = np.full(1, np.nan)
        self.noted: Float32 = np.full(len(self.population), np.nan, np.float32)
        s = self.settings
        # Households without a quintile use the middle one.
        self.buffer = np.array((s.buffer[2], *s.buffer))

    def perceive(self, households: Cohort) -> Question | None:
        """Ask the heads of households."""
        people = self.society.population("citizen").cohort()
        rank = (people["household"], people["relation"], people["age"])
        heads = people.at(find_heads(people.rows, *rank))
        house = heads["household"]
        present = np.isin(house, households.rows)
        heads, house = heads.where(present), house[present]
        if not len(heads):
            return None
        past = AgedExperience.recall(heads, QUERY, k=self.settings.memories, profile=PROFILE)
        s = self.settings.experience
        worry = past.accumulate("job", "money", span=s.span, curvature=s.curvature)[1]
        rises, falls = past.accumulate("pay", span=s.span, curvature=s.curvature)
        cheaper, dearer = past.accumulate("prices", span=s.span, curvature=s.curvature)
        known = self._collect_known(households.at(house))
        known |= {
            "recalled_hardship": worry,
            "recalled_pay": rises - falls,
            "recalled_prices": dearer - cheaper,
        }
        # Interest deviates from neutral as long as demand does.
        persistence = self.shocks.demand_persistence
        rule = partial(compute_share_of_means, settings=self.settings, persistence=persistence)
        return past.ask_rating("consumption", rule, known, high=1.0)

    def _adapt(self, households: Cohort) -> Float64:
        """Return usual income after this month, in cents; new households start at their income."""
        price, last = read_price_level(self.society), self.last_price[0]
        growth = 1.0 if np.isnan(last) else price / last
        now = households["disposable"].astype(np.float64)
        if self.society.policies.get("schedule") == "once":
            # A single payment is announced as one, and is money to save or spend, not income.
            now = now - households["basic_income"]
        before = households["usual"].astype(np.float64)
        usual = adapt_usual_income(before, now, half_life=self.settings.habit, growth=growth)
        return np.rint(np.maximum(np.where(before > 0, usual, now), 0))

    def _collect_known(self, households: Cohort) -> dict[str, Array]:
        price = read_price_level(self.society)
        ledger = self.society.ledger
        assert ledger is not None  # noqa: S101 - households without money decide nothing
        means = np.maximum(ledger.balance(households["account"]), 0)
        quintile = np.asarray(households["quintile"], np.intp)
        need = self.settings.subsistence * poverty_line(households["size"], price)
        rate = float(self.society.population("bank")["rate"][0])
        return {
            "means": means / 100,
            "income": households["disposable"] / 100,
            "usual": self._adapt(households) / 100,
            "need": need / 100,
            "people": households["size"],
            "price": np.full(len(households), price),
            "buffer": self.buffer[quintile] * draw_patience(households.rows, self.society.chance),
            "interest_gap": np.full(len(households), rate - self.bank.neutral),
            "demand": np.full(len(households), float(self.society.policies.get(DEMAND, 1.0))),
        }

    def apply(self, heads: Cohort, decisions: Decisions) -> None:
        """Adapt usual income, set desired spending, and remember large changes of it."""
        self._begin_month(self.population.cohort())
        households = Cohort(self.population, np.asarray(heads["household"], np.intp))
        known = decisions.question.known
        means = np.rint(known["means"] * 100).astype(np.int64)
        share = np.clip(np.nan_to_num(decisions.value), 0, 1).astype(np.float64)
        budget = np.minimum(np.floor(share * means + 0.5).astype(np.int64), means)
        households["consumption"] = budget
        for kind, cents in self._split_by_goods(budget, households, known["price"]).items():
            households[f"spent.{kind}"] = cents
        self._remember(heads, decisions, budget / known["price"])

    def _begin_month(self, households: Cohort) -> None:
        """Adapt usual income, and clear the spending of the last month."""
        usual = self._adapt(households)
        self.last_price = np.full(1, read_price_level(self.society))
        households["usual"] = usual
        for name in ("consumption", *(f"spent.{kind}" for kind in GOODS)):
            households[name] = 0

    def _remember(self, heads: Cohort, decisions: Decisions, spending: Float64) -> None:
        """Store memories of decisions to spend less or more, at constant prices."""
        rows = heads["household"]
        self.noted = extend_rows(self.noted, len(self.population), np.nan)
        self.noted[rows] = remember_decisions(
            heads,
            spending,
            self.noted[rows],
            TEXTS,
            TEXTS.number(decisions),
            topic="spending",
            least=self.settings.experience.noted,
        )

    def _split_by_goods(
        self, budget: Int64, households: Cohort, price: Float64
    ) -> dict[str, Int64]:
        """Split budgets by kind of goods."""
        s = self.settings
        line = price * poverty_line(households["size"])
        shares = [dict(zip(GOODS, one, strict=True)) for one in (s.basic, s.marginal, s.beyond)]
        return split_budget(budget, (s.subsistence * line, s.comfort * line), shares)


def compute_share_of_means(
    question: Question, *, settings: ConsumptionSettings, persistence: float
) -> Answer:
    """Compute the share of means that a household spends, by the selected rule.

    `persistence` is the monthly one of deviations of the interest rate from neutral.
    """
    known = question.known
    means, income, usual = known["means"], known["income"], known["usual"]
    before = np.maximum(means - np.maximum(income, 0), 0)
    saved = np.zeros(len(means))
    if settings.rule == "econagent":
        price = float(known["price"][0]) * settings.unit_price
        value = econagent_share(price, before, income)
    else:
        past, worry = settings.experience, known["recalled_hardship"]
        buffer = raise_buffer(known["buffer"], worry, caution=past.caution)
        real = known["recalled_pay"] - known["recalled_prices"]
        expected = expect_income(usual, real, outlook=past.outlook)
        wish = buffer_spending(
            income, expected, before, buffer=buffer, mpc=settings.mpc, liquid=settings.liquid
        )
        saved = past.restraint * worry
        wish = restrain_spending(wish, worry, restraint=past.restraint)
        wish = substitute_over_time(
            wish,
            before / np.maximum(expected, 1),
            known["interest_gap"],
            elasticity=settings.substitution,
            persistence=persistence,
            liquid=settings.liquid,
        )
        value = spending_share(wish, known["need"], means, known["demand"])
    gain = income - usual
    least = _NOTICED * np.maximum(usual, 1)
    reason = np.where(gain > least, 1, np.where(gain < -least, 2, 0))
    reason = np.where((reason == 0) & (saved > _FELT), 4, reason)
    reason = np.where(value >= 1, 3, reason).astype(np.uint8)
    return Answer(value, reason=reason, reasons=TEXTS.reasons)
