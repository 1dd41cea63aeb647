"""What an observer may not do."""

from memopolis.sim.errors import StateError


def refuse_observer(*, observed: bool) -> None:
    """Refuse to change what is only looked at.

    Raises:
        StateError: If the view is an observer's.
    """
    if observed:
        raise StateError("an observer changes nothing: leave `observed` out to act as the agent")
