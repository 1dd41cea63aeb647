"""Tools that ask somebody of a run: memories, knowledge, and questions in words."""

from collections.abc import Mapping
from threading import Lock
from typing import Annotated, Any

import pandas as pd
from pydantic import Field

from memopolis.analysis.interview.restored_agent import RestoredAgent
from memopolis.mcp_server.answers import Interviewed, Knowledge, KnowledgeMap, Memories
from memopolis.mcp_server.arguments import AgentId, Most, RunName, Step, Words
from memopolis.mcp_server.open_runs import OpenRuns, note_of
from memopolis.mcp_server.paging import plain, rows_of

_MOST_NODES = 100
_MOST_DECISIONS = 20


class MemoryTools:
    """Tools about what one agent remembers and knows; asking changes nothing of the run.

    Args:
        runs: What is read.
    """

    def __init__(self, runs: OpenRuns) -> None:
        self._runs = runs
        self._model = Lock()

    def search_memory(
        self,
        *,
        agent: AgentId,
        query: Words,
        run: RunName = "",
        topic: Annotated[
            str, Field(max_length=200, description='Only memories of this topic; "" for any')
        ] = "",
        kind: Annotated[str, Field(description='Only "event" or "thought"; "" for both')] = "",
        k: Most = 10,
        step: Step = None,
    ) -> Memories:
        """Search what an agent remembers, ranked as its own memory ranks it.

        Each memory comes with the terms of its score, 0 to 1 before their weights: recency (how
        lately it was recalled), importance and relevance (to the query).
        """
        asked = self._runs.restored_agent(run, agent, step)
        return _memories(asked, asked.search(query, k=k, topic=topic, kind=kind))

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
                description="Situations, of which a memory needs one: work_hours, late_night, "
                "weekend, positive, negative, urgent, idle, work, travel, company, home, "
                "reflection",
            ),
        ] = None,
        emotion: Annotated[
            str, Field(description='"positive", "negative" or "urgent"; "" for any')
        ] = "",
        k: Most = 10,
        step: Step = None,
    ) -> Memories:
        """Search an agent's memories that answer a query and fit a situation or a feeling."""
        asked = self._runs.restored_agent(run, agent, step)
        found = asked.context_search(query, tags=tags or (), emotion=emotion, k=k)
        return _memories(asked, found)

    def assess_knowledge(
        self, *, agent: AgentId, topic: Words, run: RunName = "", step: Step = None
    ) -> Knowledge:
        """Tell how well an agent knows a topic, from how much it remembers of it and how firmly."""
        asked = self._runs.restored_agent(run, agent, step)
        known = asked.assess(topic)
        return Knowledge(
            **_who(asked),
            topic=topic,
            level=known.level,
            score=known.score,
            message=known.message,
            suggestions=list(known.suggestions),
            memories=known.memories,
            confidence=plain(known.confidence),
            recency=plain(known.recency),
            consolidation=plain(known.consolidation),
            evidence=rows_of(known.evidence),
        )

    def knowledge_map(
        self,
        *,
        agent: AgentId,
        topic: Words,
        run: RunName = "",
        depth: Annotated[
            int, Field(ge=0, le=5, description="Links from the five best memories, at most")
        ] = 2,
        least: Annotated[
            float, Field(ge=0, le=1, description="Least score of a memory that is listed")
        ] = 0.3,
        step: Step = None,
    ) -> KnowledgeMap:
        """Draw up what an agent knows about a topic and what hangs together with it, as a graph."""
        asked = self._runs.restored_agent(run, agent, step)
        graph = asked.map(topic, depth=depth, least=least)
        best = sorted(graph.nodes(data=True), key=lambda node: (-node[1]["score"], node[0]))
        shown = rows_of(pd.DataFrame([{"id": one, **told} for one, told in best[:_MOST_NODES]]))
        there = {row["id"] for row in shown}
        edges = [
            {"a": plain(a), "b": plain(b), "weight": plain(weight)}
            for a, b, weight in graph.edges(data="weight")
            if a in there and b in there
        ]
        return KnowledgeMap(
            **_who(asked),
            topic=topic,
            nodes=shown,
            edges=edges,
            left_out=len(best) - len(shown),
        )

    def review_list(
        self, *, agent: AgentId, run: RunName = "", k: Most = 10, step: Step = None
    ) -> Memories:
        """List the memories that an agent is due to rehearse, the most pressing first.

        `priority` is what each is worth rehearsing for, `overdue` the days since it was due.
        """
        asked = self._runs.restored_agent(run, agent, step)
        return _memories(asked, asked.review(k))

    def interview(
        self,
        *,
        agent: AgentId,
        question: Annotated[
            str, Field(min_length=1, max_length=2_000, description="What it is asked, in words")
        ],
        run: RunName = "",
        memories: Annotated[
            int, Field(ge=1, le=50, description="Most memories that it recalls for the answer")
        ] = 5,
        step: Step = None,
    ) -> Interviewed:
        """Ask an agent a question; it answers from what it remembers, which is told as evidence.

        Unless the server was started with a model, the answer is the memories that bear on the
        question, told one after another. Quote it as what the agent remembers.
        """
        asked = self._runs.restored_agent(run, agent, step)
        if self._runs.mind:
            with self._model:  # one after another: a model's answers may be recorded in a file
                said = asked.interview(question, memories=memories)
        else:
            said = asked.interview(question, memories=memories)
        return Interviewed(
            **_who(asked),
            question=question,
            answer=plain(said.text),
            mind=said.mind,
            evidence=rows_of(said.evidence),
            decisions=rows_of(said.decisions.tail(_MOST_DECISIONS)),
        )


def _memories(asked: RestoredAgent, found: pd.DataFrame) -> Memories:
    return Memories(**_who(asked), memories=rows_of(found))


def _who(asked: RestoredAgent) -> Mapping[str, Any]:
    return {
        "agent": asked.agent,
        "name": plain(asked.name),
        "at": asked.run.end.isoformat(),
        "note": note_of(asked.run),
    }
