"""Interview one agent from a saved run, and search its memory."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from memopolis.analysis.interview.agent_society import (
    AgentSociety,
    build_society,
    check_has_memories,
    mind_settings,
)
from memopolis.analysis.interview.answering import Interview, run_interview
from memopolis.analysis.interview.questions import check_question
from memopolis.analysis.interview.record_answers import (
    answer_from_record,
    suggest_questions,
)
from memopolis.analysis.interview.speech import in_language_of
from memopolis.analysis.run.life import Life
from memopolis.analysis.run.run import Run
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory import knowledge
from memopolis.sim.memory.night.sleep import Review
from memopolis.sim.memory.retrieval.filter import SIGNS, Filter
from memopolis.sim.memory.retrieval.recollection import Recollection
from memopolis.sim.memory.streams.encoding import BUILT_IN
from memopolis.sim.memory.views.memories import AgentMemory
from memopolis.sim.mind.mind import Mind

if TYPE_CHECKING:
    import networkx as nx

COLUMNS = ("time", "topic", "kind", "text", "emotion")
"""Columns of every memory, besides its id in the run."""
TERMS = ("recency", "importance", "relevance")  # terms of a score, before their weights


def restore_agent(
    run: Run, agent: int, settings: Mapping[str, object] | None = None
) -> "RestoredAgent":
    """Restore an agent of a run, to interview it and to search its memory.

    Returns the agent as it was at the end of the run. It is thread-safe.

    Args:
        run: The run, which is not changed: one that has ended, a moment of it
            (`run.until(step)`), or one in progress.
        agent: unique_id of the agent.
        settings: Settings of the mind that answers interviews, such as {"mind": "llm",
            "llm.model": "small"}; None for the rule mind.

    Raises:
        SettingsError: If a setting is unknown or not allowed.
        UnknownNameError: If there is no such agent, or the run recorded no memories.
    """
    mind = dict(settings or {})
    mind_settings(mind)
    return RestoredAgent(run, run.life(agent), mind)


@dataclass(frozen=True, eq=False)
class Assessment(knowledge.Assessment):
    """Knowledge of an agent about a topic."""

    evidence: pd.DataFrame  # type: ignore[assignment]


class RestoredAgent:
    """An agent of a saved run that can be interviewed; questions change neither it nor the run.

    Memories have their ids in the run. Their scores are those of the agent's own search at that
    moment, except that the frequency of words is taken from its memories alone. `settings` are
    those of the mind that answers interviews. Raises UnknownNameError if the run recorded no
    memories of the agent.
    """

    def __init__(self, run: Run, life: Life, settings: Mapping[str, object]) -> None:
        check_has_memories(run, life)
        self.run = run
        self.life = life
        self._settings = dict(settings)
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"<RestoredAgent {self.name}, {self.population} {self.agent} of {self.run.folder}>"

    @property
    def agent(self) -> int:
        """unique_id of the agent."""
        return self.life.agent

    @property
    def name(self) -> str:
        """Name of the agent."""
        return self.life.name

    @property
    def population(self) -> str:
        """Population of the agent."""
        return self.life.population

    def search(self, query: str, *, k: int = 20, topic: str = "", kind: str = "") -> pd.DataFrame:
        """Find the memories that match a query best.

        Returns by id, best first: time, topic, kind, text, emotion, the terms recency, importance
        and relevance (each 0..1, before its weight) and the score. Raises ParameterError if the
        query is empty, k is below 1, or there is no such kind.

        Args:
            query: The query, in words.
            k: Maximum number of memories, >= 1.
            topic: Only memories of this topic; "" for any.
            kind: Only "event" or "thought"; "" for both.
        """
        _check_not_empty("the query", query)
        with self._lock:
            stream = self._memory.observed.stream
            matches = stream.search(
                query, k, where=Filter(topic=topic or None, kind=kind or None), explain=True
            )
            numbers = self._numbers(matches)
        terms = {name: [match.terms[name] for match in matches] for name in TERMS}
        return self._table(numbers, **terms, score=[match.score for match in matches])

    def context_search(
        self, query: str, *, tags: Sequence[str] = (), emotion: str = "", k: int = 10
    ) -> pd.DataFrame:
        """Find memories that match a query and fit a situation or an emotion.

        Of the best 3 x k memories, those with one of the tags and the emotion are returned. Returns
        by id, best first: time, topic, kind, text, emotion, match (share of the tags that the
        memory has) and the score. Raises ParameterError if the query is empty, k is below 1, or
        there is no such tag or emotion.

        Args:
            query: The query, in words.
            tags: Tags of the situation, as read from the time, the topic and the words of a
                memory: work_hours, late_night, weekend, positive, negative, urgent, work,
                travel, company, home, reflection; none for any.
            emotion: "positive", "negative" or "urgent"; "" for any.
            k: Maximum number of memories, >= 1.
        """
        _check_not_empty("the query", query)
        chosen = (tags,) if isinstance(tags, str) else tuple(tags)
        _check_known("tag", chosen, BUILT_IN)
        _check_known("emotion", filter(None, (emotion,)), SIGNS)
        with self._lock:
            stream = self._tagged.population_of_one.memory.observed[0].stream
            matches = stream.contextual(query, tags=chosen, emotion=emotion or None, k=k)
            numbers = self._numbers(matches)
        match = [recalled.terms["match"] for recalled in matches]
        return self._table(numbers, match=match, score=[recalled.score for recalled in matches])

    def assess(self, topic: str) -> Assessment:
        """Assess how well the agent knows a topic. Raises ParameterError if the topic is empty."""
        _check_not_empty("the topic", topic)
        with self._lock:
            assessment = self._memory.knowledge.assess(topic)
            evidence = self._table(self._numbers(assessment.evidence))
        values = {field.name: getattr(assessment, field.name) for field in fields(assessment)}
        return Assessment(**(values | {"evidence": evidence}))

    def map(self, topic: str, *, depth: int = 2, least: float = 0.3) -> "nx.Graph[int]":
        """Return the knowledge graph of a topic and of the memories linked to it.

        Returns a networkx graph whose nodes are ids of memories with the attributes text, score,
        topic, depth and cluster (id of the memory that founded the cluster, -1 for none); its edges
        are links between listed memories, with their cosine as weight. Raises ParameterError if the
        topic is empty or a number is out of range.

        Args:
            topic: The topic, in words.
            depth: Maximum number of links from one of the five best memories, >= 0.
            least: Minimum score of a listed memory, 0..1.
        """
        import networkx as nx

        _check_not_empty("the topic", topic)
        with self._lock:
            graph = self._memory.knowledge.map(topic, depth=depth, least=least)
            numbers = self._society.numbers
        for _, node in graph.nodes(data=True):
            node["cluster"] = int(numbers[node["cluster"]]) if node["cluster"] >= 0 else -1
        return nx.relabel_nodes(graph, {node: int(numbers[node]) for node in graph})

    def review(self, k: int = 10, least: float | None = None, topic: str = "") -> pd.DataFrame:
        """List the k memories that are due for review, most urgent first.

        `least` is the minimum priority (0..1), None for the median of all memories, and `topic`
        the topic of the memories, "" for all.

        Returns by id: time, topic, kind, text, emotion, priority (0..1), overdue (days since it was
        due) and the score, priority x (1 + overdue). Raises ParameterError if k is below 1.
        """
        with self._lock:
            due = self._memory.knowledge.review(k, Review(least, topic=topic or None))
            numbers = self._numbers([review.memory for review in due])
        urgency = {
            name: [getattr(review, name) for review in due] for name in ("priority", "overdue")
        }
        return self._table(numbers, **urgency, score=[review.memory.score for review in due])

    def interview(self, question: str, *, mind: Mind | None = None, memories: int = 5) -> Interview:
        """Ask the agent a question.

        Without a model, questions of the kinds of `questions.toml` are answered from the recorded
        decisions, ties, attitudes and status, all others from memories. The text is the answer in
        one to three sentences, `details` the same with times, probabilities and values as recorded.
        An agent without an answer suggests three questions that it can answer.

        The answer does not depend on earlier questions, and a slow model blocks no other thread.
        Raises ParameterError if the question is empty or too long, or `memories` is below 1.

        Args:
            question: The question.
            mind: Mind that answers; None for the one that the settings select.
            memories: Maximum number of memories to recall, >= 1.
        """
        check_question(question)
        society = build_society(self.run, self.life, self._settings)
        record = answer_from_record(self.run, self.life, question)
        with in_language_of(question):
            nothing = "" if record else suggest_questions(self.run, self.life)
            return run_interview(
                society,
                self.life,
                question,
                mind=mind,
                memories=memories,
                record=record,
                nothing=nothing,
            )

    # Built when first used, and used only while `_lock` is held.

    @cached_property
    def _society(self) -> AgentSociety:
        return build_society(self.run, self.life, {})

    @cached_property
    def _tagged(self) -> AgentSociety:
        """The same society, with tags of each memory."""
        return build_society(self.run, self.life, {}, tagged=True)

    @property
    def _memory(self) -> AgentMemory:
        return self._society.population_of_one.memory[0]

    def _numbers(self, matches: Iterable[Recollection]) -> list[int]:
        """Return the ids in the run of search results."""
        ids = np.array([match.id for match in matches], np.int64)
        return [int(number) for number in self._society.numbers[ids]]

    def _table(self, numbers: Sequence[int], **columns: Sequence[Any]) -> pd.DataFrame:
        rows = self.life.memories.loc[list(numbers), [*COLUMNS]]
        return rows.assign(**{name: list(values) for name, values in columns.items()})


def _check_not_empty(what: str, text: str) -> None:
    if not text.strip():
        raise ParameterError(f"{what} is empty; give at least one word")


def _check_known(what: str, values: Iterable[str], allowed: Sequence[str]) -> None:
    for value in values:
        if value not in allowed:
            raise ParameterError(f"unknown {what} {value!r}; allowed are {', '.join(allowed)}")
