"""Reception of announcements: orders, closures, and their end."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from memopolis.agents.ages import AGE_OF_REASON
from memopolis.agents.hearing import Hearing
from memopolis.agents.remembering import remember
from memopolis.scenarios.hurricane.orders import Announcement, find_zones
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort
from memopolis.sim.timeline import Order

DELAY = 1.5
"""Mean delay until an order is received, hours: officials use all channels (illustrative)."""

# By kind: topic, importance, valence and text of the memory (illustrative).
NOTICES = {
    "mandatory": (
        "order",
        1.0,
        -0.5,
        "The governor ordered everyone in {place} to evacuate because of the hurricane.",
    ),
    "voluntary": (
        "order",
        0.6,
        -0.3,
        "Officials advise people in {place} to evacuate because of the hurricane.",
    ),
    "lifted": (
        "relief",
        0.7,
        0.5,
        "The evacuation order for {place} is lifted; people may return.",
    ),
    "schools": ("closure", 0.35, -0.1, "Schools in {place} close because of the storm."),
    "offices": ("closure", 0.35, -0.1, "Offices in {place} close because of the storm."),
    "contraflow": (
        "closure",
        0.4,
        0.1,
        "Lanes of the interstate are reversed so that people can leave.",
    ),
}
MANDATORY_FROM = 0.62
"""Importance from which a remembered order counts as mandatory: a mandatory order passed on twice
keeps 0.64, a voluntary one starts at 0.6."""


@dataclass(eq=False, repr=False)
class HearOrders(Block):
    """Receive and remember announcements for the home zone.

    The state is the tick until which each agent has listened, shape (citizens,).
    """

    reads = ("home", "age", "scheduled", "doing")
    reacts_to = (Order,)
    state = ("heard",)

    announcements: tuple[Announcement, ...]

    def setup(self) -> None:
        """Prepare the delays of reception."""
        self.hearing = Hearing(self.society, f"{self.population.name}.{self.name}", DELAY)
        self.ticks = [self.clock.tick_of(notice.when) for notice in self.announcements]
        self.heard = np.full(len(self.population), self.clock.tick - 1, np.int32)

    def step(self, citizens: Cohort) -> None:
        """Remember announcements received in this step."""
        heard, awake = self.hearing.listen(citizens, self.heard)
        shocks = [
            (self.clock.tick_of(notice.when), notice) for notice in self._orders_from_shocks()
        ]
        planned = zip(self.ticks, self.announcements, strict=True)
        for number, (tick, notice) in enumerate((*planned, *shocks)):
            if 0 <= tick <= self.clock.tick:
                rows = self.hearing.now(number, tick, heard, awake)
                if len(rows):
                    self._hear(citizens.among(rows).of_age(AGE_OF_REASON), notice)
        self.heard = np.where(awake, np.int32(self.clock.tick), heard)

    def _orders_from_shocks(self) -> Iterator[Announcement]:
        """Yield orders on the timeline, announced when they take effect."""
        place = self.society.place
        for tick, shock in self.society.timeline:
            if isinstance(shock, Order) and tick <= self.clock.tick and place is not None:
                when = self.clock.date_of(tick)
                kind = "lifted" if shock.status == "none" else shock.status
                for name in shock.zones:
                    zones = find_zones(place, name, "an Order", 0, strict=True)
                    yield Announcement(when, kind, zones, when)

    def _hear(self, citizens: Cohort, notice: Announcement) -> None:
        concerned = citizens.where(notice.zones[citizens["home"]])
        topic, importance, valence, text = NOTICES[notice.kind]
        remember(concerned, topic, text, importance, valence, at="home")
