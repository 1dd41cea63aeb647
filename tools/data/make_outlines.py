"""Create the outlines of the zones of shipped places: `python tools/data/make_outlines.py`.

No borders of these zones are shipped. Each point of the counties' land within 15 km of a centre
belongs to the zone of the nearest centre.
"""

import shapely

from memopolis.scenarios.places.place_files import SHIPPED_PLACES
from memopolis.scenarios.places.us_counties import outline
from memopolis.scenarios.places.zone_geojson import write_zones
from memopolis.scenarios.places.zones import read_place
from memopolis.sim.world.shapes import MARGIN_KM, cells, circle

COUNTIES = {
    "charleston": ("45019", "45015", "45035"),
    "columbia": ("45079", "45063", "45055", "45039"),
}
"""FIPS codes of the counties of each place's zones."""


def main() -> None:
    """Write zones.geojson of each place."""
    for name, counties in COUNTIES.items():
        place = read_place(SHIPPED_PLACES / name / "zones.csv")
        land = shapely.union_all([outline(county) for county in counties])
        near = [circle(*centre, MARGIN_KM) for centre in zip(place.lat, place.lon, strict=True)]
        outlines = cells(place.lat, place.lon, land.intersection(shapely.union_all(near)))
        known = place.table[["zone", "name", "population"]]
        write_zones(SHIPPED_PLACES / name / "zones.geojson", known, outlines)


if __name__ == "__main__":
    main()
