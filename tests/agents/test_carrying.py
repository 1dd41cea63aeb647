"""The question "step": what is done in a step of a plan, and which block carries it out."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from memopolis.agents.activities import PLAN_NUMBERS, PLANS, Activity, Need
from memopolis.agents.block_settings import PlanSettings
from memopolis.agents.blocks import economy, needs, social
from memopolis.agents.blocks.plan import FollowPlan, MakePlan
from memopolis.agents.carrying import CARRIERS, INSTEAD, OPTIONS, POSSIBLE
from memopolis.sim.mind.mind import Answer, Mind, Question
from memopolis.sim.population import snake_case

MakeVillage = Callable[..., Any]

ASKING = PlanSettings(ask_steps=True)
CONTENT = {"hunger": 1.0, "energy": 1.0, "safety": 1.0, "social": 1.0}


@dataclass
class Dispatches(Mind):
    """Takes the last of the steps that may be taken, or one that it insists on."""

    insists: str = ""
    asked: list[Question] = field(default_factory=list)

    def answer(self, question: Question) -> Answer:
        if question.kind != "step":
            return question.rule(question)
        self.asked.append(question)
        possible = question.known["possible"]
        last = possible.shape[1] - 1 - possible[:, ::-1].argmax(axis=1)
        if self.insists:
            last[:] = question.options.index(self.insists)
        return Answer(last.astype(np.float32))


def living(village: MakeVillage, mind: Any = None, settings: PlanSettings = ASKING) -> Any:
    made = village(agents=30, start="2026-01-03 12:00")
    made.give(made.citizens, FollowPlan(settings), MakePlan(settings))
    for name, value in CONTENT.items():
        made.citizens.cohort().status[name] = value
    made.mind = mind or made.mind
    return made


def doing(made: Any) -> list[int]:
    numbers: list[int] = made.citizens.cohort().status.codes("doing").tolist()
    return numbers


def test_each_everyday_activity_has_a_block() -> None:
    done = {s.doing for plan in PLANS if plan.need != Need.INTERVENTION for s in plan.steps}
    assert set(CARRIERS) == done
    blocks = {
        snake_case(name): inspect.getsource(block)
        for module in (economy, needs, social)
        for name, block in inspect.getmembers(module, inspect.isclass)
    }
    blocks["needs"] += inspect.getsource(needs)
    for activity, name in CARRIERS.items():
        assert f"Activity.{activity.name}" in blocks[name]
    assert OPTIONS[list(CARRIERS).index(Activity.MEET)] == "talk: meet"


@pytest.mark.parametrize("activity", Activity)
def test_the_planned_activity_is_always_possible(activity: Activity) -> None:
    possible = POSSIBLE[activity]
    result = {one for one, can in zip(CARRIERS, possible, strict=True) if can}
    itself = {activity} & set(CARRIERS)
    assert result == itself | set(INSTEAD.get(activity, ()))


def test_the_rule_chooses_the_planned_activity(village: MakeVillage) -> None:
    asked, silent = living(village), living(village, settings=PlanSettings())
    for _ in range(12):
        asked.step()
        silent.step()
        assert doing(asked) == doing(silent)


def test_a_mind_may_choose_another_activity_for_the_plan(village: MakeVillage) -> None:
    mind = Dispatches("talk: message")
    made = living(village, mind)
    made.step()
    (question,) = mind.asked
    plans = made.citizens.cohort().status["plan"]
    assert set(plans.tolist()) == {PLAN_NUMBERS["leisure"], PLAN_NUMBERS["rest"]}
    assert len(question.cohort) == 30
    assert set(question.known["step"]) == {"needs: leisure", "needs: rest"}
    assert set(question.known["plan"]) == {"leisure", "rest"}
    assert doing(made) == [Activity.MESSAGE] * 30


def test_agents_without_a_choice_are_not_asked(
    village: MakeVillage,
) -> None:
    mind = Dispatches("work: work")
    made = living(village, mind)
    hungry = made.citizens.cohort().where(np.arange(30) < 10)
    hungry.status["hunger"] = 0.1
    made.step()
    (question,) = mind.asked
    assert question.cohort.rows.tolist() == list(range(10, 30))
    assert set(doing(made)[:10]) == {Activity.EAT}
    assert set(doing(made)[10:]) <= {Activity.LEISURE, Activity.REST}


def test_later_steps_of_a_plan_are_asked_about(village: MakeVillage) -> None:
    mind = Dispatches()
    made = living(village, mind)
    one = made.citizens.agents[0]
    one.plan, one.plan_step, one.until = PLAN_NUMBERS["work"], 1, 0
    made.step()
    # The third step of a working day is work, for which there is nothing else.
    assert one.doing == Activity.WORK
    assert all(0 not in question.cohort.rows for question in mind.asked)
