"""Plans whose steps a mind writes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.agents.scheduled import Scheduled

from memopolis import load_run
from memopolis.agents.activities import NUMBERS, STEPS, Activity, Need
from memopolis.agents.block_settings import PlanSettings
from memopolis.agents.blocks.mobility import Mobility
from memopolis.agents.blocks.needs import Needs
from memopolis.agents.blocks.plan import FollowPlan, MakePlan
from memopolis.agents.planned_behaviour import ACTIVITIES, PLACES
from memopolis.agents.plans import describe_plan, need_of
from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.sim.mind.call import ScriptedClient
from memopolis.sim.mind.llm import LlmMind
from memopolis.sim.mind.mind import Answer, Mind, Question

MakeVillage = Callable[..., Any]
WRITING = PlanSettings(write_steps=True)
SATURDAY_NOON = "2026-01-03 12:00"


def living(
    village: MakeVillage, steps: Any, scheduled: Any = Activity.REST, *, agents: int = 3
) -> Any:
    """A village in which a model writes the same plan for everyone, who is hungry."""
    made = planning(village, WRITING, scheduled, agents=agents)
    text = steps if isinstance(steps, str) else json.dumps({"reason": "So.", "steps": steps})
    made.client = ScriptedClient(lambda _: text)
    made.mind = LlmMind(made.client, seed=1)
    return made


def planning(village: MakeVillage, settings: PlanSettings, scheduled: Any, *, agents: int) -> Any:
    made = village(agents=agents, start=SATURDAY_NOON)
    diary = Scheduled(scheduled)
    plans = FollowPlan(diary, settings), MakePlan(diary, settings)
    made.give(made.citizens, diary, Needs(), *plans, Mobility())
    for name, value in {"hunger": 0.1, "energy": 1.0, "safety": 1.0, "social": 1.0}.items():
        made.citizens.cohort()[name] = value
    return made


def step(what: str, where: str, hours: float = 1) -> dict[str, Any]:
    return {"what": what, "where": where, "hours": hours}


def plans(made: Any) -> list[str]:
    return [describe_plan(int(plan)) for plan in made.citizens.cohort()["plan"]]


def test_a_model_writes_a_plan(village: MakeVillage) -> None:
    made = living(village, [step("shop", "shop"), step("eat", "home"), step("rest", "home", 3)])
    made.step()
    assert plans(made) == ["shop 1 h, eat at home 1 h, rest 3 h"] * 3
    plan = made.citizens.cohort()["plan"]
    # It serves hunger, so hunger does not interrupt the shopping.
    assert need_of(plan).tolist() == [Need.HUNGRY] * 3
    seen = [int(made.citizens.agents[0].doing)]
    for _ in range(2):
        made.step()
        seen.append(int(made.citizens.agents[0].doing))
    assert seen == [Activity.SHOP, Activity.EAT, Activity.REST]
    assert len(made.client.calls) == 3


def test_the_schema_has_one_to_six_steps_within_bounds(village: MakeVillage) -> None:
    made = living(village, [step("eat", "home")])
    made.step()
    (first, *_) = made.client.calls
    steps = first.schema["properties"]["steps"]
    assert (steps["minItems"], steps["maxItems"]) == (1, 6)
    properties = steps["items"]["properties"]
    assert properties["hours"] == {"type": "integer", "minimum": 1, "maximum": 12}
    assert properties["where"]["enum"] == list(PLACES)
    # A day without work.
    assert set(properties["what"]["enum"]) == set(ACTIVITIES) - {"work", "school", "in care"}
    assert '"eat": "home, near, here, friend' in first.messages[-1].text


@pytest.mark.parametrize(
    ("steps", "plan", "remark"),
    [
        ([step("fly", "home"), step("eat", "home")], "eat at home 1 h", "steps left out: 1"),
        ([step("eat", "moon"), step("eat", "home")], "eat at home 1 h", "steps left out: 1"),
        ([step("eat", "home", 99)], "eat at home 12 h", ""),
        ([step("eat", "home")] * 9, ", ".join(["eat at home 1 h"] * 6), "left out: 3"),
        (["eat", step("eat", "home")], "eat at home 1 h", "left out: 1"),
        ([step("shop", "home"), step("eat", "home")], "eat at home 1 h", "not possible then: 1"),
        ([step("eat", "home"), step("sleep", "home", 8)], "eat at home 1 h", "then: 1"),
        ([step("sleep", "home", 2), step("eat", "home")], "eat at home 1 h", "then: 1"),
        ([step("shop", "home")], None, "no step was possible, replaced by the rule"),
    ],
)  # fmt: skip
def test_steps_that_cannot_be_carried_out_are_left_out_with_a_reason(
    village: MakeVillage, tmp_path: Path, steps: Any, plan: str | None, remark: str
) -> None:
    made = living(village, steps)
    ruled = planning(village, PlanSettings(), Activity.REST, agents=3)
    made.run(tmp_path / "run", days=1 / 24)
    ruled.step()
    assert plans(made) == (plans(ruled) if plan is None else [plan] * 3)
    decisions = load_run(tmp_path / "run").decisions
    assert decisions["choice"].tolist() == plans(made)
    assert set(decisions["mind"]) == {"model"}
    assert all(remark in reason for reason in decisions["reason"])
    if not remark:
        assert set(decisions["reason"]) == {"So."}


@pytest.mark.parametrize("reply", ["I would rather rest.", '{"reason": "", "steps": []}', "{}"])
def test_the_rule_plans_if_an_answer_has_no_valid_step(village: MakeVillage, reply: str) -> None:
    made = living(village, reply)
    made.step()
    assert len(made.client.calls) == 6  # and a request for repair for each
    assert all("eat" in plan for plan in plans(made))


@pytest.mark.parametrize("due", [Activity.WORK, Activity.SLEEP])
def test_work_and_sleep_interrupt_a_written_plan(village: MakeVillage, due: Activity) -> None:
    steps = [step("eat", "home"), step("rest", "home", 9)]
    made = living(village, steps, {0: Activity.REST, 15: due}, agents=1)
    agent = made.citizens.agents[0]
    seen = []
    for _ in range(3):
        made.step()
        seen.append(Activity(agent.doing))
    plan = [step("work", "workplace"), step("sleep", "home")]
    made.client._answer = lambda _: json.dumps({"reason": "", "steps": plan})
    made.step()
    seen.append(Activity(agent.doing))
    # The rest is too long to be finished before, and begins nevertheless, since it is no outing.
    assert seen == [Activity.EAT, Activity.REST, Activity.REST, due]
    assert len(made.client.calls) == 2
    assert agent.credit == 0.5


def test_the_shop_before_a_meal_is_chosen_by_memories_of_shopping(village: MakeVillage) -> None:
    targets = {}
    for remembered in (False, True):
        made = living(village, [step("shop", "shop"), step("eat", "home")], agents=100)
        if remembered:
            stream = made.citizens.cohort().memory.stream
            stream.add(
                "shortage", "A store in {place} had sold out.", place=0, importance=0.6,
                valence=-0.9,
            )  # fmt: skip
            for n in range(WRITING.memories):
                meal = STEPS[NUMBERS["eat at home"]].memories[n % 2]
                stream.add("activity", f"{meal} {n}", importance=0.9, valence=0.3)
            made.citizens.memory.flush()
        made.step()
        assert set(plans(made)) == {"shop 1 h, eat at home 1 h"}
        targets[remembered] = (made.citizens["target"] == 0).mean()
    assert targets[False] > 0.2
    assert targets[True] == 0


class WritesOnly(Mind):
    """Answers by rule, but is asked as a model is."""

    def answer(self, question: Question) -> Answer:
        return question.rule(question)


def test_plans_written_by_the_rule_keep_the_hours_of_sleep_and_work() -> None:
    def list_activities(write_steps: bool) -> NDArray[Any]:  # noqa: FBT001
        society = Hurricane(
            agents=60, days=2, rng=2, storm="none", plans={"write_steps": write_steps}
        )
        society.mind = WritesOnly()
        doing = []
        for _ in range(48):
            society.step()
            doing.append(society.population("citizen")["doing"].copy())
        return np.array(doing)

    chosen, written = list_activities(write_steps=False), list_activities(write_steps=True)
    for activity in (Activity.SLEEP, Activity.WORK):
        assert (chosen == activity).any()
        assert np.array_equal(chosen == activity, written == activity)
