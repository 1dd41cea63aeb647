"""Evacuation orders, closures and contraflow: dated tables, converted to ticks and zones."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

from memopolis.scenarios.hurricane.track import DATA, Track, nearest_approach, reference_point
from memopolis.scenarios.places.zones import BANDS
from memopolis.sim.arrays import Bools, Int8
from memopolis.sim.errors import DataFileError, UnknownNameError
from memopolis.sim.world.columns import Column, read_table
from memopolis.sim.world.place import Place

type Rows = tuple[dict[str, Any], ...]

NO_ORDER, VOLUNTARY, MANDATORY = 0, 1, 2  # status of an order in a zone
STATUS = {"lifted": NO_ORDER, "voluntary": VOLUNTARY, "mandatory": MANDATORY}
ORDERS = ("default", "none", "decided")  # values of the setting `orders` that are not files
CLOSED = ("schools", "offices", "contraflow")

ORDER_COLUMNS: Mapping[str, Column] = {
    "announced": Column("date"),
    "effective": Column("date", required=False, blank=True),
    "area": Column("text"),
    "kind": Column("text", options=tuple(STATUS)),
}
"""Columns of a file of orders, in local time: announced, effective (empty: at once), area and
kind. area is "all", "ordered" (zones marked as such), the code of a zone, "county NAME" or
"band LETTER". If several orders cover a zone, the last effective one applies."""

CLOSURE_COLUMNS: Mapping[str, Column] = {
    "announced": Column("date"),
    "start": Column("date"),
    "end": Column("date"),
    "area": Column("text"),
    "what": Column("text", options=CLOSED),
}
"""Columns of a file of closures, in local time: what is closed (contraflow: lanes reversed) from
start to end, and when it is announced; areas as in a file of orders."""


@dataclass(frozen=True, eq=False)
class Announcement:
    """An announcement by the authorities."""

    when: datetime  # local time of the announcement
    kind: str  # "mandatory", "voluntary", "lifted", "schools", "offices" or "contraflow"
    zones: Bools  # mask of the zones concerned, shape (zones,)
    effective: datetime  # local time from which it applies


@dataclass(frozen=True, eq=False)
class Orders:
    """Orders by tick and zone, each of shape (ticks, zones)."""

    # Latest status announced by the beginning of the tick (`NO_ORDER`, `VOLUNTARY`, `MANDATORY`)
    announced: Int8
    effective: Int8  # status in effect at the beginning of the tick
    announcements: tuple[Announcement, ...]  # announcements in order of time

    @classmethod
    def none(cls, ticks: int, zones: int) -> Self:
        """Build empty orders."""
        empty = np.zeros((ticks, zones), np.int8)
        return cls(empty, empty.copy(), ())

    @staticmethod
    def check(zones: tuple[str, ...], status: str, place: Place) -> None:
        """Raise UnknownNameError if an area or a status of an order is unknown."""
        parse_status(status)
        for name in zones:
            try:
                find_zones(place, name, "an Order", 0, strict=True)
            except DataFileError:
                raise UnknownNameError(
                    f"no zone {name!r} in {place.name}; an order must name all, ordered, "
                    f"county NAME, band LETTER or the code of a zone"
                ) from None

    def give(self, zones: tuple[str, ...], status: str, tick: int, place: Place) -> None:
        """Put an order into effect from a tick on, announced at once, for areas as in a file."""
        number = parse_status(status)
        for name in zones:
            where = find_zones(place, name, "an Order", 0, strict=True)
            self.announced[tick:, where] = number
            self.effective[tick:, where] = number


@dataclass(frozen=True, eq=False)
class Closures:
    """Closures by tick and zone, each of shape (ticks, zones)."""

    schools: Bools  # whether schools are closed
    offices: Bools  # whether government offices are closed
    contraflow: Bools  # whether lanes are reversed for evacuation
    announcements: tuple[Announcement, ...]  # announcements in order of time


def parse_status(status: str) -> int:
    """Return the number of a status; "none" equals "lifted". Raises UnknownNameError."""
    number = {**STATUS, "none": NO_ORDER}.get(status)
    if number is None:
        raise UnknownNameError(f"order {status!r} must be one of {', '.join(STATUS)}, none")
    return number


def dorian_shift(track: Track, place: Place) -> timedelta:
    """Return by how many days the nearest approach of a storm is later than Dorian's."""
    point = reference_point(place)
    days = [nearest_approach(storm, *point).when.date() for storm in (track, Track.read("dorian"))]
    return days[0] - days[1]


def read_orders(
    place: Place,
    start: datetime,
    ticks: int,
    *,
    hours: float = 1.0,
    path: str | PathLike[str] | None = None,
    shift: timedelta = timedelta(0),
) -> Orders:
    """Read orders, Dorian's of 2019 without a path, and convert them to ticks and zones.

    `shift` is added to all times. Raises DataFileError if the file is missing or invalid, or an
    area of a custom file is not in the place.
    """
    rows = _read_shipped_orders() if path is None else _read_orders(Path(path))
    result = Orders.none(ticks, len(place))
    where = _find_areas(rows, place, str(path), strict=path is not None)
    notices = _merge_announcements(rows, where, ("kind", "effective"), shift)
    for notice in sorted(notices, key=lambda one: one.effective):
        later = _ticks_from(notice.effective, start, ticks, hours)
        result.effective[later, notice.zones] = STATUS[notice.kind]
    for notice in notices:
        later = _ticks_from(notice.when, start, ticks, hours)
        result.announced[later, notice.zones] = STATUS[notice.kind]
    return Orders(result.announced, result.effective, tuple(notices))


