"""Reading what a chat route sends."""

import json
from typing import Any

import pytest

from memopolis.sim.mind.chat_request import Sent, read


def body(**message: Any) -> bytes:
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    usage = {"prompt_tokens": 12, "completion_tokens": 3}
    return json.dumps({"choices": [choice], "usage": usage}).encode()


def test_an_answer_is_its_text_and_its_tokens() -> None:
    assert read(body(content='{"value": 3}')) == Sent("ok", '{"value": 3}', 12, 3)


def test_an_answer_without_a_text_is_empty() -> None:
    assert read(body(content=None)) == Sent("ok", "", 12, 3)
    assert read(body()) == Sent("ok", "", 12, 3)
    assert read(body(content=[1])) == Sent("ok", "", 12, 3)


def test_a_refusal_is_no_answer() -> None:
    assert read(body(content=None, refusal="I cannot")) == Sent("refused", None, 12, 3)
    filtered = {"choices": [{"finish_reason": "content_filter", "message": {"content": "x"}}]}
    assert read(json.dumps(filtered).encode()) == Sent("refused")


def test_half_a_character_can_be_written_to_a_file() -> None:
    sent = read(b'{"choices": [{"message": {"content": "a\\ud800b"}}]}')
    assert sent.text == "a?b"


@pytest.mark.parametrize("usage", [None, [], {"prompt_tokens": "many"}, {"prompt_tokens": -1}])
def test_tokens_that_are_none_count_nothing(usage: Any) -> None:
    answer = {"choices": [{"message": {"content": "x"}}], "usage": usage}
    assert read(json.dumps(answer).encode()) == Sent("ok", "x", 0, 0)


@pytest.mark.parametrize(
    "wrong",
    [
        b"", b"<html>", b'{"choices": [{"mess', b"[]", b"null", b'{"choices": []}', b"\xff",
        b'{"choices": [null]}', b'{"choices": [{"message": "hi"}]}', b"[" * 100_000,
    ],
)  # fmt: skip
def test_what_is_no_answer_is_the_servers_mistake(wrong: bytes) -> None:
    assert read(wrong) == Sent("server")
