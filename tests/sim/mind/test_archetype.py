import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from memopolis.agents.blocks.cognition import UpdateAttitudes
from memopolis.agents.citizen import Citizen
from memopolis.sim.errors import ParameterError
from memopolis.sim.mind.archetype import Archetype
from memopolis.sim.mind.call import Call, Reply, ScriptedClient
from memopolis.sim.mind.llm import LlmMind
from memopolis.sim.mind.mind import MINDS, Answer, Decisions, Question, complete_answer
from memopolis.sim.population import Cohort
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society


class Town(Society[Settings]):
    def build(self, settings: Settings) -> None:
        rows = np.arange(settings.agents)
        gender = np.where(rows % 2, "male", "female")
        self.citizens = self.populate(Citizen, settings.agents, status={"gender": gender})


def townspeople(agents: int) -> Cohort:
    return Town(agents=agents, rng=1).citizens.cohort()


def rating(people: Cohort, **changes: Any) -> Question:
    known = {"rating": people["attitude.government_trust"]}
    asked = Question(
        "attitude", people, "rating", lambda q: Answer(q.known["rating"]),
        about="government_trust",
        known={**known, "conviction": np.zeros(len(people), np.float32)},
        block="update_attitudes", tick=3,
    )  # fmt: skip
    return replace(asked, **changes)


def rated(*ratings: float) -> str:
    answers = [{"reason": f"I say {number:g}", "rating": number} for number in ratings]
    return json.dumps({"answers": answers})


def archetype(answer: Callable[[Call], str | Reply], **options: Any) -> tuple[Archetype, Any]:
    client = ScriptedClient(answer)
    by = options.pop("by", ("gender",))
    return Archetype(LlmMind(client, seed=1), seed=1, by=by, **options), client


def test_one_question_is_sent_for_each_group() -> None:
    mind, client = archetype(lambda _: rated(1, 2), least=2, answers=2)
    people = townspeople(10)
    answer = complete_answer(rating(people), mind.answer(rating(people)))
    assert [call.agent for call in client.calls] == [people.ids[0], people.ids[1]]
    assert set(answer.value.tolist()) == {1.0, 2.0}
    assert set(answer.how.tolist()) == {MINDS.index("model")}
    reasons = [answer.reasons[place] for place in answer.reason]
    assert reasons == [f"I say {value:g}" for value in answer.value]
    facts = mind.facts()
    assert (facts["calls"], facts["answers"], facts["groups"]) == (2, 10, 2)
    assert facts["groups_per_answer"] == "20.00%"


def test_a_draft_of_answers_for_a_group_is_not_used() -> None:
    mind, _ = archetype(
        lambda _: f"<think>{rated(9, 9)}</think> {rated(8, 8)} No: {rated(1, 2)}",
        least=2,
        answers=2,
    )
    people = townspeople(10)
    answer = complete_answer(rating(people), mind.answer(rating(people)))
    assert set(answer.value.tolist()) == {1.0, 2.0}


def test_a_prompt_describes_the_group_and_no_single_agent() -> None:
    mind, client = archetype(lambda _: rated(5, 5, 5), least=5, answers=3, by=())
    people = townspeople(10)
    people["name"] = np.array([f"Ann {number}" for number in range(10)])
    people["attitude.government_trust"] = np.arange(10, dtype=np.float32)
    mind.answer(rating(people))
    (call,) = client.calls
    prompt = call.messages[-1].text
    assert '"gender": "female 50%, male 50%"' in prompt
    assert '"government_trust": 4.5' in prompt
    assert "now 4.5 on a scale" in prompt
    assert "stands for 10 people" in prompt
    assert "Give 3 answers" in prompt
    assert "Ann" not in prompt
    assert call.schema["properties"]["answers"]["minItems"] == 3
    assert call.max_tokens == 3 * 256


def test_answers_are_assigned_to_members_at_random_in_equal_parts() -> None:
    people = townspeople(3_000)
    question = rating(people)
    values = [
        archetype(lambda _: rated(1, 2, 3, 4, 10), least=3_000)[0].answer(asked).value
        for asked in (question, question, rating(people, tick=4))
    ]
    counts = np.unique(values[0], return_counts=True)[1]
    assert (abs(counts - 600) < 100).all()
    np.testing.assert_array_equal(values[0], values[1])
    assert (values[0] != values[2]).mean() > 0.5


def test_the_assigned_answer_does_not_depend_on_other_members() -> None:
    people = townspeople(300)
    some = people.where(np.arange(300) % 3 == 0)
    everyone, few = (
        archetype(lambda _: rated(1, 2, 3), least=1_000, answers=3)[0].answer(rating(who)).value
        for who in (people, some)
    )
    np.testing.assert_array_equal(few, everyone[::3])


def test_an_answer_with_spread_is_drawn_within_the_scale() -> None:
    text = json.dumps({"reason": "so", "rating": 9.0, "spread": 2.0})
    mind, client = archetype(lambda _: text, least=5_000, answers=1)
    values = mind.answer(rating(townspeople(5_000))).value
    assert client.calls[0].schema["required"][-1] == "spread"
    assert "standard deviation" in client.calls[0].messages[-1].text
    assert abs(np.median(values) - 9) < 0.1
    assert values.max() == 10
    # Where the end of the scale does not cut: a normal distribution has 16 % below -1 spread.
    assert abs((values < 7).mean() - 0.159) < 0.02


