"""The shapes of a place for the browser: zones, land, roads, ways out, and the storm's track."""

import heapq
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from memopolis.analysis.figures.cells import Cells
from memopolis.analysis.figures.moving_now import find_outside
from memopolis.analysis.figures.place_now import PlaceNow
from memopolis.analysis.figures.storm_now import has_track
from memopolis.analysis.run.run import Run
from memopolis.commands.shown_text import one_line
from memopolis.dashboard.map.packing import rounded
from memopolis.sim.world import shapes

FloatArray = NDArray[np.float64]

_AROUND = 3.0  # degrees of land around the place, visible after zooming out
_FINE_KM, _COARSE_KM = 0.15, 6.0  # tolerances of simplified coasts, on the map and on the inset
_DETAIL = 5_000  # lengths that are visible in outlines of zones, as parts of the size of the place
_NAME = 30
_OUTSIDE = "outside"


def describe_place(run: Run) -> dict[str, Any]:
    """Describe the place of a run as `js/index.js` expects it; kilometres from its middle."""
    now = PlaceNow.of(run)
    cells = now.cells
    (west, south), (east, north) = cells.corners
    margin = 0.06 * max(east - west, north - south)
    box = (west - margin, south - margin, east + margin, north + margin)
    people = now.zones.get("population", pd.Series(0.0, now.zones.index)).fillna(0).tolist()
    detail = max(east - west, north - south) / _DETAIL
    names = [run.place_name(number) for number in range(len(cells))]
    rows = zip(names, cells.outlines, cells.centres, people, strict=True)
    zones = [
        {
            "name": one_line(name, most=_NAME),
            "rings": _rings(outline, detail),
            "centre": rounded(centre),
            "people": float(size),
        }
        for name, outline, centre, size in rows
    ]
    far = 0.35 * max(east - west, north - south)
    exits = [find_outside(cells, centre, far) for centre in cells.centres]
    roads = _roads(run, now, exits)
    track = _track(run, cells)
    return {
        "zones": zones,
        "land": _land(cells, _around(cells, box), _FINE_KM) if now.on_land else [],
        "roads": [
            {"path": rounded(path), "lanes": lanes, "kmh": kmh} for path, lanes, kmh in roads.lines
        ],
        "ways": roads.ways,
        "exits": [rounded(point) for point in exits],
        "box": [round(float(value), 2) for value in box],
        "track": None if track is None else {"path": rounded(track)},
        "inset": None if track is None else _inset(cells, track, box, on_land=now.on_land),
        "noun": now.noun,
    }


def _rings(shape: BaseGeometry, tolerance: float) -> list[list[float]]:
    """Return the rings of a shape, simplified, since outlines may have millions of points."""
    import shapely

    return [rounded(ring) for ring in shapes.list_rings(shapely.simplify(shape, tolerance))]


def _around(cells: Cells, box: Sequence[float]) -> FloatArray:
    """Return a box with land around it: west, south, east and north in degrees."""
    corners = np.array(box).reshape(2, 2) / cells.km_per_degree + (cells.lon, cells.lat)
    return np.concatenate([corners[0] - _AROUND, corners[1] + _AROUND])


def _land(cells: Cells, degrees: FloatArray, tolerance: float) -> list[list[float]]:
    import shapely

    def project(points: FloatArray) -> FloatArray:
        return np.asarray((points - (cells.lon, cells.lat)) * cells.km_per_degree)

    land = shapely.transform(shapes.find_land(*degrees.tolist()), project)
    return _rings(land, tolerance)


def _track(run: Run, cells: Cells) -> FloatArray | None:
    if not has_track(run):
        return None
    table = run.table("track")
    return cells.plane(table["lat"].to_numpy(np.float64), table["lon"].to_numpy(np.float64))


def _inset(
    cells: Cells, track: FloatArray, box: Sequence[float], *, on_land: bool
) -> dict[str, Any]:
    """Describe the small map of the whole track."""
    points = np.concatenate([track, np.array(box).reshape(2, 2)])
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.08 * float((high - low).max())
    low, high = low - margin, high + margin
    tall, wide = 0.74, 1.0  # shape of the inset, so that land reaches its edges
    grow = np.maximum((high - low)[::-1] * (wide / tall, tall / wide) - (high - low), 0) / 2
    low, high = low - grow, high + grow
    corners = np.stack([low, high]) / cells.km_per_degree + (cells.lon, cells.lat)
    limits = np.clip(corners.ravel(), (-180, -85, -180, -85), (180, 85, 180, 85))
    land = _land(cells, limits, _COARSE_KM) if on_land else []
    return {"land": land, "box": rounded(np.stack([low, high]))}


class _Roads:
    """Lines of roads, and the way out of each zone.

    Attributes:
        lines: Points, lanes in both directions, and free speed.
        ways: First line of the fastest way out of each zone: x, y, x, y; None without one.
    """

    def __init__(self, table: pd.DataFrame, now: PlaceNow, exits: Sequence[FloatArray]) -> None:
        centres = now.cells.centres
        number = {str(code): i for i, code in enumerate(now.zones.get("zone", []))}
        self._places = dict(enumerate(centres))
        self._links: list[tuple[object, int, float]] = []  # to, from, hours
        pairs: dict[tuple[object, object], tuple[FloatArray, float, float]] = {}
        columns = (table[name].tolist() for name in ("from", "to", "km", "kmh", "lanes"))
        for start, end, km, kmh, lanes in zip(*columns, strict=True):
            tail = number.get(str(start))
            head: object = number.get(str(end), str(end))
            if tail is None or (isinstance(head, str) and not head.startswith(_OUTSIDE)):
                continue
            tip = centres[head] if isinstance(head, int) else exits[tail]
            self._links.append((head, tail, km / max(kmh, 1.0)))
            key = (min(tail, head), max(tail, head)) if isinstance(head, int) else (tail, head)
            pairs[key] = (np.stack([centres[tail], tip]), float(lanes), float(kmh))
        self.lines = list(pairs.values())
        self.ways = self._find_ways(centres, exits)

    def _find_ways(
        self, centres: FloatArray, exits: Sequence[FloatArray]
    ) -> list[list[float] | None]:
        """Find the fastest way out of each zone, from the exits backwards (Dijkstra)."""
        into: dict[object, list[tuple[int, float]]] = {}
        for head, tail, hours in self._links:
            into.setdefault(head, []).append((tail, hours))
        ends = sorted(str(head) for head in into if isinstance(head, str))
        queue: list[tuple[float, int, object]] = [(0.0, i, end) for i, end in enumerate(ends)]
        ways: list[list[float] | None] = [None] * len(centres)
        best: dict[object, float] = dict.fromkeys(ends, 0.0)
        while queue:
            time, _, head = heapq.heappop(queue)
            if time > best[head]:
                continue
            for tail, hours in into.get(head, ()):
                if time + hours < best.get(tail, np.inf):
                    best[tail] = time + hours
                    tip = centres[head] if isinstance(head, int) else exits[tail]
                    ways[tail] = rounded(np.stack([centres[tail], tip]))
                    heapq.heappush(queue, (best[tail], len(ends) + tail, tail))
        return ways


def _roads(run: Run, now: PlaceNow, exits: Sequence[FloatArray]) -> _Roads:
    needed = ("from", "to", "km", "kmh", "lanes")
    table = run.table("roads") if run.has("roads", *needed) else _no_roads(needed)
    return _Roads(table, now, exits)


def _no_roads(columns: Sequence[str]) -> pd.DataFrame:
    empty: Mapping[str, list[object]] = {name: [] for name in columns}
    return pd.DataFrame(empty)
