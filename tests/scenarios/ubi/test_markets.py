"""Firms, jobs, goods and the bank, block by block."""

from typing import Any

import numpy as np
import pytest

from memopolis.agents.economy.firms import HOURS_RANGE
from memopolis.scenarios.ubi.blocks.goods_market import Market
from memopolis.scenarios.ubi.firm_settings import FirmSettings
from memopolis.scenarios.ubi.household_settings import GOODS
from memopolis.scenarios.ubi.people import Labour
from memopolis.scenarios.ubi.scenario import BasicIncome
from memopolis.scenarios.ubi.start import SECTOR_SHARES, make_firms
from memopolis.sim.chance import Chance
from memopolis.sim.population import Population

QUIET = {
    "shocks.demand": 0,
    "shocks.productivity": 0,
    "labour_market.quits": 0,
    "labour_market.on_the_job": 0,
    "labour_market.contact": 1,
    "labour_market.matching": 0,
    "labour_market.search_decline": 0,
    "shocks.firm": 0,
    "earnings.permanent": 0,
    "earnings.transitory": 0,
    "earnings.paydays": False,
}


def society(agents: int = 150, **changes: Any) -> BasicIncome:
    return BasicIncome(rng=6, agents=agents, amount=0, **(QUIET | changes))


def columns(population: Population) -> dict[str, Any]:
    return population.memory._columns._arrays


def run_block(population: Population, name: str) -> None:
    (block,) = (one for one in population.blocks if one.name == name)
    block.run(population.cohort())


def everybody(made: BasicIncome, labour: Labour) -> None:
    """Let no agent have or want a job, with adults of a given labour market status."""
    people = columns(made.citizens)
    people["employer"][:] = -1
    people["labour"][:] = labour
    people["wanted_hours"][:] = 0.0 if labour == Labour.AT_HOME else 40.0
    people["skill"][:] = 10.0


# The start


def test_every_sector_has_firms_and_every_worker_has_one() -> None:
    made = society()
    people, firms = columns(made.citizens), columns(made.firms)
    assert set(firms["sector"]) == {0, 1, 2, 3}
    employed = people["labour"] == Labour.EMPLOYED
    assert ((people["employer"] >= 0) == employed).all()


def test_firm_sizes_fall_with_rank_and_output_equals_expected_sales() -> None:
    labour = np.full(5_000, Labour.EMPLOYED)
    firms = make_firms(
        labour, np.full(5_000, 40.0), np.full(5_000, 20.0), FirmSettings(), Chance(1)
    )
    workers = np.bincount(firms.employer)
    assert len(workers) == 200
    food = np.sort(workers[firms.sector == GOODS.index("food")])[::-1]
    assert food[0] / food[1] == pytest.approx(2, rel=0.05)
    assert food[0] / food[3] == pytest.approx(4, rel=0.1)
    makes = firms.wages / 100 * firms.productivity
    job = 40 * 30 / 7 * 20 * firms.productivity
    assert np.abs(makes - firms.expected).max() <= 1.01 * job
    assert firms.wages.sum() / 100 / firms.expected.sum() == pytest.approx(0.85, rel=1e-3)


# Jobs


def test_vacancies_are_filled_by_job_seekers() -> None:
    made = society()
    everybody(made, Labour.UNEMPLOYED)
    firms = columns(made.firms)
    job = 40 * 30 / 7 * 10
    firms["labour"][:] = 0
    firms["labour"][[1, 2]] = [3 * job, 2 * job]
    run_block(made.citizens, "find_work")
    people = columns(made.citizens)
    assert np.bincount(people["employer"][people["employer"] >= 0]).tolist() == [0, 3, 2]
    assert (people["labour"] == Labour.EMPLOYED).sum() == 5
    assert not firms["vacancies"].any()


