"""Answers of the tools."""

from typing import TYPE_CHECKING, Any, Self

import pandas as pd
from pydantic import BaseModel, Field

from memopolis.mcp_server.paging import Answer, Page, plain, rows_of, size_of

if TYPE_CHECKING:
    import networkx as nx

_MOST_NODES = 100  # maximum number of memories in a map


class RunListed(BaseModel):
    """One run of the folder."""

    run: str = Field(description="Name of the run, for the argument `run` of other tools")
    scenario: str = Field(default="", description="Name of the scenario")
    status: str = Field(
        description="succeeded, interrupted, failed, running, killed or broken; of a "
        "running or killed run `steps` steps can be read, of a broken one none"
    )
    seed: str | None = Field(default=None, description="Random seed of the run")
    agents: dict[str, int] = Field(default={}, description="Number of agents by population")
    start: str = Field(default="", description="Local date and time of its first step")
    steps: int = Field(
        default=0, description="Number of complete steps, or of steps that can be read so far"
    )
    step_hours: float = Field(default=0.0, description="Length of a step in hours")
    fork_of: str = Field(default="", description="The run it was forked from, empty if none")
    note: str = Field(default="", description="Problem with the run, empty if none")


class RunList(Answer):
    """The runs of the folder."""

    paged = "runs"
    alternative = Page.alternative

    runs: list[RunListed]
    sweeps: list[str] = Field(description="Names of sweeps, for query_sql")
    total: int = Field(description="Total number of runs")
    offset: int = Field(description="Position of the first returned run, from 0")
    next_offset: int | None = Field(description="Offset of the next runs, null if none")


class RunDescribed(Answer):
    """Description of a run and its data."""

    alternative = ", or a name as part,"

    run: str
    scenario: str
    status: str
    seed: str
    start: str
    end: str
    steps: int
    step_hours: float
    populations: dict[str, int]
    facts: dict[str, Any] = Field(description="Facts stated by the scenario")
    settings: dict[str, Any] = Field(default={}, description="All settings, in groups")
    shocks: list[dict[str, Any]] = Field(
        default=[], description="News, orders, policies and messages by step, past and future"
    )
    by_hand: list[dict[str, Any]] = Field(description="Shocks that a user sent during the run")
    measures: dict[str, Any] = Field(
        default={},
        description="Last value over all agents by measure; as part: also unit, description and "
        'groups, of which "" is all agents',
    )
    tables: dict[str, Any] = Field(
        default={}, description="Number of rows by table; as part: also the columns"
    )
    attributes: dict[str, Any] = Field(
        default={},
        description="Attributes by population, the columns of agents_POPULATION; as part: their "
        "descriptions",
    )


class Citizens(Page):
    """A page of citizens."""

    population: str
    populations: list[str] = Field(description="Names of all populations")


class AgentAnswer(Answer):
    """An answer about one agent."""

    agent: int
    name: str
    at: str = Field(description="Date and time of the run at which the agent was read")


class CitizenLife(AgentAnswer):
    """One agent: profile, status, latest decisions and thoughts."""

    population: str
    profile: dict[str, Any] = Field(description="Attributes that do not change")
    status: dict[str, Any] = Field(description="Latest record of changing attributes")
    status_at: str | None = Field(description="Date and time of that record")
    memories_by_topic: dict[str, int]
    decisions: list[dict[str, Any]] = Field(
        description="The last decisions, newest first; evidence: memories they are based on"
    )
    thoughts: list[dict[str, Any]] = Field(description="The last thoughts, newest first")


class MemoryRows(Answer):
    """Some memories."""

    memories: list[dict[str, Any]] = Field(
        description="By id: time, topic, kind, text, and the terms of the score"
    )


class Assessed(Answer):
    """How well a topic is known."""

    topic: str
    level: str = Field(description="none, very_low, low, medium or high")
    score: float = Field(description="0 to 1")
    message: str
    suggestions: list[str]
    memories: int = Field(description="Number of relevant memories, at most 50")
    confidence: float | None
    recency: float | None
    consolidation: float | None
    evidence: list[dict[str, Any]]

    @classmethod
    def of_assessment(cls, known: Any, **others: Any) -> Self:
        """Return the answer for an assessment of an agent of a run or of a memory."""
        values = {name: getattr(known, name) for name in cls.model_fields if hasattr(known, name)}
        return cls.of(**values | others)


