"""Spending in a street: who decides, how much, and on what."""

import json
from typing import Any

import numpy as np
import pytest
from tests.scenarios.ubi.street import Street, give, live, set_status, street

from memopolis.scenarios.ubi.blocks.household_budget import (
    DEMAND,
    YEAR,
    DecideConsumption,
    RankHouseholds,
)
from memopolis.scenarios.ubi.household_settings import GOODS, ConsumptionSettings
from memopolis.scenarios.ubi.synthesis import draw_patience
from memopolis.sim.chance import Chance
from memopolis.sim.errors import SettingsError
from memopolis.sim.mind.archetype import Archetype
from memopolis.sim.mind.call import ScriptedClient
from memopolis.sim.mind.llm import LlmMind

PLAIN = {"mpc": 0.4, "liquid": 1.0, "buffer": (0.5, 1, 2, 3, 5), "habit": 1e3}


def of_homes(society: Street, name: str) -> list[int]:
    return [int(value) for value in society.households.cohort()[name]]


def town(**settings: Any) -> Street:
    made = street()
    give(made, "household", DecideConsumption(ConsumptionSettings(**{**PLAIN, **settings})))
    return made


def plan(made: Street, usual: list[int], income: list[int], money: list[int]) -> list[float]:
    """Spending by the rule in `PLAIN`, from money before the income of the month."""
    expected = np.array(usual, np.float64)
    buffer = np.array([0.5, 2, 5]) * draw_patience(np.arange(3), made.chance)
    wealth = (np.array(money) + np.array(income) - expected) / expected
    return list(expected * (1 + 0.4 * (np.log1p(wealth) - np.log1p(buffer))))


def test_a_household_spends_by_its_liquid_wealth() -> None:
    made = town()
    live(made)
    income = [250_000, 400_000, 300_000]
    expected = plan(made, income, income, [125_000, 800_000, 75_000])
    line = 0.6 * 12_490 / 12 * 100
    expected = [max(spent, line) for spent in expected]
    assert of_homes(made, "consumption") == pytest.approx(expected, abs=2)


def test_interest_postpones_the_spending_of_those_with_money() -> None:
    usual, dear = town(), town()
    dear.bank["rate"] = dear.settings.bank.neutral + 0.02
    for made in (usual, dear):
        assert made.ledger is not None
        made.ledger.pay(3, 0, 75_000, "test")  # the third household has no money left
        live(made)
    before, after = (of_homes(made, "consumption") for made in (usual, dear))
    # The second has two months of income, and substitutes two thirds of .4 times 2.8 years.
    assert after[1] / before[1] == pytest.approx(np.exp(-0.4 * 0.02 * 100 / 36 * 2 / 3), abs=1e-4)
    assert after[0] < before[0]
    assert after[2] == before[2]


def test_part_of_a_gain_is_spent() -> None:
    made = town()
    set_status(made, "household", usual=[200_000, 350_000, 300_000])
    made.households["disposable"] = income = [250_000, 400_000, 300_000]
    live(made)
    usual = of_homes(made, "usual")
    kept = 0.5**0.001
    assert usual[0] == pytest.approx(kept * 200_000 + (1 - kept) * 250_000, abs=1)
    expected = plan(made, usual, income, [125_000, 800_000, 75_000])
    assert of_homes(made, "consumption")[:2] == pytest.approx(expected[:2], abs=2)


def test_households_differ_in_the_money_that_they_keep() -> None:
    patience = draw_patience(np.arange(4_000), Chance(1))
    assert np.median(patience) == pytest.approx(1, abs=0.06)
    assert np.log(patience).std() == pytest.approx(1.2, abs=0.05)


def test_spending_is_split_to_the_cent_within_means() -> None:
    made = town(buffer=(0, 0, 0, 0, 0), mpc=1.0, liquid=100.0)
    made.policies[DEMAND] = 2.0
    live(made)
    assert made.ledger is not None
    spent = np.array([of_homes(made, f"spent.{kind}") for kind in GOODS])
    assert spent.sum(axis=0).tolist() == of_homes(made, "consumption")
    assert of_homes(made, "consumption") == made.ledger.balance(np.array([1, 2, 3])).tolist()


def test_needs_are_met_before_anything_is_saved() -> None:
    made = town()
    set_status(made, "household", usual=[1, 1, 1], disposable=[0, 0, 0])
    made.households["size"] = [1, 3, 1]
    live(made)
    line = 0.6 * 12_490 / 12 * 100
    assert of_homes(made, "consumption")[0] >= int(line)


