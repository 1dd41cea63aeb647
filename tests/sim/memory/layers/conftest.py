"""Memories whose layers are small enough to follow by hand."""

from collections.abc import Callable

import pytest

from memopolis.sim.memory.layer_settings import LayerSettings
from memopolis.sim.memory.memory import Memory

TOPICS = (
    "The storm tore the roof off the house",
    "My sister bakes bread every morning",
    "The bank refused the loan for the boat",
)
"""Three things that have nothing to do with one another."""


@pytest.fixture
def lived() -> Callable[..., Memory]:
    """Makes a memory whose agents each lived through `count` things, one a tick, in turn.

    Agent i begins with the i-th of the three, so that agents differ.
    """

    def make(count: int = 12, agents: int = 1, **settings: object) -> Memory:
        memory = Memory(agents=agents)
        memory.layer_settings = LayerSettings(**{"short_term_size": 3, **settings})  # type: ignore[arg-type]
        for at in range(count):
            memory.now = at
            texts = [f"{TOPICS[(at + row) % 3]}, number {at}." for row in range(agents)]
            memory.stream.add("life", texts, importance=0.5)
        memory.stream.counts  # noqa: B018 (stores what waits)
        return memory

    return make
