"""Firms and the government remember, and decide by what they remember."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.scenarios.remembered import read_memories

from memopolis.agents.activities import Activity
from memopolis.analysis import load_run
from memopolis.scenarios.hurricane.blocks.decide_opening import choose_opening
from memopolis.scenarios.hurricane.blocks.decide_orders import (
    NO_EFFECT,
    choose_message,
    choose_order,
    choose_shelters,
    shift_thresholds,
)
from memopolis.scenarios.hurricane.blocks.decide_stock import rate_stock
from memopolis.scenarios.hurricane.blocks.keep_books import compare_sales
from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.scenarios.hurricane.settings import FirmSettings, GovernmentSettings
from memopolis.sim.mind.mind import Answer, Question


def answer(rule: Any, settings: Any, **known: Any) -> Answer:
    """Return the answer of a rule for one agent."""
    arrays = {name: np.atleast_1d(value) for name, value in known.items()}
    question = Question("test", None, "rating", rule, known=arrays, high=30.0)  # type: ignore[arg-type]
    answered: Answer = rule(question, settings=settings)
    return answered


def asked(rule: Any, settings: Any, **known: Any) -> Any:
    """Return the value that a rule answers."""
    return answer(rule, settings, **known).value[0]


def reason(rule: Any, settings: Any, **known: Any) -> str:
    """Return the reason that a rule gives."""
    answered = answer(rule, settings, **known)
    assert answered.reason is not None
    return str(answered.reasons[answered.reason[0]])


EVIDENCE = np.full((1, 1), -1, np.int32)


@cache
def town(**settings: Any) -> Hurricane:
    """A town after six days, the storm two days away."""
    society = Hurricane(agents=200, rng=3, days=9, **settings)
    society.run_for(24 * 6)
    return society


def column(society: Hurricane, population: str, name: str) -> Any:
    return society.population(population)[name]


def topics(society: Hurricane, population: str) -> set[str]:
    memory = society.population(population).memory
    return {
        one.topic for agent in society.population(population).agents for one in read_memories(agent)
    } & set(memory.topics)


# Rules


@pytest.mark.parametrize(
    ("danger", "missing", "is_open", "expected"),
    [(0.0, 0.0, True, 1), (0.9, 0.0, True, 0), (0.3, 1.0, True, 0), (0.4, 0.0, False, 0),
     (0.1, 0.0, False, 1)],
)  # fmt: skip
def test_a_store_closes_in_danger_and_without_workers(
    danger: float,
    missing: float,
    is_open: bool,  # noqa: FBT001 - a column of the table above
    expected: int,
) -> None:
    value = asked(
        choose_opening, FirmSettings(), danger=danger, caution=1.0, missing=missing, open=is_open,
        damage=0.0, dangerous=EVIDENCE,
    )  # fmt: skip
    assert value == expected


@pytest.mark.parametrize(
    ("danger", "missing", "expected"),
    [
        (0.0, 0.0, "nothing recalled is a danger"),
        (0.3, 0.0, "the recalled danger is too small to close"),
        (0.0, 0.3, "too few workers are missing to close"),
        (0.9, 0.0, "recalls danger"),
        (0.2, 0.7, "workers are missing"),
    ],
)
def test_a_store_that_stays_open_gives_no_reason_to_close(
    danger: float, missing: float, expected: str
) -> None:
    settings = FirmSettings(missing_staff=1.0)
    known = {"danger": danger, "missing": missing, "caution": 1.0, "open": True, "damage": 0.0}
    assert reason(choose_opening, settings, dangerous=EVIDENCE, **known) == expected


def test_a_damaged_store_stays_closed_until_it_is_repaired() -> None:
    known = {"danger": 0.0, "missing": 0.0, "open": False, "caution": 1.0, "dangerous": EVIDENCE}
    assert asked(choose_opening, FirmSettings(), damage=0.8, **known) == 0
    assert asked(choose_opening, FirmSettings(), damage=0.1, **known) == 1
    assert reason(choose_opening, FirmSettings(), damage=0.8, **known) == "the store is damaged"


def test_a_cautious_firm_closes_earlier() -> None:
    known = {"danger": 0.5, "missing": 0.0, "open": True, "damage": 0.0, "dangerous": EVIDENCE}
    assert asked(choose_opening, FirmSettings(), caution=0.6, **known) == 1
    assert asked(choose_opening, FirmSettings(), caution=1.5, **known) == 0


def test_remembered_sales_and_shortages_raise_the_target_stock() -> None:
    def days(sales: float, shortages: float) -> float:
        return float(
            asked(rate_stock, FirmSettings(), sales=sales, shortages=shortages, evidence=EVIDENCE)
        )

    assert days(0.0, 0.0) == pytest.approx(FirmSettings().cover)
    assert days(-1.0, 0.0) < days(0.0, 0.0) < days(1.0, 0.0)
    assert days(0.0, 0.5) > days(0.0, 0.0)


def test_sales_are_compared_on_a_log_scale() -> None:
    sold, usual = np.array([9.0, 4.0, 0.0, 0.0]), np.array([9.0, 9.0, 0.0, 99.0])
    assert compare_sales(sold, usual).tolist() == pytest.approx([0, -np.log(2), 0, -1])


SETTINGS = GovernmentSettings()
NEUTRAL = {"past": 0.0, "reaction": 0.0, "relief": False, "evidence": EVIDENCE}


@pytest.mark.parametrize(
    ("danger", "before", "expected"),
    [(0.0, 0, 0), (0.08, 0, 1), (0.2, 0, 2), (0.05, 2, 2), (0.01, 2, 0)],
)
def test_an_order_follows_recalled_danger_and_stays_in_force(
    danger: float, before: int, expected: int
) -> None:
    assert asked(choose_order, SETTINGS, danger=danger, order=before, **NEUTRAL) == expected


def test_bad_storms_and_good_reactions_lower_the_thresholds() -> None:
    def shift(past: float, reaction: float) -> float:
        return float(shift_thresholds(np.array([past]), np.array([reaction]), SETTINGS)[0])

    assert shift(-1, 0) < 0 < shift(1, 0)
    assert shift(0, 1) < 0 < shift(0, -1)
    assert shift(0, 0) == 0


def test_shelters_and_messages_follow_danger() -> None:
    assert asked(choose_shelters, SETTINGS, danger=0.2, order=0, **NEUTRAL) == 1
    assert asked(choose_shelters, SETTINGS, danger=0.0, order=0, **NEUTRAL) == 0
    assert asked(choose_message, SETTINGS, danger=0.2, order=0, **NEUTRAL) == 2
    relieved = NEUTRAL | {"relief": True}
    assert asked(choose_message, SETTINGS, danger=0.0, order=0, **relieved) == 3


# Whole runs


def test_firms_and_government_remember_and_think() -> None:
    society = town()
    assert topics(society, "firm") >= {"sales", "forecast", "cognition"}
    assert topics(society, "government") >= {"past storm", "forecast", "reaction", "cognition"}
    for name in ("firm", "government"):
        assert (column(society, name, "thought") >= 0).all()
        assert (column(society, name, "attitude.outlook") != 5).any()


def test_the_government_without_recall_sees_no_danger() -> None:
    recalled, none = town(), town(recall="none")
    assert column(recalled, "government", "considered_order")[0] == 2
    assert column(recalled, "government", "shelters")[0]
    assert column(none, "government", "considered_order")[0] < 2


def test_historical_orders_apply_unless_the_government_decides() -> None:
    historical, decided = town(), town(orders="decided")
    assert historical.circumstances.orders.effective[: 24 * 6].max() == 2
    assert not decided.circumstances.orders.announcements
    assert decided.circumstances.orders.effective[24 * 6 - 1].max() == 2
    ordered = decided.circumstances.orders.effective.max(axis=1).argmax() / 24
    assert 2 < ordered < 6
    firsts = [
        agent.memory.observed.stream.search("ordered everyone to evacuate", k=3)
        for agent in decided.population("citizen").agents[:60]
    ]
    assert sum(bool(recalled) for recalled in firsts) > 20


@pytest.mark.parametrize(
    ("orders", "remark"),
    [
        ("default", NO_EFFECT),
        ("none", NO_EFFECT),
        ("decided", ""),
    ],
)
def test_an_order_without_effect_is_recorded_as_such(
    orders: str, remark: str, tmp_path: Path
) -> None:
    society = Hurricane(agents=60, rng=3, days=4, orders=orders)
    run = load_run(society.run(tmp_path / "run"))
    decisions = run.decisions[run.decisions["kind"] == "order"]
    assert (decisions["choice"] != "none").any()
    for text in decisions["reason"].astype(str):
        assert text.endswith(f"({remark})") if remark else "no effect" not in text


def test_stores_close_for_the_storm_and_reopen() -> None:
    society = Hurricane(agents=150, rng=3, days=11)
    shares = []
    for _ in range(24 * 11):
        society.step()
        shares.append(society.measured["open_stores"][""])
    assert shares[0] == 1
    # Some stores are still being repaired, or wait for workers.
    assert shares[-1] > 0.85
    assert min(shares) < 0.2
    # The storm is nearest on the afternoon of the ninth day.
    assert shares[8 * 24 + 12] < 0.2
    assert min(shares[: 5 * 24]) > 0.9


def test_workers_of_a_closed_store_stay_at_home() -> None:
    society = Hurricane(agents=150, rng=3, days=2, storm="none")
    society.run_for(6)
    firms = society.population("firm")
    firms["open"] = False
    firms["attitude.storm_caution"] = 10
    employed = column(society, "citizen", "employer") >= 0
    for _ in range(5):
        firms["open"] = False
        society.step()
    doing = society.population("citizen").cohort()["doing"]
    assert not ((doing == Activity.WORK) & employed).any()


def test_customers_remember_empty_shelves() -> None:
    society = Hurricane(agents=150, rng=3, days=2, storm="none")
    society.run_for(6)
    firms = society.population("firm")
    turned_away = 0
    for _ in range(12):
        firms["inventory"] = 0
        firms["target_stock"] = 0
        society.step()
        turned_away += int(firms["turned_away"].sum())
    assert turned_away > 10
    assert "shortage" in topics(society, "citizen")
