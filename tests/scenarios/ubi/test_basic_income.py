"""The whole society: its settings, its money in every month, and what the bureau publishes."""

from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from memopolis import Run, load_run, load_state, save_state
from memopolis.scenarios.ubi import BasicIncome, BasicIncomeSettings
from memopolis.scenarios.ubi.household_settings import GOODS
from memopolis.sim.errors import DataFileError, SettingsError
from memopolis.sim.timeline import News, Policy

AGENTS, MONTHS = 200, 15


def society(**changes: Any) -> BasicIncome:
    settings = {"agents": AGENTS, "days": 30 * MONTHS, "start": 5, "panel.every": 12}
    return BasicIncome(rng=4, **(settings | changes))


def columns(made: BasicIncome, population: str) -> dict[str, Any]:
    return made.population(population).memory._columns._arrays


def assert_balanced(made: BasicIncome) -> bool:
    """Deposits are loans and reserves, by three sums that know nothing of one another."""
    ledger, loans = made.money.ledger, made.money.loans
    deposits = int(ledger.balance(range(len(ledger))).sum())
    lent = int(loans.of(range(len(ledger))).sum())
    return deposits == lent + loans.reserves


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"start": 120}, "start=120: the policy would begin after the run, which has 120 months"),
        ({"days": 300}, r"which has 10 months \(0 to 9\); set start below 10, increase days"),
        ({"days": 10, "start": 0}, "days=10: the run has no month .* days to 30 or more"),
        ({"amount": -1}, "amount"),
        ({"funding": "lottery"}, "tax | created | none"),
        ({"who": "nobody"}, "all | low_income | unemployed"),
        ({"schedule": "weekly"}, "monthly | once"),
        ({"start": -1}, "start"),
        ({"tick": 24}, "tick"),
        ({"policy.share": 1.5}, "policy.share"),
        ({"consumption.unit_price": 50}, "has no effect with consumption.rule=buffer"),
        ({"cognition.think_at": 8}, "no setting is called 'cognition.think_at'"),
    ],
)
def test_impossible_requests_are_refused_in_one_line(value: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message) as caught:
        BasicIncomeSettings().with_changes(value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("news", "announced"), [("default", True), ("none", False)])
def test_the_policy_is_announced_unless_there_is_no_news(news: str, *, announced: bool) -> None:
    made = society(agents=10, days=30, start=0, news=news)
    assert any(isinstance(shock, News) for _, shock in made.timeline) is announced


