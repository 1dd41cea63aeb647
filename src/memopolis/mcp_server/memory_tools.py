"""Tools about one agent: memories, knowledge and interviews."""

from threading import Lock
from typing import Annotated, Any

from pydantic import Field

from memopolis.analysis.interview.restored_agent import RestoredAgent
from memopolis.mcp_server.answers import Interviewed, Knowledge, KnowledgeMap, Memories
from memopolis.mcp_server.arguments import (
    AgentId,
    AnyTopic,
    Depth,
    Emotion,
    Kind,
    Least,
    LeastPriority,
    Most,
    RunName,
    Step,
    Words,
)
from memopolis.mcp_server.open_runs import OpenRuns, Tools, note_of

_MOST_DECISIONS = 20


class MemoryTools(Tools):
    """Tools about the memory of one agent; they never change the run."""

    def __init__(self, runs: OpenRuns) -> None:
        super().__init__(runs)
        self._model = Lock()

    def search_memory(
        self,
        *,
        agent: AgentId,
        query: Words,
        run: RunName = "",
        topic: AnyTopic = "",
        kind: Kind = "",
        k: Most = 10,
        step: Step = None,
    ) -> Memories:
        """Search an agent's memories by words, such as "the evacuation order".

        For memories of a situation or a feeling, such as a weekend or bad news, use context_search.
        Each memory has the terms of its score, 0 to 1 before weighting: recency (since it was last
        recalled), importance and relevance (to the query).
        """
        restored = self._runs.restored_agent(run, agent, step)
        matches = restored.search(query, k=k, topic=topic, kind=kind)
        return Memories.of(**_who(restored), memories=matches)

    def context_search(
        self,
        *,
        agent: AgentId,
        query: Words,
        run: RunName = "",
        tags: Annotated[
            list[str] | None,
            Field(
                max_length=16,
                description="Situations, of which a memory must have one: work_hours, late_night, "
                "weekend, positive, negative, urgent, idle, work, travel, company, home, "
                "reflection",
            ),
        ] = None,
        emotion: Emotion = "",
        k: Most = 10,
        step: Step = None,
    ) -> Memories:
        """Search an agent's memories of a situation or a feeling, such as bad news at work.

        Returns matches of the words that have one of the tags and the emotion; for words alone use
        search_memory. `match` is the share of the tags that a memory has.
        """
        restored = self._runs.restored_agent(run, agent, step)
        matches = restored.context_search(query, tags=tags or (), emotion=emotion, k=k)
        return Memories.of(**_who(restored), memories=matches)

    def assess_knowledge(
        self, *, agent: AgentId, topic: Words, run: RunName = "", step: Step = None
    ) -> Knowledge:
        """Assess how well an agent knows a topic, from the number and strength of its memories."""
        restored = self._runs.restored_agent(run, agent, step)
        return Knowledge.of_assessment(restored.assess(topic), **_who(restored))

    def knowledge_map(
        self,
        *,
        agent: AgentId,
        topic: Words,
        run: RunName = "",
        depth: Depth = 2,
        least: Least = 0.3,
        step: Step = None,
    ) -> KnowledgeMap:
        """Return what an agent knows about a topic, as a graph of related memories."""
        restored = self._runs.restored_agent(run, agent, step)
        return KnowledgeMap.of_graph(
            restored.map(topic, depth=depth, least=least), **_who(restored)
        )

    def review_list(
        self,
        *,
        agent: AgentId,
        run: RunName = "",
        topic: AnyTopic = "",
        k: Most = 10,
        least: LeastPriority = None,
        step: Step = None,
    ) -> Memories:
        """List the memories that an agent should rehearse, the most urgent first.

        `priority` is the value of rehearsing a memory, `overdue` the days since it was due.
        """
        restored = self._runs.restored_agent(run, agent, step)
        return Memories.of(**_who(restored), memories=restored.review(k, least, topic))

    def interview(
        self,
        *,
        agent: AgentId,
        question: Annotated[str, Field(min_length=1, max_length=2_000, description="The question")],
        run: RunName = "",
        memories: Annotated[
            int, Field(ge=1, le=50, description="Maximum number of recalled memories")
        ] = 5,
        step: Step = None,
    ) -> Interviewed:
        """Interview an agent, who answers from its memories; they are listed as evidence.

        Unless the server was started with a model, reasons, friends and opinions are answered from
        recorded decisions, ties and attitudes, other questions with relevant memories.
        """
        restored = self._runs.restored_agent(run, agent, step)
        with self._model:  # one at a time, because a model's answers may be recorded in a file
            reply = restored.interview(question, memories=memories)
        return Interviewed.of(
            **_who(restored),
            question=question,
            answer=reply.text,
            mind=reply.mind,
            fault=reply.fault or None,
            evidence=reply.evidence,
            decisions=reply.decisions.head(_MOST_DECISIONS),
        )


def _who(restored: RestoredAgent) -> dict[str, Any]:
    run = restored.run
    return {"agent": restored.agent, "name": restored.name, "at": run.end, "note": note_of(run)}
