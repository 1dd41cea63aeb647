"""Declare the status attributes of attitudes."""

from memopolis.sim.population import attribute


def declare_attitudes(start: dict[str, float], description: str) -> dict[str, float]:
    """Declare attitudes of an agent class, each from 0 to 10.

    Args:
        start: Attitude of a new agent, by name.
        description: Meaning of 0 and 10.
    """
    return attribute(start, description, low=0, high=10, record=True)


def declare_convictions(*names: str) -> dict[str, float]:
    """Declare the strength of each named attitude, in [0, 1]; new agents have none."""
    return attribute(
        dict.fromkeys(names, 0.0), "Strength of an attitude, which slows its change", low=0, high=1
    )
