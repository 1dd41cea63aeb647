"""What firms, bank, government and bureau remember, and how memories change their decisions."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memopolis.agents.economy.firms import adapt_expected_sales
from memopolis.scenarios.ubi.blocks.expect_sales import COSTS, LOST, SALES, SHORTAGE, VACANT
from memopolis.scenarios.ubi.blocks.publish import INDICATORS, OPTIONS
from memopolis.scenarios.ubi.blocks.review_support import OPTIONS as REVIEW
from memopolis.scenarios.ubi.scenario import BasicIncome
from memopolis.sim.mind.mind import Answer, Question
from memopolis.sim.population import Population


def town(months: int = 1, **settings: Any) -> BasicIncome:
    made = BasicIncome(rng=3, agents=120, amount=0, **settings)
    for _ in range(months):
        made.step()
    return made


def block_of(population: Population, name: str) -> Any:
    return next(block for block in population.blocks if block.name == name)


def advance(made: BasicIncome, months: int = 1) -> None:
    """Move the clock without a step, so that stored memories are of the past."""
    made.clock.tick += months
    for population in made.populations:
        population.memory.flush()
        population.memory.now = made.clock.tick


def remember(population: Population, topic: str, text: str, valence: float, times: int = 6) -> None:
    for _ in range(times):
        everyone = population.cohort()
        everyone.memory.stream.add(topic, text, importance=0.8, valence=valence)
    population.memory.flush()


def forget(population: Population) -> None:
    """Delete all memories."""
    population.memory.flush()
    stream = population.cohort().memory.stream
    counts = stream.counts
    stream.forget(np.tile(np.arange(counts.max()), (len(counts), 1)))
    population.memory.flush()


def ask(population: Population, name: str, kind: str) -> tuple[Question, Answer]:
    """Put the question of a block, and answer it by its rule."""
    block = block_of(population, name)
    asked = block.perceive(block.who(population.cohort()))
    questions = [asked] if isinstance(asked, Question) else list(asked)
    question = next(one for one in questions if one.kind == kind)
    return question, question.rule(question)


def after(
    made: BasicIncome, population: Population, topic: str, text: str, valence: float
) -> BasicIncome:
    forget(population)
    remember(population, topic, text, valence)
    advance(made)
    return made


def values(population: str, name: str, kind: str, memory: tuple[str, str, float]) -> NDArray[Any]:
    made = town()
    agents = made.population(population)
    after(made, agents, *memory)
    return np.asarray(ask(agents, name, kind)[1].value, np.float64)


def test_good_memories_of_sales_raise_expected_sales_and_bad_ones_lower_them() -> None:
    good = values("firm", "expect_sales", "expected_sales", ("sales", SALES[4], 1.0))
    bad = values("firm", "expect_sales", "expected_sales", ("sales", SALES[0], -1.0))
    assert (good > bad).all()


def test_without_memories_expected_sales_are_adaptive() -> None:
    made = town(3, recall="none")
    advance(made)
    question, answer = ask(made.firms, "expect_sales", "expected_sales")
    known = question.known
    adapted = adapt_expected_sales(
        known["expected"], known["wanted"], weight=made.settings.firms.learning
    )
    assert np.asarray(answer.value) * known["expected"] == pytest.approx(adapted, rel=1e-5)
    assert (question.recalled == -1).all()
    assert set(np.asarray(answer.reason).tolist()) == {0}


def test_recalled_shortages_raise_the_target_stock() -> None:
    short = values("firm", "set_terms", "target_stock", ("shortage", SHORTAGE, -1.0))
    calm = values("firm", "set_terms", "target_stock", ("sales", SALES[2], 0.0))
    most = town().settings.firms.memory.stock
    assert (short > calm).all()
    assert (short <= calm + most + 1e-6).all()


def test_recalled_costs_raise_prices_and_weak_sales_lower_them() -> None:
    def price(text: str, topic: str) -> NDArray[Any]:
        changes: dict[str, Any] = {"firms.memory.price": 2.0}
        made = town(**changes)
        firms = made.firms
        after(made, made.firms, topic, text, -1.0)
        cost = firms["wage"] / firms["productivity"]
        firms["price"] = cost / made.settings.firms.labour_share
        return np.asarray(ask(made.firms, "set_terms", "price")[1].value)

    assert (price(COSTS, "price") == 2).all()
    assert (price(SALES[0], "sales") == 0).all()
    assert (price(SALES[2], "staff") == 1).all()


@pytest.mark.parametrize(("text", "lowers"), [(VACANT, False), (LOST, False), (SALES[2], True)])
def test_firms_that_recall_staff_shortages_wait_with_wage_cuts(text: str, *, lowers: bool) -> None:
    made = town()
    firms = made.firms
    firms["vacancies"] = 0
    patience = made.settings.labour_market.wage_patience
    after(made, made.firms, "sales" if lowers else "staff", text, 0.0 if lowers else -1.0)
    firms["filled_for"] = patience - 1
    value = np.asarray(ask(made.firms, "set_terms", "wage_offer")[1].value)
    assert ((value == 0) == lowers).all()


def test_recalled_inflation_moves_the_expectation_and_the_rate() -> None:
    rates = []
    for valence in (-0.8, 0.8):
        made = town()
        after(made, made.bank, "inflation", "Inflation.", valence)
        made.bureau["inflation"] = 0.02
        block_of(made.bank, "expect_inflation").run(made.bank.cohort())
        block_of(made.bank, "set_rate").run(made.bank.cohort())
        rates.append(float(made.bank["rate"][0]))
        expected = float(made.bank["expected_inflation"][0])
        share = made.settings.bank.memory.inflation
        assert expected == pytest.approx(0.02 - share * valence * 0.1, abs=1e-3)
    assert rates[0] > rates[1]


def test_without_memories_the_bank_expects_the_latest_figure() -> None:
    made = town(3, recall="none")
    advance(made)
    made.bureau["inflation"] = 0.035
    answer = ask(made.bank, "expect_inflation", "expected_inflation")[1]
    assert float(np.asarray(answer.value)[0]) == pytest.approx(3.5)


@pytest.mark.parametrize(("valence", "choice"), [(-0.8, 2), (0.0, 1), (0.8, 0)])
def test_recalled_unemployment_decides_the_review(valence: float, choice: int) -> None:
    made = town()
    after(made, made.government, "unemployment", "Unemployment.", valence)
    advance(made, 10)
    assert made.clock.tick % made.settings.review.every == 11
    advance(made)
    answer = ask(made.government, "review_support", "review")[1]
    assert REVIEW[int(np.asarray(answer.value)[0])] == REVIEW[choice]


def test_a_review_changes_unemployment_compensation_but_no_pensions() -> None:
    made = town()
    paid = []
    for support in (1.0, 0.5):
        made.government["support"] = support
        block_of(made.government, "pay_benefits").run(made.government.cohort())
        paid.append(made.households["benefits"].copy())
    homes = made.households
    only_pension = (homes["pension"] > 0) & (paid[0] == homes["pension"])
    assert only_pension.any()
    assert (paid[0] == paid[1])[only_pension].all()
    assert paid[1].sum() < paid[0].sum()


def test_the_headline_is_the_figure_farthest_from_what_is_recalled() -> None:
    made = town()
    forget(made.bureau)
    bureau = made.bureau
    for one in INDICATORS:
        bureau[one.name] = one.usual
        remember(made.bureau, "figures", one.text, 0.0)
    bureau["poverty"] = 0.27
    advance(made, 3)
    block = block_of(made.bureau, "choose_headline")
    question = block.perceive(made.bureau.cohort())
    answer = question.rule(question)
    assert OPTIONS[int(np.asarray(answer.value)[0])] == "poverty"
    assert answer.reasons[int(np.asarray(answer.reason)[0])].startswith("higher")


@cache
def year() -> BasicIncome:
    return town(14)


def test_citizens_remember_headlines() -> None:
    made = year()
    texts = [
        one.text
        for agent in made.citizens.agents[:40]
        for one in agent.memory.stream.read(np.arange(len(agent.memory.stream)))
        if one.topic == "figures"
    ]
    assert texts
    assert all(text.startswith("Official figures: ") for text in texts)


@pytest.mark.parametrize("name", ["firm", "bank", "government", "statistics_bureau"])
def test_every_institution_remembers_decides_feels_and_thinks(name: str) -> None:
    population = year().population(name)
    everyone = population.cohort()
    old = everyone.where(everyone["age"] > 2) if name == "firm" else everyone
    assert (old.memory.stream.counts > 0).all()
    assert (old["thought"] >= 0).all()
    assert (old["attitude.outlook"] != 5).mean() > 0.9


def test_firms_remember_each_month_and_what_went_wrong() -> None:
    made = town(12, **{"labour_market.wage_step": 0.05})
    topics: set[str] = set()
    for agent in made.firms.cohort():
        stream = agent.memory.stream
        topics |= {one.topic for one in stream.read(np.arange(len(stream)))}
    assert {"sales", "staff", "price", "cognition"} <= topics
