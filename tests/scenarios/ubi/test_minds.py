"""A model runs the whole scenario as the rules do, one by one and for groups."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from memopolis.scenarios.ubi.scenario import BasicIncome
from memopolis.sim.mind.archetype import OWN_MEMORIES, Archetype
from memopolis.sim.mind.call import Call, ScriptedClient
from memopolis.sim.mind.llm import LlmMind
from memopolis.sim.mind.mind import MINDS, Decisions, Mind, Question


def filled(schema: dict[str, Any]) -> Any:
    """Something that a schema allows."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema["type"]
    if kind == "object":
        return {name: filled(part) for name, part in schema["properties"].items()}
    if kind == "array":
        return [filled(schema["items"])] * schema.get("minItems", 1)
    if kind == "number":
        return (schema.get("minimum", 0) + schema.get("maximum", 1)) / 2
    return "so"


def alone(client: ScriptedClient) -> Mind:
    return LlmMind(client, seed=1)


def in_groups(client: ScriptedClient) -> Mind:
    return Archetype(LlmMind(client, seed=1), seed=1, least=10, answers=2)


@pytest.mark.parametrize("mind", [alone, in_groups])
def test_a_model_answers_every_question_of_the_scenario(
    mind: Callable[[ScriptedClient], Mind], monkeypatch: pytest.MonkeyPatch
) -> None:
    society = BasicIncome(agents=30, days=90, start=1, rng=1)
    client = ScriptedClient(lambda call: json.dumps(filled(dict(answered(call)))))
    society.mind = mind(client)
    seen: list[Decisions] = []
    answer = society.questions.answer

    def listen(question: Question, *, block: str) -> Decisions:
        seen.append(answer(question, block=block))
        return seen[-1]

    monkeypatch.setattr(society.questions, "answer", listen)
    for _ in range(3):
        society.step()
    kinds = {one.question.kind for one in seen}
    assert kinds == {
        "attitude",
        "consumption",
        "expected_inflation",
        "expected_sales",
        "labour_supply",
        "price",
        "summary",
        "survey_item",
        "target_stock",
        "thought",
        "wage_offer",
    }
    # A group does not share the memories that a summary is about.
    ruled = OWN_MEMORIES if mind is in_groups else ()
    for one in seen:
        how = "rule" if one.question.kind in ruled else "model"
        assert set(one.how.tolist()) == {MINDS.index(how)}
    hours = [one.value for one in seen if one.question.kind == "labour_supply"]
    assert set(np.concatenate(hours).tolist()) == {30.0}
    share = [one.value for one in seen if one.question.kind == "consumption"]
    assert set(np.concatenate(share).tolist()) == {0.5}


def answered(call: Call) -> dict[str, Any]:
    assert call.schema is not None
    return dict(call.schema)
