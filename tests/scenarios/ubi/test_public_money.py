"""Taxes, transfers, the basic income and the government's budget, block by block."""

from typing import Any

import numpy as np
import pytest

from memopolis.agents.economy.payroll import PayrollTax
from memopolis.agents.economy.taxes import Brackets
from memopolis.scenarios.ubi.blocks.collect_taxes import read_taxes
from memopolis.scenarios.ubi.microdata import DATA
from memopolis.scenarios.ubi.people import RELATIONS, Labour
from memopolis.scenarios.ubi.policy import Policy
from memopolis.scenarios.ubi.scenario import BasicIncome
from memopolis.sim.errors import DataFileError, SettingsError
from memopolis.sim.population import Population

OTHER = RELATIONS.index("other adult")
STILL = {"demography.births": 0, "demography.deaths": 0, "demography.moves": 0}


def society(agents: int = 60, **changes: Any) -> BasicIncome:
    return BasicIncome(agents=agents, rng=3, days=3_600, **changes)


def columns(population: Population) -> dict[str, Any]:
    return population.memory._columns._arrays


def run_block(made: BasicIncome, name: str) -> None:
    (block,) = (one for one in made.government.blocks if one.name == name)
    block.run(made.government.cohort())


def balances(made: BasicIncome) -> Any:
    return made.money.ledger.balance(columns(made.households)["account"].astype(np.intp))


def with_wages(made: BasicIncome, household: int, pay: dict[int, int], dividends: int = 0) -> None:
    """Let citizens by row have earned this much, all of one household, and others nothing."""
    people, homes = columns(made.citizens), columns(made.households)
    people["pay"][:] = 0
    for name in ("wages", "dividends"):
        homes[name][:] = 0
    for row, cents in pay.items():
        people["household"][row] = household
        people["pay"][row] = cents
    homes["wages"][household] = sum(pay.values())
    homes["dividends"][household] = dividends


def test_a_household_pays_what_its_tax_units_owe() -> None:
    made = society(amount=0)
    homes, people = columns(made.households), columns(made.citizens)
    with_wages(made, 0, {0: 500_000, 1: 300_000, 2: 200_000}, dividends=100_000)
    people["relation"][:3] = [0, 1, OTHER]
    homes["filing"][0] = 1
    made.money.loans.create(int(homes["account"][0]), 10_000_000, "opening")
    before = balances(made)
    run_block(made, "collect_taxes")
    taxes = Brackets.read(DATA / "brackets.csv", 2019)
    government = columns(made.government)
    # The couple has 9,000 USD a month together, with dividends; the other adult 2,000 alone.
    income = int(taxes.withheld(900_000, 1)) + int(taxes.withheld(200_000, 0))
    payroll = int(PayrollTax.of(2019).withheld(np.array([500_000, 300_000, 200_000])).sum())
    assert government["income_tax"][0] == income
    assert government["payroll_tax"][0] == payroll == 76_500
    assert government["local_tax"][0] == 88_000  # 8% of 11,000 USD
    assert government["policy_tax"][0] == 0
    assert government["revenue"][0] == income + payroll + 88_000
    assert homes["tax"][0] == government["revenue"][0] == (before - balances(made))[0]
    assert homes["tax"][1:].sum() == 0


def test_brackets_and_benefits_follow_prices() -> None:
    taken, paid = [], []
    for indexed, price in ((True, 1.25), (False, 1.25), (False, 1.0)):
        made = society(amount=0, **{"taxes.indexed": indexed, "benefits.indexed": indexed})
        homes = columns(made.households)
        columns(made.bureau)["price_level"][:] = price
        homes["filing"][0] = homes["assistance"][:] = 0
        homes["pension"][:] = 100_000
        with_wages(made, 0, {0: 500_000})
        columns(made.citizens)["labour"][:] = Labour.EMPLOYED
        made.money.loans.create(int(homes["account"][0]), 10_000_000, "opening")
        run_block(made, "collect_taxes")
        taken.append(int(columns(made.government)["income_tax"][0]))
        run_block(made, "pay_benefits")
        paid.append(int(homes["benefits"][0]))
    taxes = Brackets.read(DATA / "brackets.csv", 2019)
    # 5,000 USD are worth 4,000 of the start: the tax on these, at today's prices.
    assert taken[0] == round(1.25 * int(taxes.withheld(400_000, 0)))
    assert taken[0] < taken[1] == taken[2] == int(taxes.withheld(500_000, 0))
    assert paid == [125_000, 100_000, 100_000]


