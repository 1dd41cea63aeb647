"""Create land.npz from two packages of the npm registry.

Run by maintainers of the data, in an empty folder:

    npm pack us-atlas@3.0.1 && npm pack world-atlas@2.0.2
    for file in *.tgz; do mkdir "${file%.tgz}" && tar xzf "$file" -C "${file%.tgz}"; done
    python make_land.py us-atlas-3.0.1/package/nation-10m.json \
        world-atlas-2.0.2/package/countries-50m.json

Neither package is needed to run Memopolis.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

UNITED_STATES = "840"
UNITS_PER_DEGREE = 1_000


def rings(path: Path, name: str) -> Iterator[NDArray[np.float64]]:
    """Yield the outer rings of a TopoJSON object, without those of the United States by country.

    Args:
        path: The file.
        name: Name of the object.

    Yields:
        Degrees east and north, shape (points, 2).
    """
    topology = json.loads(path.read_text())
    scale, translate = (topology["transform"][key] for key in ("scale", "translate"))
    arcs = [np.cumsum(arc, axis=0) * scale + translate for arc in topology["arcs"]]

    def ring(numbers: list[int]) -> NDArray[np.float64]:
        lines = [arcs[number] if number >= 0 else arcs[~number][::-1] for number in numbers]
        return np.concatenate([lines[0], *(line[1:] for line in lines[1:])])

    for geometry in topology["objects"][name]["geometries"]:
        if name == "countries" and geometry.get("id") == UNITED_STATES:
            continue
        polygons: Any = geometry.get("arcs", [])
        for polygon in [polygons] if geometry["type"] == "Polygon" else polygons:
            yield ring(polygon[0])


def main() -> None:
    """Write the file next to this script."""
    nation, countries = map(Path, sys.argv[1:])
    every = [*rings(nation, "nation"), *rings(countries, "countries")]
    whole = [np.rint(ring * UNITS_PER_DEGREE).astype(np.int32) for ring in every]
    starts = np.cumsum([0, *map(len, whole)])
    # Differences of neighbours are small numbers, which compress well.
    steps = np.diff(np.concatenate(whole), axis=0, prepend=np.zeros((1, 2), np.int32))
    np.savez_compressed(Path(__file__).with_name("land.npz"), steps=steps, starts=starts)


if __name__ == "__main__":
    main()