def test_a_group_of_one_is_asked_as_a_single_agent() -> None:
    alone, client = archetype(lambda _: json.dumps({"reason": "so", "rating": 8}))
    people = townspeople(1)
    assert alone.answer(rating(people)).value.tolist() == [8]
    asked = LlmMind(ScriptedClient(lambda _: ""), seed=1).prompts.of(rating(people))[0]
    assert client.calls[0].messages == asked.messages


def test_only_a_group_without_a_usable_answer_uses_the_fallback() -> None:
    def answer(call: Call) -> str:
        return "I cannot" if '"gender": "female"' in call.messages[1].text else rated(9, 9)

    mind, client = archetype(answer, least=2, answers=2)
    people = townspeople(6)
    answered = complete_answer(rating(people), mind.answer(rating(people)))
    assert answered.value.tolist() == [5, 9, 5, 9, 5, 9]
    assert [MINDS[how] for how in answered.how] == ["fallback", "model"] * 3
    assert [call.attempt for call in client.calls] == [0, 0, 1]


def test_invalid_answers_are_dropped_if_others_are_valid() -> None:
    text = json.dumps({"answers": [{"rating": "high"}, {"reason": "so", "rating": 7}, 3]})
    mind, client = archetype(lambda _: text, least=4, answers=3)
    assert mind.answer(rating(townspeople(4))).value.tolist() == [7] * 4
    assert len(client.calls) == 1


def test_no_agent_gets_an_impossible_choice() -> None:
    people = townspeople(60)
    possible = np.ones((60, 3), np.bool_)
    possible[:, 2] = False
    possible[::2, 1] = False
    possible[0, 0] = False
    question = Question(
        "plan", people, "choice", lambda q: Answer(np.zeros(len(q.cohort))),
        known={"possible": possible}, options=("rest", "walk", "fly"), block="make_plan",
    )  # fmt: skip
    text = json.dumps({"answers": [{"reason": "", "choice": name} for name in ("walk", "rest")]})
    mind, client = archetype(lambda _: text, by=(), answers=2)
    answer = mind.answer(question)
    items = client.calls[0].schema["properties"]["answers"]["items"]
    assert items["properties"]["choice"]["enum"] == ["rest", "walk"]
    values = answer.value.astype(int)
    assert possible[np.arange(60), values][1:].all()
    assert set(values[1::2]) == {0, 1}
    assert answer.how is not None
    assert MINDS[answer.how[0]] == "fallback"


def remember(people: Cohort) -> None:
    """All hear of the storm; the first twenty meet; each has a secret."""
    stream = people.memory.stream
    stream.add("news", "A storm is coming to {place}.", place=np.zeros(len(people), np.int16))
    people.where(people.rows < 20).memory.stream.add("social", "Met {actor}.", actor=people.ids[9])
    secrets = people.population.memory.texts.intern_many(
        [f"Secret {row}" for row in people.rows.tolist()]
    )
    stream.add("social", secrets)
    people.population.memory.flush()


def test_a_group_prompt_uses_shared_memories_as_evidence() -> None:
    people = townspeople(30)
    remember(people)
    recalled = people.memory.stream.search("storm met secret", k=5)
    question = rating(people, memories=recalled)
    mind, client = archetype(lambda _: rated(5, 6), by=(), least=30, answers=2)
    answer = mind.answer(question)
    prompt = client.calls[0].messages[-1].text
    assert "A storm is coming to a place nearby." in prompt
    assert "Met someone." in prompt
    assert not re.search(r"Secret \d", prompt)
    assert answer.evidence is not None
    read = people.memory.stream.read(answer.evidence)
    assert sorted(one.template for one in read[0]) == [
        "A storm is coming to {place}.",
        "Met {actor}.",
    ]
    assert [one.template for one in read[25]] == ["A storm is coming to {place}."]


def test_thoughts_of_a_group_are_texts_with_feelings() -> None:
    levels = dict.fromkeys(("sadness", "joy", "fear", "disgust", "anger", "surprise"), 4)
    one = {"text": "All is {well}", "emotion": "Joy", "intensities": levels}
    people = townspeople(4)
    question = Question(
        "thought", people, "text", lambda q: Answer(np.full(len(q.cohort), np.nan)),
        block="think",
    )  # fmt: skip
    mind, _ = archetype(lambda _: json.dumps({"answers": [one, one]}), by=(), answers=2)
    answer: Decisions = complete_answer(question, mind.answer(question))
    assert {people.population.memory.texts[number] for number in answer.text} == {"All is (well)"}
    assert answer.intensities.tolist() == [[4.0] * 6] * 4
    assert len(set(answer.emotion.tolist())) == 1


def test_a_society_runs_with_archetypes(village: Callable[..., Any]) -> None:
    made = village(agents=60)
    made.give(made.citizens, UpdateAttitudes())
    mind, client = archetype(lambda _: rated(7, 7), answers=2, least=20)
    made.mind = mind
    for _ in range(24):
        made.step()
    trust = made.citizens["attitude.government_trust"]
    assert (trust == 7).all()
    assert len(client.calls) < 60


@pytest.mark.parametrize("name", ["bins", "least", "answers"])
def test_numbers_below_one_are_refused(name: str) -> None:
    with pytest.raises(ParameterError, match=f"{name} is 0"):
        archetype(lambda _: "", **{name: 0})
