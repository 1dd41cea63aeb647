"""Refuse changes by observers."""

from memopolis.sim.errors import StateError


def refuse_observer(*, observed: bool) -> None:
    """Refuse to change a memory through a view that only observes.

    Raises:
        StateError: If the view is that of an observer.
    """
    if observed:
        raise StateError("an observer changes nothing: omit `observed` to act as the agent")
