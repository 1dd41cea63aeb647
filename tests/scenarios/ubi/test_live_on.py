"""Births, deaths, households that begin and end, moves, and what becomes of money."""

from typing import Any

import numpy as np
import pytest

from memopolis.scenarios.ubi.blocks.live_on import LiveOn
from memopolis.scenarios.ubi.people import RELATIONS, Labour
from memopolis.scenarios.ubi.scenario import BasicIncome
from memopolis.sim.population import Population

HEAD, SPOUSE, DEPENDANT, OTHER = range(len(RELATIONS))
STILL: dict[str, Any] = {
    "demography.births": 0,
    "demography.deaths": 0,
    "demography.moves": 0,
    "demography.leave_home": 0,
}


def society(agents: int = 300, seed: int = 4, **changes: Any) -> BasicIncome:
    return BasicIncome(agents=agents, rng=seed, days=3_600, amount=0, **changes)


def columns(population: Population) -> dict[str, Any]:
    return population.memory._columns._arrays


def block_of(made: BasicIncome) -> LiveOn:
    (result,) = (one for one in made.households.blocks if isinstance(one, LiveOn))
    return result


def live(made: BasicIncome, months: int = 1) -> None:
    """Let months pass over people alone."""
    for _ in range(months):
        block_of(made).run(made.households.cohort())
        made.clock.tick += 1


def consistent(made: BasicIncome) -> None:
    """Everybody lives in a household that is there, with a head, counted rightly."""
    people, homes = made.citizens.cohort(), columns(made.households)
    house = people["household"]
    assert homes["alive"][house].all()
    size = np.bincount(house, minlength=len(made.households))
    assert np.array_equal(size, homes["size"])
    assert np.array_equal(np.bincount(house, people["age"] >= 18, len(size)), homes["adults"])
    assert (homes["adults"][homes["alive"]] > 0).all()
    assert (np.bincount(house, people["relation"] == HEAD, len(size))[homes["alive"]] == 1).all()
    coupled = np.bincount(house, people["relation"] == SPOUSE, len(size)) > 0
    assert not (homes["alive"] & (homes["filing"] == 1) & ~coupled).any()
    gone = ~columns(made.citizens)["alive"]
    assert (columns(made.citizens)["employer"][gone] == -1).all()
    ended = ~homes["alive"]
    account = homes["account"].astype(np.intp)
    assert (made.money.ledger.balance(account[ended]) == 0).all()
    assert (made.money.loans.of(account[ended]) == 0).all()
    assert len(set(account.tolist())) == len(account)
    made.money.loans.check()


@pytest.mark.parametrize("seed", [1, 2])
def test_people_and_money_are_consistent_over_a_decade(seed: int) -> None:
    made = society(seed=seed)
    published = columns(made.bureau)
    count = len(made.citizens.cohort())
    total = made.money.ledger.total
    for _ in range(120):
        live(made)
        come = published["births"][0] + published["arrivals"][0]
        count += int(come - published["deaths"][0] - published["departures"][0])
        assert count == len(made.citizens.cohort())
        consistent(made)
    # Loans that are repaid or given up take money away; nothing makes any.
    assert made.money.ledger.total <= total


def test_a_society_runs_for_some_years() -> None:
    made = society(200)
    for _ in range(40):
        made.step()
        consistent(made)


def test_vital_rates_match_those_of_2019() -> None:
    made = society(10_000)
    published = columns(made.bureau)
    births = deaths = leavers = comers = 0
    for _ in range(12):
        live(made)
        births += int(published["births"][0])
        deaths += int(published["deaths"][0])
        comers += int(published["arrivals"][0])
        leavers += int(published["departures"][0])
    # 11.4 births and 8.7 deaths for 1,000 people (recalled); 3% of households move.
    assert births == pytest.approx(114, abs=30)
    assert deaths == pytest.approx(87, abs=30)
    assert leavers == pytest.approx(300, abs=70)
    assert comers == pytest.approx(300, abs=70)