def read_closures(
    place: Place,
    start: datetime,
    ticks: int,
    *,
    hours: float = 1.0,
    shift: timedelta = timedelta(0),
) -> Closures:
    """Read Dorian's closures of 2019; see `read_orders`."""
    rows = _read_shipped_closures()
    where = _find_areas(rows, place, "closures_dorian.csv", strict=False)
    shut = {what: np.zeros((ticks, len(place)), bool) for what in CLOSED}
    for row, zones in zip(rows, where, strict=True):
        first, last = (
            _ticks_from(row[edge] + shift, start, ticks, hours).start for edge in ("start", "end")
        )
        shut[row["what"]][first:last, zones] = True
    notices = _merge_announcements(rows, where, ("what", "start"), shift)
    return Closures(shut["schools"], shut["offices"], shut["contraflow"], tuple(notices))


@cache
def _read_shipped_orders() -> Rows:
    return _read_orders(DATA / "orders_dorian.csv")


@cache
def _read_shipped_closures() -> Rows:
    return _read_rows(DATA / "closures_dorian.csv", CLOSURE_COLUMNS, "start", "end")


def _read_orders(path: Path) -> Rows:
    if not path.exists():
        needed = [name for name, rule in ORDER_COLUMNS.items() if rule.required]
        raise DataFileError(
            f"orders '{path}' is neither one of {', '.join(ORDERS)} nor an existing CSV file with "
            f"columns {', '.join(needed)}"
        )
    return _read_rows(path, ORDER_COLUMNS, "announced", "effective")


def _read_rows(path: Path, columns: Mapping[str, Column], first: str, second: str) -> Rows:
    """Read the rows of a table, with Python dates; an empty second date equals the first."""
    table = read_table(path, columns)
    table[second] = table[second].fillna(table[first])
    wrong = (table[second] < table[first]).to_numpy()
    if wrong.any():
        row = int(np.argmax(wrong))
        raise DataFileError(
            f"{path}, row {row + 1}, column {second}: {table[second][row]} is before "
            f"{first} {table[first][row]}"
        )
    return tuple(
        {
            str(name): cell.to_pydatetime() if isinstance(cell, pd.Timestamp) else cell
            for name, cell in row.items()
        }
        for row in table.to_dict("records")
    )


def _find_areas(rows: Rows, place: Place, source: str, *, strict: bool) -> list[Bools]:
    """Return the zones of each row."""
    return [
        find_zones(place, row["area"], source, at, strict=strict) for at, row in enumerate(rows)
    ]


def find_zones(place: Place, name: str, source: str, row: int, *, strict: bool) -> Bools:
    """Return the zones of an area, shape (zones,): "all", "ordered", a code, "county X", "band X".

    With `strict`, an area that is not in the place raises DataFileError, which names `source` and
    `row`, from 0; shipped files name areas of several places.
    """
    kind, _, rest = name.partition(" ")
    column = place.table.get(kind)
    if name == "all":
        return np.ones(len(place), bool)
    if name == "ordered":
        return place.table["ordered"].to_numpy(bool).copy()
    if kind in {"county", "band"} and rest and column is not None:
        mask = column.astype(str).to_numpy() == rest
        known = bool(mask.any()) or (kind == "band" and rest in BANDS)
    else:
        mask = np.array(place.zones) == name
        known = bool(mask.any())
    if strict and not known:
        allowed = "all, ordered, county NAME, band LETTER or the code of a zone"
        if kind in {"county", "band"} and rest and column is not None:
            allowed = ", ".join(BANDS if kind == "band" else sorted(set(column.astype(str))))
        raise DataFileError(
            f"{source}, row {row + 1}, column area: '{name}' is not in {place.name}; "
            f"expected {allowed}"
        )
    return np.asarray(mask)


def _merge_announcements(
    rows: Rows, where: list[Bools], named: tuple[str, str], shift: timedelta
) -> list[Announcement]:
    kind, begin = named
    merged: dict[tuple[datetime, str, datetime], Bools] = {}
    for row, zones in zip(rows, where, strict=True):
        if zones.any():
            # Areas may overlap: each zone gets an announcement once.
            what = (row["announced"] + shift, str(row[kind]), row[begin] + shift)
            merged[what] = merged.get(what, zones) | zones
    notices = [Announcement(when, of, zones, to) for (when, of, to), zones in merged.items()]
    return sorted(notices, key=lambda one: one.when)


def _ticks_from(when: datetime, start: datetime, ticks: int, hours: float) -> slice:
    """Return the slice of ticks that begin at or after a time."""
    first = int(np.ceil((when - start) / timedelta(hours=hours) - 1e-9))
    return slice(int(np.clip(first, 0, ticks)), None)