def test_a_household_without_money_pays_what_it_has() -> None:
    made = society(amount=0)
    homes = columns(made.households)
    account = int(homes["account"][0])
    ledger = made.money.ledger
    ledger.pay(account, made.money.bank, int(ledger.balance(account)) - 1_000, "opening")
    with_wages(made, 0, {0: 500_000})
    run_block(made, "collect_taxes")
    assert ledger.balance(account) == 0
    assert homes["tax"][0] == 1_000 == columns(made.government)["revenue"][0]


def test_a_lost_job_gives_unemployment_benefits_for_six_months() -> None:
    made = society(amount=0)
    homes, people = columns(made.households), columns(made.citizens)
    people["labour"][:] = Labour.EMPLOYED
    homes["pension"][:] = 0
    homes["assistance"][:] = 0
    homes["assistance"][0] = 40_000
    with_wages(made, 0, {0: 300_000})
    run_block(made, "pay_benefits")
    assert homes["benefits"].sum() == 0  # .35 * 2,750 USD are more than 400
    with_wages(made, 0, {})
    people["labour"][0] = Labour.UNEMPLOYED
    for spell, benefits in ((0, 135_000 + 1_500), (5, 135_000 + 1_500), (6, 40_000)):
        people["spell"][0] = spell
        before = balances(made)
        run_block(made, "pay_benefits")
        # 45% of 3,000 USD; help of 400 falls by .35 * (1,350 - 250) = 385.
        assert homes["benefits"][0] == benefits == (balances(made) - before)[0]
        assert columns(made.government)["benefits"][0] == benefits
    made.money.loans.check()


def test_the_government_borrows_and_never_overdraws_an_account() -> None:
    made = society(amount=0)
    money = made.money
    assert money.ledger.balance(money.government) == 0
    run_block(made, "pay_benefits")
    paid = columns(made.government)["benefits"][0]
    assert paid > 0
    assert money.loans.of(money.government) == paid
    assert money.ledger.balance(money.government) == 0
    money.loans.check()


@pytest.mark.parametrize("funding", ["tax", "created", "none"])
def test_every_adult_receives_the_amount_for_any_funding(funding: str) -> None:
    made = society(start=0, amount=1_000, funding=funding)
    people, homes = columns(made.citizens), columns(made.households)
    before = balances(made)
    loans, reserves = made.money.loans.total, made.money.loans.reserves
    run_block(made, "pay_basic_income")
    adults = people["age"] >= 18
    cost = 100_000 * int(adults.sum())
    assert np.array_equal(people["basic_income"], np.where(adults, 100_000, 0))
    assert np.array_equal(people["eligible"], adults)
    assert np.array_equal(homes["basic_income"], 100_000 * homes["adults"].astype(int))
    assert np.array_equal(balances(made) - before, homes["basic_income"])
    assert columns(made.government)["basic_income"][0] == cost
    created = funding == "created"
    assert made.money.loans.reserves - reserves == (cost if created else 0)
    assert made.money.loans.total - loans == (0 if created else cost)
    made.money.loans.check()


def test_the_surtax_pays_for_the_policy_month_by_month() -> None:
    made = society(400, start=2, amount=500, **STILL)
    cost = taken = 0
    rates = []
    for _ in range(16):
        made.step()
        government = columns(made.government)
        cost += int(government["basic_income"][0])
        taken += int(government["policy_tax"][0])
        rates.append(float(government["surtax"][0]))
    assert rates[:2] == [0.0, 0.0]
    assert all(0.1 < rate < 0.3 for rate in rates[2:])
    # The estimate of the first month is what it costs, on the base of that month.
    assert taken == pytest.approx(cost, rel=0.04)


def test_no_surtax_without_a_policy_or_with_other_funding() -> None:
    for changes in ({"amount": 0}, {"amount": 500, "funding": "none"}):
        made = society(start=0, **changes)
        for _ in range(3):
            made.step()
            assert columns(made.government)["surtax"][0] == 0.0
            assert columns(made.government)["policy_tax"][0] == 0


def test_a_single_payment_is_paid_once_and_its_tax_ends() -> None:
    made = society(200, start=1, amount=500, schedule="once", **STILL)
    paid, rates, covered = [], [], []
    for _ in range(10):
        made.step()
        covered.append(int(columns(made.citizens)["eligible"].sum()))
        paid.append(int(columns(made.government)["basic_income"][0]))
        rates.append(float(columns(made.government)["surtax"][0]))
    assert covered[1] > 100
    assert paid[1] == 50_000 * covered[1]
    assert sum(paid) == paid[1]
    assert rates[1] > 0.1
    assert max(rates[2:]) < 0.03


