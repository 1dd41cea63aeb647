"""Create land.npz from two packages of the npm registry.

Run by maintainers of the data, in an empty folder and an environment with numpy and shapely:

    npm pack us-atlas@3.0.1 && npm pack world-atlas@2.0.2
    for file in *.tgz; do mkdir "${file%.tgz}" && tar xzf "$file" -C "${file%.tgz}"; done
    python tools/data/make_land.py us-atlas-3.0.1/package/nation-10m.json \
        world-atlas-2.0.2/package/countries-50m.json

Neither package is needed to run Memopolis.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import shapely
from numpy.typing import NDArray

UNITED_STATES = "840"
NEIGHBOURS = ("124", "484")  # canada and Mexico
UNITS_PER_DEGREE = 1_000


BORDER_DEGREES = 0.08
"""Distance from another country within which an outline of the United States is no coast."""
GREAT_LAKES = (-92.5, 41.2, -75.9, 49.1)
"""West, south, east and north of a box; shores of the United States in it are no sea coast."""

type Ring = tuple[NDArray[np.float64], NDArray[np.bool_]]
"""Degrees east and north, shape (points, 2), and whether the line that begins at each point is a
coast of the sea, shape (points,)."""


def read_rings(path: Path, name: str) -> Iterator[tuple[str, Ring]]:
    """Yield code of the country, "" for none, and outer ring of each outline of a TopoJSON object.

    A line is a coast if it belongs to one country only. Rings of the United States by country are
    left out.
    """
    topology = json.loads(path.read_text())
    scale, translate = (topology["transform"][key] for key in ("scale", "translate"))
    arcs = [np.cumsum(arc, axis=0) * scale + translate for arc in topology["arcs"]]
    outlines = [
        (str(geometry.get("id", "")), polygon[0])
        for geometry in topology["objects"][name]["geometries"]
        for polygon in (
            [geometry.get("arcs", [])] if geometry["type"] == "Polygon" else geometry["arcs"]
        )
    ]
    used = Counter(number if number >= 0 else ~number for _, ring in outlines for number in ring)

    for country, numbers in outlines:
        if name == "countries" and country == UNITED_STATES:
            continue
        lines = [arcs[number] if number >= 0 else arcs[~number][::-1] for number in numbers]
        coast = [np.full(len(line), used[n if n >= 0 else ~n] == 1)
                 for n, line in zip(numbers, lines, strict=True)]  # fmt: skip
        yield (
            country,
            (
                np.concatenate([lines[0], *(line[1:] for line in lines[1:])]),
                np.concatenate([coast[0][:-1], *(one[:-1] for one in coast[1:]), [False]]),
            ),
        )


def drop_seams(ring: Ring) -> Ring:
    """Remove the lines at which outlines are cut: the meridian of 180 degrees and the pole."""
    points, coast = ring
    at_seam = (np.abs(points[:, 0]) > 179.99) | (points[:, 1] < -85)
    return points, coast & ~(at_seam & np.roll(at_seam, -1))


def mark_coast(ring: Ring, others: shapely.Geometry) -> Ring:
    """Remove land borders and the shores of the Great Lakes from a coast of the United States."""
    points, coast = ring
    west, south, east, north = GREAT_LAKES
    lon, lat = points.T
    lakes = (lon > west) & (lon < east) & (lat > south) & (lat < north)
    middle = shapely.points((points + np.roll(points, -1, axis=0)) / 2)
    far = shapely.distance(middle, others) > BORDER_DEGREES
    return points, coast & ~lakes & far


def main() -> None:
    """Write the file next to this script."""
    nation, countries = map(Path, sys.argv[1:])
    abroad = list(read_rings(countries, "countries"))
    neighbours = shapely.union_all(
        [shapely.Polygon(ring[0]).buffer(0) for code, ring in abroad if code in NEIGHBOURS]
    )
    home = [mark_coast(ring, neighbours) for _, ring in read_rings(nation, "nation")]
    every = [drop_seams(ring) for ring in (*home, *(ring for _, ring in abroad))]
    whole = [np.rint(points * UNITS_PER_DEGREE).astype(np.int32) for points, _ in every]
    starts = np.cumsum([0, *map(len, whole)])
    # Differences of neighbours are small numbers, which compress well.
    steps = np.diff(np.concatenate(whole), axis=0, prepend=np.zeros((1, 2), np.int32))
    coast = np.packbits(np.concatenate([coast for _, coast in every]))
    file = Path(__file__).parents[2] / "sim" / "world" / "data" / "land.npz"
    np.savez_compressed(file, steps=steps, starts=starts, coast=coast)


if __name__ == "__main__":
    main()