def test_the_better_paid_vacancies_fill_first() -> None:
    made = society()
    everybody(made, Labour.AT_HOME)
    people, firms = columns(made.citizens), columns(made.firms)
    people["wanted_hours"][:4] = 40
    people["labour"][:4] = Labour.UNEMPLOYED
    job = 40 * 30 / 7 * 10
    firms["labour"][:] = 0
    firms["labour"][[0, 1]] = 4 * job
    firms["wage"][[0, 1]] = [1.0, 1.2]
    run_block(made.citizens, "find_work")
    # Everyone sees four vacancies, so hardly anyone sees none of the better firm.
    assert (people["employer"][:4] == 1).sum() >= 3
    assert firms["vacancies"][0] >= 3


def test_the_order_of_service_is_drawn_each_month() -> None:
    def hired(month: int) -> set[int]:
        made = society()
        everybody(made, Labour.UNEMPLOYED)
        made.clock.tick = month
        firms = columns(made.firms)
        firms["labour"][:] = 0
        firms["labour"][0] = 20 * 40 * 30 / 7 * 10
        run_block(made.citizens, "find_work")
        return set(np.flatnonzero(columns(made.citizens)["employer"] == 0).tolist())

    first, second = hired(0), hired(1)
    assert len(first) == len(second) == 20
    assert first != second
    assert max(first) > 75  # not those of the first rows


def test_better_pay_attracts_workers() -> None:
    made = society(**{"labour_market.on_the_job": 1, "labour_market.quits": 0})
    everybody(made, Labour.AT_HOME)
    people, firms = columns(made.citizens), columns(made.firms)
    people["wanted_hours"][:2], people["labour"][:2] = 40, Labour.EMPLOYED
    people["employer"][:2], people["spell"][:2] = [0, 1], 0
    job = 40 * 30 / 7 * 10
    firms["labour"][:] = 0
    firms["labour"][2] = 5 * job
    firms["wage"][:3] = [1.0, 1.09, 1.1]
    run_block(made.citizens, "find_work")
    # 1.1 is 10 % more than 1, but less than 3 % more than 1.09.
    assert people["employer"][:2].tolist() == [2, 1]


def test_workers_with_zero_desired_hours_leave_the_job() -> None:
    made = society()
    everybody(made, Labour.EMPLOYED)
    people = columns(made.citizens)
    people["employer"][:], people["wanted_hours"][0] = 0, 0
    columns(made.firms)["labour"][:] = 1e9
    run_block(made.citizens, "find_work")
    assert people["labour"][0] == Labour.AT_HOME
    assert people["employer"][0] == -1


def test_notice_is_given_one_month_before() -> None:
    made = society()
    people, firms = columns(made.citizens), columns(made.firms)
    firms["expected"][0] = firms["inventory"][0] = 0
    staff = people["employer"] == 0
    run_block(made.firms, "plan_production")
    assert people["notice"][staff].all()
    assert (people["employer"][staff] == 0).all()
    made.clock.tick = 1
    run_block(made.firms, "plan_production")
    assert (people["employer"][staff] == -1).all()
    assert (people["labour"][staff] == Labour.UNEMPLOYED).all()


def test_the_last_hired_are_the_first_to_get_notice() -> None:
    made = society()
    people, firms = columns(made.citizens), columns(made.firms)
    staff = np.flatnonzero(people["employer"] == 0)
    people["wanted_hours"][staff], people["skill"][staff] = 40, 10
    people["spell"][staff] = np.arange(len(staff))[::-1]
    firms["labour"][0] = firms["expected"][0] = len(staff) * 40 * 30 / 7 * 10
    firms["expected"][0] = firms["inventory"][0] = 0
    run_block(made.firms, "plan_production")
    noticed = people["notice"][staff]
    assert 0 < noticed.sum() < len(staff)
    assert noticed[-noticed.sum() :].all()


def test_workers_of_firms_that_lack_labour_work_overtime() -> None:
    made = society()
    people, firms = columns(made.citizens), columns(made.firms)
    staff = people["employer"] == 0
    hours = []
    for planned in (0.0, 1e9):
        firms["planned"][0] = planned
        run_block(made.citizens, "work")
        hours.append(people["hours"][staff].sum())
    assert hours[1] / hours[0] == pytest.approx(HOURS_RANGE[1] / HOURS_RANGE[0])


