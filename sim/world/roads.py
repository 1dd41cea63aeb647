"""Roads: directed links between zones and out of the region, with length, speed and capacity."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.sim.errors import DataFileError
from memopolis.sim.world.columns import check_table, read_rules
from memopolis.sim.world.place import Place
from memopolis.sim.world.roads_derived import derive_exits, derive_streets

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

OUTSIDE = "outside"
"""First word of the name of a node outside the region, as in "outside Columbia by I-26"."""
MOST_LINKS = 20_000  # maximum number of rows of a table of roads

ROAD_COLUMNS = read_rules(__file__, "roads")
"""Columns of a table of roads, one row per direction: from and to (codes of zones; to may be
"outside NAME"), length, free speed, lanes and capacity of the direction, whether contraflow
reverses the opposite lanes, and a name."""


@dataclass(frozen=True, eq=False)
class Roads:
    """A graph of directed links. Nodes are the zones, then the exits out of the region."""

    zones: int  # number of zones
    # Names of the exits; the number of an exit's node is `zones` plus its position
    exits: tuple[str, ...]
    start: IntArray  # node at the start of each link, shape (links,)
    end: IntArray  # node at its end
    km: FloatArray  # length
    kmh: FloatArray  # free speed
    lanes: FloatArray  # lanes in this direction
    capacity: FloatArray  # vehicles per hour in ordinary traffic
    reversible: NDArray[np.bool_]  # whether contraflow adds the opposite lanes
    names: tuple[str, ...]  # names of the links, "" for none

    @classmethod
    def derive(cls, place: Place) -> Self:
        """Build plausible roads from the zones alone; see `roads_derived` for the rules."""
        parts = [derive_streets(place), derive_exits(place)]
        return cls.from_table(pd.concat(parts), place, source=f"roads derived for {place.name}")

    @classmethod
    def from_table(cls, table: pd.DataFrame, place: Place, *, source: str = "roads") -> Self:
        """Build roads from a table with `ROAD_COLUMNS`, links in the order of the rows.

        Without a link to the outside, exits are derived. Raises DataFileError if a cell is invalid,
        an end is not a zone, a link occurs twice, or there is no way from a zone to another one or
        to the outside.
        """
        checked = check_table(table, ROAD_COLUMNS, source=source)
        outward = checked["to"].map(_is_outside)
        if not outward.any():
            complete = pd.concat([table, derive_exits(place)])
            checked = check_table(complete, ROAD_COLUMNS, source=source)
            outward = checked["to"].map(_is_outside)
        if len(checked) > MOST_LINKS:
            raise DataFileError(f"{source}: {len(checked):,} rows; at most {MOST_LINKS:,} are read")
        twice = checked.duplicated(["from", "to"])
        if twice.any():
            row = int(np.argmax(twice))
            raise DataFileError(
                f"{source}, row {row + 1}: '{checked['from'][row]}' to '{checked['to'][row]}' "
                "occurs twice; add up parallel roads in one row"
            )
        exits = tuple(dict.fromkeys(checked["to"][outward]))
        nodes = {code: node for node, code in enumerate((*place.zones, *exits))}
        roads = cls(
            len(place),
            exits,
            _find_nodes(checked, "from", nodes, source, most=len(place)),
            _find_nodes(checked, "to", nodes, source, most=len(nodes)),
            km=checked["km"].to_numpy(np.float64),
            kmh=checked["kmh"].to_numpy(np.float64),
            lanes=checked["lanes"].to_numpy(np.float64),
            capacity=checked["vehicles_per_hour"].to_numpy(np.float64),
            reversible=checked["reversible"].to_numpy(bool),
            names=tuple(checked["name"]),
        )
        roads.check(place, source)
        return roads

    def __len__(self) -> int:
        return len(self.start)

    @property
    def nodes(self) -> int:
        """Number of nodes: zones and exits."""
        return self.zones + len(self.exits)

    @cached_property
    def hours(self) -> FloatArray:
        """Time on each link without other traffic, hours, shape (links,)."""
        return np.asarray(self.km / self.kmh)

    @cached_property
    def number(self) -> NDArray[np.int32]:
        """Number of the link from node to node, -1 for none, shape (nodes, nodes)."""
        numbers = np.full((self.nodes, self.nodes), -1, np.int32)
        numbers[self.start, self.end] = np.arange(len(self))
        return numbers

    def find_ways_out(self, hours: FloatArray) -> tuple[FloatArray, NDArray[np.int32]]:
        """Find the fastest ways from each node to each exit, by hours on each link, shape (links,).

        Returns the hours to the exit, inf if there is no way, and the first link of the way, -1 for
        none, both of shape (nodes, exits).

        Source: Dijkstra 1959, doi:10.1007/BF01386390, as implemented in SciPy.
        """
        # The search runs from the exits against the direction of the links.
        exits = np.arange(self.zones, self.nodes)
        time, follows = self._search(hours, self.end, self.start, exits)
        at = np.arange(self.nodes)
        links = np.where(follows >= 0, self.number[at, np.maximum(follows, 0)], -1)
        return time.T, np.ascontiguousarray(links.T, np.int32)

    def _search(
        self, hours: FloatArray, start: IntArray, end: IntArray, roots: IntArray
    ) -> tuple[FloatArray, NDArray[np.int32]]:
        """Return hours and previous nodes on the fastest ways from roots, shape (roots, nodes)."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import dijkstra

        graph = csr_array((hours, (start, end)), shape=(self.nodes, self.nodes))
        time, before = dijkstra(graph, indices=roots, return_predecessors=True)
        return np.asarray(time), np.asarray(before)

    @cached_property
    def trees(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Fastest ways from each zone to all zones on empty roads, as trees.

        Zones by time from the origin, nearest first, and the last link of the way to each zone, -1
        for the origin itself, both of shape (origins, zones).
        """
        zones = np.arange(self.zones)
        time, before = self._search(self.hours, self.start, self.end, zones)
        time, before = time[:, : self.zones], before[:, : self.zones]
        last = np.where(before >= 0, self.number[np.maximum(before, 0), zones], -1)
        order = np.argsort(time, axis=1, kind="stable")
        return np.asarray(order, np.int32), np.asarray(last, np.int32)

    def check(self, place: Place, source: str) -> None:
        """Refuse roads on which a zone cannot be left, or reached from another one."""
        out, _ = self.find_ways_out(self.hours)
        enclosed = np.flatnonzero(~np.isfinite(out[: self.zones]).any(axis=1))
        zones = np.arange(self.zones)
        time = self._search(self.hours, self.start, self.end, zones)[0][:, : self.zones]
        unreached = np.argwhere(~np.isfinite(time))
        if len(unreached):
            one, other = (place.zones[node] for node in unreached[0])
            raise DataFileError(
                f"{source}: no way from zone '{one}' to '{other}'; add the missing rows, one for "
                "each direction"
            )
        if len(enclosed):
            raise DataFileError(
                f"{source}: no way from zone '{place.zones[enclosed[0]]}' to the outside; add a "
                f"row whose column to begins with '{OUTSIDE}'"
            )

    def to_table(self, place: Place) -> pd.DataFrame:
        """Return the links as a table with the columns of `ROAD_COLUMNS`."""
        codes = np.array((*place.zones, *self.exits), object)
        return pd.DataFrame(
            {
                "from": codes[self.start],
                "to": codes[self.end],
                "km": self.km,
                "kmh": self.kmh,
                "lanes": self.lanes,
                "vehicles_per_hour": self.capacity,
                "reversible": self.reversible.astype(np.int8),
                "name": list(self.names),
            }
        )


def _is_outside(node: str) -> bool:
    return node.split(" ", 1)[0] == OUTSIDE


def _find_nodes(
    table: pd.DataFrame, column: str, nodes: dict[str, int], source: str, *, most: int
) -> IntArray:
    numbers = table[column].map(nodes).fillna(most)
    wrong = (numbers >= most).to_numpy()
    if wrong.any():
        row = int(np.argmax(wrong))
        allowed = "a zone" if column == "from" else f"a zone or '{OUTSIDE} NAME'"
        raise DataFileError(
            f"{source}, row {row + 1}, column {column}: '{table[column][row]}' is not {allowed} "
            "of the place"
        )
    return np.asarray(numbers, np.intp)
