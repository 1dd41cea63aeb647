"""Move whole households: their members, and status changes on leaving and returning."""

import numpy as np

from memopolis.agents.activities import NEVER_ENDS, Activity
from memopolis.agents.itinerary import Itinerary
from memopolis.agents.plans import PLANS
from memopolis.sim.arrays import UInt8
from memopolis.sim.block import BlockChance
from memopolis.sim.population import Cohort, Population


def members_of(households: Cohort, citizens: Population) -> Cohort:
    """Return all members of some households, household by household."""
    first, size = households["first_row"], households["size"].astype(np.int64)
    starts = np.cumsum(size) - size
    return Cohort(citizens, np.arange(size.sum()) + np.repeat(first - starts, size))


def travellers_of(households: Cohort, citizens: Population) -> Cohort:
    """Return the members of some households that travel with them, household by household."""
    members = members_of(households, citizens)
    return members.where(~members["stays_behind"])


def start_plan(itinerary: Itinerary, people: Cohort, purpose: str, chance: BlockChance) -> None:
    """Let people begin a plan of errands; those without a car need no fuel."""
    has_car = people["vehicle"]
    itinerary.start(people.where(has_car), purpose, chance)
    itinerary.start(people.where(~has_car), f"{purpose} without a car", chance)


def set_out(people: Cohort, tick: int, destination: UInt8) -> None:
    """Move people from home onto the road out of the region, to the destination of each number."""
    occupy(people, "drive", Activity.DRIVE)
    people["target"] = people["place"] = people["home"]
    people["evacuated"] = True
    people["leaving"] = True
    people["trips"] = 1
    people["left_at"] = np.where(people["left_at"] < 0, tick, people["left_at"])
    people["destination"] = destination


def send_away(people: Cohort) -> None:
    """Move people from the road out of the region."""
    occupy(people, "away", Activity.AWAY)
    people["target"] = people["home"]
    people["place"] = -1
    people["away"] = True


def occupy(people: Cohort, plan: str, doing: Activity) -> None:
    """Let people do one thing until they are moved again."""
    people["plan"] = PLANS[plan]
    people["plan_step"] = 0
    people["doing"] = doing
    people["until"] = NEVER_ENDS


def stay(people: Cohort) -> None:
    """Cancel the departure of people, who can make plans again."""
    people["stays_behind"] = False
    people["plan"] = 0
    people["doing"] = Activity.IDLE
    people["target"] = people["place"]


def bring_home(people: Cohort, tick: int) -> None:
    """Move people back to their homes, where they can make plans again."""
    home = people["home"]
    people["place"] = home
    people["target"] = home
    people["away"] = False
    people["plan"] = 0
    people["doing"] = Activity.IDLE
    people["threat"] = 0
    people["returned_at"] = tick
