"""Recording answers in a file and replaying them."""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopolis.sim.errors import DataFileError, ParameterError, ReplayError
from memopolis.sim.mind.call import Call, Message, Reply, ScriptedClient
from memopolis.sim.mind.cassette import Cassette, Recording, Replaying


def call(who: int, text: str = "What now?", **changes: Any) -> Call:
    asked = Call(
        who, "think", 40, 0, 0, (Message("user", text),), {"type": "object"}, 60,
        seed=1, model="m",
    )  # fmt: skip
    return replace(asked, **changes)


def echo(asked: Call) -> Reply:
    """An answer that names who was asked, some of them failures, with times that differ."""
    if asked.agent % 5 == 4:
        return Reply(None, "timeout", tries=5, seconds=60.0)
    return Reply(f'{{"agent": {asked.agent}, "é": "\u2028\\n"}}', "ok", 30, 7, 2, 0.1 * asked.agent)


def recorded(path: Path, calls: list[Call]) -> list[Reply]:
    recording = Recording(ScriptedClient(echo, name="m"), path)
    replies = recording.complete(calls)
    recording.close()
    return replies


def answers(replies: list[Reply]) -> list[tuple[str | None, str, int, int]]:
    return [(one.text, one.outcome, one.tokens_in, one.tokens_out) for one in replies]


def test_recorded_answers_and_failures_are_replayed(tmp_path: Path) -> None:
    calls = [call(agent) for agent in range(10)]
    first = recorded(tmp_path / "c.jsonl", calls)
    assert first[3].seconds == pytest.approx(0.3)  # recording hides no time from the timings
    replaying = Replaying(tmp_path / "c.jsonl")
    assert replaying.name == "m"
    assert answers(replaying.complete(calls)) == answers(first)
    assert answers(replaying.complete(calls[::-1])) == answers(first)[::-1]
    assert replaying.complete([]) == []


def test_each_call_is_one_line_without_times(tmp_path: Path) -> None:
    recorded(tmp_path / "c.jsonl", [call(3)])
    (line,) = (tmp_path / "c.jsonl").read_bytes().decode().strip().split("\n")
    assert json.loads(line) == {
        "seed": 1, "agent": 3, "block": "think", "tick": 40, "ordinal": 0, "attempt": 0,
        "hash": call(3).hash, "model": "m", "outcome": "ok", "tokens_in": 30, "tokens_out": 7,
        "text": '{"agent": 3, "é": "\u2028\\n"}',
    }  # fmt: skip


@given(order=st.permutations(range(12)), cut=st.integers(0, 12))
def test_the_file_does_not_depend_on_the_order_of_calls(
    tmp_path_factory: pytest.TempPathFactory, order: list[int], cut: int
) -> None:
    folder = tmp_path_factory.mktemp("order")
    calls = [call(agent, tick=10 + agent % 3, ordinal=agent % 2) for agent in range(12)]
    recorded(folder / "straight.jsonl", calls)
    shuffled = Recording(ScriptedClient(echo, name="m"), folder / "shuffled.jsonl")
    shuffled.complete([calls[at] for at in order[:cut]])
    shuffled.complete([calls[at] for at in order[cut:]])
    shuffled.close()
    assert (folder / "straight.jsonl").read_bytes() == (folder / "shuffled.jsonl").read_bytes()


