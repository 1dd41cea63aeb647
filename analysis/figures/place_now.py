"""Read the positions of people at a moment, for the map and its description."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.analysis.figures.cells import Cells, cells_of
from memopolis.analysis.figures.land import is_on_land
from memopolis.analysis.figures.style import readable
from memopolis.analysis.labels import date_form, plural
from memopolis.analysis.run.run import Run
from memopolis.sim.errors import UnknownNameError

AWAY = -1  # number for "in no zone"
ORDERS_IN_WORDS = ("", "voluntary order", "mandatory order")
"""Names of the codes in the column `order` of `weather`."""

type Numbers = NDArray[np.intp]


def has_place(run: Run) -> bool:
    """Return whether a run has zones with coordinates."""
    return run.has("zones", "lat", "lon") and len(run.zones) > 0


@dataclass(frozen=True, eq=False)
class PlaceNow:
    """A run's zones and people at its moment."""

    run: Run
    zones: pd.DataFrame  # its zones, in the order of their numbers
    people: pd.DataFrame  # latest record of its first population

    @classmethod
    def of(cls, run: Run) -> "PlaceNow":
        """Load it from a run with zones."""
        return cls(run, run.zones, people_now(run))

    @cached_property
    def cells(self) -> Cells:
        """The zones as shapes."""
        outlines = self.run.table("outlines") if self.run.has("outlines", "ring") else None
        return cells_of(self.zones, outlines, on_land=self.on_land)

    @cached_property
    def on_land(self) -> bool:
        """Whether the zones are on land, so that a map can show coast and water."""
        return is_on_land(*(self.zones[name].to_numpy(np.float64) for name in ("lat", "lon")))

    @cached_property
    def where(self) -> Numbers:
        """Zone of each person, `AWAY` for none, shape (people,)."""
        return self.numbers("zone")

    @property
    def known(self) -> bool:
        """Whether positions were recorded."""
        return "zone" in self.people and len(self.people) > 0

    @cached_property
    def here(self) -> Numbers:
        """Number of people in each zone, shape (zones,)."""
        return np.bincount(self.where[self.where >= 0], minlength=len(self.zones))

    @property
    def away(self) -> int:
        """Number of people in no zone."""
        return int((self.where < 0).sum())

    def numbers(self, column: str) -> Numbers:
        """Return a column of zone numbers; numbers that are no zone are `AWAY`."""
        return _zones(self.people, column, len(self.zones))

    @cached_property
    def recorded(self) -> int:
        """Tick of the latest record of people, -1 for none."""
        return int(self.people["tick"].max()) if len(self.people) else -1

    @cached_property
    def flows(self) -> pd.DataFrame:
        """Moves between zones since the previous record, counted, the largest first.

        Columns start, end (`AWAY` for no zone) and people.
        """
        start, end = self._moves
        pairs = pd.DataFrame({"start": start, "end": end})
        counted = pairs.groupby(["start", "end"], sort=True).size().rename("people")
        flows = counted.reset_index()
        return flows.sort_values("people", ascending=False, kind="stable", ignore_index=True)

    @cached_property
    def _before(self) -> pd.DataFrame:
        """The previous record of people."""
        return people_now(self.run.until(self.recorded)) if self.recorded > 0 else _NO_PEOPLE

    @property
    def since(self) -> int:
        """Tick of the previous record of people, -1 for none."""
        return int(self._before["tick"].max()) if len(self._before) else -1

    @property
    def _moves(self) -> tuple[Numbers, Numbers]:
        """Zones before and after each move."""
        if not self.known or not len(self._before):
            return np.zeros(0, np.intp), np.zeros(0, np.intp)
        ids = (self._before["agent"].to_numpy(), self.people["agent"].to_numpy())
        _, old, new = np.intersect1d(*ids, assume_unique=True, return_indices=True)
        start, end = _zones(self._before, "zone", len(self.zones))[old], self.where[new]
        return start[start != end], end[start != end]

    # Weather and orders

    @cached_property
    def weather(self) -> pd.DataFrame:
        """Weather of the latest step, one row per zone; empty if not recorded."""
        if not self.run.has("weather", "tick", "zone"):
            return pd.DataFrame()
        table = self.run.table("weather")
        ticks = table["tick"].to_numpy()
        now = min(max(self.run.ticks - 1, 0), int(ticks[-1])) if len(ticks) else 0
        rows = table[np.searchsorted(ticks, now) : np.searchsorted(ticks, now, side="right")]
        return rows.set_index("zone").reindex(range(len(self.zones)))

    @property
    def orders(self) -> NDArray[np.int64]:
        """Order in force in each zone, a code of `ORDERS_IN_WORDS`, shape (zones,)."""
        if "order" not in self.weather:
            return np.zeros(len(self.zones), np.int64)
        order = self.weather["order"].fillna(0).to_numpy().astype(np.int64)
        return np.clip(order, 0, len(ORDERS_IN_WORDS) - 1)

    # Texts

    @property
    def names(self) -> list[str]:
        """Names of the zones; the code if the font cannot render the name."""
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
        """Plural noun for the people."""
        return plural(self.run.populations[0]) if self.run.populations else "people"

    @property
    def counts(self) -> str:
        """Description of positions and moves in one line."""
        if not self.known:
            return "positions are not recorded yet"
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


def date_of(run: Run) -> str:
    """Format the date of a run's moment, with the weekday if steps are at most a day."""
    form = "%a " if run.hours <= 24 else ""
    return f"{run.end:{form}%d %b %Y{', %H:%M' if run.hours < 24 else ''}}"


def people_now(run: Run) -> pd.DataFrame:
    """Return the latest status of the first population; empty if the run records no people."""
    if not run.populations:
        return _NO_PEOPLE
    try:
        return run.people()
    except UnknownNameError:
        return _NO_PEOPLE


def _zones(people: pd.DataFrame, column: str, zones: int) -> Numbers:
    if column not in people:
        return np.full(len(people), AWAY, np.intp)
    zone_numbers = people[column].fillna(AWAY).to_numpy().astype(np.intp)
    return np.where((zone_numbers >= 0) & (zone_numbers < zones), zone_numbers, AWAY)