def test_usual_income_is_indexed_to_prices() -> None:
    made = town(habit=1_200.0)
    live(made)
    before = of_homes(made, "usual")
    set_status(made, "statistics_bureau", price_level=[1.1])
    set_status(made, "household", disposable=[275_000, 440_000, 330_000])
    live(made)
    assert of_homes(made, "usual") == pytest.approx(np.array(before) * 1.1, rel=1e-4)


def test_a_shock_changes_demand() -> None:
    usual, made = town(), town()
    made.policies[DEMAND] = 0.8
    for society in (usual, made):
        live(society)
    expected = 0.8 * np.array(of_homes(usual, "consumption")[:2])
    assert of_homes(made, "consumption")[:2] == pytest.approx(expected, abs=2)


def test_the_published_rule_is_a_setting() -> None:
    made = town(rule="econagent")
    live(made)
    # (25 / 3750)^0.1 = 0.606 and (25 / 12000)^0.1 = 0.539, on a grid of 0.02.
    expected = [0.60 * 375_000, 0.54 * 1_200_000, 0.60 * 375_000]
    assert of_homes(made, "consumption") == pytest.approx(expected, rel=1e-6)


def test_an_empty_household_spends_nothing() -> None:
    made = town()
    made.citizens.agents[0].remove()
    live(made)
    assert of_homes(made, "consumption")[0] == 0


def test_a_model_decides_the_share_spent() -> None:
    made = town()
    client = ScriptedClient(lambda _: json.dumps({"reason": "half", "rating": 0.5}))
    made.mind = LlmMind(client, seed=1)
    live(made)
    assert of_homes(made, "consumption") == [187_500, 600_000, 187_500]
    heads = made.citizens.ids[[0, 2, 4]].tolist()
    assert [call.agent for call in client.calls] == heads
    prompt = client.calls[1].messages[-1].text
    assert '"people": 3' in prompt
    assert '"money_at_hand_with_the_income_of_this_month": 12000.0' in prompt


def test_a_model_answers_for_similar_households() -> None:
    made = town()
    text = json.dumps({"reason": "so", "rating": 0.25, "spread": 0.0})
    client = ScriptedClient(lambda _: text)
    made.mind = Archetype(LlmMind(client, seed=1), seed=1, least=3, answers=1)
    live(made)
    assert of_homes(made, "consumption") == [93_750, 300_000, 93_750]
    assert len(client.calls) == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("basic", (0.5, 0.5, 0.5, 0)),
        ("beyond", (0.5, 0.5)),
        ("buffer", (1, 2, 3, 4, -5)),
    ],
)
def test_impossible_shares_are_refused(name: str, value: tuple[float, ...]) -> None:
    with pytest.raises(SettingsError, match=f"setting {name} was given"):
        ConsumptionSettings().with_changes({name: value})


def test_usual_income_adapts_to_income_of_all_kinds_alike() -> None:
    made = town(habit=1.0)
    set_status(made, "household", usual=[200_000, 200_000, 200_000])
    homes = made.households
    homes["disposable"] = [300_000, 300_000, 200_000]
    homes["basic_income"] = [0, 100_000, 100_000]
    live(made)
    assert of_homes(made, "usual") == [250_000, 250_000, 200_000]


def ranked(**changes: Any) -> Any:
    made = street()
    give(made, "household", RankHouseholds(made.citizens))
    set_status(made, "household", **changes)
    live(made)
    return made


def quintiles(made: Any, population: str = "household") -> list[int]:
    return [int(one) for one in made.population(population).cohort()["quintile"]]


def test_households_are_ranked_by_income_and_their_members_with_them() -> None:
    made = ranked(disposable=[300_000, 100_000, 200_000])
    assert quintiles(made) == [4, 1, 2]
    assert quintiles(made, "citizen") == [4, 1, 1, 1, 2]


def test_a_single_month_hardly_changes_the_rank() -> None:
    made = ranked(disposable=[300_000, 100_000, 200_000])
    set_status(made, "household", disposable=[0, 100_000, 200_000])
    live(made)
    assert quintiles(made) == [4, 1, 2]
    mean = made.households.cohort()["own_income"]
    assert mean.tolist() == pytest.approx([300_000 * (1 - 1 / YEAR), 100_000, 200_000])


def test_the_basic_income_changes_no_rank() -> None:
    made = ranked(disposable=[300_000, 400_000, 200_000], basic_income=[0, 300_000, 0])
    assert quintiles(made) == [4, 1, 2]


def test_mean_incomes_are_indexed_to_prices() -> None:
    made = ranked(disposable=[300_000, 100_000, 200_000])
    set_status(made, "statistics_bureau", price_level=[1.5])
    set_status(made, "household", disposable=[450_000, 150_000, 300_000])
    live(made)
    assert made.households.cohort()["own_income"].tolist() == [450_000, 150_000, 300_000]
