"""What is put to a server, and what after it refuses."""

from memopolis.sim.mind.call import Call, Message
from memopolis.sim.mind.chat_request import Dialect, seed_of

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


def test_a_refused_request_becomes_simpler_until_nothing_is_left() -> None:
    text = "this server knows no response_format"
    forms = [Dialect()]
    while (simpler := forms[-1].simpler(text)) is not None:
        forms.append(simpler)
    assert [form.format for form in forms] == ["json_schema", "json_object", "text", "text"]
    assert [form.plain for form in forms] == [False, False, False, True]
    assert set(forms[-1].body(CALL, "m")) == {"model", "messages", "max_tokens"}


def test_a_server_that_names_what_it_does_not_take_gets_just_that_changed() -> None:
    limit = Dialect().simpler("Unsupported: 'max_tokens'. Use 'max_completion_tokens' instead.")
    assert limit == Dialect(limit="max_completion_tokens")
    assert limit.body(CALL, "m")["max_completion_tokens"] == 60
    assert limit.simpler("'temperature' does not support 0.5") == Dialect(
        limit="max_completion_tokens", plain=True
    )


def test_every_call_has_a_seed_of_its_own_that_does_not_change() -> None:
    calls = [Call(agent, "think", 3, 0, 0, CALL.messages, {}, 60) for agent in range(100)]
    seeds = [seed_of(call) for call in calls]
    assert len(set(seeds)) == 100
    assert all(0 <= seed < 2**31 for seed in seeds)
    assert seed_of(CALL) == seed_of(CALL)
