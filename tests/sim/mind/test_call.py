"""Calls: what names them, and what their hash depends on."""

from dataclasses import replace
from typing import Any

import pytest

from memopolis.sim.mind.call import Call, Message, canonical

CALL = Call(17, "think", 40, 0, 0, (Message("user", "hm?"),), {"b": 1, "a": 2}, 100, 3, "m", 0.5)


def test_a_key_identifies_a_call_of_a_run() -> None:
    assert CALL.key == (3, 17, "think", 40, 0, 0)


@pytest.mark.parametrize(
    "change",
    [
        {"messages": (Message("system", "hm?"),)},
        {"messages": (Message("user", "hm!"),)},
        {"schema": {"a": 2}},
        {"model": "n"},
        {"temperature": 0.0},
        {"max_tokens": 99},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_hash_depends_on_the_whole_request(change: dict[str, Any]) -> None:
    assert replace(CALL, **change).hash != CALL.hash


def test_a_hash_does_not_depend_on_agent_or_key_order() -> None:
    other = replace(CALL, agent=18, tick=1, attempt=1, seed=9, schema={"a": 2, "b": 1})
    assert other.hash == CALL.hash


def test_canonical_json_is_one_text_for_one_value() -> None:
    assert canonical({"b": [1, "é"], "a": None}) == '{"a":null,"b":[1,"é"]}'