def test_a_question_with_another_prompt_is_named(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    recorded(path, [call(agent) for agent in range(5)])
    asked = [call(0), call(2), call(3, "What else?"), call(1, "What else?"), call(9)]
    with pytest.raises(ReplayError, match=f"{path} contains an answer to another prompt") as error:
        Replaying(path).complete(asked)
    # The first of the rows, not of the numbers of agents.
    assert "agent 3 in block think at tick 40 (question 0, attempt 0, seed 1)" in str(error.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"agent": 9}, "lacks a question; .* agent 9 in block think at tick 40"),
        ({"block": "plan"}, "lacks a question; .* agent 1 in block plan at tick 40"),
        ({"tick": 41}, "lacks a question; .* at tick 41"),
        ({"ordinal": 2}, r"lacks a question; .* \(question 2, attempt 0"),
        ({"attempt": 1}, r"lacks a question; .* \(question 0, attempt 1"),
        ({"seed": 5}, "contains only runs of seed 1"),
        ({"model": "other"}, "was recorded with the model m, not other"),
        ({"temperature": 0.7}, "another prompt"),
        ({"max_tokens": 61}, "another prompt"),
        ({"schema": {"type": "string"}}, "another prompt"),
    ],
)
def test_a_question_that_was_not_recorded_says_what_differs(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    recorded(tmp_path / "c.jsonl", [call(1)])
    with pytest.raises(ReplayError, match=message):
        Replaying(tmp_path / "c.jsonl").complete([call(1, **changes)])


def test_recording_again_requests_only_new_changed_or_failed_calls(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    recorded(path, [call(agent) for agent in range(5)])
    script = ScriptedClient(lambda asked: f"again {asked.agent}", name="m")
    again = Recording(script, path)
    calls = [call(0), call(1, "What else?"), call(4), call(7)]
    replies = again.complete(calls)
    assert [asked.agent for asked in script.calls] == [1, 4, 7]
    assert [one.text for one in replies][1:] == ["again 1", "again 4", "again 7"]
    assert replies[0].text == echo(call(0)).text
    again.close()
    assert answers(Replaying(path).complete(calls)) == answers(replies)
    assert len(path.read_text(encoding="utf-8").strip().split("\n")) == 6  # 0 to 4, and 7


def test_an_interrupted_recording_keeps_its_answers(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    recording = Recording(ScriptedClient(echo, name="m"), path)
    recording.complete([call(3)])
    recording.complete([call(1)])
    # Neither closed nor sorted, and yet whole.
    assert answers(Replaying(path).complete([call(1)])) == answers([echo(call(1))])
    recording.close()
    lines = path.read_bytes().strip().split(b"\n")
    assert [json.loads(line)["agent"] for line in lines] == [1, 3]


def test_runs_of_two_seeds_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    one, two = (Recording(ScriptedClient(echo, name="m"), path) for _ in range(2))
    one.complete([call(1, seed=1)])
    two.complete([call(1, seed=2)])
    one.close()
    two.close()
    assert sorted(key[0] for key in Cassette(path).calls) == [1, 2]


def test_a_cassette_of_two_models_is_read_for_one(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    recorded(path, [call(1), call(2, model="big")])
    with pytest.raises(ParameterError, match="answers of big, m; name one"):
        Replaying(path)
    assert Replaying(path, model="big").complete([call(2, model="big")])[0].outcome == "ok"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "is missing or empty"),
        (b"", "is missing or empty"),
        (b"hello\n", "line 1 of the cassette .* is not a recorded call"),
        (b"\xff\n", "not valid UTF-8"),
        (b"[]\n", "line 1 .* is not a recorded call"),
        (
            b'{"seed": 1}\n',
            "line 1 .* is not a recorded call; each line is JSON with seed, agent, block",
        ),
    ],
)
def test_a_bad_file_is_named(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "c.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DataFileError, match=message):
        Replaying(path)


@pytest.mark.skipif(sys.platform == "win32", reason="no devices in the file system")
@pytest.mark.parametrize("use", [Cassette, Replaying, partial(Recording, ScriptedClient(echo))])
def test_a_device_is_no_cassette(use: Callable[[str], object]) -> None:
    message = "cannot read the cassette /dev/zero: it is a device or a pipe"
    with pytest.raises(DataFileError, match=message):
        use("/dev/zero")


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    recorded(path, [call(1), call(2)])
    whole = path.read_text(encoding="utf-8")
    lines = whole.splitlines()
    path.write_text(f"{lines[0][:-20]}\n{lines[1]}\n", encoding="utf-8")
    with pytest.raises(DataFileError, match=r"line 1 .* is not a recorded call"):
        Replaying(path)
    path.write_text(whole.replace('"ok"', '"fine"'), encoding="utf-8")
    with pytest.raises(DataFileError, match=r"line 1 .* outcome 'fine'; allowed are ok, invalid"):
        Replaying(path)


@pytest.mark.parametrize("cut", [1, 2, 20, 150])
def test_an_incomplete_last_line_is_requested_again(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "c.jsonl"
    recorded(path, [call(1), call(2)])
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole[:-cut], encoding="utf-8")
    script = ScriptedClient(echo, name="m")
    recording = Recording(script, path)
    recording.complete([call(1), call(2)])
    recording.complete([call(3)])
    recording.close()
    assert [key[1] for key in Cassette(path).calls] == [1, 2, 3]
    assert [one.agent for one in script.calls] == ([3] if cut == 1 else [2, 3])
    assert path.read_text(encoding="utf-8").startswith(whole)


def test_an_unwritable_file_is_named(tmp_path: Path) -> None:
    script = ScriptedClient(echo, name="m")
    with pytest.raises(
        DataFileError, match=r"folder of the cassette .*none/c.jsonl does not exist"
    ):
        Recording(script, tmp_path / "none" / "c.jsonl")
    (tmp_path / "some").mkdir()
    recording = Recording(script, tmp_path / "some" / "c.jsonl")
    (tmp_path / "some").rmdir()
    with pytest.raises(DataFileError, match=r"cannot write the cassette .*c.jsonl: No such file"):
        recording.complete([call(1)])
    recording._end.detach()  # nothing can be sorted where the folder is gone


def test_a_lone_surrogate_is_recorded_as_a_question_mark(tmp_path: Path) -> None:
    recording = Recording(ScriptedClient(lambda _: "a\ud800b", name="m"), tmp_path / "c.jsonl")
    recording.complete([call(1)])
    recording.close()
    assert Replaying(tmp_path / "c.jsonl").complete([call(1)])[0].text == "a?b"


def test_random_texts_survive_a_round_trip(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    texts = ["".join(map(chr, rng.integers(0, 0xD7FF, 50))) for _ in range(100)]
    recording = Recording(ScriptedClient(lambda c: texts[c.agent], name="m"), tmp_path / "c.jsonl")
    calls = [call(agent) for agent in range(100)]
    recording.complete(calls)
    recording.close()
    replayed = Replaying(tmp_path / "c.jsonl").complete(calls)
    assert [reply.text for reply in replayed] == texts
