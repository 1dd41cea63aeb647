"""Facts of a basic income on hand-made tables, with numbers worked out by hand."""

from typing import Any

import numpy as np
import pytest
from tests.analysis.facts.hand_made import HandMade, panel

from memopolis.analysis.facts.basic_income import (
    ANCHORS,
    QUINTILES,
    business_cycle,
    inequality,
    livelihoods,
    markets,
    null_arms,
    spending,
    spillovers,
    static_gini_table,
    stationarity,
    wellbeing,
    work,
)

START, TICKS = 24, 60


def path(before: float, after: float) -> list[float]:
    return [before if tick < START else after for tick in range(TICKS)]


def people(*, hours: float, labour: str, pay: int, paid: int) -> Any:
    """Four citizens; the third is never paid a basic income, the fourth is too old to count."""
    return panel(
        {
            "hours": [path(40, hours), path(20, 20), path(50, 50), path(40, 0)],
            "labour": [
                [labour if t >= START else "employed" for t in range(TICKS)],
                ["employed"] * TICKS,
                ["retired"] * TICKS,
                ["employed"] * TICKS,
            ],
            "pay": [
                path(200_000, pay),
                path(100_000, 100_000),
                path(900_000, 900_000),
                path(500_000, 0),
            ],
            "basic_income": [path(0, paid), path(0, paid), path(0, 0), path(0, paid)],
            "age": [[30] * TICKS, [40] * TICKS, [30] * TICKS, [41] * TICKS],
        }
    )


def run(
    *,
    hours: float = 40,
    labour: str = "employed",
    pay: int = 200_000,
    paid: int = 0,
    amount: float = 0,
    homes: Any = None,
    bureau: dict[str, list[float]] | None = None,
    lost: int = 0,
) -> Any:
    result = bureau or {}
    names = ("price_level", "gdp", "income", "hours", "gini", "depression", "life_satisfaction")
    flat = {name: [result.get(name, [1.0] * TICKS)] for name in names}
    others = {name: [result.get(name, [0.05] * TICKS)] for name in ("unemployment", "inflation")}
    bank = {
        "deposits": [[500] * TICKS],
        "loans": [[200] * TICKS],
        "reserves": [[300 - lost] * TICKS],
    }
    tables = {
        "agents_citizen": people(hours=hours, labour=labour, pay=pay, paid=paid),
        "agents_statistics_bureau": panel({**flat, **others}),
        "agents_bank": panel(bank),
    }
    if homes is not None:
        tables["agents_household"] = homes
    return HandMade(tables, start=START, amount=amount)


def values(fact: Any) -> dict[str, Any]:
    judged = fact.values
    return {value.what: (value.value, value.passes) for value in judged}


def test_work_is_compared_among_recipients() -> None:
    treated = run(hours=36, labour="at home", pay=180_000, paid=100_000, amount=1_000)
    hours, part, income = work({"pilot": treated, "no policy": run()})
    assert values(hours)["change of hours"] == (-2.0, True)  # (36 + 20) / 2 less (40 + 20) / 2
    assert values(part)["change of participation"] == (-0.5, False)
    assert values(income)["change of wages"] == (pytest.approx(-1_200), True)


def test_money_is_compared_at_the_prices_of_the_start() -> None:
    dear = [1.0 if tick <= START else 1.25 for tick in range(TICKS)]
    treated = run(pay=250_000, paid=100_000, amount=1_000, bureau={"price_level": dear})
    _, _, income = work({"pilot": treated, "no policy": run()})
    # In 23 of 24 months 2,500 USD buy what 2,000 did; the second earns 1,000 USD in both runs.
    first, second = 500 * 12 / 24, -200 * 12 * 23 / 24
    assert values(income)["change of wages"][0] == pytest.approx((first + second) / 2)


