"""Somebody of a run, brought back once to be asked many things: the verbs of a memory."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from memopolis.analysis.interview import Interview, held_interview
from memopolis.analysis.revived import Revived, check_remembers, checked_mind, revived
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.retrieval.wanted import SIGNS
from memopolis.sim.memory.streams.recollection import Recollection
from memopolis.sim.memory.streams.tags import BUILT_IN
from memopolis.sim.mind.mind import Mind

if TYPE_CHECKING:
    import networkx as nx

    from memopolis.analysis.life import Life
    from memopolis.analysis.load import Run
    from memopolis.sim.memory.views import AgentMemory

COLUMNS = ("time", "topic", "kind", "text", "emotion")
"""What is told of every memory, by its id in the run."""
TERMS = ("recency", "importance", "relevance")
"""Terms of a score, each before its weight."""


def respondent(
    run: "Run", agent: int, settings: Mapping[str, object] | None = None
) -> "Respondent":
    """Bring an agent of a run back to be asked.

    Args:
        run: Its run, which is not changed: one that has ended, a moment of it
            (`run.until(step)`), or one under way.
        agent: Its unique_id.
        settings: Settings of the mind that answers interviews, such as {"mind": "llm",
            "llm.model": "small"}; None for the rule mind.

    Returns:
        The agent as it was at the end of the run. Several threads may ask it.

    Raises:
        SettingsError: If a setting is unknown or not allowed.
        UnknownNameError: If nobody has that unique_id, or the run recorded no memories.
    """
    given = dict(settings or {})
    checked_mind(given)
    return Respondent(run, run.life(agent), given)


@dataclass(frozen=True, eq=False)
class Assessed:
    """How well an agent knows a topic.

    Attributes:
        topic: The topic, in words.
        level: "none", "very_low", "low", "medium" or "high".
        score: 0..1.
        message: One sentence.
        suggestions: What would make the knowledge better, each one sentence.
        memories: How many are about the topic, at most 50.
        confidence: Their mean confidence, nan where there are none.
        recency: Their mean recency, likewise.
        consolidation: Their mean consolidation, likewise.
        evidence: The five best memories, best first, by their id in the run: time, topic, kind,
            text, emotion.
    """

    topic: str
    level: str
    score: float
    message: str
    suggestions: tuple[str, ...]
    memories: int
    confidence: float
    recency: float
    consolidation: float
    evidence: pd.DataFrame


class Respondent:
    """An agent of a run who is asked; asking changes neither it nor the run.

    Memories are named by their ids in the run, and their scores are those of the agent's own
    search at that moment. The society it stands in has no other texts than its memories: how
    rare a word is, it takes from these alone.

    Args:
        run: Its run.
        life: Everything recorded of it.
        settings: Settings of the mind that answers interviews.

    Attributes:
        run: Its run.
        life: Everything recorded of it.

    Raises:
        UnknownNameError: If the run recorded no memories of it.
    """

    def __init__(self, run: "Run", life: "Life", settings: Mapping[str, object]) -> None:
        check_remembers(run, life)
        self.run = run
        self.life = life
        self._settings = dict(settings)
        self._asking = Lock()

    def __repr__(self) -> str:
        return f"<Respondent {self.name}, {self.population} {self.agent} of {self.run.folder}>"

    @property
    def agent(self) -> int:
        """Its unique_id."""
        return self.life.agent

    @property
    def name(self) -> str:
        """What it is called."""
        return self.life.name

    @property
    def population(self) -> str:
        """Whose member it is."""
        return self.life.population

    def search(self, query: str, *, k: int = 20, topic: str = "", kind: str = "") -> pd.DataFrame:
        """Find the memories that answer a query best.

        Args:
            query: What is asked for, in words.
            k: Most memories, >= 1.
            topic: Only memories of this topic; "" for any.
            kind: Only "event" or "thought"; "" for both.

        Returns:
            By id, best first: time, topic, kind, text, emotion, the terms recency, importance
            and relevance (each 0..1, before its weight) and the score.

        Raises:
            ParameterError: If the query is empty, k is below 1, or there is no such kind.
        """
        needs_words("the query", query)
        with self._asking:
            stream = self._memory.observed.stream
            found = stream.search(query, k, topic=topic or None, kind=kind or None, explain=True)
            numbers = self._numbers(found)
        terms = {name: [one.terms[name] for one in found] for name in TERMS}
        return self._told(numbers, **terms, score=[one.score for one in found])

    def context_search(
        self, query: str, *, tags: Sequence[str] = (), emotion: str = "", k: int = 10
    ) -> pd.DataFrame:
        """Find memories that answer a query and fit a situation or a feeling.

        Of the best 3 x k memories, those are told that have one of the tags and the feeling.

        Args:
            query: What is asked for, in words.
            tags: Tags of the situation, as read from the time, the topic and the words of a
                memory: work_hours, late_night, weekend, positive, negative, urgent, work,
                travel, company, home, reflection; none for any.
            emotion: "positive", "negative" or "urgent"; "" for any.
            k: Most memories, >= 1.

        Returns:
            By id, best first: time, topic, kind, text, emotion, match (share of the tags that
            the memory has) and the score.

        Raises:
            ParameterError: If the query is empty, k is below 1, or there is no such tag or
                feeling.
        """
        needs_words("the query", query)
        wanted = (tags,) if isinstance(tags, str) else tuple(tags)
        _known("tag", wanted, BUILT_IN)
        _known("feeling", filter(None, (emotion,)), SIGNS)
        with self._asking:
            stream = self._tagged.who.memory.observed[0].stream
            found = stream.contextual(query, tags=wanted, emotion=emotion or None, k=k)
            numbers = self._numbers(found)
        match = [one.terms["match"] for one in found]
        return self._told(numbers, match=match, score=[one.score for one in found])

    def assess(self, topic: str) -> Assessed:
        """Tell how well it knows a topic.

        Raises:
            ParameterError: If the topic is empty.
        """
        needs_words("the topic", topic)
        with self._asking:
            one = self._memory.knowledge.assess(topic)
            evidence = self._told(self._numbers(one.evidence))
        return Assessed(
            topic=topic,
            level=one.level,
            score=one.score,
            message=one.message,
            suggestions=one.suggestions,
            memories=one.memories,
            confidence=one.confidence,
            recency=one.recency,
            consolidation=one.consolidation,
            evidence=evidence,
        )

    def map(self, topic: str, *, depth: int = 2, least: float = 0.3) -> "nx.Graph[int]":
        """Draw up what it knows about a topic, and what hangs together with it.

        Args:
            topic: The topic, in words.
            depth: Links from the five best memories to a listed one, at most, >= 0.
            least: Least score of a listed memory, 0..1.

        Returns:
            A networkx graph whose nodes are ids of memories with the attributes text, score,
            topic, depth and cluster (id of the memory that founded the cluster, -1 for none);
            its edges are links between listed memories, with their cosine as weight.

        Raises:
            ParameterError: If the topic is empty or a number is out of range.
        """
        import networkx as nx

        needs_words("the topic", topic)
        with self._asking:
            graph = self._memory.knowledge.map(topic, depth=depth, least=least)
            numbers = self._society.numbers
        for _, node in graph.nodes(data=True):
            node["cluster"] = int(numbers[node["cluster"]]) if node["cluster"] >= 0 else -1
        return nx.relabel_nodes(graph, {one: int(numbers[one]) for one in graph})

    def review(self, k: int = 10) -> pd.DataFrame:
        """List the memories that are due to be rehearsed, most pressing first.

        Args:
            k: Most memories, >= 1.

        Returns:
            By id: time, topic, kind, text, emotion, priority (0..1), overdue (days since it
            was due) and the score, priority x (1 + overdue).

        Raises:
            ParameterError: If k is below 1.
        """
        with self._asking:
            due = self._memory.knowledge.review(k)
            numbers = self._numbers([one.memory for one in due])
        return self._told(
            numbers,
            priority=[one.priority for one in due],
            overdue=[one.overdue for one in due],
            score=[one.memory.score for one in due],
        )

    def interview(self, question: str, *, mind: Mind | None = None, memories: int = 5) -> Interview:
        """Ask it something; it answers from its memories.

        What it says does not depend on what was asked before, and a model that takes its time
        keeps nobody else waiting.

        Args:
            question: What it is asked.
            mind: Who answers; None for the one that its settings name.
            memories: Most memories recalled, >= 1.

        Raises:
            ParameterError: If the question is empty or `memories` is below 1.
        """
        needs_words("the question", question)
        society = revived(self.run, self.life, self._settings)
        return held_interview(society, self.life, question, mind=mind, memories=memories)

    # Made when it is first asked, and used only while `_asking` is held.

    @cached_property
    def _society(self) -> Revived:
        return revived(self.run, self.life, {})

    @cached_property
    def _tagged(self) -> Revived:
        """The same, with tags of each memory."""
        return revived(self.run, self.life, {}, tagged=True)

    @property
    def _memory(self) -> "AgentMemory":
        return self._society.who.memory[0]

    def _numbers(self, found: Iterable[Recollection]) -> list[int]:
        """Ids in the run of what was found here."""
        ids = np.array([one.id for one in found], np.int64)
        return [int(number) for number in self._society.numbers[ids]]

    def _told(self, numbers: Sequence[int], **columns: Sequence[Any]) -> pd.DataFrame:
        told = self.life.memories.loc[list(numbers), [*COLUMNS]]
        return told.assign(**{name: list(values) for name, values in columns.items()})


def needs_words(what: str, given: str) -> None:
    """Refuse an empty text.

    Raises:
        ParameterError: If it is.
    """
    if not given.strip():
        raise ParameterError(f"{what} is empty; say what is asked")


def _known(what: str, given: Iterable[str], there: Sequence[str]) -> None:
    for one in given:
        if one not in there:
            raise ParameterError(f"{one!r} is no {what}; allowed are {', '.join(there)}")
