"""The question "step": which block carries out a step of a plan."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from tests.agents.scheduled import Scheduled

from memopolis.agents.activities import NUMBERS, STEPS, Activity
from memopolis.agents.block_settings import PlanSettings
from memopolis.agents.blocks.plan import FollowPlan, MakePlan
from memopolis.agents.dispatching import FUNCTIONS, INSTEAD, KINDS, POSSIBLE
from memopolis.agents.plans import build_plan, describe_plan
from memopolis.sim.mind.call import Call, ScriptedClient
from memopolis.sim.mind.llm import LlmMind
from memopolis.sim.mind.mind import Answer, Mind, Question

MakeVillage = Callable[..., Any]

ASKING = PlanSettings(choose_blocks=True)
CONTENT = {"hunger": 1.0, "energy": 1.0, "safety": 1.0, "social": 1.0}


@dataclass
class Dispatches(Mind):
    """Insists on one function for every step."""

    function: str
    asked: list[Question] = field(default_factory=list)

    def answer(self, question: Question) -> Answer:
        if question.kind != "step":
            return question.rule(question)
        self.asked.append(question)
        number = question.options.index(self.function)
        return Answer(np.full(len(question.cohort), number, np.float32))


def living(village: MakeVillage, mind: Any = None, settings: PlanSettings = ASKING) -> Any:
    made = village(agents=30, start="2026-01-03 12:00")
    diary = Scheduled(Activity.REST)
    made.give(made.citizens, diary, FollowPlan(diary, settings), MakePlan(diary, settings))
    for name, value in CONTENT.items():
        made.citizens.cohort()[name] = value
    made.mind = mind or made.mind
    return made


def doing(made: Any) -> list[int]:
    numbers: list[int] = made.citizens.cohort()["doing"].tolist()
    return numbers


def test_functions_are_named_by_block_and_step() -> None:
    assert "talk.message" in FUNCTIONS
    assert "needs.rest" in FUNCTIONS
    assert len(set(FUNCTIONS)) == len(FUNCTIONS) == len(KINDS)
    assert all(STEPS[kind].description for kind in KINDS)


@pytest.mark.parametrize("kind", range(len(STEPS)), ids=[step.name for step in STEPS])
def test_a_function_carries_out_its_own_kind_and_some_others(kind: int) -> None:
    possible = {STEPS[KINDS[at]].name for at in np.flatnonzero(POSSIBLE[kind])}
    own = {STEPS[kind].name} if kind in KINDS else set()
    assert possible == own | set(INSTEAD.get(STEPS[kind].name, ()))
    assert not possible or own  # what has alternatives can itself be chosen


def test_the_rule_sends_a_step_to_the_block_of_its_kind(village: MakeVillage) -> None:
    asked, silent = living(village), living(village, settings=PlanSettings())
    for _ in range(12):
        asked.step()
        silent.step()
        assert doing(asked) == doing(silent)


def test_a_mind_may_choose_another_function(village: MakeVillage) -> None:
    mind = Dispatches("talk.message")
    made = living(village, mind)
    made.step()
    (question,) = mind.asked
    assert len(question.cohort) == 30
    assert set(question.known["step"]) == {"leisure", "rest"}
    assert set(question.known["plan"]) <= {"leisure", "rest"}
    assert dict(zip(question.options, question.descriptions, strict=True))["talk.message"]
    # The function replaces what is done, in the plan as well, but not for how long.
    assert doing(made) == [Activity.MESSAGE] * 30
    plans = made.citizens.cohort()["plan"]
    assert {describe_plan(int(plan)) for plan in plans} == {"message"}
    assert (made.citizens.cohort()["partner"] >= 0).all()


def test_agents_without_a_choice_are_not_asked(village: MakeVillage) -> None:
    mind = Dispatches("talk.message")
    made = living(village, mind)
    hungry = made.citizens.cohort().where(np.arange(30) < 10)
    hungry["hunger"] = 0.1
    made.step()
    (question,) = mind.asked
    assert question.cohort.rows.tolist() == list(range(10, 30))
    assert set(doing(made)[:10]) == {Activity.EAT}


def test_an_impossible_function_is_ignored(village: MakeVillage) -> None:
    mind = Dispatches("talk.meet")
    made, silent = living(village, mind), living(village, settings=PlanSettings())
    made.step()
    silent.step()
    assert mind.asked
    assert doing(made) == doing(silent)


def test_later_steps_are_asked_about(village: MakeVillage) -> None:
    mind = Dispatches("needs.rest")
    made = living(village, mind)
    one = made.citizens.agents[0]
    day = build_plan([("work", 4), ("eat at work", 1), ("work", 4)])
    one.plan, one.plan_step, one.until = day, 1, 0
    made.step()
    # The third step of a working day is work, for which there is nothing else.
    assert one.doing == Activity.WORK
    assert all(0 not in question.cohort.rows for question in mind.asked)


def test_a_prompt_lists_functions_with_descriptions(village: MakeVillage) -> None:
    def answer(call: Call) -> str:
        return '{"reason": "I am tired.", "choice": "needs.rest"}' if wants_step(call) else "{}"

    client = ScriptedClient(answer)
    made = living(village)
    made.mind = LlmMind(client, seed=1)
    made.step()
    asked = [call for call in client.calls if wants_step(call)]
    assert asked
    for call in asked:
        names = call.schema["properties"]["choice"]["enum"]
        text = call.messages[-1].text
        for name in names:
            description = STEPS[KINDS[FUNCTIONS.index(name)]].description
            assert f'"{name}": "{description}"' in text
        assert "talk.meet" not in names
    assert set(doing(made)) == {STEPS[NUMBERS["rest"]].doing}


def wants_step(call: Call) -> bool:
    return "needs.rest" in call.schema["properties"].get("choice", {}).get("enum", ())
