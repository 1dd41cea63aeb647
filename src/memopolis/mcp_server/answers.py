"""What tools answer, as clients see it."""

from typing import Any

from pydantic import BaseModel, Field

from memopolis.mcp_server.paging import Answer, Page


class RunListed(BaseModel):
    """One run of the folder."""

    run: str = Field(description="Its name: what the other tools take as `run`")
    scenario: str = Field(description="What was simulated")
    status: str = Field(
        description="succeeded, interrupted, failed, running (under way), killed or broken; of one "
        "under way or killed, `steps` steps can be read, of one that is broken nothing"
    )
    seed: int | None = Field(description="Names the luck of the run")
    agents: dict[str, int] = Field(description="How many agents of each population")
    start: str = Field(description="Local date and time of its first step")
    steps: int = Field(description="Steps that were made, or can be read so far")
    step_hours: float = Field(description="Length of a step in hours")
    fork_of: str = Field(description="The run it parted from, empty if from none")
    note: str = Field(description="What is wrong with it, empty if nothing")


class RunList(BaseModel):
    """The runs of the folder."""

    runs: list[RunListed]
    sweeps: list[str] = Field(description="Names of sweeps, which query_sql takes, too")
    total: int = Field(description="How many runs there are in all")
    next_offset: int | None = Field(description="Offset of the runs that follow, null if none")


class TableDescribed(BaseModel):
    """A table of a run."""

    table: str
    rows: int
    columns: list[str]


class MeasureDescribed(BaseModel):
    """A measure that the scenario takes of every step."""

    measure: str
    description: str
    unit: str
    groups: list[str] = Field(description='Groups it is taken by; "" is all')
    last: float | None = Field(description="Its last value over all")


class RunDescribed(Answer):
    """What a run was, and what can be asked of it."""

    run: str
    scenario: str
    status: str
    seed: int
    start: str
    end: str
    steps: int
    step_hours: float
    populations: dict[str, int]
    facts: dict[str, Any] = Field(description="What the scenario says of itself")
    settings: dict[str, Any] = Field(description="Every setting, in groups")
    shocks: list[dict[str, Any]] = Field(
        description="News, orders, policies and messages by step, those still to come, too"
    )
    by_hand: list[dict[str, Any]] = Field(description="Those of them that somebody sent in")
    measures: list[MeasureDescribed]
    tables: list[TableDescribed]
    attributes: dict[str, dict[str, str]] = Field(
        description="What the columns of agents_POPULATION say, by population"
    )


class Citizens(Page):
    """Citizens by their status."""

    population: str
    populations: list[str] = Field(description="The populations there are")


class CitizenLife(Answer):
    """One agent: who it is, how it is, what it decided and thought last."""

    agent: int
    name: str
    population: str
    at: str = Field(description="Date and time at which it is looked at")
    profile: dict[str, Any] = Field(description="What stays as it is")
    status: dict[str, Any] = Field(description="What changes, as it was recorded last")
    status_at: str | None = Field(description="When that was recorded")
    memories_by_topic: dict[str, int]
    decisions: list[dict[str, Any]] = Field(
        description="The last decisions, newest first; evidence are the memories they rest on"
    )
    thoughts: list[dict[str, Any]] = Field(description="The last thoughts, newest first")


class Memories(Answer):
    """Memories of one agent, best first."""

    agent: int
    name: str
    at: str = Field(description="Date and time at which it was asked")
    memories: list[dict[str, Any]] = Field(
        description="By id: time, topic, kind, text, emotion, and the terms of the score"
    )


class Knowledge(Answer):
    """How well an agent knows a topic."""

    agent: int
    name: str
    at: str
    topic: str
    level: str = Field(description="none, very_low, low, medium or high")
    score: float = Field(description="0 to 1")
    message: str
    suggestions: list[str]
    memories: int = Field(description="How many memories are about it, at most 50")
    confidence: float | None
    recency: float | None
    consolidation: float | None
    evidence: list[dict[str, Any]]


class KnowledgeMap(Answer):
    """What an agent knows about a topic, and what hangs together with it."""

    agent: int
    name: str
    at: str
    topic: str
    nodes: list[dict[str, Any]] = Field(
        description="Memories: id, text, topic, score, depth (links from the best ones), cluster"
    )
    edges: list[dict[str, Any]] = Field(description="Likeness of two memories: a, b, weight")
    left_out: int = Field(description="Memories of the map that were left out of this answer")


class Interviewed(Answer):
    """What an agent said, and what that rests on."""

    agent: int
    name: str
    at: str
    question: str
    answer: str
    mind: str = Field(description="Who answered: rule (its memories, told), model or replay")
    evidence: list[dict[str, Any]] = Field(description="The memories the answer rests on")
    decisions: list[dict[str, Any]] = Field(
        description="The last decisions of the kinds that the question names"
    )


class Compared(Answer):
    """Where two runs diverge, and what they came to."""

    a: str
    b: str
    same: bool = Field(description="Whether every table is the same in the steps both took")
    steps: int = Field(description="Steps that both took: those compared")
    diverges_at_step: int | None
    diverges_at: str | None
    first_different_decision: int | None = Field(
        description="First step in which a decision differs"
    )
    settings: dict[str, list[Any]] = Field(description="Settings that differ: value of a and of b")
    tables: list[dict[str, Any]]
    outcomes: list[dict[str, Any]] = Field(
        description="Measures at the end: a, b, difference (b less a), and the largest difference"
    )


class Made(BaseModel):
    """A run that was made."""

    run: str = Field(description="Its name: what the other tools take as `run`")
    status: str
    steps: int
    seed: int
    note: str
