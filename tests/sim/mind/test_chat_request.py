"""Requests to a chat route: dialects after a refusal, results, and pauses."""

import asyncio
import json
import math
from typing import Any

import pytest

from memopolis.sim.mind.call import Call, Message
from memopolis.sim.mind.chat_request import (
    Dialect,
    Pace,
    Sent,
    asked_to_wait,
    pause,
    read,
    seed_of,
)

CALL = Call(
    7, "think", 3, 0, 0, (Message("system", "You are Ann"), Message("user", "What now?")),
    {"type": "object"}, 60, seed=1, temperature=0.5,
)  # fmt: skip


def test_a_request_asks_for_the_schema() -> None:
    assert Dialect().body(CALL, "m") == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "You are Ann"},
            {"role": "user", "content": "What now?"},
        ],
        "max_tokens": 60,
        "temperature": 0.5,
        "seed": seed_of(CALL),
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": {"type": "object"}, "strict": True},
        },
    }


def test_a_refused_request_is_simplified_step_by_step() -> None:
    text = "this server knows no response_format"
    forms = [Dialect()]
    while (simpler := forms[-1].simpler(text)) is not None:
        forms.append(simpler)
    assert [form.format for form in forms] == ["json_schema", "json_object", "text", "text"]
    assert [form.plain for form in forms] == [False, False, False, True]
    assert set(forms[-1].body(CALL, "m")) == {"model", "messages", "max_tokens"}


def test_only_the_parameter_named_by_the_server_is_changed() -> None:
    limit = Dialect().simpler("Unsupported: 'max_tokens'. Use 'max_completion_tokens' instead.")
    assert limit == Dialect(limit="max_completion_tokens")
    assert limit.body(CALL, "m")["max_completion_tokens"] == 60
    assert limit.simpler("'temperature' does not support 0.5") == Dialect(
        limit="max_completion_tokens", plain=True
    )


def test_every_call_has_a_fixed_seed() -> None:
    calls = [Call(agent, "think", 3, 0, 0, CALL.messages, {}, 60) for agent in range(100)]
    seeds = [seed_of(call) for call in calls]
    assert len(set(seeds)) == 100
    assert all(0 <= seed < 2**31 for seed in seeds)
    assert seed_of(CALL) == seed_of(CALL)


def test_a_pause_doubles_up_to_eight_seconds_and_is_jittered_down_to_half() -> None:
    for tries, full in ((1, 0.5), (2, 1.0), (3, 2.0), (4, 4.0), (5, 8.0), (9, 8.0)):
        pauses = [pause(f"call {number}", tries) for number in range(200)]
        assert full / 2 <= min(pauses) < 0.52 * full
        assert 0.98 * full < max(pauses) < full


def test_a_pause_is_deterministic() -> None:
    assert pause("a", 1) == pause("a", 1)
    assert pause("a", 1) != pause("b", 1)
    assert pause("a", 6) != pause("a", 7)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("2", 2.0), ("0.25", 0.25), ("-3", 0.0), ("9999", 9999.0), ("inf", math.inf),
        ("nan", None), (None, None), ("", None), ("Wed, 21 Oct 2015 07:28:00 GMT", None),
    ],
)  # fmt: skip
def test_retry_after_is_a_number_of_seconds(header: str | None, seconds: float | None) -> None:
    assert asked_to_wait(header) == seconds


def times(pace: Pace, requests: int, *, held: float = 0.0) -> list[float]:
    """When each request leaves, seconds from the start."""

    async def leave() -> list[float]:
        clock = asyncio.get_running_loop().time
        start = clock()
        if held:
            pace.hold(held)

        async def one() -> float:
            await pace.turn()
            return clock() - start

        return await asyncio.gather(*(one() for _ in range(requests)))

    return asyncio.run(leave())


def test_a_rate_spaces_requests_evenly() -> None:
    left = times(Pace(1_200), 5)  # one in 0.05 s
    assert all(at >= 0.05 * number - 0.001 for number, at in enumerate(left))
    assert left == sorted(left)


def test_without_a_rate_limit_no_call_waits() -> None:
    assert max(times(Pace(None), 100)) < 0.5


def test_a_hold_pauses_all_requests() -> None:
    assert min(times(Pace(None), 3, held=0.1)) >= 0.099


@pytest.mark.parametrize(
    ("header", "date", "seconds"),
    [
        ("Wed, 21 Oct 2015 07:28:30 GMT", "Wed, 21 Oct 2015 07:28:00 GMT", 30.0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", "Wed, 21 Oct 2015 07:28:30 GMT", 0.0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", "Wed, 21 Oct 2015 07:28:00 -0000", None),
        ("Wed, 21 Oct 2015 07:28:00 GMT", "yesterday", None),
        ("Wed, 99 Oct 2015 07:28:00 GMT", "Wed, 21 Oct 2015 07:28:00 GMT", None),
        ("5", "yesterday", 5.0),
    ],
)
def test_a_date_of_retry_after_counts_from_that_of_the_server(
    header: str, date: str, seconds: float | None
) -> None:
    assert asked_to_wait(header, date) == seconds


def holds(*seconds: float, max_wait: float) -> list[bool]:
    """Whether a pace accepts holds that are requested together."""

    async def hold() -> list[bool]:
        pace = Pace(None, max_wait=max_wait)
        return [pace.hold(one) for one in seconds]

    return asyncio.run(hold())


