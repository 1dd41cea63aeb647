"""Roads of a run: those of the folder of the place, a file, or derived from the zones."""

from pathlib import Path

from memopolis.scenarios.hurricane.settings import HurricaneSettings
from memopolis.scenarios.places.place_files import check_file, find_place
from memopolis.sim.errors import DataFileError
from memopolis.sim.world.csv_files import read_csv
from memopolis.sim.world.place import Place
from memopolis.sim.world.roads import ROAD_COLUMNS, Roads

ROADS = "roads.csv"  # optional file of the folder of a place


def find_roads_file(settings: HurricaneSettings) -> Path | None:
    """Return the file of roads that a run reads; None if roads are derived from the zones."""
    chosen = settings.roads.table
    if chosen == "default":
        return find_place(settings.place).find(ROADS)
    return None if chosen == "derived" else Path(chosen)


def read_roads(settings: HurricaneSettings, place: Place) -> Roads:
    """Read the roads of a run, or derive them from its zones."""
    file = find_roads_file(settings)
    if file is None:
        return Roads.derive(place)
    if not file.exists():
        needed = ", ".join(name for name, rule in ROAD_COLUMNS.items() if rule.required)
        raise DataFileError(
            f"roads '{file}' are neither default nor derived nor an existing CSV file with "
            f"columns {needed}"
        )
    return Roads.from_table(read_csv(check_file(file)), place, source=str(file))