def test_all_citizens_age_by_a_year() -> None:
    made = society(**STILL)
    before = columns(made.citizens)["age"].copy()
    live(made, 12)
    assert np.array_equal(columns(made.citizens)["age"], np.minimum(before + 1, 110))


def test_children_come_of_age_and_the_old_retire() -> None:
    made = society(2_000, **STILL)
    people, homes = columns(made.citizens), columns(made.households)
    child, worked = people["age"] == 17, (people["labour"] == Labour.EMPLOYED)
    old = worked & (people["age"] >= 65)
    pension = homes["pension"].copy()
    live(made, 12)
    assert set(people["labour"][child]) == {Labour.UNEMPLOYED, Labour.AT_HOME}
    seeks = people["labour"][child] == Labour.UNEMPLOYED
    assert np.array_equal(people["usual_hours"][child] > 0, seeks)
    retired = old & (people["labour"] == Labour.RETIRED)
    assert 0 < retired.sum() < old.sum()
    assert (people["employer"][retired] == -1).all()
    assert (people["wanted_hours"][retired] == 0).all()
    assert (homes["pension"][people["household"][retired]] > pension[
        people["household"][retired]
    ]).all()  # fmt: skip
    young = worked & (people["age"] < 61)
    assert (people["labour"][young] == Labour.EMPLOYED).all()


def test_the_last_of_a_household_leaves_debts_and_money() -> None:
    made = society(**STILL)
    money, homes, people = made.money, columns(made.households), columns(made.citizens)
    home = int(np.flatnonzero(homes["size"] == 1)[0])
    row = int(np.flatnonzero(people["household"] == home)[0])
    account = int(homes["account"][home])
    money.ledger.pay(account, money.bank, int(money.ledger.balance(account)), "opening")
    money.loans.write_off(account, 10**12, "opening")
    money.loans.create(account, 100_000, "opening")
    money.loans.lend(account, 30_000, "consumer loan")
    state = int(money.ledger.balance(money.government))
    others = homes["account"][np.arange(len(homes["account"])) != home].astype(np.intp)
    before = money.ledger.balance(others)
    block = block_of(made)
    block._remove(made.citizens.cohort().where(made.citizens.cohort().rows == row))
    block._close_households()
    # 130,000 less a debt of 30,000: 90% to one heir, 10% to the state.
    gains = money.ledger.balance(others) - before
    assert sorted(gains[gains != 0].tolist()) == [90_000]
    assert money.ledger.balance(money.government) - state == 10_000
    assert money.ledger.balance(account) == 0
    assert money.loans.of(account) == 0
    assert not homes["alive"][home]
    money.loans.check()


def test_debts_above_the_estate_are_written_off() -> None:
    made = society(**STILL)
    money, homes = made.money, columns(made.households)
    account = homes["account"][:1].astype(np.intp)
    money.ledger.pay(account, money.bank, money.ledger.balance(account), "opening")
    money.loans.lend(account, 50_000, "consumer loan")
    money.ledger.pay(account, money.bank, 20_000, "opening")
    bank = int(money.ledger.balance(money.bank))
    owed = int(money.loans.of(account)[0])
    left = block_of(made).money.settle_debts(account, "estate")
    assert left.tolist() == [0]
    assert money.loans.of(account).tolist() == [0]
    # It got 30,000 back and bears the rest of the loan.
    assert int(money.ledger.balance(money.bank)) - bank == -(owed - 30_000)
    money.loans.check()


def test_orphans_join_another_household() -> None:
    made = society(600, **STILL)
    homes, people = columns(made.households), columns(made.citizens)
    home = int(np.flatnonzero(homes["size"] > homes["adults"])[0])
    members = np.flatnonzero(people["household"] == home)
    adults = members[people["age"][members] >= 18]
    block, cohort = block_of(made), made.citizens.cohort()
    block._remove(cohort.where(np.isin(cohort.rows, adults)))
    block._close_households()
    block._update_households()
    children = np.setdiff1d(members, adults)
    assert len(set(people["household"][children])) == 1
    assert people["household"][children][0] != home
    consistent(made)