@pytest.mark.parametrize(
    ("seconds", "max_wait", "accepted"),
    [
        ((40, 40, 40), 50, [True, True, True]),  # at the same time, so they count once
        ((40, 70, 90), 80, [True, True, False]),
        ((90, 40), 80, [False, True]),
        ((math.inf,), 600, [False]),
        ((1,), 0, [False]),
        ((0,), 0, [True]),
    ],
)
def test_a_server_may_request_to_wait_for_a_total_time(
    seconds: tuple[float, ...], max_wait: float, accepted: list[bool]
) -> None:
    assert holds(*seconds, max_wait=max_wait) == accepted


def test_a_stopped_pace_ends_the_wait() -> None:
    async def stop() -> float:
        pace, clock = Pace(None), asyncio.get_running_loop().time
        start = clock()
        pace.hold(60)
        waiting = asyncio.create_task(pace.turn())
        await asyncio.sleep(0)
        pace.stopped = "the quota is used up"
        await waiting
        return clock() - start

    assert asyncio.run(stop()) < 5


def body(**message: Any) -> bytes:
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    usage = {"prompt_tokens": 12, "completion_tokens": 3}
    return json.dumps({"choices": [choice], "usage": usage}).encode()


def test_a_reply_has_text_and_tokens() -> None:
    assert read(body(content='{"value": 3}')) == Sent("ok", '{"value": 3}', 12, 3)


def test_a_reply_without_text_is_empty() -> None:
    assert read(body(content=None)) == Sent("ok", "", 12, 3)
    assert read(body()) == Sent("ok", "", 12, 3)
    assert read(body(content=[1])) == Sent("ok", "", 12, 3)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ([{"type": "text", "text": '{"value"'}, {"type": "text", "text": ": 3}"}], '{"value": 3}'),
        ([{"type": "output_text", "text": "a"}, {"text": "b"}], "ab"),
        ([{"type": "thinking", "thinking": [{"type": "text", "text": "draft"}]}], ""),
        ([{"type": "reasoning", "text": "draft"}, {"type": "text", "text": "a"}], "a"),
        ([{"type": "image_url", "text": "x"}, {"type": "text", "text": None}, None, 3, []], ""),
        ([{"type": ["text"], "text": "x"}], ""),
        ({"type": "text", "text": "a"}, ""),
        (3, ""),
        ([], ""),
    ],
)
def test_the_text_of_a_message_in_parts_is_that_of_its_text_parts(content: Any, text: str) -> None:
    assert read(body(content=content)) == Sent("ok", text, 12, 3)


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning", "thinking"])
def test_reasoning_in_a_field_of_its_own_is_not_the_answer(field: str) -> None:
    draft = '{"value": 1}'
    assert read(body(**{"content": None, field: draft})) == Sent("ok", "", 12, 3)
    assert read(body(**{"content": '{"value": 3}', field: draft})).text == '{"value": 3}'


def test_a_refusal_is_not_an_answer() -> None:
    refusal = read(body(content=None, refusal="I cannot"))
    assert refusal == Sent("refused", None, 12, 3, fault="the model refused to answer")
    filtered = {"choices": [{"finish_reason": "content_filter", "message": {"content": "x"}}]}
    assert read(json.dumps(filtered).encode()).outcome == "refused"


def test_a_lone_surrogate_can_be_written_to_a_file() -> None:
    sent = read(b'{"choices": [{"message": {"content": "a\\ud800b"}}]}')
    assert sent.reply(1, 0.0).text == "a?b"


@pytest.mark.parametrize("usage", [None, [], {"prompt_tokens": "many"}, {"prompt_tokens": -1}])
def test_missing_token_counts_are_zero(usage: Any) -> None:
    answer = {"choices": [{"message": {"content": "x"}}], "usage": usage}
    assert read(json.dumps(answer).encode()) == Sent("ok", "x", 0, 0)


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        (b"", "invalid JSON"),
        (b"<html>", "invalid JSON"),
        (b'{"choices": [{"mess', "invalid JSON"),
        (b"\xff", "invalid JSON"),
        (b"[" * 100_000, "invalid JSON"),
        (b"[]", "JSON without choices"),
        (b"null", "JSON without choices"),
        (b'{"choices": []}', "JSON without choices"),
        (b'{"choices": [null]}', "JSON without choices"),
        (b'{"choices": [{"message": "hi"}]}', "JSON without choices"),
        (b'{"error": {"message": "no"}}', "JSON without choices"),
    ],
)
def test_a_malformed_reply_is_a_server_error(wrong: bytes, fault: str) -> None:
    assert read(wrong) == Sent("server", fault=f"the server answered {fault}")


@pytest.mark.parametrize(
    ("content_type", "fault"),
    [
        ("text/html; charset=utf-8", "text/html, not JSON"),
        ("text/event-stream", "text/event-stream, not JSON"),
        ("TEXT/PLAIN", "text/plain, not JSON"),
        ("application/problem+json", "invalid JSON"),
        ("", "no JSON"),
        ("text/\x1b[31mred", "no JSON"),
        (f"text/{'x' * 99}", "no JSON"),
    ],
)
def test_a_reply_that_is_no_json_is_named(content_type: str, fault: str) -> None:
    page = read(b"data: {}\n\n", content_type)
    assert page == Sent("server", fault=f"the server answered {fault}")
    assert page.reply(1, 0.0).fault == page.fault
