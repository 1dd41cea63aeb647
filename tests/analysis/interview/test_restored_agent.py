"""Queries to a restored agent: results by ids of the run, from several threads."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from memopolis import Block, Cohort, Run, Settings, Society, load_run
from memopolis.agents.citizen import Citizen
from memopolis.analysis.run.tables import table_digests
from memopolis.errors import ParameterError, SettingsError, UnknownNameError
from memopolis.sim.running.by_hand import RunByHand
from memopolis.surveys import RestoredAgent, restore_agent

LIFE = (
    ("economy", "Lost the job at the harbour", 0.7, -0.6),
    ("storm", "The storm tore tiles off the roof", 0.9, -0.8),
    ("food", "Baked bread with Bob", 0.2, 0.4),
    ("storm", "Urgent: the storm comes, leave the coast!", 0.8, -0.5),
    ("storm", "The storm tore tiles off the barn", 0.6, -0.5),
    ("food", "Fed the cat", 0.1, 0.1),
)


class Live(Block):
    """Live through one thing an hour, and forget the first."""

    def step(self, cohort: Cohort) -> None:
        tick = self.clock.tick
        if tick < len(LIFE):
            topic, text, importance, valence = LIFE[tick]
            cohort.memory.stream.add(topic, text, importance=importance, valence=valence)
        if tick == len(LIFE):
            cohort.memory.stream.forget(np.zeros((len(cohort), 1), np.int64))
        if tick in {8, 9}:
            cohort.memory.stream.search("tiles off the barn", k=1)


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
def society() -> Hamlet:
    return Hamlet(rng=1, agents=3, days=3)


@pytest.fixture(scope="module")
def run(society: Hamlet, tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = society.run(tmp_path_factory.mktemp("runs") / "hamlet")
    # The interview takes place after the last step.
    society.population("citizen").memory.now = society.clock.tick + 1
    return load_run(folder)


@pytest.fixture
def ann(run: Run) -> RestoredAgent:
    return restore_agent(run, 1)


def test_a_restored_agent_has_a_name(ann: RestoredAgent, run: Run) -> None:
    assert (ann.agent, ann.name, ann.population) == (1, "Ann Lee", "citizen")
    assert repr(ann) == f"<RestoredAgent Ann Lee, citizen 1 of {run.folder}>"


def test_a_search_gives_ids_of_the_run_and_the_terms_of_its_agent(
    ann: RestoredAgent, society: Hamlet, run: Run
) -> None:
    results = ann.search("the storm and the roof", k=3)
    lived = society.population("citizen").memory.observed[0].stream
    for number, one in results.iterrows():
        assert one["text"] == LIFE[int(str(number))][1]
        (same,) = [m for m in lived.search("the storm and the roof", 9, explain=True)
                   if m.id == number]  # fmt: skip
        assert one["recency"] == pytest.approx(same.terms["recency"])
        assert one["importance"] == pytest.approx(same.terms["importance"], abs=0.01)
    assert list(results) == [
        *("time", "topic", "kind", "text", "emotion", "recency", "importance", "relevance"),
        "score",
    ]
    assert results.index[0] == 1
    assert results["score"].is_monotonic_decreasing
    assert results["time"].iloc[0] == run.start + pd.Timedelta(hours=1)


def test_what_was_forgotten_is_not_found(ann: RestoredAgent) -> None:
    assert 0 not in ann.search("Lost the job at the harbour").index


def test_a_search_filters_by_topic_and_kind(ann: RestoredAgent) -> None:
    assert set(ann.search("the storm", topic="food").index) == {2, 5}
    assert ann.search("the storm", topic="nothing of the kind").empty
    assert ann.search("the storm", kind="thought").empty


def test_a_contextual_search_filters_by_tags_and_feeling(ann: RestoredAgent) -> None:
    urgent = ann.context_search("the storm comes", tags=("urgent", "work"))
    assert urgent.index.tolist() == [3]
    assert urgent["match"].tolist() == [0.5]
    assert set(ann.context_search("bread and storm", emotion="positive").index) == {2, 5}
    assert set(ann.context_search("storm", tags="late_night").index) == {1, 2, 3, 4, 5}


def test_knowledge_is_assessed_as_its_agent_would(ann: RestoredAgent, society: Hamlet) -> None:
    result = ann.assess("storm")
    own = society.population("citizen").memory[0].knowledge.assess("storm")
    assert (result.level, result.memories, result.message) == (own.level, own.memories, own.message)
    assert result.consolidation == pytest.approx(own.consolidation)
    assert result.score == pytest.approx(own.score)
    assert set(result.evidence.index) == {1, 3, 4}
    assert ann.assess("quantum physics").level == "none"


def test_a_map_has_ids_of_the_run(ann: RestoredAgent) -> None:
    graph = ann.map("tiles off the roof")
    texts = dict(graph.nodes(data="text"))
    assert texts[1] == LIFE[1][1]
    assert all(text == LIFE[number][1] for number, text in texts.items())
    assert graph.graph["topic"] == "tiles off the roof"


def test_due_memories_equal_those_of_the_agent(ann: RestoredAgent, society: Hamlet) -> None:
    due = ann.review(3)
    own = society.population("citizen").memory[0].knowledge.review(3)
    assert due.index.tolist() == [one.memory.id for one in own]
    assert due["overdue"].tolist() == pytest.approx([one.overdue for one in own])
    assert due["priority"].tolist() == pytest.approx([one.priority for one in own])


def test_interviews_do_not_depend_on_earlier_questions(ann: RestoredAgent, run: Run) -> None:
    first = restore_agent(run, 1).interview("What did the storm do?")
    for question in ("What did you eat?", "Who is Bob?", "What did the storm do?"):
        answer = ann.interview(question)
    assert answer.text == first.text
    pd.testing.assert_frame_equal(answer.evidence, first.evidence)


ASKED: tuple[Callable[[RestoredAgent], object], ...] = (
    lambda one: one.search("the storm").to_dict(),
    lambda one: one.context_search("the storm", tags=("urgent",)).to_dict(),
    lambda one: str(one.assess("the storm")),
    lambda one: sorted(one.map("the storm").nodes),
    lambda one: one.review(4).to_dict(),
    lambda one: one.interview("What did the storm do?").text,
)


def test_threads_get_equal_answers(run: Run) -> None:
    answers = [ask(restore_agent(run, 2)) for ask in ASKED]
    shared = restore_agent(run, 2)

    def ask(number: int) -> object:
        whom = shared if number % 2 else restore_agent(run, 2)
        return ASKED[number % len(ASKED)](whom)

    with ThreadPoolExecutor(8) as threads:
        for number, item in enumerate(threads.map(ask, range(24))):
            assert item == answers[number % len(ASKED)]


def test_nothing_of_the_run_changes(run: Run) -> None:
    before = table_digests(run.folder)
    for ask in ASKED:
        ask(restore_agent(run, 3))
    assert table_digests(run.folder) == before


def test_an_agent_at_a_step_knows_only_earlier_memories(run: Run) -> None:
    then = restore_agent(run.until(3), 1)
    assert set(then.search("the storm").index) == {0, 1, 2}
    assert then.interview("Is there a storm?").text == f'On Thursday, 1 January: "{LIFE[1][1]}."'
    before = restore_agent(run.until(0), 1)
    assert before.search("the storm").empty
    assert before.review().empty
    assert before.assess("the storm").level == "none"
    assert "; ask me, for example, " in before.interview("Is there a storm?").text


def test_an_interview_does_not_change_an_active_run(tmp_path: Path) -> None:
    alone = Hamlet(rng=1, agents=3, days=1).run(tmp_path / "alone")
    with (
        RunByHand(Hamlet(rng=1, agents=3, days=1), tmp_path / "asked") as by_hand,
        ThreadPoolExecutor(3) as threads,
    ):
        run = load_run(by_hand)
        collected = []
        while by_hand.step < by_hand.steps:
            by_hand.make_step()
            run = run.latest()
            if by_hand.step % 6 == 0:
                asked = restore_agent(run, 2)
                collected += [threads.submit(ask, asked) for ask in ASKED]
        assert all(one.result() is not None for one in collected)
        assert 1 in restore_agent(run, 2).search("the storm").index
        by_hand.finish()
    assert table_digests(tmp_path / "asked") == table_digests(alone)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda one: one.search(" "), "the query is empty"),
        (lambda one: one.search("storm", k=0), "k is 0"),
        (lambda one: one.search("storm", kind="dream"), "kind is 'dream'"),
        (lambda one: one.context_search(""), "the query is empty"),
        (lambda one: one.context_search("storm", tags=("loud",)), "unknown tag 'loud'"),
        (lambda one: one.context_search("storm", emotion="glad"), "unknown emotion 'glad'"),
        (lambda one: one.assess(""), "the topic is empty"),
        (lambda one: one.map("\n"), "the topic is empty"),
        (lambda one: one.map("storm", depth=-1), "depth is -1"),
        (lambda one: one.review(0), "k is 0"),
        (lambda one: one.interview(" "), "the question is empty"),
    ],
)
def test_invalid_questions_are_refused(
    ann: RestoredAgent, ask: Callable[[RestoredAgent], object], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        ask(ann)


def test_an_unknown_mind_is_refused_before_any_question(run: Run) -> None:
    with pytest.raises(SettingsError, match="mind"):
        restore_agent(run, 1, {"mind": "oracle"})


def test_unknown_agents_and_agents_without_memories_are_refused(run: Run, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="there is no agent"):
        restore_agent(run, 99)
    society = Hamlet(rng=1, agents=3, days=1, record={"tables": ("agents",)})
    with pytest.raises(UnknownNameError, match="recorded no memories"):
        restore_agent(load_run(society.run(tmp_path / "run")), 1)
