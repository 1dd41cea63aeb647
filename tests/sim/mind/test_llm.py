"""The model mind: whose answer is applied to whom, what a failure becomes, what is charged."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from memopolis.sim.errors import AnswerError, ParameterError
from memopolis.sim.memory.streams.encoding import EMOTIONS
from memopolis.sim.mind import llm
from memopolis.sim.mind.budget import Budget
from memopolis.sim.mind.call import OUTCOMES, Call, LoggedCall, Reply, ScriptedClient
from memopolis.sim.mind.llm import LlmMind
from memopolis.sim.mind.mind import MINDS, Answer, Form, Question, complete_answer
from memopolis.sim.society import Society

Make = Callable[..., Society[Any]]
MODEL, FALLBACK = MINDS.index("model"), MINDS.index("fallback")


def ask(society: Society[Any], form: Form = "rating", **changes: Any) -> Question:
    citizens = society.population("citizen").cohort()
    settled: dict[str, Any] = {"block": "judge", "tick": 5, "ordinal": 2} | changes
    return Question("opinion", citizens, form, ruled, **settled)


def ruled(question: Question) -> Answer:
    n = len(question.cohort)
    return Answer(np.full(n, 1.5), reason=np.zeros(n, np.uint8), reasons=("by rule",))


def by_id(call: Call) -> str:
    return json.dumps({"reason": f"I am {call.agent}", "rating": call.agent % 10})


def test_each_answer_is_applied_to_the_agent_that_was_asked(lived: Make) -> None:
    village = lived(2, agents=12)
    question = ask(village)
    mind = LlmMind(ScriptedClient(by_id), seed=1)
    decisions = complete_answer(question, mind.answer(question))
    ids = question.cohort.ids
    assert decisions.value.tolist() == (ids % 10).tolist()
    reasons = [decisions.reasons[at] for at in decisions.reason]
    assert reasons == [f"I am {i}" for i in ids]
    assert (decisions.how == MODEL).all()


def test_a_call_is_identified_by_its_question(lived: Make) -> None:
    village = lived(1, agents=3)
    client = ScriptedClient(by_id, name="small")
    LlmMind(client, seed=7, temperature=0.5, max_tokens=99).answer(ask(village))
    ids = village.population("citizen").ids.tolist()
    assert [c.key for c in client.calls] == [(7, i, "judge", 5, 2, 0) for i in ids]
    assert {(c.model, c.temperature, c.max_tokens) for c in client.calls} == {("small", 0.5, 99)}


def test_prompts_describe_the_agent_that_is_asked(lived: Make) -> None:
    village = lived(24, agents=6)
    citizens = village.population("citizen")
    citizens.at(np.array([2]))["emotion.fear"] = 8.25
    citizens.memory[2].stream.add("storm", "I saw the sea rise.", importance=0.9)
    citizens.memory.flush()
    recalled = citizens.cohort().memory.observed.stream.search("sea", k=1)
    question = ask(village, memories=recalled, known={"height": np.arange(6) + 0.125})
    text = LlmMind(ScriptedClient(by_id), seed=1).prompts.of(question)[2].messages[1].text
    assert '"fear": 8.25' in text
    assert '"residence": "South"' in text
    assert "storm: I saw the sea rise." in text
    assert '"height": 2.12' in text
    assert '"government_trust"' in text


def test_asking_a_model_has_no_side_effects(lived: Make) -> None:
    village, other = lived(24, agents=6), lived(24, agents=6)
    LlmMind(ScriptedClient(by_id), seed=1).answer(ask(village))
    for society in (village, other):
        society.step()
    memory, untouched = (s.population("citizen").memory for s in (village, other))
    for name in ("accesses", "accessed", "text"):
        rows, ids = memory.streams.listed()[:2]
        kept = memory.streams.at(name, memory.streams.find(rows, ids))
        assert (
            kept.tolist() == untouched.streams.at(name, untouched.streams.find(rows, ids)).tolist()
        )


def test_an_unreadable_answer_is_requested_once_more(lived: Make) -> None:
    village = lived(1, agents=4)
    first = int(village.population("citizen").ids[0])

    def answer(call: Call) -> str:
        return "I pass" if call.agent == first and call.attempt == 0 else by_id(call)

    client, log = ScriptedClient(answer), list[LoggedCall]()
    decisions = LlmMind(client, seed=1, log=log.extend).answer(ask(village))
    assert (decisions.how == MODEL).all()  # type: ignore[union-attr]
    again = client.calls[-1]
    assert (again.agent, again.attempt) == (first, 1)
    assert [m.role for m in again.messages] == ["system", "user", "assistant", "user"]
    assert again.messages[2].text == "I pass"
    assert "no whole JSON object" in again.messages[3].text
    assert [one.outcome for one in log] == ["invalid", "ok", "ok", "ok", "ok"]


def test_the_rule_decides_after_two_failures_or_a_timeout(lived: Make) -> None:
    village = lived(1, agents=9)
    ids = village.population("citizen").ids.tolist()
    failing = dict(zip(ids, ("invalid", *OUTCOMES[2:]), strict=False))

    def answer(call: Call) -> str | Reply:
        how = failing.get(call.agent)
        if how is None:
            return by_id(call)
        return "no" if how == "invalid" else Reply(None, how)

    client, log = ScriptedClient(answer), list[LoggedCall]()
    answered = LlmMind(client, seed=1, log=log.extend).answer(ask(village))
    failed = [i in failing for i in ids]
    assert answered.how.tolist() == np.where(failed, FALLBACK, MODEL).tolist()  # type: ignore[union-attr]
    assert (answered.value[failed] == 1.5).all()
    assert {answered.reasons[at] for at in answered.reason[failed]} == {"by rule"}  # type: ignore[index]
    # Only unreadable answers are asked for again; each failure is reported.
    assert [c.agent for c in client.calls if c.attempt == 1] == [ids[0]]
    assert [one.outcome for one in log if one.call.attempt == 0][:8] == ["invalid", *OUTCOMES[2:]]
    assert len(log) == len(ids) + 1


def test_fallback_error_ends_the_run_with_a_reason(lived: Make) -> None:
    village, log = lived(1, agents=3), list[LoggedCall]()
    client = ScriptedClient(lambda _: Reply(None, "timeout"))
    mind = LlmMind(client, seed=1, fallback="error", log=log.extend)
    with pytest.raises(AnswerError, match=r"no answer to 'opinion' of 'judge' in step 5: timeout"):
        mind.answer(ask(village))
    assert len(log) == 3


def test_a_budget_is_charged_in_the_order_of_rows(lived: Make) -> None:
    village, log = lived(1, agents=6), list[LoggedCall]()
    question = ask(village)
    prompts = LlmMind(ScriptedClient(by_id), seed=1).prompts.of(question)
    limit = sum(prompt.tokens + 50 for prompt in prompts[:4])
    client = ScriptedClient(by_id)
    mind = LlmMind(client, seed=1, budget=Budget(tokens=limit), max_tokens=50, log=log.extend)
    answered = mind.answer(question)
    assert answered.how.tolist() == [MODEL] * 4 + [FALLBACK] * 2  # type: ignore[union-attr]
    assert [one.outcome for one in log] == ["ok"] * 4 + ["budget"] * 2
    assert len(client.calls) == 4
    assert mind.facts()["budget"] == "reached"


def test_repair_questions_are_charged(lived: Make) -> None:
    village = lived(1, agents=4)
    client = ScriptedClient(lambda _: "no")
    answered = LlmMind(client, seed=1, budget=Budget(calls=6)).answer(ask(village))
    assert [c.attempt for c in client.calls] == [0, 0, 0, 0, 1, 1]
    assert set(answered.how.tolist()) == {FALLBACK}  # type: ignore[union-attr]


def test_after_the_limit_no_prompt_is_written(lived: Make) -> None:
    village, log = lived(1, agents=4), list[LoggedCall]()
    mind = LlmMind(ScriptedClient(by_id), seed=1, budget=Budget(calls=0), log=log.extend)
    mind.answer(ask(village))
    mind.answer(ask(village))
    assert [bool(one.call.messages) for one in log] == [True] * 4 + [False] * 4
    assert [one.outcome for one in log] == ["budget"] * 8


def test_a_text_of_a_model_is_stored_like_any_other(lived: Make) -> None:
    village = lived(1, agents=4)
    client = ScriptedClient(lambda call: json.dumps({"text": f"Hello from {call.agent % 2}"}))
    answered = LlmMind(client, seed=1).answer(ask(village, "text"))
    texts = village.texts
    ids = village.population("citizen").ids
    assert [texts[n] for n in answered.text] == [f"Hello from {i % 2}" for i in ids]  # type: ignore[union-attr]


def test_the_evidence_of_a_model_is_all_recalled_memories(lived: Make) -> None:
    village = lived(24, agents=5)
    recalled = village.population("citizen").cohort().memory.stream.today(k=3)
    client = ScriptedClient(lambda call: by_id(call) if call.agent % 2 else Reply(None, "server"))
    question = ask(village, memories=recalled)

    def rule(asked: Question) -> Answer:
        return Answer(np.zeros(len(asked.cohort)), evidence=asked.recalled[:, :1])

    answered = LlmMind(client, seed=1).answer(Question(**{**vars(question), "rule": rule}))
    for row, agent in enumerate(question.cohort.ids):
        wanted = recalled.ids[row] if agent % 2 else [recalled.ids[row, 0], -1, -1]
        assert answered.evidence[row].tolist() == list(wanted)  # type: ignore[index]


def test_a_society_uses_thoughts_of_the_model(village: Make) -> None:
    society = village(agents=10)
    society.live()  # type: ignore[attr-defined]

    def answer(call: Call) -> str:
        asked = call.schema["properties"]
        if "choice" in asked:
            return json.dumps({"reason": "", "choice": asked["choice"]["enum"][-1]})
        if "emotion" in asked:
            levels = {"fear": 9.5, "joy": 0}
            return json.dumps({"text": "What a day", "emotion": "Fear", "intensities": levels})
        return json.dumps({"reason": "", "rating": 10})

    client = ScriptedClient(answer)
    society.mind = LlmMind(client, seed=1)
    for _ in range(24):
        society.step()
    citizens = society.population("citizen")
    blocks = {call.block for call in client.calls}
    assert blocks == {"make_plan", "update_attitudes", "think"}
    assert (citizens["attitude.government_trust"] == 10).all()
    thought = citizens.memory[0].stream.read([int(citizens["thought"][0])])[0]
    assert (thought.text, thought.emotion) == ("What a day", "Fear")
    assert "Fear" in EMOTIONS
    assert {c.ordinal for c in client.calls if c.block == "update_attitudes"} == {0, 1}


def _silent_from(first: int) -> ScriptedClient:
    """A client whose replies have no text from a call on."""
    counted = iter(range(10_000))
    reply = Reply(None, "server", fault="the server answered text/html, not JSON")
    return ScriptedClient(lambda call: by_id(call) if next(counted) < first else reply)


def test_too_few_answers_end_the_run_with_their_reason(lived: Make) -> None:
    village, log = lived(1, agents=40), list[LoggedCall]()
    mind = LlmMind(_silent_from(60), seed=1, min_answered=0.5, log=log.extend)
    mind.answer(ask(village))
    mind.answer(ask(village))  # 30 of the last 50 were answered
    with pytest.raises(
        AnswerError,
        match=r"answered only 0 of 50 consecutive questions, and llm.min_answered is 0.5; most "
        r"frequent reason: the server answered text/html, not JSON",
    ):
        mind.answer(ask(village))
    assert len(log) == 40 + 40


def test_answers_beyond_the_budget_are_not_missed(lived: Make) -> None:
    village = lived(1, agents=60)
    client = ScriptedClient(by_id)
    mind = LlmMind(client, seed=1, min_answered=1.0, budget=Budget(calls=55))
    for _ in range(3):
        mind.answer(ask(village))
    assert len(client.calls) == 55


def test_unreadable_answers_count_as_none(lived: Make) -> None:
    village = lived(1, agents=60)
    client = ScriptedClient(lambda _: "I would rather not")
    with pytest.raises(
        AnswerError, match=r"only 0 of 50 .*: the answer is unreadable: it holds no"
    ):
        LlmMind(client, seed=1, min_answered=0.1).answer(ask(village))
    LlmMind(client, seed=1).answer(ask(village))  # no minimum


def test_no_more_than_a_batch_is_sent_in_vain(lived: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llm, "_BATCH", 50)
    village, client = lived(1, agents=200), _silent_from(0)
    with pytest.raises(AnswerError, match="only 0 of 50"):
        LlmMind(client, seed=1, min_answered=0.5).answer(ask(village))
    assert len(client.calls) == 50


def test_the_count_of_answers_continues_from_a_checkpoint(lived: Make) -> None:
    village = lived(1, agents=30)
    first = LlmMind(_silent_from(0), seed=1, min_answered=0.5)
    first.answer(ask(village))
    continued = LlmMind(_silent_from(0), seed=1, min_answered=0.5)
    continued.restore(json.loads(json.dumps(first.state())))
    for mind in (first, continued):
        with pytest.raises(AnswerError, match="only 0 of 50"):
            mind.answer(ask(village))


def test_facts_have_the_most_frequent_fault(lived: Make) -> None:
    village = lived(1, agents=6)
    faults = ("", "a", "b", "b", "", "c")

    def answer(call: Call) -> str | Reply:
        fault = faults[call.agent % 6]
        return Reply(None, "server", fault=fault) if fault else by_id(call)

    mind = LlmMind(ScriptedClient(answer), seed=1)
    assert mind.facts()["fault"] == ""
    mind.answer(ask(village))
    assert mind.facts()["fault"] == "b"


def test_an_unknown_fallback_is_refused(lived: Make) -> None:
    del lived
    with pytest.raises(ParameterError, match="'rule' and 'error'"):
        LlmMind(ScriptedClient(by_id), seed=1, fallback="guess")  # type: ignore[arg-type]


def test_an_empty_cohort_sends_no_request(lived: Make) -> None:
    village = lived(1, agents=3)
    question = ask(village)
    empty = Question("opinion", question.cohort.where(np.zeros(3, bool)), "rating", ruled)
    client = ScriptedClient(by_id)
    assert len(LlmMind(client, seed=1).answer(empty).value) == 0
    assert client.calls == []
