"""The decision to leave: its reason agrees with the rating, and lifted orders no longer count."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memopolis.agents.activities import Activity
from memopolis.agents.blocks.plan import SHOP_HOURS
from memopolis.analysis import load_run
from memopolis.scenarios.hurricane.blocks.stay_or_go import (
    READY,
    RESULTS,
    StayOrGo,
    rate_readiness,
)
from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.scenarios.hurricane.settings import DecisionSettings
from memopolis.sim.mind.mind import Answer, Question
from memopolis.sim.population import Cohort

KNOWN = {
    "threat": 0.0, "order": 0.0, "passed": False, "mobile_home": False, "exposure": 0.0,
    "contacts": 0.0, "coping": 0.0, "trust": 0.5, "female": False, "left_before": False,
    "invited": False,
    "inclination": 0.0,
}  # fmt: skip


def rate(**changes: Any) -> tuple[float, str]:
    """Return rating and reason of one adult."""
    known = {name: np.atleast_1d(value) for name, value in (KNOWN | changes).items()}
    known["dangerous"] = np.zeros((1, 0), np.bool_)
    cohort = Cohort.__new__(Cohort)
    cohort.rows = np.zeros(1, np.intp)
    question = Question("stay_or_go", cohort, "rating", lambda _: Answer(np.zeros(1)), known=known)
    answer = rate_readiness(question, settings=DecisionSettings())
    assert answer.reason is not None
    return float(answer.value[0]), answer.reasons[answer.reason[0]]


@pytest.mark.parametrize(
    ("known", "is_ready", "reason"),
    [
        ({}, False, "nothing recalled is a threat"),
        ({"passed": True}, False, "recalls that the danger has passed"),
        ({"threat": 0.1}, False, "recalls a threat, but hesitates"),
        ({"threat": 0.1, "order": 1.0, "inclination": -9.0}, False,
         "recalls an order to leave, but hesitates"),
        ({"threat": 0.9, "inclination": 9.0}, True, "recalls a threat"),
        ({"threat": 0.9, "order": 1.0, "inclination": 9.0}, True, "recalls an order to leave"),
    ],
)  # fmt: skip
def test_the_reason_agrees_with_the_rating(
    known: dict[str, Any],
    is_ready: bool,  # noqa: FBT001 - a column of the table above
    reason: str,
) -> None:
    rating, stated = rate(**known)
    assert (rating >= READY) == is_ready
    assert stated == reason


def test_the_reason_states_what_the_household_did(tmp_path: Path) -> None:
    run = load_run(Hurricane(agents=150, rng=5, days=9).run(tmp_path / "run"))
    rows = run.decisions[run.decisions["kind"] == "stay_or_go"]
    leaves = rows["draw"] < rows["probability"]
    assert leaves.any()
    stays, goes = RESULTS
    reasons = rows["reason"].astype(str)
    assert reasons[leaves].str.endswith(f"({goes})").all()
    assert reasons[~leaves].str.endswith(f"({stays})").all()


def test_a_lifted_order_no_longer_counts() -> None:
    society = Hurricane(agents=60, rng=5, days=5)
    citizens = society.population("citizen")
    (block,) = (one for one in citizens.blocks if isinstance(one, StayOrGo))
    adult = citizens.cohort().at(np.flatnonzero(citizens.cohort()["age"] >= 18)[:1])
    home = adult["home"]
    society.run_for(2)
    for topic, text, importance, valence, expected in (
        ("order", "Everyone in {place} must leave.", 1.0, -0.8, 1.0),
        ("relief", "The order for {place} is lifted.", 0.7, 0.5, 0.0),
    ):
        adult.memory.stream.add(topic, text, place=home, importance=importance, valence=valence)
        society.step()
        question = block.perceive(adult)
        assert question.known["order"].tolist() == [expected]


def test_no_one_shops_while_stores_are_closed() -> None:
    society = Hurricane(agents=200, rng=1, days=9)
    citizens = society.population("citizen")
    at_night: Counter[int] = Counter()
    for _ in range(24 * 9):
        society.step()
        doing = citizens.cohort()["doing"]
        if not SHOP_HOURS[0] <= society.clock.hour < SHOP_HOURS[1]:
            at_night.update(doing.tolist())
    assert at_night[Activity.SLEEP]
    assert at_night[Activity.PACK]
    assert not at_night[Activity.STOCK_UP]
    assert not at_night[Activity.SHOP]
