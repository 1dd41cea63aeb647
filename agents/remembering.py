"""Add memories of an event to agents."""

from memopolis.sim.arrays import Floats
from memopolis.sim.population import Cohort


def remember(
    agents: Cohort,
    topic: str,
    text: str,
    importance: float | Floats,
    valence: float | Floats,
    *,
    at: str = "",
) -> None:
    """Add one memory to each agent, if there are any, with the zone in the attribute `at`."""
    if len(agents):
        place = agents[at] if at else None
        agents.stream.add(topic, text, place=place, importance=importance, valence=valence)
