"""What people in a street remember of a month, and what it does to them."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.scenarios.ubi.street import Street, give, live, memories_of, set_status, street, value

from memopolis.scenarios.ubi.attitudes import ATTITUDES, COGNITION, PROFILE, PROFILES
from memopolis.scenarios.ubi.blocks.rate_life import ATTITUDES_EVERY, Feel, UpdateAttitudes
from memopolis.scenarios.ubi.blocks.remember_month import RememberMonth
from memopolis.scenarios.ubi.government_settings import Funding
from memopolis.scenarios.ubi.household_settings import MonthSettings
from memopolis.scenarios.ubi.months import JOYS, TROUBLES
from memopolis.scenarios.ubi.people import Labour
from memopolis.scenarios.ubi.policy import Policy
from memopolis.sim.memory.retrieval.request import recency_table

QUIET: dict[str, Any] = {"troubles": 0.0, "joys": 0.0}
COMES = "The basic income came."
FIRST = "The first basic income came."


def town(months: int = 2, **settings: Any) -> Street:
    """A street that has lived through some months without anything to remember."""
    made = street()
    give(made, "citizen", RememberMonth(MonthSettings(**{**QUIET, **settings})))
    live(made, months)
    return made


def test_an_uneventful_month_leaves_no_memory() -> None:
    made = town(months=11)
    assert [memories_of(made, row) for row in range(5)] == [[]] * 5


def test_the_importance_of_a_raise_depends_on_its_share() -> None:
    made = town()
    set_status(made, "citizen", wage=[22.0, 24.0, 0, 0, 0])
    live(made)
    assert memories_of(made, 0) == ["My pay rose."]
    assert memories_of(made, 1) == ["My pay fell."]
    (rise,) = made.citizens.memory[0].stream.read(np.arange(1))
    # The logarithm of 1.1 over 0.2 is 0.4766, and 37.9 % of 0.6 are 0.2275.
    assert rise.importance == pytest.approx(0.2275, abs=0.004)
    assert (rise.topic, rise.valence > 0) == ("pay", True)
    assert rise.actor == made.firms.ids[0]


def test_small_changes_of_pay_are_not_noticed() -> None:
    made = town()
    set_status(made, "citizen", wage=[20.4, 29.6, 0, 0, 0], pay=[300_000, 560_000, 0, 0, 0])
    live(made)
    assert memories_of(made, 0) == memories_of(made, 1) == []


def test_a_month_of_unusual_pay_is_remembered() -> None:
    made = town()
    set_status(made, "citizen", pay=[150_000, 1_020_000, 0, 0, 0])
    live(made)
    assert memories_of(made, 0) == ["There was little work this month."]
    assert memories_of(made, 1) == ["There was much pay this month."]


def test_work_lost_and_found_is_remembered_once() -> None:
    made = town()
    changed = [Labour.UNEMPLOYED, Labour.AT_HOME, Labour.EMPLOYED, Labour.CHILD, Labour.RETIRED]
    set_status(made, "citizen", labour=changed, employer=[-1, -1, 1, -1, -1], pay=[0] * 5)
    live(made, 2)
    assert memories_of(made, 0) == ["I lost my job."]
    assert memories_of(made, 1) == ["I stopped working."]
    assert memories_of(made, 2) == ["I found work."]
    (lost,) = made.citizens.memory[0].stream.read(np.arange(1))
    assert lost.actor == made.firms.ids[0], "the firm that let one go"


def test_a_long_job_search_is_remembered_occasionally() -> None:
    made = town()
    for spell in range(1, 7):
        set_status(made, "citizen", spell=[spell] * 5)
        live(made)
    assert memories_of(made, 2) == ["I am still looking for work."] * 2


def test_once_a_year_prices_are_compared_with_pay() -> None:
    made = town(months=13)
    set_status(made, "statistics_bureau", price_level=[1.1])
    live(made, 12)
    assert memories_of(made, 0) == ["Prices rose faster than my pay."]
    assert memories_of(made, 4) == ["Prices rose again."]


def test_a_shortage_of_money_is_remembered() -> None:
    made = town(needs=1.0)
    set_status(made, "household", consumption=[60_000, 390_000, 290_000], deposit=[0, 0, 0])
    live(made, 2)
    set_status(made, "household", consumption=[200_000, 390_000, 290_000])
    live(made)
    assert memories_of(made, 0) == [
        "We could not pay for all we needed.",
        "We could not pay for all we needed.",
        "We could pay for all we needed again.",
    ]
    assert memories_of(made, 1) == memories_of(made, 4) == []


def test_a_rise_in_assistance_is_remembered() -> None:
    made = town()
    set_status(made, "household", benefits=[0, 90_000, 0])
    live(made, 2)
    assert memories_of(made, 1) == memories_of(made, 2) == ["Help from the government came."]
    assert memories_of(made, 0) == []


def test_the_importance_of_the_basic_income_falls_every_month() -> None:
    made = town(adaptation=1.0)
    set_status(made, "citizen", basic_income=[100_000, 0, 0, 0, 0])
    live(made, 8)
    texts = memories_of(made, 0)
    assert texts[0] == FIRST
    assert set(texts[1:]) <= {COMES}
    assert len(texts) == 5, "what hardly matters is not remembered"
    stream = made.citizens.memory[0].stream
    weight = [one.importance for one in stream.read(np.arange(len(texts)))]
    assert weight == sorted(weight, reverse=True)
    assert all(one.actor == made.government.ids[0] for one in stream.read(np.arange(len(texts))))
    assert memories_of(made, 1) == []


def test_a_surtax_is_noticed_when_it_comes_and_once_a_year() -> None:
    made = town()
    set_status(made, "government", surtax=[0.3])
    live(made, 13)
    texts = memories_of(made, 0)
    assert texts[0] == "The new surtax took part of my pay."
    assert texts[1:] == ["The surtax took part of my pay."]
    assert memories_of(made, 2) == [], "without pay there is none to be taken"


def test_private_events_are_random() -> None:
    always = town(months=3, troubles=1.0, unequal=0.0, burden=(1, 1, 1, 1, 1))
    for row in (0, 1, 2, 4):
        assert len(memories_of(always, row)) >= 2
        assert set(memories_of(always, row)) <= set(TROUBLES.texts)
    assert memories_of(always, 3) == [], "a child"
    glad = town(months=3, joys=1.0)
    assert set(memories_of(glad, 0)) <= set(JOYS.texts)


def test_texts_contain_no_numbers_or_names() -> None:
    texts = (*TROUBLES.texts, *JOYS.texts)
    assert not any(mark.isdigit() or mark in "{}" for text in texts for mark in text)


def test_new_citizens_make_no_comparisons() -> None:
    made = town()
    made.citizens.add(1)["age"] = np.array([25])
    live(made, 2)
    assert memories_of(made, 5) == []


def test_effects_of_bad_months_on_feelings_fade() -> None:
    made = street()
    give(made, "citizen", RememberMonth(MonthSettings(**QUIET)), Feel(COGNITION, trivia=0.25))
    live(made, 2)
    set_status(made, "citizen", wage=[10.0, 30.0, 0, 0, 0])
    live(made)
    angry = value(made, "citizen", "emotion.anger")
    assert angry > 5.5
    live(made, 3)
    # Three months are the half-life.
    assert value(made, "citizen", "emotion.anger") - 5 == pytest.approx((angry - 5) / 2, rel=1e-3)
    assert value(made, "citizen", "emotion.anger", 1) == 5


def test_trivial_events_leave_no_feeling() -> None:
    made = street()
    give(made, "citizen", Feel(COGNITION, trivia=0.25))
    people = made.citizens.cohort()
    weight = np.array([0.2, 0.3, 0.2, 0.3, 0.2], np.float32)
    people.stream.add("prices", "Food cost more.", importance=weight, valence=-1.0)
    live(made)
    anger = [value(made, "citizen", "emotion.anger", row) for row in range(5)]
    assert anger[0] == anger[2] == anger[4] == 5
    assert anger[1] > 5


def test_people_get_used_to_payments_and_a_single_one_is_no_raise() -> None:
    for schedule, most in (("monthly", 0.6), ("once", 0.2)):
        made = town()
        made.policies["schedule"] = schedule
        set_status(made, "citizen", basic_income=[100_000, 0, 0, 0, 0])
        live(made)
        (first,) = made.citizens.memory[0].stream.read(np.arange(1))
        # The logarithm of 1.4 over 0.2 is 1.682.
        assert first.importance == pytest.approx(most * (1 - np.exp(-1.682)), abs=0.004)
    steady = town()
    set_status(steady, "citizen", basic_income=[100_000, 0, 0, 0, 0])
    live(steady, 5)
    weight = [one.importance for one in steady.citizens.memory[0].stream.read(np.arange(5))]
    # Half of the difference is left after the half-life of four months.
    assert weight[4] == pytest.approx(0.6 * (1 - np.exp(-1.682 / 2)), abs=0.004)
    set_status(steady, "citizen", basic_income=[200_000, 0, 0, 0, 0])
    live(steady)
    (higher,) = steady.citizens.memory[0].stream.read(np.arange(5, 6))
    assert higher.importance > weight[4], "a higher payment is news again"


def test_recalled_memories_change_attitudes() -> None:
    made = street(retrieval=PROFILES)
    give(
        made,
        "citizen",
        RememberMonth(MonthSettings(**QUIET)),
        UpdateAttitudes(COGNITION, ATTITUDES),
    )
    live(made, 2)
    set_status(made, "citizen", basic_income=[100_000, 0, 0, 0, 0])
    live(made, ATTITUDES_EVERY)
    assert value(made, "citizen", "attitude.basic_income") > 5
    assert value(made, "citizen", "attitude.government_trust") > 5
    assert value(made, "citizen", "attitude.work") == 6
    assert value(made, "citizen", "attitude.basic_income", 1) == 5


def test_a_step_of_a_month_counts_as_a_day_of_recall() -> None:
    made = town(months=1)
    memory = made.citizens.memory
    assert memory.ticks_per_day == pytest.approx(1 / 30)
    table = recency_table(memory, PROFILES[PROFILE])
    assert table[6] == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("funding", ["tax", "created", "none"])
def test_the_policy_is_announced_the_month_before(funding: Funding) -> None:
    policy = Policy(50_000, funding, "low_income", "once", start=12)
    announcement = policy.announce()
    assert announcement is not None
    month, news = announcement
    assert (month, news.topic, news.stance) == (11, "policy", 0)
    assert "adults of low income" in news.text
    assert "surtax" in news.text or funding != "tax"
    at_start = replace(policy, start=0).announce()
    assert at_start is not None
    assert at_start[0] == 0
    assert replace(policy, amount=0).announce() is None
