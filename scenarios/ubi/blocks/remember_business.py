"""Firms remember the last month: sales, empty shelves, staff and costs."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.economy.experience import encode_change
from memopolis.agents.economy.wellbeing import compute_salience
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population

SURPRISE = 0.5
"""Log of demand over expected sales at which the valence of a memory is 1 or -1 (choice)."""
USUAL = 0.05
"""Log of demand over expected sales up to which sales are as expected (illustrative)."""
LEAST_SHORTAGE, LEAST_LOSS, LEAST_COSTS = 0.02, 0.1, 0.02
"""Unmet share of demand, share of workers lost, and log rise of unit labour costs since the last
such memory that a firm remembers (illustrative)."""
SCALE = 0.15
"""Change at which importance reaches 1 - 1/e of its maximum (illustrative)."""
LEAST, MOST = 0.1, 0.8
"""Minimum importance of a memory, and maximum of the part that depends on size (illustrative)."""

SALES = (
    "Our customers wanted much less than we had expected.",
    "Our customers wanted a little less than we had expected.",
    "Our customers wanted about as much as we had expected.",
    "Our customers wanted a little more than we had expected.",
    "Our customers wanted much more than we had expected.",
)
SHORTAGE = "Our shelves were empty before all customers were served."
VACANT = "We could not fill all our jobs."
FILLED = "We found the workers that we had been looking for."
LOST = "Several of our workers left."
COSTS = "Our labour costs rose."

type Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Business:
    """An event that some firms remember.

    Attributes:
        topic: Topic of the memory.
        text: Text.
        who: Whether each firm remembers it, shape (firms,).
        valence: In [-1, 1], shape (firms,); the size of the event with its sign.
    """

    topic: str
    text: str
    who: NDArray[np.bool_]
    valence: Floats


class RememberBusiness(Block):
    """Store what last month meant for each firm, at the start of a month.

    State:
        short_of_staff: Whether jobs were vacant in the month before, shape (firms,).
        cost: Unit labour cost at the last memory of costs, NaN before the first month,
            shape (firms,).
    """

    reads: ClassVar[tuple[str, ...]] = (
        "expected", "wanted", "sold", "vacancies", "employees", "wage", "productivity", "age",
    )  # fmt: skip
    state = ("short_of_staff", "cost")

    def __init__(self, citizens: Population) -> None:
        self.citizens = citizens

    def setup(self) -> None:
        """Start without a previous month."""
        firms = len(self.population)
        self.short_of_staff: NDArray[np.bool_] = np.zeros(firms, np.bool_)
        self.cost: Floats = np.full(firms, np.nan)

    def step(self, firms: Cohort) -> None:
        """Store the events of last month; there is none before the first."""
        self._extend_arrays()
        # New firms have no month yet.
        known = firms.where((firms.status["age"] > 0) & (self.clock.tick > 0))
        if len(known):
            for event in (*self._market(known), *self._staff(known), self._costs(known)):
                self._remember(known, event)

    def _extend_arrays(self) -> None:
        new = len(self.population) - len(self.cost)
        if new:
            self.short_of_staff = np.pad(self.short_of_staff, (0, new))
            self.cost = np.pad(self.cost, (0, new), constant_values=np.nan)

    @staticmethod
    def _market(firms: Cohort) -> list[Business]:
        """Return sales compared with expected sales, and unmet demand."""
        status = firms.status
        wanted, sold = (
            np.maximum(status[name].astype(np.float64), 0) for name in ("wanted", "sold")
        )
        surprise = measure_surprise(wanted, status["expected"])
        # Places in SALES: below, from a large to a small surprise, as usual, above.
        place = np.searchsorted((-4 * USUAL, -USUAL, USUAL, 4 * USUAL), surprise)
        valence = encode_change(surprise, scale=SURPRISE)
        unmet = np.maximum(wanted - sold, 0) / np.maximum(wanted, 1e-9)
        events = [Business("sales", text, place == at, valence) for at, text in enumerate(SALES)]
        return [*events, Business("shortage", SHORTAGE, unmet > LEAST_SHORTAGE, -unmet)]

    def _staff(self, firms: Cohort) -> list[Business]:
        """Return jobs that stayed vacant or were filled, and workers who left."""
        status, rows = firms.status, firms.rows
        vacancies = status["vacancies"].astype(np.float64)
        vacant = vacancies / np.maximum(vacancies + status["employees"], 1)
        before = self.short_of_staff[rows]
        self.short_of_staff[rows] = short = vacancies > 0
        people = self.citizens.memory.columns.arrays
        employer = people["employer"][people["alive"] & (people["employer"] >= 0)]
        now = np.bincount(employer, minlength=len(self.population))[rows]
        lost = (status["employees"] - now) / np.maximum(status["employees"], 1)
        return [
            Business("staff", VACANT, short, -vacant),
            Business("staff", FILLED, before & ~short, np.full(len(rows), 0.3)),
            Business("staff", LOST, lost > LEAST_LOSS, -lost),
        ]

    def _costs(self, firms: Cohort) -> Business:
        """Return rises of unit labour costs since the last memory of costs."""
        status, rows = firms.status, firms.rows
        cost = status["wage"].astype(np.float64) / status["productivity"]
        before = np.where(np.isnan(self.cost[rows]), cost, self.cost[rows])
        change = np.log(cost / before)
        risen = change > LEAST_COSTS
        # Falling costs are the new reference at once.
        self.cost[rows] = np.where(risen, cost, np.minimum(cost, before))
        return Business("price", COSTS, risen, -change)

    @staticmethod
    def _remember(firms: Cohort, event: Business) -> None:
        if not event.who.any():
            return
        valence = np.clip(event.valence[event.who], -1, 1)
        size = compute_salience(valence, scale=SCALE, most=MOST)
        firms.where(event.who).memory.stream.add(
            event.topic, event.text, importance=LEAST + size, valence=valence
        )


def measure_surprise(wanted: NDArray[np.floating], expected: NDArray[np.floating]) -> Floats:
    """Compute the logarithm of demand over expected sales.

    Args:
        wanted: Units demanded, >= 0, shape (firms,).
        expected: Units expected, >= 0, shape (firms,).

    Returns:
        In [-`SURPRISE`, `SURPRISE`], 0 where nothing was expected, shape (firms,).
    """
    known = np.asarray(expected, np.float64) > 0
    ratio = np.where(known, wanted / np.where(known, expected, 1.0), 1.0)
    return np.clip(np.log(np.maximum(ratio, 1e-9)), -SURPRISE, SURPRISE)
