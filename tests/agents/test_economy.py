"""Money is neither made nor lost, and what is scarce goes to whom chance serves."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from memopolis.agents.activities import Activity
from memopolis.agents.blocks.economy import PayBenefits, Shop, Work

MakeVillage = Callable[..., Any]


def doing(made: Any, activity: Activity, **status: Any) -> None:
    for name, value in ({"doing": int(activity)} | status).items():
        made.citizens.cohort()[name] = value


def balances(made: Any) -> Any:
    return made.ledger.balance(made.accounts.citizens)


def test_money_stays_the_same_in_every_step(lived: MakeVillage) -> None:
    made = lived(0, agents=40, start="2026-01-05")
    total = made.ledger.total
    moved = set()
    for _ in range(24 * 4):
        made.step()
        assert made.ledger.total == made.ledger.created == total
        assert made.ledger.balance(range(len(made.ledger))).min() >= 0
        moved |= {flow.why for flow in made.ledger.flows()}
    assert moved - {"opening"} == {"wage", "tax", "goods", "benefit"}


def test_flows_of_a_step_explain_what_citizens_have(lived: MakeVillage) -> None:
    made = lived(1, agents=40, start="2026-01-05")
    for _ in range(24 * 2):
        before = balances(made).sum()
        made.step()
        flows = made.ledger.flows()
        gained = sum(f.cents for f in flows if f.to == "citizen")
        spent = sum(f.cents for f in flows if f.source == "citizen")
        assert balances(made).sum() - before == gained - spent


# Work


def test_an_hour_of_work_earns_the_wage_minus_tax(village: MakeVillage) -> None:
    made = village(agents=6)
    made.give(made.citizens, Work(made.accounts, made.firms, made.government))
    doing(made, Activity.WORK, employer=0, skill=np.array([10, 20, 0, 15, 30, 40]))
    before, stock = balances(made), made.firms.cohort()["inventory"]
    made.step()
    wage = np.array([1_000, 2_000, 0, 1_500, 3_000, 4_000])
    assert (balances(made) - before).tolist() == (wage - (wage * 0.12).astype(int)).tolist()
    revenue = made.government.cohort()["revenue"][0]
    assert revenue == (wage * 0.12).astype(int).sum()
    assert made.firms.cohort()["inventory"] - stock == pytest.approx([6, 0, 0])


def test_only_agents_at_work_are_paid(village: MakeVillage) -> None:
    made = village(agents=6)
    made.give(made.citizens, Work(made.accounts, made.firms, made.government))
    before = balances(made)
    for activity in set(Activity) - {Activity.WORK}:
        doing(made, activity, employer=0)
        made.step()
    assert np.array_equal(balances(made), before)


def test_revenue_and_benefits_equal_the_ledger(lived: Callable[..., Any], tmp_path: Path) -> None:
    made = lived(0, days=3, start="2026-01-05", record={"agents_every": 7})
    folder = made.run(tmp_path / "run")
    rows = pd.read_parquet(folder / "tables" / "agents_government").set_index("tick")
    ledger = pd.read_parquet(folder / "tables" / "ledger")
    for column, why in (("revenue", "tax"), ("benefits", "benefit")):
        moved = ledger[ledger["why"] == why]
        for tick, total in rows[column].items():
            assert total == moved.loc[moved["tick"] <= tick, "cents"].sum()
        assert rows[column].iloc[-1] > 0


def test_half_an_hour_earns_half(village: MakeVillage) -> None:
    made = village(agents=1, tick=0.5)
    made.give(made.citizens, Work(made.accounts, made.firms, made.government))
    doing(made, Activity.WORK, employer=0, skill=10.0)
    before = balances(made)
    made.step()
    assert (balances(made) - before).tolist() == [440]


def test_a_firm_without_enough_money_pays_in_random_order(village: MakeVillage) -> None:
    paid = np.zeros(20)
    for seed in range(150):
        made = village(agents=20, rng=seed)
        made.give(made.citizens, Work(made.accounts, made.firms, made.government))
        firm, bank = int(made.accounts.firms[0]), made.accounts.bank
        made.ledger.pay(firm, bank, made.ledger.balance(firm) - 5_000, "rent")
        doing(made, Activity.WORK, employer=0, skill=10.0)
        before = balances(made)
        made.step()
        paid += balances(made) > before
    # Five of twenty are paid in each of 150 villages.
    assert paid.sum() == 750
    assert paid.max() < 65
    assert paid.min() > 15
    assert abs(np.corrcoef(np.arange(20), paid)[0, 1]) < 0.6


# Shopping


def test_a_basket_costs_its_price(village: MakeVillage) -> None:
    made = village(agents=6)
    made.give(made.citizens, Shop(made.accounts, made.firms))
    doing(made, Activity.SHOP)
    before = balances(made)
    made.step()
    assert (before - balances(made)).tolist() == [2_500] * 6
    assert made.citizens.cohort()["spent"].tolist() == [2_500] * 6
    assert made.firms.cohort()["sold"].tolist() == [2, 2, 2]
    assert made.firms.cohort()["inventory"].tolist() == [498] * 3
    doing(made, Activity.IDLE)
    made.step()
    assert not made.citizens.cohort()["spent"].any()
    assert not made.firms.cohort()["sold"].any()


def test_no_agent_buys_while_away_or_without_money(village: MakeVillage) -> None:
    made = village(agents=6)
    made.give(made.citizens, Shop(made.accounts, made.firms))
    doing(made, Activity.SHOP, place=np.array([-1, 1, 2, 0, 1, 2]))
    poor = made.accounts.citizens[1]
    made.ledger.pay(poor, made.accounts.bank, 18_000, "rent")
    made.step()
    assert made.citizens.cohort()["spent"].tolist() == [0, 0, 2_500, 2_500, 2_500, 2_500]
    # Goods that no agent can afford stay in store.
    assert made.firms.cohort()["inventory"].tolist() == [499, 499, 498]


def test_scarce_goods_are_sold_in_random_order(village: MakeVillage) -> None:
    bought = np.zeros(30)
    for seed in range(150):
        made = village(agents=30, rng=seed)
        made.give(made.citizens, Shop(made.accounts, made.firms))
        made.firms.cohort()["inventory"] = np.array([3.9, 0, 0], np.float32)
        doing(made, Activity.STOCK_UP, place=0)
        made.step()
        spent = made.citizens.cohort()["spent"] > 0
        assert spent.sum() == 3
        bought += spent
    assert bought.max() < 32
    assert bought.min() > 3
    assert abs(np.corrcoef(np.arange(30), bought)[0, 1]) < 0.5


def test_buyers_without_money_do_not_reduce_the_stock(village: MakeVillage) -> None:
    made = village(agents=30)
    made.give(made.citizens, Shop(made.accounts, made.firms))
    made.firms.cohort()["inventory"] = np.array([5, 0, 0], np.float32)
    doing(made, Activity.SHOP, place=0)
    broke = made.accounts.citizens[:20]
    made.ledger.pay(broke, made.accounts.bank, made.ledger.balance(broke), "rent")
    made.step()
    assert (made.citizens.cohort()["spent"] > 0).sum() == 5


# Benefits


def test_benefits_are_paid_once_a_day_at_noon(village: MakeVillage) -> None:
    made = village(agents=4)
    owed = np.array([0, 3_000, 0, 3_000])
    made.give(made.government, PayBenefits(made.accounts, made.citizens, owed))
    before = balances(made)
    paid = []
    for _ in range(48):
        made.step()
        paid.append(int(made.government.cohort()["benefits"][0]))
    assert (balances(made) - before).tolist() == [0, 6_000, 0, 6_000]
    assert np.flatnonzero(np.diff(paid, prepend=0)).tolist() == [12, 36]
    assert paid[-1] == 12_000


@pytest.mark.parametrize("tick", [0.5, 3.0, 5.0, 24.0])
def test_benefits_are_paid_once_a_day_for_any_tick(village: MakeVillage, tick: float) -> None:
    made = village(agents=2, tick=tick)
    made.give(made.government, PayBenefits(made.accounts, made.citizens, np.array([0, 100])))
    before = balances(made)
    for _ in range(round(10 * 24 / tick)):
        made.step()
    assert (balances(made) - before).tolist() == [0, 1_000]


def test_a_treasury_without_enough_money_pays_in_random_order(village: MakeVillage) -> None:
    served = np.zeros(20)
    for seed in range(100):
        made = village(agents=20, rng=seed, start="2026-01-01 12:00")
        owed = np.full(20, 1_000)
        made.give(made.government, PayBenefits(made.accounts, made.citizens, owed))
        left = made.ledger.balance(made.accounts.government) - 5_000
        made.ledger.pay(made.accounts.government, made.accounts.bank, left, "rent")
        before = balances(made)
        made.step()
        served += balances(made) > before
    assert served.sum() == 500
    assert served.max() < 45
    assert served.min() > 8


def test_agents_who_left_receive_no_benefits(village: MakeVillage) -> None:
    made = village(agents=4, start="2026-01-01 12:00")
    made.give(made.government, PayBenefits(made.accounts, made.citizens, np.full(4, 100)))
    made.citizens.agents[2].remove()
    before = balances(made)
    made.step()
    assert (balances(made) - before).tolist() == [100, 100, 0, 100]