@pytest.mark.parametrize("column", ["household", "employer", "account"])
def test_profiles_cannot_refer_to_unknown_rows(column: str, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text(f"agent,{column}\n1,999\n", encoding="utf-8")
    with pytest.raises(DataFileError, match=f"column {column}: only the society sets"):
        BasicIncome(agents=20, rng=1, profiles=str(file))


def test_without_a_policy_its_start_does_not_matter() -> None:
    assert BasicIncomeSettings(amount=0, days=60).start == 96


def test_the_calendar_starts_in_2019_for_any_policy_start() -> None:
    made = society(start=3)
    assert made.clock.start == datetime(2019, 1, 1)
    assert made.clock.hours == 720
    assert made.policy.start == 3


@pytest.mark.parametrize("funding", ["tax", "created", "none"])
def test_accounts_balance_in_every_month(funding: str) -> None:
    made = society(funding=funding)
    assert assert_balanced(made)
    opening = made.money.loans.reserves
    paid = 0
    for _ in range(MONTHS):
        made.step()
        assert assert_balanced(made)
        paid += int(columns(made, "government")["basic_income"][0])
    assert paid > 0
    assert made.money.loans.reserves - opening == (paid if funding == "created" else 0)
    assert (columns(made, "government")["surtax"][0] > 0) == (funding == "tax")


def test_accounts_balance_with_demand_shocks_and_failing_firms() -> None:
    made = society(funding="none", **{"firms.patience": 1, "firms.credit": 0, "bank.arrears": 1})
    draw = np.random.default_rng(2)
    failed = founded = 0
    for month in range(MONTHS):
        when = made.clock.date_of(month)
        made.at(when, Policy("consumption.demand", float(draw.uniform(0.3, 2))))
        made.step()
        firms = made.population("firm").cohort()
        # A firm in three has just had no money for wages.
        firms["losses"] = (draw.random(len(firms)) < 1 / 3).astype(np.int16)
        bureau = columns(made, "statistics_bureau")
        failed += int(bureau["failed_firms"][0])
        founded += int(bureau["new_firms"][0])
        assert assert_balanced(made)
    assert failed > 3
    assert founded > 0
    assert columns(made, "bank")["written_off"].dtype == np.int64


def test_a_zero_dollar_income_changes_nothing() -> None:
    one, other = society(amount=0, funding="tax"), society(amount=0, funding="created", start=2)
    for _ in range(8):
        one.step()
        other.step()
    for name in ("citizen", "household", "firm", "government"):
        for column, values in columns(one, name).items():
            assert np.array_equal(values, columns(other, name)[column]), (name, column)


def test_the_same_seed_gives_the_same_society() -> None:
    one, other = society(), society()
    for _ in range(7):
        one.step()
        other.step()
    assert one.money.ledger.state()["balances"].tolist() == (
        other.money.ledger.state()["balances"].tolist()
    )


def test_a_restored_society_continues_the_same(tmp_path: Path) -> None:
    made = society()
    for _ in range(6):
        made.step()
    save_state(made, tmp_path / "state")
    again = load_state(tmp_path / "state")
    assert isinstance(again, BasicIncome)
    assert again.money.loans.total == made.money.loans.total > 0
    for _ in range(4):
        made.step()
        again.step()
    assert np.array_equal(
        made.money.ledger.state()["balances"], again.money.ledger.state()["balances"]
    )
    assert made.money.loans.total == again.money.loans.total
    for name in ("gdp", "price_level", "unemployment", "gini"):
        assert columns(made, "statistics_bureau")[name] == columns(again, "statistics_bureau")[name]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A recorded run of a year and some months."""
    folder = tmp_path_factory.mktemp("ubi") / "run"
    society(record={"tables": ("agents", "ledger", "measures")}).run(folder)
    return load_run(folder)


def table(run: Run, name: str) -> pd.DataFrame:
    return run.table(name)


def published(run: Run, name: str) -> "pd.Series[float]":
    return table(run, "agents_statistics_bureau").set_index("tick")[name]


def gini_by_pairs(values: np.ndarray) -> float:
    """Mean difference of all pairs over twice the mean."""
    return float(np.abs(values[:, None] - values[None, :]).mean() / (2 * values.mean()))


def test_labour_market_figures_equal_the_citizens(run: Run) -> None:
    people = table(run, "agents_citizen")
    for tick, now in people.groupby("tick"):
        standing = now["labour"].astype(str)
        works, looks = standing == "employed", standing == "unemployed"
        adults = now["age"] >= 18
        assert published(run, "unemployment")[tick] == pytest.approx(
            looks.sum() / (works.sum() + looks.sum())
        )
        assert published(run, "participation")[tick] == pytest.approx(
            ((works | looks) & adults).sum() / adults.sum()
        )
        assert published(run, "hours")[tick] == pytest.approx(now["hours"][works].mean(), rel=1e-5)
        assert published(run, "wage")[tick] == pytest.approx(now["wage"][works].mean(), rel=1e-5)


def test_income_figures_equal_the_households(run: Run) -> None:
    homes = table(run, "agents_household")
    for tick in range(MONTHS):
        now = homes[homes["tick"] == tick]
        assert published(run, "income")[tick] == pytest.approx(now["disposable"].mean() / 100)
        assert published(run, "consumption")[tick] == pytest.approx(now["consumption"].mean() / 100)
        year = homes[(homes["tick"] > tick - 12) & (homes["tick"] <= tick)]
        usual = year.groupby("agent")["disposable"].mean().loc[now["agent"]].clip(lower=0)
        values = usual.to_numpy(float)
        assert published(run, "gini")[tick] == pytest.approx(gini_by_pairs(values))
        poor = (values < np.median(values) / 2).mean()
        assert published(run, "poverty")[tick] == pytest.approx(poor)


def test_prices_and_output_equal_the_firms(run: Run) -> None:
    firms = table(run, "agents_firm")
    units = firms.pivot_table(
        ["revenue", "sold"], "tick", "sector", aggfunc="sum", observed=True
    ).astype(float)
    price = (units["revenue"] / 100 / units["sold"])[list(GOODS)]
    basket = units["revenue"][list(GOODS)].loc[0]
    level = (price * basket).sum(axis=1) / basket.sum()
    assert published(run, "price_level").to_numpy() == pytest.approx(level.to_numpy(), rel=1e-4)
    assert level[0] == pytest.approx(1, abs=1e-4)
    before = level.shift(12).fillna(1.0)
    rise = (level / before - 1).to_numpy()
    assert published(run, "inflation").to_numpy() == pytest.approx(rise, abs=1e-4)
    made = firms.groupby("tick")["made"].sum()
    assert published(run, "gdp").to_numpy() == pytest.approx(made.to_numpy(), rel=1e-5)
    worth = (firms["made"] * firms["price"]).groupby(firms["tick"]).sum()
    assert published(run, "nominal_gdp").to_numpy() == pytest.approx(worth.to_numpy(), rel=1e-5)


def test_published_figures_agree_with_the_ledger(run: Run) -> None:
    moved = table(run, "ledger")
    moved = moved[moved["tick"] > 0]

    def paid(why: str, *, source: str) -> "pd.Series[int]":
        mine = moved[(moved["why"] == why) & (moved["from"] == source)]
        return mine.groupby("tick")["cents"].sum()

    homes = table(run, "agents_household").groupby("tick").sum(numeric_only=True).loc[1:]
    state = table(run, "agents_government").set_index("tick").loc[1:]
    firms = table(run, "agents_firm").groupby("tick").sum(numeric_only=True).loc[1:]
    # A household that dies out within the month has bought before.
    at_home = paid("goods", source="household")
    bought = at_home + paid("imports", source="household")
    assert (bought >= homes["consumption"]).all()
    assert (bought - homes["consumption"]).sum() <= 0.02 * bought.sum()
    assert (paid("goods", source="government") == state["purchases"]).all()
    assert (paid("wage", source="firm") == firms["payroll"]).all()
    sold = sum(paid("goods", source=who) for who in ("government", "outside world")) + at_home
    assert (sold == firms["revenue"]).all()
    assert (paid("basic income", source="government") == state["basic_income"].loc[5:]).all()


def test_loans_and_reserves_in_the_tables_sum_to_deposits(run: Run) -> None:
    books = table(run, "agents_bank")
    assert (books["deposits"] == books["loans"] + books["reserves"]).all()
    change = books["loans"].diff().iloc[1:]
    moves = (books["lent"] - books["repaid"] - books["written_off"]).iloc[1:]
    assert (change == moves).all()


def test_all_deposits_equal_those_of_the_bank(run: Run) -> None:
    books = table(run, "agents_bank").set_index("tick")
    known = books["capital"].copy()
    for name in ("agents_household", "agents_firm", "agents_government"):
        known += table(run, name).groupby("tick")["deposit"].sum()
    # The rest is in the owners' fund and outside, on its way to households.
    assert (books["deposits"] >= known).all()
    assert ((books["deposits"] - known) <= 0.02 * books["deposits"]).all()


def test_every_measure_has_its_attribute(run: Run) -> None:
    measured = set(run.measures["measure"].astype(str))
    assert set(BasicIncome.outcomes) <= measured
    assert {str(g) for g in run.groups("disposable_by_quintile")} >= {"1", "2", "3", "4", "5"}


def test_arms_are_settings() -> None:
    for changes in BasicIncome.arms.values():
        BasicIncomeSettings().with_changes(changes)
    assert BasicIncome.arms["no_ubi"] == {"amount": 0}
