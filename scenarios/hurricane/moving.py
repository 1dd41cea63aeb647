"""Move whole households: their members, and status changes on leaving and returning."""

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.activities import PLAN_NUMBERS, Activity
from memopolis.sim.population import Cohort, Population

INDEFINITELY = np.iinfo(np.int32).max


def list_members(households: Population, houses: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the rows of all members of some households, household by household."""
    columns = households.memory.columns.arrays
    first, size = columns["first_row"][houses], columns["size"][houses].astype(np.int64)
    starts = np.cumsum(size) - size
    rows: NDArray[np.intp] = np.arange(size.sum()) + np.repeat(first - starts, size)
    return rows


def send_away(people: Cohort, tick: int, destination: NDArray[np.uint8]) -> None:
    """Move people out of the region.

    Args:
        people: Members of leaving households.
        tick: Tick of leaving.
        destination: Number of the destination, shape (people,).
    """
    status = people.status
    status["plan"] = np.full(len(people), PLAN_NUMBERS["away"], np.uint8)
    status["plan_step"] = np.zeros(len(people), np.uint8)
    status["doing"] = np.full(len(people), Activity.AWAY, np.uint8)
    status["until"] = np.full(len(people), INDEFINITELY, np.int32)
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
    """Cancel the departure of people, who can make plans again."""
    status = people.status
    status["plan"] = np.zeros(len(people), np.uint8)
    status["doing"] = np.full(len(people), Activity.IDLE, np.uint8)
    status["target"] = status["place"]


def bring_home(people: Cohort, tick: int) -> None:
    """Move people back to their homes, where they can make plans again."""
    status = people.status
    home = status["home"]
    status["place"] = home
    status["target"] = home
    status["away"] = np.zeros(len(people), np.bool_)
    status["plan"] = np.zeros(len(people), np.uint8)
    status["doing"] = np.full(len(people), Activity.IDLE, np.uint8)
    status["threat"] = np.zeros(len(people), np.float32)
    status["returned_at"] = np.full(len(people), tick, np.int32)