class Mapped(Answer):
    """What is known about a topic, as a graph of memories."""

    topic: str
    nodes: list[dict[str, Any]] = Field(
        description="Memories: id, text, topic, score, depth (links from the best ones), cluster"
    )
    edges: list[dict[str, Any]] = Field(description="Similarity of two memories: a, b, weight")
    left_out: int = Field(description="Number of memories left out of this answer")

    def _shorten(self, whole: dict[str, Any], most: int) -> dict[str, Any]:
        """Leave out the worst memories, and their edges."""
        short = dict(whole)
        while size_of(short) > most and len(short["nodes"]) > 1:
            nodes = short["nodes"][: len(short["nodes"]) * 9 // 10]
            ids = {node["id"] for node in nodes}
            edges = [edge for edge in short["edges"] if edge["a"] in ids and edge["b"] in ids]
            left_out = whole["left_out"] + len(whole["nodes"]) - len(nodes)
            short |= {"nodes": nodes, "edges": edges, "left_out": left_out}
        return super()._shorten(short, most)

    @classmethod
    def of_graph(cls, graph: "nx.Graph[int]", **others: Any) -> Self:
        """Return the answer with the best nodes of a map, and the edges between them."""
        best = sorted(graph.nodes(data=True), key=lambda node: (-node[1]["score"], node[0]))
        nodes = rows_of(pd.DataFrame([{"id": one, **facts} for one, facts in best[:_MOST_NODES]]))
        ids = {node["id"] for node in nodes}
        edges = [
            {"a": plain(a), "b": plain(b), "weight": plain(weight)}
            for a, b, weight in graph.edges(data="weight")
            if a in ids and b in ids
        ]
        left_out = len(best) - len(nodes)
        return cls.of(
            topic=graph.graph["topic"], nodes=nodes, edges=edges, left_out=left_out, **others
        )


class Memories(AgentAnswer, MemoryRows):
    """Memories of one agent, best first."""


class Knowledge(AgentAnswer, Assessed):
    """How well an agent knows a topic."""


class KnowledgeMap(AgentAnswer, Mapped):
    """What an agent knows about a topic, as a graph of memories."""


class Stored(Answer):
    """A memory that was stored or changed."""

    id: int = Field(description="Number of the memory")
    tags: list[str] = Field(description="Its situations and feelings, given or read from it")
    related: list[dict[str, Any]] = Field(description="Similar earlier memories, at most five")


class MemoryDescribed(Answer):
    """Size and topics of a memory."""

    memories: int
    first: str | None = Field(description="Date and time of the oldest memory")
    last: str | None = Field(description="Date and time of the newest memory")
    due: int = Field(description="Number of memories due for review, at most 100")
    topics: dict[str, int] = Field(description="Number of memories by topic")


class Forgotten(Answer):
    """Result of forgetting."""

    forgotten: int = Field(description="Number of memories deleted for good")


class Interviewed(AgentAnswer):
    """An agent's answer and its evidence."""

    question: str
    answer: str
    mind: str = Field(
        description="Mind that answered: rule (lists memories), model, replay, or fallback (the "
        "rule, because the model gave no answer)"
    )
    fault: str | None = Field(description="Reason for the fallback")
    evidence: list[dict[str, Any]] = Field(description="The memories the answer is based on")
    decisions: list[dict[str, Any]] = Field(
        description="Decisions that the answer explains, then the last ones of the kinds that the "
        "question names; one is carried out if `draw` is below `probability`"
    )


class Compared(Answer):
    """Where two runs diverge, and their results."""

    a: str
    b: str
    same: bool = Field(description="Whether all tables are identical in the common steps")
    steps: int = Field(description="Number of common steps, which are compared")
    diverges_at_step: int | None
    diverges_at: str | None
    settings: dict[str, list[Any]] = Field(description="Settings that differ: value of a and of b")
    tables: list[dict[str, Any]] = Field(
        description="First difference of each table that differs, the earliest first: step, agent, "
        "column (`row` if only one run has it) and the values of a and b"
    )
    outcomes: list[dict[str, Any]] = Field(
        description="Measures at the end: a, b, difference (b minus a), and the largest difference"
    )


class Made(BaseModel):
    """A new run."""

    run: str = Field(description="Name of the run, for the argument `run` of other tools")
    status: str
    steps: int
    seed: str
    note: str