@pytest.mark.parametrize("enrolment", ["fixed", "monthly"])
def test_the_unemployed_keep_the_payment_after_hiring_if_enrolment_is_fixed(enrolment: str) -> None:
    changes: dict[str, Any] = {"policy.enrolment": enrolment, "labour_market.contact": 1.0}
    made = society(300, start=1, amount=500, who="unemployed", **(STILL | changes))
    made.step()
    made.step()
    people = columns(made.citizens)
    first = people["eligible"].copy()
    assert first.any()
    for _ in range(4):
        made.step()
    hired = first & (people["labour"] == Labour.EMPLOYED)
    assert hired.any()
    assert people["eligible"][hired].all() == (enrolment == "fixed")
    later = ~first & people["alive"] & (people["labour"] == Labour.UNEMPLOYED)
    assert not (enrolment == "fixed" and people["eligible"][later].any())


def test_a_change_of_the_group_enrols_it() -> None:
    made = society(200, start=1, amount=500, who="unemployed", **STILL)
    made.step()
    made.step()
    few = int(columns(made.citizens)["eligible"].sum())
    made.policies["who"] = "all"
    made.step()
    assert int(columns(made.citizens)["eligible"].sum()) > 5 * few
    made.policies["who"] = "unemployed"
    made.step()
    people = columns(made.citizens)
    assert (people["labour"][people["eligible"]] == Labour.UNEMPLOYED).all()


def test_who_is_covered_by_hand() -> None:
    age = np.array([17, 18, 40, 40, 70])
    labour = np.array([0, Labour.AT_HOME, Labour.UNEMPLOYED, Labour.EMPLOYED, Labour.RETIRED])
    market = np.array([0, 0, 100_000, 120_000, 0])
    lot = np.array([0.0, 0.2, 0.6, 0.1, 0.3])

    def covered(**changes: Any) -> list[bool]:
        made = Policy(100, **changes)
        result: list[bool] = made.covers(age, labour, market, lot).tolist()
        return result

    assert covered() == [False, True, True, True, True]
    assert covered(who="low_income") == [False, True, True, False, True]
    assert covered(who="unemployed") == [False, False, True, False, False]
    assert covered(share=0.5) == [False, True, False, True, True]
    assert covered(share=0.0) == [False] * 5


def test_months_of_the_policy() -> None:
    assert [Policy(1, start=2).pays(month) for month in range(4)] == [False, False, True, True]
    once = Policy(1, start=2, schedule="once")
    assert [once.pays(month) for month in range(4)] == [False, False, True, False]
    assert not Policy(0, start=0).pays(5)


def test_an_amount_of_zero_is_no_policy() -> None:
    runs = [society(100, amount=0, funding=funding) for funding in ("tax", "none")]
    for _ in range(3):
        for made in runs:
            made.step()
    one, other = (columns(made.households) for made in runs)
    assert np.array_equal(one["deposit"], other["deposit"])
    assert one["basic_income"].sum() == 0


def test_the_ordinary_budget_is_balanced_over_the_years() -> None:
    made = society(600, amount=0)
    revenue = spent = 0
    for _ in range(48):
        made.step()
        government = columns(made.government)
        revenue += int(government["revenue"][0])
        spent += int(sum(government[name][0] for name in ("benefits", "purchases", "interest")))
        assert made.money.ledger.balance(made.money.government) >= 0
        made.money.loans.check()
    # Purchases follow the budget smoothed over years, and deficits are worked off over ten.
    assert spent == pytest.approx(revenue, rel=0.05)


def test_brackets_of_other_years_and_of_a_file(tmp_path: Any) -> None:
    file = tmp_path / "flat.csv"
    file.write_text(
        "filing_status,marginal_rate,upper_threshold_usd,standard_deduction_usd\n"
        "single,0.5,,0\njoint,0.5,,0\n"
    )
    assert int(read_taxes(str(file))[0].withheld(1_000, 0)) == 500
    assert read_taxes("2024")[1].cap == 16_860_000
    with pytest.raises(DataFileError, match="no such file"):
        BasicIncome(agents=60, rng=3, **{"taxes.brackets": str(tmp_path / "none.csv")})
    with pytest.raises(SettingsError, match="is '2020'; it must be one of 2018"):
        read_taxes("2020")
