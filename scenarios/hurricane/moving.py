"""Move whole households: their members, and status changes on leaving and returning."""

import numpy as np

from memopolis.agents.activities import Activity
from memopolis.agents.plans import PLANS
from memopolis.sim.arrays import UInt8
from memopolis.sim.population import Cohort, Population

INDEFINITELY = np.iinfo(np.int32).max


def members_of(households: Cohort, citizens: Population) -> Cohort:
    """Return all members of some households, household by household."""
    first, size = households.status["first_row"], households.status["size"].astype(np.int64)
    starts = np.cumsum(size) - size
    return Cohort(citizens, np.arange(size.sum()) + np.repeat(first - starts, size))


def set_out(people: Cohort, tick: int, destination: UInt8) -> None:
    """Move people from home onto the road out of the region, to the destination of each number."""
    status = people.status
    _occupy(people, "drive", Activity.DRIVE)
    status["target"] = status["place"] = status["home"]
    status["evacuated"] = True
    status["leaving"] = True
    status["trips"] = 1
    status["left_at"] = np.where(status["left_at"] < 0, tick, status["left_at"])
    status["destination"] = destination


def send_away(people: Cohort) -> None:
    """Move people from the road out of the region."""
    status = people.status
    _occupy(people, "away", Activity.AWAY)
    status["target"] = status["home"]
    status["place"] = -1
    status["away"] = True


def _occupy(people: Cohort, plan: str, doing: Activity) -> None:
    status = people.status
    status["plan"] = PLANS[plan]
    status["plan_step"] = 0
    status["doing"] = doing
    status["until"] = INDEFINITELY


def stay(people: Cohort) -> None:
    """Cancel the departure of people, who can make plans again."""
    status = people.status
    status["plan"] = 0
    status["doing"] = Activity.IDLE
    status["target"] = status["place"]


def bring_home(people: Cohort, tick: int) -> None:
    """Move people back to their homes, where they can make plans again."""
    status = people.status
    home = status["home"]
    status["place"] = home
    status["target"] = home
    status["away"] = False
    status["plan"] = 0
    status["doing"] = Activity.IDLE
    status["threat"] = 0
    status["returned_at"] = tick