def test_wages_are_limited_by_money_and_credit() -> None:
    made = society(150, **{"firms.credit": 0.5, "firms.overtime": 0.0})
    people, firms, ledger = columns(made.citizens), columns(made.firms), made.money.ledger
    everybody(made, Labour.AT_HOME)
    people["employer"][:2], people["wanted_hours"][:2] = 0, 7
    account, firms["planned"][0] = int(firms["account"][0]), 1e9
    ledger.pay(account, made.money.bank, int(ledger.balance(account)), "test")
    run_block(made.citizens, "work")
    # Each is owed 7 hours x 30/7 weeks x 10 USD = 300 USD; the bank lends half of both.
    assert np.sort(people["pay"][:2]).tolist() == [0, 30_000]
    assert made.money.loans.of(account) == 30_000
    assert firms["losses"][0] == 1
    capacity = 600 * firms["efficiency"][0] / made.settings.firms.utilisation
    assert firms["made"][0] == pytest.approx(capacity)
    assert columns(made.households)["wages"].sum() == 30_000


# Firms come and go


def test_a_failed_firm_leaves_its_debts_to_the_bank_and_its_workers_without_a_job() -> None:
    made = society(**{"firms.entry": 0, "firms.entry_shortage": 0})
    firms, people, money = columns(made.firms), columns(made.citizens), made.money
    account = int(firms["account"][1])
    left = int(money.ledger.balance(account))
    money.loans.lend(account, 1_000, "wage loan")
    money.ledger.pay(account, money.bank, left + 600, "test")
    staff = people["employer"] == 1
    firms["losses"][1] = made.settings.firms.patience
    capital = int(money.ledger.balance(money.bank))
    run_block(made.firms, "enter")
    assert not firms["alive"][1]
    assert (people["labour"][staff] == Labour.UNEMPLOYED).all()
    assert money.loans.of(account) == money.ledger.balance(account) == 0
    assert money.ledger.balance(money.bank) == capital - 600
    assert columns(made.bureau)["failed_firms"][0] == 1
    money.loans.check()


def test_the_remaining_money_of_a_failed_firm_goes_to_its_owners() -> None:
    made = society(**{"firms.entry": 0, "firms.entry_shortage": 0})
    firms, money = columns(made.firms), made.money
    left = int(money.ledger.balance(int(firms["account"][1])))
    firms["idle"][1] = made.settings.firms.patience
    run_block(made.firms, "enter")
    assert money.ledger.balance(made.fund) == left > 0


def test_firms_are_founded_where_goods_are_missing() -> None:
    made = society(**{"firms.entry": 0, "firms.entry_shortage": 10})
    firms = columns(made.firms)
    before = len(made.firms)
    firms["wanted"][:], firms["sold"][:] = 100.0, 100.0
    firms["sold"][firms["sector"] == 2] = 50.0
    run_block(made.firms, "enter")
    firms = columns(made.firms)
    new = slice(before, len(made.firms))
    assert columns(made.bureau)["new_firms"][0] == len(made.firms) - before >= 5
    assert (firms["sector"][new] == 2).all()
    loans = made.money.loans.of(firms["account"][new])
    assert (loans > 0).all()
    assert (made.money.ledger.balance(firms["account"][new]) == loans).all()


def test_some_firm_always_sells_something() -> None:
    made = society(**{"firms.entry": 0, "firms.entry_shortage": 0})
    firms = columns(made.firms)
    firms["losses"][:] = made.settings.firms.patience
    largest = int(np.argmax(firms["expected"]))
    before = len(made.firms)
    run_block(made.firms, "enter")
    alive = made.firms.cohort()
    assert alive.rows.tolist() == [largest, *range(before, before + 3)]
    assert set(alive["sector"].tolist()) == {0, 1, 2, 3}
    run_block(made.households, "consume_goods")


