"""Moving whole households: who belongs to them, and where their members are."""

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.activities import NUMBER, Activity
from memopolis.sim.population import Cohort, Population

FOREVER = np.iinfo(np.int32).max


def members_of(households: Population, houses: NDArray[np.intp]) -> NDArray[np.intp]:
    """Rows of all members of some households, household by household."""
    columns = households.memory.columns.arrays
    first, size = columns["first_row"][houses], columns["size"][houses].astype(np.int64)
    starts = np.cumsum(size) - size
    rows: NDArray[np.intp] = np.arange(size.sum()) + np.repeat(first - starts, size)
    return rows


def send_away(people: Cohort, tick: int, destination: NDArray[np.uint8]) -> None:
    """Take people out of the region.

    Args:
        people: Members of the households that leave.
        tick: When.
        destination: Number of each one's destination, shape (people,).
    """
    status = people.status
    status["plan"] = np.full(len(people), NUMBER["away"], np.uint8)
    status["plan_step"] = np.zeros(len(people), np.uint8)
    status["doing"] = np.full(len(people), Activity.AWAY, np.uint8)
    status["until"] = np.full(len(people), FOREVER, np.int32)
    status["target"] = status["home"]
    everyone = np.ones(len(people), np.bool_)
    status["place"] = np.full(len(people), -1, np.int16)
    status["away"] = everyone
    status["evacuated"] = everyone
    status["leaving"] = everyone
    status["trips"] = np.ones(len(people), np.uint8)
    status["left_at"] = np.where(status["left_at"] < 0, tick, status["left_at"])
    status["destination"] = destination


def stay(people: Cohort) -> None:
    """Let people who were about to leave stay, free to make plans."""
    status = people.status
    status["plan"] = np.zeros(len(people), np.uint8)
    status["doing"] = np.full(len(people), Activity.IDLE, np.uint8)
    status["target"] = status["place"]


def bring_home(people: Cohort, tick: int) -> None:
    """Bring people back to their homes, free to make plans."""
    status = people.status
    home = status["home"]
    status["place"] = home
    status["target"] = home
    status["away"] = np.zeros(len(people), np.bool_)
    status["plan"] = np.zeros(len(people), np.uint8)
    status["doing"] = np.full(len(people), Activity.IDLE, np.uint8)
    status["threat"] = np.zeros(len(people), np.float32)
    status["returned_at"] = np.full(len(people), tick, np.int32)
