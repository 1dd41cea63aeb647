"""Where everybody is at a moment: read once, for the map and for the words beside it."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.analysis.figures.cells import Cells, cells_of
from memopolis.analysis.figures.style import readable
from memopolis.analysis.labels import date_form, plural
from memopolis.sim.errors import UnknownNameError

if TYPE_CHECKING:
    from memopolis.analysis.run.run import Run

AWAY = -1
"""Number that stands for no zone at all."""
ORDERS_IN_WORDS = ("", "voluntary order", "mandatory order")
"""What the numbers in the column `order` of `weather` mean."""

type Numbers = NDArray[np.intp]


def has_place(run: "Run") -> bool:
    """Whether a run has zones with places on the globe."""
    return run.has("zones", "lat", "lon") and len(run.zones) > 0


@dataclass(frozen=True, eq=False)
class PlaceNow:
    """A run's place at the moment at which it is cut.

    Attributes:
        run: The run.
        zones: Its zones, in the order of their numbers.
        people: Its first population as it was recorded last.
    """

    run: "Run"
    zones: pd.DataFrame
    people: pd.DataFrame

    @classmethod
    def of(cls, run: "Run") -> "PlaceNow":
        """Read it of a run that has a place."""
        return cls(run, run.zones, people_now(run))

    @cached_property
    def cells(self) -> Cells:
        """The zones as shapes."""
        return cells_of(self.zones)

    @cached_property
    def where(self) -> Numbers:
        """Zone of everybody, `AWAY` for none, shape (people,)."""
        return self.numbers("zone")

    @property
    def known(self) -> bool:
        """Whether it is recorded where people are."""
        return "zone" in self.people and len(self.people) > 0

    @cached_property
    def here(self) -> Numbers:
        """How many people are in each zone, shape (zones,)."""
        return np.bincount(self.where[self.where >= 0], minlength=len(self.zones))

    @property
    def away(self) -> int:
        """How many people are in no zone."""
        return int((self.where < 0).sum())

    def numbers(self, column: str) -> Numbers:
        """A column of zones of everybody; what is no zone of the place is `AWAY`."""
        return _zones(self.people, column, len(self.zones))

    @cached_property
    def recorded(self) -> int:
        """Tick at whose end people were recorded, -1 for never."""
        return int(self.people["tick"].max()) if len(self.people) else -1

    @cached_property
    def flows(self) -> pd.DataFrame:
        """Who changed zones since people were recorded before.

        Returns:
            Columns start, end (`AWAY` for no zone) and people, the largest first.
        """
        start, end = self._moves
        pairs = pd.DataFrame({"start": start, "end": end})
        counted = pairs.groupby(["start", "end"], sort=True).size().rename("people")
        flows = counted.reset_index()
        return flows.sort_values("people", ascending=False, kind="stable", ignore_index=True)

    @cached_property
    def _before(self) -> pd.DataFrame:
        """People as they were recorded one time earlier."""
        return people_now(self.run.until(self.recorded)) if self.recorded > 0 else _NO_PEOPLE

    @property
    def since(self) -> int:
        """Tick at whose end people were recorded one time earlier, -1 for never."""
        return int(self._before["tick"].max()) if len(self._before) else -1

    @property
    def _moves(self) -> tuple[Numbers, Numbers]:
        """Zones before and now of those who changed them."""
        if not self.known or not len(self._before):
            return np.zeros(0, np.intp), np.zeros(0, np.intp)
        ids = (self._before["agent"].to_numpy(), self.people["agent"].to_numpy())
        _, old, new = np.intersect1d(*ids, assume_unique=True, return_indices=True)
        start, end = _zones(self._before, "zone", len(self.zones))[old], self.where[new]
        return start[start != end], end[start != end]

    # Weather and orders

    @cached_property
    def weather(self) -> pd.DataFrame:
        """Weather of the last step made, a row a zone by its number; empty where there is none."""
        if not self.run.has("weather", "tick", "zone"):
            return pd.DataFrame()
        table = self.run.table("weather")
        ticks = table["tick"].to_numpy()
        now = min(max(self.run.ticks - 1, 0), int(ticks[-1])) if len(ticks) else 0
        rows = table[np.searchsorted(ticks, now) : np.searchsorted(ticks, now, side="right")]
        return rows.set_index("zone").reindex(range(len(self.zones)))

    @property
    def orders(self) -> NDArray[np.int64]:
        """Order in force in each zone, as `ORDERS_IN_WORDS` counts, shape (zones,)."""
        if "order" not in self.weather:
            return np.zeros(len(self.zones), np.int64)
        order = self.weather["order"].fillna(0).to_numpy().astype(np.int64)
        return np.clip(order, 0, len(ORDERS_IN_WORDS) - 1)

    # In words

    @property
    def names(self) -> list[str]:
        """Names of the zones; the code of one whose name the font of figures cannot write."""
        codes = self.zones.get("zone", self.zones.index.to_series()).astype(str)
        labels = self.zones.get("label", codes).astype(str)
        both = zip(labels.map(readable), codes.map(readable), strict=True)
        return [code if "\u25a1" in label else label for label, code in both]

    @property
    def date(self) -> str:
        """Date and hour of the moment."""
        return date_of(self.run)

    @property
    def noun(self) -> str:
        """What the people are called, more than one."""
        return plural(self.run.populations[0]) if self.run.populations else "people"

    @property
    def counts(self) -> str:
        """How many are where, and how many moved, in one line."""
        if not self.known:
            return "where people are is not recorded yet"
        parts = [f"{int(self.here.sum()):,} of {len(self.people):,} {self.noun} are here"]
        if self.away:
            parts.append(f"{self.away:,} away")
        if self.since >= 0:
            moved = int(self.flows["people"].sum())
            parts.append(f"{moved:,} changed zones since {self._end_of(self.since)}")
        if self.recorded + 1 < self.run.ticks:
            parts.append(f"recorded {self._end_of(self.recorded)}")
        return ", ".join(parts)

    def _end_of(self, tick: int) -> str:
        when = self.run.time_of(pd.Series([tick + 1])).iloc[0]
        return f"{when:{date_form(self.run.hours)}}"


_NO_PEOPLE = pd.DataFrame({"tick": [], "agent": [], "zone": []}, dtype=np.int64)


def date_of(run: "Run") -> str:
    """Date and hour at which a run stands, with the weekday where steps are days or less."""
    form = "%a " if run.hours <= 24 else ""
    return f"{run.end:{form}%d %b %Y{', %H:%M' if run.hours < 24 else ''}}"


def people_now(run: "Run") -> pd.DataFrame:
    """Return the latest record of the first population; empty before the first record."""
    if not run.populations:
        return _NO_PEOPLE
    try:
        people = run.people()
    except UnknownNameError:  # the run does not record its people
        return _NO_PEOPLE
    return people[people["tick"] >= 0].reset_index(drop=True)


def _zones(people: pd.DataFrame, column: str, zones: int) -> Numbers:
    if column not in people:
        return np.full(len(people), AWAY, np.intp)
    zone_numbers = people[column].fillna(AWAY).to_numpy().astype(np.intp)
    return np.where((zone_numbers >= 0) & (zone_numbers < zones), zone_numbers, AWAY)
