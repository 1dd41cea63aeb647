"""Requests to a server over a real connection, with prepared answers."""

import json
import logging
import re
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.chat_server import ChatServer, Play

from memopolis.sim.errors import ParameterError, ServerError, StateError
from memopolis.sim.mind import chat_request
from memopolis.sim.mind import openai_client as module
from memopolis.sim.mind.allow import no_models
from memopolis.sim.mind.call import OUTCOMES, Call, Message, Reply
from memopolis.sim.mind.chat_request import Dialect, Sent
from memopolis.sim.mind.openai_client import OpenAIClient
from memopolis.sim.model_server.key import KEY, MASK, PUBLIC

pytestmark = [pytest.mark.extras, pytest.mark.llm]

SECRET = "sk-secret-0123456789"  # noqa: S105 - a server of the test alone sees it
SCHEMA = {"type": "object", "properties": {"value": {"type": "number"}}, "required": ["value"]}


def calls(many: int, **changes: Any) -> list[Call]:
    """As many citizens are asked, each by name."""
    return [
        Call(
            agent, "think", 1, 0, 0, (Message("user", f"You are citizen {agent}. Go?"),),
            SCHEMA, 60, seed=1, model="m", **changes,
        )
        for agent in range(many)
    ]  # fmt: skip


def who(asked: dict[str, Any]) -> int:
    """The citizen who is asked."""
    return int(re.findall(r"citizen (\d+)", asked["messages"][0]["content"])[0])


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses of some milliseconds."""
    monkeypatch.setattr(chat_request, "SHORTEST", 0.004)
    monkeypatch.setattr(chat_request, "LONGEST", 0.016)


def plain(reply: Reply) -> tuple[str | None, str, int, int]:
    """What the tables keep of a reply."""
    return reply.text, reply.outcome, reply.tokens_in, reply.tokens_out


# --- order ------------------------------------------------------------------------------------


def test_replies_are_the_same_at_any_number_in_flight(chat: ChatServer) -> None:
    latency = np.random.default_rng(3).uniform(0, 0.2, 60)
    chat.script = lambda asked, _: Play(f"I am {who(asked)}", delay=latency[who(asked)])
    replies: dict[int, list[Any]] = {}
    for in_flight in (1, 16, 128):
        chat.most, chat.hold_until = 0, min(in_flight, 40)
        client = OpenAIClient("m", base_url=chat.url, in_flight=in_flight)
        replies[in_flight] = [plain(reply) for reply in client.complete(calls(60))]
        client.close()
        assert min(in_flight, 40) <= chat.most <= in_flight
    assert [text for text, *_ in replies[1]] == [f"I am {agent}" for agent in range(60)]
    assert replies[1] == replies[16] == replies[128]


def test_many_in_flight_are_much_faster_than_one(chat: ChatServer) -> None:
    chat.script = lambda *_: Play("x", delay=0.05)
    seconds = {}
    for in_flight, many in ((1, 10), (128, 640)):
        client = OpenAIClient("m", base_url=chat.url, in_flight=in_flight)
        client.complete(calls(in_flight))  # connections are made once
        started = time.perf_counter()
        client.complete(calls(many))
        seconds[in_flight] = (time.perf_counter() - started) / many
        client.close()
    # 128 times without the work of a request; the table of the benchmarks has the true number.
    assert seconds[1] / seconds[128] > 3


def test_requests_keep_to_the_rate(chat: ChatServer) -> None:
    client = OpenAIClient("m", base_url=chat.url, in_flight=16, rate=1_200)
    started = time.perf_counter()
    client.complete(calls(11))
    assert time.perf_counter() - started >= 10 * 0.05 - 0.01
    client.close()


# --- faults -----------------------------------------------------------------------------------

FAULTS = (
    "busy", "broken", "drop", "cut", "hang", "no answer", "half", "prose", "wrong types",
    "out of range", "another", "empty", "huge", "refused",
)  # fmt: skip
LASTING = {
    "busy": "rate", "broken": "server", "drop": "connection", "cut": "connection",
    "hang": "timeout", "no answer": "server", "huge": "too_long", "refused": "refused",
}  # fmt: skip
"""Faults after which there is no text, and what the reply then says."""


def faulty(fault: str, agent: int) -> Any:
    """What a server with a fault does."""
    good = f'{{"value": {agent}}}'
    played = {
        "busy": Play(status=429, headers={"Retry-After": "0.001"}),
        "broken": Play(status=500, body=f"key {SECRET}".encode()),
        "drop": Play(good, sent=0.0),
        "cut": Play(good, sent=0.9),
        "hang": Play(good, delay=60.0),
        "no answer": Play(body=b'{"choices": [{"mess'),
        "half": Play('{"value": '),
        "prose": Play(f"Well! {good} I hope that helps."),
        "wrong types": Play('{"value": ["a", {}]}'),
        "out of range": Play('{"value": 1e999}'),
        "another": Play(f'{{"value": 1, "name": "citizen {agent + 1}"}}'),
        "empty": Play(""),
        "huge": Play(body=b'{"choices": "' + b"x" * 5_000_000 + b'"}'),
        "refused": Play(status=400, body=b'{"error": {"message": "no"}}'),
    }
    return played[fault]


class PatientClient(OpenAIClient):
    """A client that times out on hanging calls only, however slow the machine is.

    Args:
        hangs: Whether the server will not answer a call.
        changes: Arguments of the client.
    """

    def __init__(self, hangs: Callable[[Call], bool], **changes: Any) -> None:
        super().__init__("m", **changes)
        self._hangs = hangs

    async def _send(self, client: Any, call: Call, dialect: Dialect) -> Sent:
        self._timeout = 5.0 if self._hangs(call) else 600.0
        return await super()._send(client, call, dialect)


@pytest.mark.usefixtures("soon")
def test_each_of_a_thousand_calls_with_faults_gets_its_own_answer(chat: ChatServer) -> None:
    rng = np.random.default_rng(7)
    fault_of = np.where(rng.random(1_000) < 0.3, rng.integers(0, len(FAULTS), 1_000), -1)
    passing = rng.random(1_000) < 0.5
    by_name: dict[int, str] = {}

    def script(asked: dict[str, Any], times: int) -> Any:
        agent = who(asked)
        if fault_of[agent] < 0 or (passing[agent] and times):
            return Play(f'{{"value": {agent}}}')
        return faulty(FAULTS[fault_of[agent]], agent)

    def hangs(call: Call) -> bool:
        messages = [{"role": role, "content": text} for role, text in call.messages]
        seen = chat._seen[json.dumps(messages)]
        return fault_of[call.agent] == FAULTS.index("hang") and not (passing[call.agent] and seen)

    chat.script = script
    outcomes = {}
    for in_flight in (128, 40):
        chat._seen.clear()
        client = PatientClient(hangs, base_url=chat.url, in_flight=in_flight, retries=1)
        replies = client.complete(calls(1_000))
        client.close()
        assert len(replies) == 1_000
        for agent, reply in enumerate(replies):
            fault = FAULTS[fault_of[agent]] if fault_of[agent] >= 0 else ""
            lasts = fault and not (passing[agent] and reply.tries > 1)
            by_name[agent] = fault if lasts else ""
            assert reply.outcome == (LASTING.get(fault, "ok") if lasts else "ok"), fault
            assert (reply.text is None) == (reply.outcome != "ok")
            expected = faulty(fault, agent).text if lasts else f'{{"value": {agent}}}'
            assert reply.text in (None, expected)
        outcomes[in_flight] = [plain(reply) for reply in replies]
    assert outcomes[128] == outcomes[40]
    assert set(by_name.values()) == {"", *FAULTS}  # every fault lasted somewhere
    assert {outcome for _, outcome, *_ in outcomes[40]} == {"ok", *LASTING.values()} <= {*OUTCOMES}


@pytest.mark.usefixtures("soon")
def test_retries_end_after_their_limit(chat: ChatServer) -> None:
    chat.script = lambda *_: Play(status=503)
    client = OpenAIClient("m", base_url=chat.url, retries=3)
    (reply,) = client.complete(calls(1))
    client.close()
    assert (reply.outcome, reply.tries, len(chat.asked)) == ("server", 4, 4)


def test_retry_after_pauses_all_requests(chat: ChatServer) -> None:
    left: list[float] = []

    def script(asked: dict[str, Any], times: int) -> Any:
        left.append(time.perf_counter())
        busy = who(asked) == 0 and not times
        return Play(status=429, headers={"Retry-After": "0.4"}) if busy else Play("x", delay=0.2)

    chat.script = script
    client = OpenAIClient("m", base_url=chat.url, in_flight=2)
    assert [reply.outcome for reply in client.complete(calls(6))] == ["ok"] * 6
    client.close()
    # One more call was in flight; the refused call and four others waited.
    assert [at - left[0] >= 0.39 for at in left] == [False] * 2 + [True] * 5


def test_a_server_that_requests_too_long_a_wait_gets_no_other_try(chat: ChatServer) -> None:
    chat.script = lambda asked, times: (
        Play(status=503, headers={"Retry-After": "0.3" if who(asked) else "3600"})
        if not times
        else Play("x")
    )
    client = OpenAIClient("m", base_url=chat.url, in_flight=1, max_wait=0.5)
    started = time.perf_counter()
    replies = client.complete(calls(3))
    client.close()
    assert 0.29 < time.perf_counter() - started < 30
    assert [reply.outcome for reply in replies] == ["server", "ok", "server"]
    assert [reply.tries for reply in replies] == [1, 2, 1]
    fault = "HTTP 503; it requests to wait 3,600 s, and llm.max_wait allows 0.5 s in all"
    assert replies[0].fault == f"the server answered {fault}"


def _error(**fields: str) -> bytes:
    return json.dumps({"error": {"message": "You exceeded your quota", **fields}}).encode()


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (429, _error(code="insufficient_quota", type="insufficient_quota")),
        (429, _error(type="insufficient_quota")),
        (429, b'{"error": "insufficient_quota"}'),
        (402, b"Insufficient Balance"),
        (400, _error(code="billing_hard_limit_reached")),
        (403, _error(code="billing_not_active")),
    ],
)
@pytest.mark.parametrize("before", [0, 2])
def test_a_quota_that_is_used_up_ends_the_run_at_once(
    chat: ChatServer, status: int, body: bytes, before: int
) -> None:
    chat.script = lambda *_: Play("x")
    client = OpenAIClient("m", base_url=chat.url, in_flight=4)
    client.complete(calls(before))
    sent = len(chat.asked)
    chat.script = lambda *_: Play(status=status, body=body)
    with pytest.raises(ServerError, match=f"refused .*: HTTP {status}, the quota is used up"):
        client.complete(calls(100))
    assert len(chat.asked) - sent <= 4
    chat.script = lambda *_: Play("x")
    assert {reply.outcome for reply in client.complete(calls(9))} == {"ok"}
    client.close()


def test_answers_that_arrive_while_the_quota_ends_are_kept(chat: ChatServer) -> None:
    quota = Play(status=402)
    chat.script = lambda asked, _: (
        Play("x", delay=0.3) if who(asked) == 0 else Play(status=429, headers={"Retry-After": "60"})
        if who(asked) == 1 else quota
    )  # fmt: skip
    kept: list[int] = []
    client = OpenAIClient("m", base_url=chat.url, in_flight=3)
    client.on_reply = lambda call, _: kept.append(call.agent)
    started = time.perf_counter()
    with pytest.raises(ServerError, match="the quota is used up"):
        client.complete(calls(50))
    client.close()
    assert kept == [0]
    assert time.perf_counter() - started < 20  # the call that was to wait is given up
    assert len(chat.asked) == 3


@pytest.mark.usefixtures("soon")
def test_words_about_a_quota_in_a_message_do_not_end_the_run(chat: ChatServer) -> None:
    body = json.dumps({"error": {"message": "insufficient_quota", "code": "slow"}}).encode()
    chat.script = lambda _, times: Play("x") if times else Play(status=429, body=body)
    client = OpenAIClient("m", base_url=chat.url)
    assert [reply.outcome for reply in client.complete(calls(2))] == ["ok"] * 2
    client.close()


@pytest.mark.parametrize(
    ("play", "outcome", "fault"),
    [
        (
            Play(body=b"<html>", headers={"Content-Type": "text/html; charset=utf-8"}),
            "server",
            "the server answered text/html, not JSON",
        ),
        (
            Play(body=b"data: {}\n\n", headers={"Content-Type": "text/event-stream"}),
            "server",
            "the server answered text/event-stream, not JSON",
        ),
        (Play(body=b'{"choices": []}'), "server", "the server answered JSON without choices"),
        (Play(status=500), "server", "the server answered HTTP 500"),
        (Play(status=429), "rate", "the server answered HTTP 429"),
        (Play("x", sent=0.0), "connection", "the connection to the server failed"),
        (Play("x", delay=9.0), "timeout", "the server did not answer within 2 s"),
        (Play(status=400, body=b'"no"'), "refused", "the server answered HTTP 400"),
        (
            Play(status=400, body=b'"prompt is too long"'),
            "too_long",
            "the prompt is too long for the model",
        ),
        (Play("x" * 300_000), "too_long", "the answer has more than 256 KiB"),
    ],
)
def test_the_reason_of_a_failure_is_named(
    chat: ChatServer, play: Play, outcome: str, fault: str
) -> None:
    chat.script = lambda *_: play
    client = OpenAIClient("m", base_url=chat.url, retries=0, timeout=2.0)
    (reply,) = client.complete(calls(1))
    client.close()
    assert (reply.outcome, reply.fault, reply.text) == (outcome, fault, None)


@pytest.mark.parametrize(
    ("text", "outcome", "asked"),
    [
        ("the maximum context length is 4096 tokens", "too_long", 1),
        ("exceed_context_size_error", "too_long", 1),
        ("no such thing", "refused", 4),
    ],
)
def test_a_refused_request_is_simplified_unless_too_long(
    chat: ChatServer, text: str, outcome: str, asked: int
) -> None:
    chat.script = lambda *_: Play(status=400, body=json.dumps({"error": text}).encode())
    client = OpenAIClient("m", base_url=chat.url)
    (reply,) = client.complete(calls(1))
    client.close()
    assert (reply.outcome, reply.tries, len(chat.asked)) == (outcome, asked, asked)


def test_an_unsupported_schema_is_left_out_of_later_requests(chat: ChatServer) -> None:
    def script(asked: dict[str, Any], _: int) -> Any:
        known = asked.get("response_format", {}).get("type") != "json_schema"
        return Play("{}") if known else Play(status=400, body=b'{"error": "response_format?"}')

    chat.script = script
    client = OpenAIClient("m", base_url=chat.url, in_flight=1)
    replies = client.complete(calls(3))
    client.close()
    assert [reply.tries for reply in replies] == [2, 1, 1]
    kinds = Counter(asked["response_format"]["type"] for asked in chat.asked)
    assert kinds == {"json_schema": 1, "json_object": 3}


# --- keys, names, errors ----------------------------------------------------------------------


def test_the_key_is_sent_only_to_the_server(
    chat: ChatServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(KEY, SECRET)
    caplog.set_level(logging.DEBUG)
    text = json.dumps({"error": {"message": f"Incorrect API key: {SECRET}"}}).encode()
    chat.script = lambda *_: Play(
        status=401, body=text, reason=f"{SECRET} denied", headers={"X-Key": SECRET}
    )
    client = OpenAIClient("m", base_url=chat.url)
    with pytest.raises(ServerError, match=f"{chat.url} refused .* HTTP 401; see {KEY}") as refused:
        client.complete(calls(2))
    client.close()
    assert chat.keys == {f"bearer {SECRET}"}  # as the test's server reads it, in lower case
    assert SECRET not in str(refused.value) + repr(client) + repr(vars(client)) + caplog.text
    assert MASK in caplog.text  # the packages below do log reason and headers
    assert refused.value.__cause__ is None


def test_one_refusal_does_not_end_the_run(chat: ChatServer) -> None:
    chat.script = lambda asked, _: Play("x", status=403 if who(asked) == 1 else 200)
    client = OpenAIClient("m", base_url=chat.url)
    assert [reply.outcome for reply in client.complete(calls(3))] == ["ok", "refused", "ok"]
    # What was answered once is known to be there.
    chat.script = lambda *_: Play(status=404)
    assert [reply.outcome for reply in client.complete(calls(2))] == ["refused", "refused"]
    client.close()


@pytest.mark.usefixtures("soon")
def test_an_unreachable_server_is_named() -> None:
    client = OpenAIClient("m", base_url="http://127.0.0.1:9/v1/", retries=1)
    with pytest.raises(ServerError, match=r"no answer from http://127.0.0.1:9/v1; is it running"):
        client.complete(calls(2))
    client.close()


def test_no_request_is_sent_to_openai_without_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY, raising=False)
    with pytest.raises(ServerError, match=f"{PUBLIC} needs a key in .* {KEY}"):
        OpenAIClient("m").complete(calls(1))


def test_if_models_are_off_no_request_is_sent(chat: ChatServer) -> None:
    client = OpenAIClient("m", base_url=chat.url)
    with no_models(), pytest.raises(StateError, match="models are off"):
        client.complete(calls(1))
    assert chat.asked == []


def test_a_closed_or_deleted_client_stops_its_thread(chat: ChatServer) -> None:
    client = OpenAIClient("m", base_url=chat.url)
    assert client.complete([]) == []
    client.close()
    assert client.complete(calls(2))[1].outcome == "ok"
    connection = client._connection
    assert connection is not None
    thread = connection.loop._thread
    del client, connection
    assert not thread.is_alive()


def test_a_huge_answer_is_read_up_to_the_limit(
    chat: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LARGEST", 300)
    chat.script = lambda asked, _: Play("x" * (10 if who(asked) else 1_000))
    client = OpenAIClient("m", base_url=chat.url)
    assert [reply.outcome for reply in client.complete(calls(2))] == ["too_long", "ok"]
    client.close()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": " "}, "needs the name of a model"),
        ({"base_url": f"https://user:{SECRET}@host/v1"}, "without user, password, query and key"),
        ({"base_url": f"https://host/v1?key={SECRET}"}, f"put keys in {KEY}"),
        ({"base_url": f"https://host/{SECRET}/v1"}, f"put keys in {KEY}"),
        ({"base_url": "localhost:8080"}, "looks like http"),
    ],
)
def test_an_invalid_argument_is_refused(
    changes: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, SECRET)
    with pytest.raises(ParameterError, match=message) as refused:
        OpenAIClient(**({"model": "m"} | changes))
    assert SECRET not in str(refused.value)