def test_the_widowed_file_alone_and_head_the_household() -> None:
    made = society(600, **STILL)
    homes, people = columns(made.households), columns(made.citizens)
    childless = (homes["filing"] == 1) & (homes["size"] == 2) & (homes["adults"] == 2)
    home = int(np.flatnonzero(childless)[0])
    members = np.flatnonzero(people["household"] == home)
    (head,) = members[people["relation"][members] == HEAD]
    (spouse,) = members[people["relation"][members] == SPOUSE]
    block, cohort = block_of(made), made.citizens.cohort()
    block._remove(cohort.where(cohort.rows == head))
    block._update_households()
    assert people["relation"][spouse] == HEAD
    assert homes["filing"][home] == 0
    consistent(made)


def test_a_pension_falls_with_the_number_of_pensioners() -> None:
    made = society(600, **STILL)
    homes, people = columns(made.households), columns(made.citizens)
    home = int(np.flatnonzero(homes["adults"] == 2)[0])
    members = np.flatnonzero((people["household"] == home) & (people["age"] >= 18))
    people["labour"][people["household"] == home] = Labour.CHILD
    people["labour"][members] = Labour.RETIRED
    homes["pension"][home] = 300_001
    cohort = made.citizens.cohort()
    block_of(made)._end_pensions(cohort, cohort.rows == members[0])
    assert homes["pension"][home] == 150_000


def test_grown_dependants_with_a_job_leave_with_a_share_of_the_money() -> None:
    made = society(2_000, **(STILL | {"demography.leave_home": 1.0, "demography.pair": 0.5}))
    people = columns(made.citizens)
    rows = np.flatnonzero((people["relation"] == DEPENDANT) & (people["age"] >= 18))
    people["employer"][rows] = 0
    homes, total = len(made.households), made.money.ledger.total
    live(made, 6)
    left = people["relation"][rows] != DEPENDANT
    assert left.mean() == pytest.approx(1 - np.exp(-0.5), abs=0.12)
    assert {HEAD, SPOUSE} <= set(people["relation"][rows][left])
    assert len(made.households) > homes
    assert made.money.ledger.total == total
    consistent(made)


def test_movers_bring_at_most_the_money_that_others_took() -> None:
    made = society(2_000, **{**STILL, "demography.moves": 0.5})
    ledger, elsewhere = made.money.ledger, block_of(made).estates.elsewhere
    for _ in range(4):
        live(made)
        assert ledger.balance(elsewhere) >= 0
        consistent(made)
    new = made.households.cohort().rows >= block_of(made).first_households
    people = made.citizens.cohort()
    arrived = people["household"] >= block_of(made).first_households
    assert new.sum() > 50
    assert (people["employer"][arrived] == -1).all()
    assert Labour.EMPLOYED not in set(people["labour"][arrived])


def test_children_have_the_family_name_and_a_unique_name() -> None:
    made = society(3_000, **(STILL | {"demography.births": 10}))
    live(made)
    born = made.citizens.cohort()
    born = born.where(born.rows >= 3_000)
    assert len(born) > 10
    people = columns(made.citizens)
    for name, home in zip(born["name"], born["household"], strict=True):
        (members,) = np.nonzero(people["household"][:3_000] == home)
        families = {made.citizens.agents[row].name.split(" ")[-1] for row in members}
        assert name.split(" ")[-1] in families
    assert (born["age"] == 0).all()
    assert (born["labour"] == Labour.CHILD).all()


def test_births_deaths_and_moves_can_be_disabled() -> None:
    made = society(**STILL)
    live(made, 24)
    assert len(made.citizens) == 300
    assert columns(made.citizens)["alive"].all()
    assert len(made.households) == block_of(made).first_households
