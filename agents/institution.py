"""Institutions: organizations that remember, decide, and form attitudes and thoughts."""

from typing import ClassVar

from memopolis.agents.thoughts import INTENTIONS
from memopolis.sim.population import Agent, attribute


class Institution(Agent):
    """A firm, bank, government, statistics bureau, outlet or persuader.

    Subclasses that have attitudes of their own declare `attitude` and `conviction` again.
    """

    portrait: ClassVar[tuple[str, ...]] = ("name", "zone")

    name: str = attribute("", "Name", record=True, embed=True)
    attitude: dict[str, float] = attribute(
        {"outlook": 5.0}, "Attitude, from 0 (pessimistic) to 10", low=0, high=10, record=True
    )
    conviction: dict[str, float] = attribute(
        {"outlook": 0.0}, "Strength of an attitude, which slows its change", low=0, high=1
    )
    thought: int = attribute(
        -1,
        "Id of the latest thought in the stream, -1 for none",
        role="memory",
        record=True,
        embed=True,
    )
    intention: int = attribute(
        0,
        "Number of the intention of the latest thought",
        role="code",
        dtype="u1",
        record=True,
        labels=INTENTIONS,
    )