def test_dividends_distribute_money_above_the_buffer_by_capital() -> None:
    made = society()
    homes, money = columns(made.households), made.money
    homes["capital"][:] = 0
    homes["capital"][[0, 1]] = [1, 3]
    homes["interest"][:] = 0
    homes["interest"][2] = 77
    before = money.ledger.balance(homes["account"])
    run_block(made.firms, "plan_production")
    firms = columns(made.firms)
    wages = np.rint(100 * firms["labour"].astype(np.float64) * firms["wage"]).astype(np.int64)
    free = np.maximum(money.ledger.balance(firms["account"]) - wages, 0)
    run_block(made.firms, "pay_dividends")
    assert firms["dividends"] == pytest.approx(free, abs=1)
    total = int(firms["dividends"].sum())
    assert homes["dividends"][:3].tolist() == [round(total / 4), total - round(total / 4), 77]
    gained = money.ledger.balance(homes["account"]) - before
    assert gained.sum() == total
    assert money.ledger.balance(made.fund) == 0


# Goods


def test_scarce_goods_go_to_those_served_first() -> None:
    made = society()
    market = Market(made.money, made.firms)
    firms, homes = columns(made.firms), columns(made.households)
    market.reset()
    firms["price"][0], firms["inventory"][0] = 2.0, 10.0
    buyers = homes["account"][:3].astype(np.intp)
    made.money.loans.lend(buyers, np.full(3, 10_000), "test")
    cents = np.array([1_500, 800, 200])
    market.count_demand(np.zeros(3, np.intp), cents)
    paid = market.sell(buyers, np.zeros(3, np.intp), cents)
    assert paid.tolist() == [1_500, 500, 0]
    assert firms["inventory"][0] == pytest.approx(0, abs=1e-5)
    assert firms["sold"][0] == pytest.approx(10)
    assert firms["wanted"][0] == pytest.approx(12.5)
    assert firms["revenue"][0] == 2_000


def test_the_government_buys_in_the_same_random_order() -> None:
    shares = []
    for month in range(5):
        made = society(agents=600)
        homes, firms = columns(made.households), columns(made.firms)
        made.clock.tick = month
        firms["inventory"][:] *= 0.4  # too little for all
        for kind, share in zip(GOODS, SECTOR_SHARES, strict=True):
            homes[f"spent.{kind}"][:] = round(400_000 * share)
        made.money.loans.create(made.money.government, 10**8, "test")
        made.money.loans.lend(homes["account"], np.full(len(homes["account"]), 10**6), "test")
        wanted = 400_000 * len(homes["account"])
        columns(made.government)["purchases"][:] = wanted
        run_block(made.households, "consume_goods")
        bought = int(columns(made.government)["purchases"][0])
        shares.append(bought / (bought + homes["consumption"].sum()))
    # It asks for half of all, and gets more of it in some months and less in others.
    assert 0.35 < np.mean(shares) < 0.65
    assert max(shares) - min(shares) > 0.01


def test_a_household_leaves_a_seller_for_a_cheaper_one_and_a_closed_one_for_any() -> None:
    made = society(agents=600, **{"goods_market.review": 1})
    (block,) = (b for b in made.households.blocks if b.name == "consume_goods")
    firms = columns(made.firms)
    firms["inventory"][:] = 1e9  # no seller is short
    run_block(made.households, "consume_goods")
    sellers: Any = block.sellers  # type: ignore[attr-defined]
    assert (firms["sector"][sellers] == np.arange(4)[None, :, None]).all()
    dear, closed = (int(np.flatnonzero(firms["sector"] == kind)[0]) for kind in (1, 3))
    firms["price"][dear] = 3.0
    made.firms.agents[closed].remove()
    for month in range(1, 30):
        made.clock.tick = month
        run_block(made.households, "consume_goods")
    sellers = block.sellers  # type: ignore[attr-defined]
    assert not (sellers == dear).any()
    assert not (sellers == closed).any()


def test_a_share_of_spending_leaves_and_exports_return_it() -> None:
    made = society(agents=300, **{"goods_market.imports": 0.2, "shocks.demand": 0})
    made.step()
    flows = {(f.source, f.why): f.cents for f in made.money.ledger.flows()}
    bought, imported = flows["household", "goods"], flows["household", "imports"]
    assert imported == pytest.approx(0.2 * (bought + imported), rel=0.02)
    assert flows["outside world", "goods"] == pytest.approx(imported, rel=0.05)
    made.money.loans.check()


