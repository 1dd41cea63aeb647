"""Institutions: organizations that remember, decide, and form attitudes and thoughts."""

from typing import ClassVar

from memopolis.agents.attitude_attributes import declare_attitudes, declare_convictions
from memopolis.agents.thoughts import INTENTIONS
from memopolis.sim.population import Agent, attribute


class Institution(Agent):
    """A firm, bank, government, statistics bureau, outlet or persuader.

    Subclasses that have attitudes of their own declare `attitude` and `conviction` again.
    """

    portrait: ClassVar[tuple[str, ...]] = ("name", "zone")

    name: str = attribute("", "Name", record=True, embed=True)
    attitude: dict[str, float] = declare_attitudes(
        {"outlook": 5.0}, "Attitude, from 0 (pessimistic) to 10"
    )
    conviction: dict[str, float] = declare_convictions("outlook")
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
