"""Labour supply in a street: who is asked, and what moves the hours."""

import json

import numpy as np
import pytest
from tests.scenarios.ubi.street import Street, give, live, set_status, street

from memopolis.agents.economy.firms import MONTH_WEEKS
from memopolis.scenarios.ubi.blocks.supply_labour import TEXTS, SupplyLabour
from memopolis.scenarios.ubi.household_settings import LabourSupplySettings
from memopolis.sim.mind.archetype import Archetype
from memopolis.sim.mind.call import Call, ScriptedClient
from memopolis.sim.mind.llm import LlmMind
from memopolis.sim.mind.mind import Question

# No agent stops working, so that hours can be computed by hand.
STEADY = LabourSupplySettings(join_income_effect=0.0, join_substitution=0.0, income_effect=-0.1)


def wanted(society: Street) -> list[float]:
    return [float(hours) for hours in society.citizens.cohort()["wanted_hours"]]


def test_without_changes_citizens_want_their_usual_hours() -> None:
    town = street()
    give(town, "citizen", SupplyLabour())
    live(town)
    assert wanted(town) == [40, 40, 20, 0, 0]


def test_unearned_income_lowers_hours_relative_to_usual_income() -> None:
    town = street()
    give(town, "citizen", SupplyLabour(STEADY))
    set_status(town, "household", basic_income=[100_000, 0, 0])
    live(town)
    income = 100 * MONTH_WEEKS * 0.75 * 20 * 40
    assert wanted(town)[0] == pytest.approx(40 * (1 + 100_000 / income) ** -0.1, rel=1e-5)
    assert wanted(town)[1:] == [40, 20, 0, 0]


def test_expectation_of_a_new_payment_grows_gradually() -> None:
    town = street()
    give(town, "citizen", SupplyLabour(STEADY))
    live(town)
    set_status(town, "household", basic_income=[100_000, 0, 0])
    hours = []
    for _ in range(4):
        live(town)
        hours.append(wanted(town)[0])
    income = 100 * MONTH_WEEKS * 0.75 * 20 * 40
    half = 40 * (1 + 50_000 / income) ** -0.1
    assert hours == sorted(hours, reverse=True)
    assert hours[2] == pytest.approx(half, rel=1e-5), "the half-life is three months"


def test_a_surtax_lowers_hours_through_the_net_wage() -> None:
    town = street()
    no_income = LabourSupplySettings(
        join_income_effect=0.0, join_substitution=0.0, income_effect=0.0, substitution=0.2
    )
    give(town, "citizen", SupplyLabour(no_income))
    set_status(town, "government", surtax=[0.15])
    live(town)
    # Of 0.75 a dollar 0.60 are left.
    assert wanted(town)[:2] == pytest.approx([40 * 0.8**0.2] * 2, rel=1e-5)


def test_a_positive_attitude_to_work_raises_hours_slightly() -> None:
    town = street()
    give(town, "citizen", SupplyLabour(STEADY))
    set_status(town, "citizen", attitude__work=[8, 6, 6, 6, 6])
    live(town)
    assert wanted(town)[0] == pytest.approx(40 * np.exp(0.01), rel=1e-5)


def test_some_citizens_stop_working_and_give_the_reason() -> None:
    town = street()
    all_stop = LabourSupplySettings(join_income_effect=-3.0)
    block = SupplyLabour(all_stop)
    give(town, "citizen", block)
    set_status(town, "household", basic_income=[2_000_000, 2_000_000, 0])
    people = town.citizens.cohort()
    live(town)
    assert wanted(town) == [0, 0, 0, 0, 0]
    question = block.perceive(block.who(people))
    assert isinstance(question, Question)
    answer = question.rule(question)
    assert answer.reason is not None
    assert {answer.reasons[at] for at in answer.reason} == {TEXTS.reasons[4]}


def test_a_model_decides_hours() -> None:
    town = street()
    give(town, "citizen", SupplyLabour())
    client = ScriptedClient(lambda _: json.dumps({"reason": "enough", "rating": 25}))
    town.mind = LlmMind(client, seed=1)
    live(town)
    assert wanted(town) == [25, 25, 25, 0, 0]
    prompt = client.calls[0].messages[-1].text
    assert '"usual_hours_a_week": 40.0' in prompt
    assert '"hourly_wage": 20.0' in prompt
    assert client.calls[0].schema["properties"]["rating"]["maximum"] == 60


def test_a_model_answers_for_similar_citizens() -> None:
    town = street()
    give(town, "citizen", SupplyLabour())

    def answer(call: Call) -> str:
        assert "stands for 3 people" in call.messages[-1].text
        return json.dumps({"answers": [{"reason": "so", "rating": n} for n in (10, 30)]})

    client = ScriptedClient(answer)
    town.mind = Archetype(LlmMind(client, seed=1), seed=1, least=3, answers=2)
    live(town)
    assert len(client.calls) == 1
    assert set(wanted(town)[:3]) <= {10.0, 30.0}
    assert wanted(town)[3:] == [0, 0]