def test_a_seller_that_is_short_is_left() -> None:
    made = society(agents=600, **{"goods_market.review": 0})
    (block,) = (b for b in made.households.blocks if b.name == "consume_goods")
    firms = columns(made.firms)
    short = int(np.flatnonzero(firms["sector"] == 1)[0])
    firms["inventory"][:] = np.where(np.arange(len(made.firms)) == short, 0, 1e9)
    shares = []
    for month in range(4):
        made.clock.tick = month
        made.citizens.blocks[-1].market.reset()  # type: ignore[attr-defined]
        columns(made.households)["spent.housing"][:] = 10_000
        run_block(made.households, "consume_goods")
        shares.append(float((block.sellers == short).mean()))  # type: ignore[attr-defined]
    assert shares[-1] < 0.5 * shares[0]


# The bank


def test_interest_on_loans_is_mostly_paid_to_deposits() -> None:
    made = society(**{"bank.repayment": 0, "bank.arrears": 99, "bank.premium": 0})
    money, homes = made.money, columns(made.households)
    columns(made.bank)["rate"][:] = 0.12
    money.loans.lend(homes["account"][0], 1_000_000, "test")
    owed = money.loans.total
    before = money.ledger.balance(homes["account"])
    run_block(made.bank, "settle")
    taken, paid = (int(columns(made.bank)[f"interest_{x}"][0]) for x in ("taken", "paid"))
    assert taken == pytest.approx(0.01 * owed, abs=len(homes["account"]))
    assert 0.79 * taken <= paid <= 0.8 * taken
    assert homes["interest"].sum() == paid
    gained = money.ledger.balance(homes["account"]) - before
    assert gained.sum() == paid - taken


def test_deposits_never_earn_more_interest_than_loans_pay() -> None:
    made = society()
    money, homes = made.money, columns(made.households)
    columns(made.bank)["rate"][:] = 0.03
    # The government owes much more than households have.
    money.loans.lend(money.government, 10**12, "public loan")
    before = np.maximum(money.ledger.balance(homes["account"]), 0)
    run_block(made.bank, "settle")
    assert (homes["interest"] <= before * 0.03 / 12 + 1).all()


def test_a_loan_with_unpaid_interest_is_written_off() -> None:
    made = society(**{"bank.arrears": 2})
    money, homes = made.money, columns(made.households)
    columns(made.bank)["rate"][:] = 0.03
    account = int(homes["account"][3])
    money.loans.repay(account, money.loans.of(account), "test")
    money.ledger.pay(account, money.bank, int(money.ledger.balance(account)), "test")
    money.loans.lend(account, 50_000, "consumer loan")
    money.ledger.pay(account, money.bank, 50_000, "test")
    run_block(made.bank, "settle")
    assert money.loans.of(account) == 50_000
    run_block(made.bank, "settle")
    assert money.loans.of(account) == 0
    assert columns(made.bank)["written_off"][0] == 50_000


def test_credit_has_a_limit() -> None:
    made = society(150, **{"bank.household_credit": 0.1})
    money, homes = made.money, columns(made.households)
    account = homes["account"].astype(np.intp)
    money.loans.write_off(account, money.loans.of(account), "test")
    money.ledger.pay(account, money.bank, money.ledger.balance(account), "test")
    homes["usual"][:] = 200_000
    run_block(made.households, "borrow")
    assert money.loans.of(account).tolist() == [20_000] * len(account)


def test_the_interest_rate_follows_published_figures() -> None:
    made = society()
    bureau = columns(made.bureau)
    bureau["inflation"][:], bureau["unemployment"][:] = 0.04, 0.05
    run_block(made.bank, "set_rate")
    assert columns(made.bank)["rate"][0] == pytest.approx(0.03)
    made.clock.tick = 1
    run_block(made.bank, "expect_inflation")
    run_block(made.bank, "set_rate")
    assert columns(made.bank)["rate"][0] == pytest.approx(0.03 + 0.01 - 0.005)
