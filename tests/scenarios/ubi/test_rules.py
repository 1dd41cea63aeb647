"""Rules of the basic income that a shock may change while it is paid."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memopolis import fork, load_run, load_state, save_state
from memopolis.scenarios.ubi.policy import RULES, Policy, apply_rules
from memopolis.scenarios.ubi.scenario import BasicIncome, read_policy
from memopolis.sim import timeline
from memopolis.sim.errors import MemopolisError


def society(**changes: Any) -> BasicIncome:
    return BasicIncome(**{"agents": 60, "days": 300, "start": 1, "rng": 3} | changes)


def paid(made: BasicIncome) -> int:
    return int(made.government["basic_income"][0])


def test_the_rules_at_the_start_are_the_settings() -> None:
    made = society(amount=250, who="unemployed", schedule="once")
    assert {name: made.rules[name] for name in RULES} == {
        "amount": 250.0,
        "funding": "tax",
        "start": 1,
        "schedule": "once",
        "who": "unemployed",
    }
    assert apply_rules(made.policy, made.policies) == made.policy == read_policy(made.settings)


def test_a_changed_rule_applies_and_others_are_unchanged() -> None:
    policy = Policy(100_000, share=0.5)
    assert apply_rules(policy, {}) == policy
    assert apply_rules(policy, {"amount": 0.5, "who": "unemployed", "else": 1}) == Policy(
        50, who="unemployed", share=0.5
    )


def test_the_basic_income_is_paid_from_its_start() -> None:
    made, other = society(), society()
    made.at(made.clock.date_of(3), timeline.Policy("amount", 500.0))
    for month in range(5):
        made.step()
        other.step()
        assert (paid(made) == paid(other)) == (month < 3)
    assert paid(made) == pytest.approx(paid(other) / 2, rel=0.05)


def test_an_income_that_was_not_planned_is_paid_and_taxed_for() -> None:
    made = society(amount=0, start=0)
    made.at(made.clock.date_of(2), timeline.Policy("amount", 300.0))
    surtax = []
    for _ in range(6):
        made.step()
        surtax.append(float(made.government["surtax"][0]))
    assert paid(made) > 0
    assert surtax[:2] == [0, 0]
    assert surtax[-1] > 0


def test_a_restored_society_keeps_changed_rules(tmp_path: Path) -> None:
    made = society()
    made.at(made.clock.date_of(1), timeline.Policy("amount", 200.0))
    for _ in range(3):
        made.step()
    again = load_state(save_state(made, tmp_path / "saved"))
    assert isinstance(again, BasicIncome)
    made.step()
    again.step()
    assert paid(again) == paid(made) > 0
    assert again.policies == made.policies
    mine, others = (one.money.ledger.state()["balances"] for one in (made, again))
    assert np.array_equal(mine, others)


def test_a_fork_with_another_amount_pays_it(tmp_path: Path) -> None:
    made = society(**{"checkpoint.every": 2})
    made.run(tmp_path / "run", days=120)
    folder = fork(tmp_path / "run", tmp_path / "fork", at=3, changes={"amount": 10})
    rows = load_run(folder).agents_of("government").sort_values("tick")
    before, after = rows["basic_income"].iloc[2], rows["basic_income"].iloc[3]
    assert 0 < after < before / 50


@pytest.mark.parametrize(
    ("key", "value"), [("amount", -1.0), ("who", "me"), ("start", 99), ("consumption.demand", 99.0)]
)
def test_a_value_that_no_setting_may_have_is_refused(key: str, value: float | str) -> None:
    with pytest.raises(MemopolisError, match=key):
        society().check_shock(timeline.Policy(key, value))
