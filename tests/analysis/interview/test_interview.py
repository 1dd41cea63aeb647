"""Interviews with one agent of a run: the answers and their evidence."""

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from memopolis import Block, Cohort, Run, Settings, Society, load_run
from memopolis.agents.citizen import Citizen
from memopolis.analysis.interview.agent_society import build_society
from memopolis.analysis.interview.answering import Interview
from memopolis.analysis.interview.restored_agent import restore_agent
from memopolis.analysis.run.tables import table_digests
from memopolis.errors import ParameterError, SettingsError, UnknownNameError
from memopolis.sim.errors import ReplayError
from memopolis.sim.mind.call import ScriptedClient
from memopolis.sim.mind.cassette import Recording
from memopolis.sim.mind.llm import LlmMind
from memopolis.sim.mind.mind import Answer, Decisions, Mind, Question

LIFE = (
    ("past storm", "We stayed when the great storm came", 0.8),
    ("food", "Baked bread with Bob", 0.2),
    ("storm", "The storm tore tiles off the roof", 0.9),
    ("storm", "The storm tore tiles off the roof", 0.9),
    ("food", "Fed the cat", 0.1),
)


class Live(Block):
    """Live through one thing an hour, and decide to stay in the last."""

    def perceive(self, cohort: Cohort) -> Question:
        if self.clock.tick < len(LIFE):
            topic, text, importance = LIFE[self.clock.tick]
            cohort.memory.stream.add(topic, text, importance=importance, valence=-0.5)
        results = cohort.memory.stream.search("storm", k=2)
        options = ("stay", "leave")
        return Question("stay_or_go", cohort, "choice", stay, memories=results, options=options)

    def apply(self, cohort: Cohort, decisions: Decisions) -> None:
        cohort["emotion.fear"] = np.full(len(decisions.value), 7, np.float32)


def stay(question: Question) -> Answer:
    n = len(question.cohort)
    return Answer(np.zeros(n), reason=np.ones(n, np.uint8), reasons=("", "the walls are thick"))


class Hamlet(Society[Settings]):
    """Three people."""

    def build(self, settings: Settings) -> None:
        self.populate(
            Citizen,
            settings.agents,
            blocks=[Live()],
            status={"name": np.array(["Ann Lee", "Bob", "Cy"])},
        )


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return load_run(Hamlet(rng=1, agents=3, days=1).run(tmp_path_factory.mktemp("runs") / "hamlet"))


def interview(
    run: Run,
    agent: int,
    question: str,
    *,
    settings: Mapping[str, object] | None = None,
    mind: Mind | None = None,
    memories: int = 5,
) -> Interview:
    restored = restore_agent(run, agent, settings)
    return restored.interview(question, mind=mind, memories=memories)


def test_the_rule_mind_reports_memories_once(run: Run) -> None:
    answer = interview(run, 1, "What became of the tiles?")
    assert (answer.name, answer.mind) == ("Ann Lee", "rule")
    assert answer.text == f"{LIFE[2][1]}."
    assert set(answer.evidence.index) == {2, 3}
    assert (answer.evidence["relevance"] > 0.25).all()


def test_a_subject_filters_the_memories_of_an_answer(run: Run) -> None:
    for question in ("What did the storm do?", "Tell me about the storm."):
        answer = interview(run, 1, question)
        assert answer.text == f'On Thursday, 1 January: "{LIFE[2][1]}."'
        assert set(answer.evidence.index) == {2}


def test_decisions_named_in_a_question_are_returned_with_reasons(run: Run) -> None:
    (one,) = interview(run, 2, "Why did you stay?").decisions.to_dict("records")
    assert (one["kind"], one["choice"], one["reason"]) == (
        "stay_or_go",
        "stay",
        "the walls are thick",
    )
    answer = interview(run, 2, "Did you feed the cat?")  # no decision rests on it
    assert list(answer.evidence.index) == [4]
    assert answer.decisions.empty