def homes(more: dict[str, int], paid: int) -> Any:
    """Five households, one a quintile, the same but for what the lowest ones spend."""
    columns: dict[str, Any] = {"quintile": [[name] * TICKS for name in QUINTILES]}
    columns["basic_income"] = [path(0, paid) for _ in QUINTILES]
    columns["disposable"] = [path(300_000, 300_000 + paid) for _ in QUINTILES]
    spent = [path(200_000, 200_000 + more[name]) for name in QUINTILES]
    columns["consumption"] = spent
    part = {"spent.food": 0.3, "spent.housing": 0.2, "spent.transport": 0.1}
    for name, share in part.items():
        columns[name] = [path(0, share * more[q]) for q in QUINTILES]
    columns["deposit"] = [[1_000_000] * TICKS for _ in QUINTILES]
    columns["debt"] = [[0] * TICKS for _ in QUINTILES]
    return panel(columns)


def test_spending_is_reported_per_recipient_and_quintile() -> None:
    falling = dict(zip(QUINTILES, (70_000, 60_000, 50_000, 40_000, 30_000), strict=True))
    treated = run(homes=homes(falling, 100_000), amount=1_000)
    control = run(homes=homes(dict.fromkeys(QUINTILES, 0), 0))
    more, by_quintile = spending({"pilot": treated, "all": treated, "no policy": control})
    result = values(more)
    assert result["additional spending per recipient"] == (pytest.approx(500), True)
    assert result["share of basics in additional spending"] == (pytest.approx(0.6), True)
    result = values(by_quintile)
    assert result["spent per dollar received, lowest"][0] == pytest.approx(0.7)
    assert result["quintiles that spend more of it than the next lower one"] == (0.0, True)
    uneven = {**falling, "highest": 90_000}
    treated = run(homes=homes(uneven, 100_000), amount=1_000)
    _, by_quintile = spending({"pilot": treated, "all": treated, "no policy": control})
    assert values(by_quintile)["quintiles that spend more of it than the next lower one"] == (
        1.0,
        False,
    )


def test_the_gini_is_measured_from_the_second_year() -> None:
    late = [0.48 if tick < START + 12 else 0.40 for tick in range(TICKS)]
    arms = {"no policy": run(bureau={"gini": [0.48] * TICKS}), "all": run(bureau={"gini": late})}
    fact = inequality({**arms, "tax": arms["no policy"]})
    assert values(fact)["change of the Gini, created money"] == (pytest.approx(-0.08), True)
    assert values(fact)["change of the Gini, funded by a tax"] == (0.0, False)


def test_wellbeing_is_reported_by_year() -> None:
    first = [10 - 2.0 * (START <= tick < START + 12) for tick in range(TICKS)]
    arms = {"no policy": run(bureau={"depression": [10.0] * TICKS})}
    fact = wellbeing({**arms, "all": run(bureau={"depression": first})})
    assert values(fact)["change of the CES-D in the first year"] == (-2.0, True)
    assert values(fact)["share of it in the second year"] == (0.0, True)


def test_the_signs_of_the_business_cycle_are_checked() -> None:
    wave = np.sin(np.arange(TICKS) / 6)
    bureau: Any = {
        "gdp": list(np.exp(0.05 * wave)),
        "unemployment": list(0.05 - 0.02 * wave),
        "inflation": list(0.02 + 0.01 * wave),
    }
    fact = business_cycle({"no policy": run(bureau=bureau)})
    assert all(holds for _, holds in values(fact).values())
    assert values(fact)["Phillips: inflation and unemployment, r"][0] == pytest.approx(-1)
    fact = business_cycle({"no policy": run(bureau={**bureau, "inflation": list(0.1 - wave)})})
    assert values(fact)["Phillips: inflation and unemployment, r"][1] is False
    assert values(fact)["share of months with inflation of -5 to 8 %"][1] is False


def test_null_arms_pass_and_a_lost_cent_fails() -> None:
    arms = {"no policy": run(), "zero": run()}
    fact = null_arms(arms)
    assert all(holds for _, holds in values(fact).values())
    fact = null_arms({**arms, "tax": run(lost=1)})
    what = "largest gap between deposits and loans plus reserves"
    assert values(fact)[what] == (1.0, False)


def town(lowest: list[float], gini: list[float]) -> Any:
    """A run in which only the lowest quintile's income and the Gini change."""
    incomes = {name: lowest if name == "lowest" else [2.0] * TICKS for name in QUINTILES}
    homes: dict[str, Any] = {
        "quintile": [[name] * TICKS for name in QUINTILES],
        "disposable": [incomes[name] for name in QUINTILES],
    }
    return run(homes=panel(homes), bureau={"gini": gini})


