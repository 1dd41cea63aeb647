"""Plans whose steps a mind writes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memopolis import load_run
from memopolis.agents.activities import Activity, Need
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


def living(village: MakeVillage, steps: Any, agents: int = 3, start: str = SATURDAY_NOON) -> Any:
    """A village in which a model writes the same plan for everyone, who is hungry."""
    made = village(agents=agents, start=start)
    made.give(made.citizens, Needs(), FollowPlan(WRITING), MakePlan(WRITING), Mobility())
    for name, value in {"hunger": 0.1, "energy": 1.0, "safety": 1.0, "social": 1.0}.items():
        made.citizens.cohort()[name] = value
    text = steps if isinstance(steps, str) else json.dumps({"reason": "So.", "steps": steps})
    made.client = ScriptedClient(lambda _: text)
    made.mind = LlmMind(made.client, seed=1)
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
    # It is Saturday.
    assert set(properties["what"]["enum"]) == set(ACTIVITIES) - {"work", "school"}
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
        ([step("sleep", "home", 2), step("eat", "home")], "nap 2 h, eat at home 1 h", ""),
        ([step("shop", "home")], None, "no step was possible, replaced by the rule"),
    ],
)  # fmt: skip
def test_steps_that_cannot_be_carried_out_are_left_out_with_a_reason(
    village: MakeVillage, tmp_path: Path, steps: Any, plan: str | None, remark: str
) -> None:
    made, ruled = living(village, steps), village(agents=3, start=SATURDAY_NOON)
    ruled.give(ruled.citizens, Needs(), FollowPlan(), MakePlan(), Mobility())
    for name in ("hunger", "energy", "safety", "social"):
        ruled.citizens.cohort()[name] = made.citizens.cohort()[name]
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


def test_interrupted_work_is_resumed_without_asking(village: MakeVillage) -> None:
    made = living(
        village, [step("work", "workplace", 6), step("rest", "home", 2)], start="2026-01-05 08:00"
    )
    people = made.citizens.cohort()
    people["hunger"] = 1.0
    made.step()
    one = made.citizens.agents[0]
    assert describe_plan(one.plan) == "work 6 h, rest 2 h"
    one.hunger = 0.1
    made.client._answer = lambda _: json.dumps({"reason": "", "steps": [step("eat", "here")]})
    made.step()
    assert describe_plan(one.plan) == "eat here 1 h"
    asked = len(made.client.calls)
    made.step()
    assert describe_plan(one.plan) == "work 6 h, rest 2 h"
    assert one.doing == Activity.WORK
    assert len(made.client.calls) == asked


class WritesOnly(Mind):
    """Answers by rule, but is asked as a model is."""

    def answer(self, question: Question) -> Answer:
        return question.rule(question)


def test_plans_written_by_the_rule_are_those_that_it_composes() -> None:
    def columns(write_steps: bool) -> dict[str, NDArray[Any]]:  # noqa: FBT001
        society = Hurricane(
            agents=60, days=2, rng=2, start="2019-09-03", plans={"write_steps": write_steps}
        )
        society.mind = WritesOnly()
        for _ in range(48):
            society.step()
        citizens = society.population("citizen")
        return {name: citizens[name] for name in ("plan", "plan_step", "place", "until", "hunger")}

    one, other = columns(write_steps=False), columns(write_steps=True)
    for name, values in one.items():
        assert np.array_equal(values, other[name]), name