@pytest.mark.parametrize(
    "question",
    ["Why didn't you leave?", "Did you remain?", "What became of the roof?", "What did you eat?"],
)
def test_decisions_are_matched_by_actions_synonyms_and_recalled_memories(
    run: Run, question: str
) -> None:
    # A choice is to leave, and to remain is to stay; the decisions rest on the tiles that the
    # storm tore off the roof and, at first, on the bread.
    (one,) = interview(run, 2, question).decisions.to_dict("records")
    assert one["kind"] == "stay_or_go"


def test_an_agent_without_relevant_memories_says_so(run: Run) -> None:
    answer = interview(run, 1, "What do you think of quantum physics?")
    assert answer.text.startswith("I remember nothing about that; ask me")
    assert "\n" not in answer.text
    assert answer.evidence.empty


def test_an_interview_changes_nothing_of_the_run(run: Run) -> None:
    before = table_digests(run.folder)
    interview(run, 1, "What did the storm do?")
    assert table_digests(run.folder) == before


def test_the_agent_has_its_final_state(run: Run) -> None:
    society = build_society(run, run.life(3), {})
    (agent,) = society.population_of_one.agents
    assert society.population_of_one.ids.tolist() == [3]
    assert (agent["name"], agent["age"]) == ("Cy", 40)
    assert agent["emotion.fear"] == 7
    memories = [one.text for one in agent.memory.observed.stream.read(range(len(LIFE)))]
    assert memories == [text for _, text, _ in LIFE]
    assert society.clock.now == run.end


class Curt(Mind):
    """Says one word."""

    def answer(self, question: Question) -> Answer:
        texts = question.cohort.population.memory.texts
        return Answer(np.array([np.nan]), text=texts.intern_many([f"{question.about} No."]))


def test_any_mind_may_answer(run: Run) -> None:
    answer = interview(run, 1, "What of the tiles?", mind=Curt(), memories=2)
    assert answer.text == "What of the tiles? No."
    assert len(answer.evidence) == 2


def test_a_model_receives_memories_and_answers(run: Run) -> None:
    client = ScriptedClient(lambda _: json.dumps({"text": "The roof worried me."}))
    answer = interview(run, 1, "What of the storm?", mind=LlmMind(client, seed=1))
    assert (answer.text, answer.mind) == ("The roof worried me.", "model")
    (call,) = client.calls
    text = " ".join(message.text for message in call.messages)
    assert call.agent == 1
    for part in ("Ann Lee", "Somebody asks them", "What of the storm?", LIFE[2][1]):
        assert part in text


def test_a_recorded_answer_is_replayed(run: Run, tmp_path: Path) -> None:
    cassette = tmp_path / "said.cassette"
    client = ScriptedClient(lambda _: json.dumps({"text": "The roof worried me."}))
    mind = LlmMind(Recording(client, cassette), seed=run.seed)
    first = interview(run, 1, "What of the storm?", mind=mind)
    mind.close()
    replay = {"mind": "replay", "llm.cassette": str(cassette)}
    again = interview(run, 1, "What of the storm?", settings=replay)
    assert again.text == first.text
    with pytest.raises(ReplayError, match="agent 1"):
        interview(run, 1, "What of the roof?", settings=replay)


@pytest.mark.parametrize("agent", [0, 99])
def test_an_unknown_agent_is_not_interviewed(run: Run, agent: int) -> None:
    with pytest.raises(UnknownNameError, match="there is no agent"):
        interview(run, agent, "Why?")


def test_an_empty_question_is_refused(run: Run) -> None:
    with pytest.raises(ParameterError, match="empty"):
        interview(run, 1, "  ")


def test_a_mind_that_does_not_exist_is_refused(run: Run) -> None:
    with pytest.raises(SettingsError, match="mind"):
        interview(run, 1, "Why?", settings={"mind": "oracle"})


def test_a_run_without_memories_cannot_be_interviewed(tmp_path: Path) -> None:
    folder = Hamlet(rng=1, agents=3, days=1, record={"tables": ("agents",)}).run(tmp_path / "run")
    with pytest.raises(UnknownNameError, match="recorded no memories"):
        interview(load_run(folder), 1, "Why?")