def test_a_drift_of_incomes_without_a_policy_is_found() -> None:
    constant = [1.0] * TICKS
    fact = stationarity({"no policy": town(constant, [0.4] * TICKS)})
    assert list(values(fact).values()) == [(0.0, True), (0.0, True)]
    rising = [1.0 if tick < 12 else 1.5 for tick in range(TICKS)]
    fact = stationarity({"no policy": town(rising, [0.4] * (TICKS - 1) + [0.3])})
    assert values(fact)["change of the Gini"] == (pytest.approx(-0.1), False)
    assert values(fact)["change of the real income of the lowest quintile"] == (0.5, False)


def test_output_and_prices_are_compared_per_dollar_paid() -> None:
    government = panel({"basic_income": [[100_000 * (tick >= START) for tick in range(TICKS)]]})
    more = {"gdp": path(1.0, 2_001.0), "price_level": path(1.0, 1.05)}
    tables = {**run(bureau=more)._tables, "agents_government": government}
    treated: Any = HandMade(tables, start=START)
    dearer: Any = HandMade(
        {**tables, **run()._tables, "agents_government": government}, start=START
    )
    fact = spillovers({"all": treated, "pilot": dearer, "no policy": run()})
    assert values(fact)["output per dollar of payments"] == (pytest.approx(2.0), True)
    assert values(fact)["rise of prices"] == (pytest.approx(0.05), False)
    assert values(fact)["output per dollar of payments, pilot"] == (pytest.approx(0.0), False)
    assert values(fact)["rise of prices, pilot"] == (pytest.approx(0.0), True)


def test_static_anchors_are_checked_separately() -> None:
    table = static_gini_table(lambda amount, funding: 0.482 - amount / 150_000)  # noqa: ARG005
    assert list(table["what"]) == list(ANCHORS)
    assert table["holds"].tolist() == [True, True, False, True, False]


MONTHS = 72


def without_policy(income: list[float], spent: list[float], labour: list[str]) -> Any:
    """One household with one citizen, and one firm that raises and cuts its price in turn."""
    tables = {
        "agents_household": panel(
            {"disposable": [income], "consumption": [spent], "quintile": [["lowest"] * MONTHS]}
        ),
        "agents_citizen": panel({"labour": [labour], "household": [[0] * MONTHS]}),
        "agents_firm": panel({"price": [[1.0 + (month // 6 % 2) for month in range(MONTHS)]]}),
        "agents_statistics_bureau": panel(
            {
                "price_level": [[1.0] * MONTHS],
                "gdp": [[np.exp(0.01 * (month // 12 % 2)) for month in range(MONTHS)]],
                "unemployment": [[0.05 - 0.004 * (month // 12 % 2) for month in range(MONTHS)]],
            }
        ),
    }
    return {"no policy": HandMade(tables, start=START)}


def test_spending_falls_by_less_than_income_when_a_job_is_lost() -> None:
    lost = range(40, 48)
    arms = without_policy(
        [600.0 if month in lost else 1000.0 for month in range(MONTHS)],
        [900.0 if month in lost else 1000.0 for month in range(MONTHS)],
        ["unemployed" if month in lost else "employed" for month in range(MONTHS)],
    )
    moves, falls = livelihoods(arms)
    assert [value.value for value in falls.values] == pytest.approx([0.4, 0.1])
    assert [value.value for value in moves.values] == [0, 0]
    search, prices, okun = markets(arms)
    # Eight months: one of them the first, two after the sixth.
    assert [value.value for value in search.values] == pytest.approx([1 / 8, 2 / 8])
    # Eleven changes in 71 months, five of them cuts.
    assert [value.value for value in prices.values] == pytest.approx([11 / 71, 5 / 11])
    assert okun.values[0].value == pytest.approx(-0.4)


def test_incomes_that_alternate_vary_by_half_their_difference() -> None:
    income = [800.0 + 400.0 * (month % 2) for month in range(MONTHS)]
    moves, falls = livelihoods(without_policy(income, income, ["employed"] * MONTHS))
    assert moves.values[0].value == pytest.approx(0.2)
    assert np.isnan(falls.values[0].value)
