"""Roads of a run: the shipped table, that of the folder of a place, a file, or derived ones."""

from pathlib import Path

from memopolis.scenarios.hurricane.settings import HurricaneSettings
from memopolis.scenarios.hurricane.zones import DATA, PLACES
from memopolis.sim.errors import DataFileError
from memopolis.sim.world.columns import read_csv
from memopolis.sim.world.place import Place
from memopolis.sim.world.roads import ROAD_COLUMNS, Roads


def find_roads_file(settings: HurricaneSettings) -> Path | None:
    """Return the file of roads that a run reads; None if roads are derived from the zones."""
    chosen = settings.roads.table
    if chosen == "derived":
        return None
    if chosen != "default":
        return Path(chosen)
    if settings.place in PLACES:
        return DATA / f"roads_{settings.place}.csv"
    file = Path(settings.place) / "roads.csv"
    return file if file.exists() else None


def read_roads(settings: HurricaneSettings, place: Place) -> Roads:
    """Read the roads of a run, or derive them from its zones.

    Raises:
        DataFileError: If the file is missing or invalid.
    """
    file = find_roads_file(settings)
    if file is None:
        return Roads.derive(place)
    if not file.exists():
        needed = ", ".join(name for name, rule in ROAD_COLUMNS.items() if rule.required)
        raise DataFileError(
            f"roads '{file}' are neither default nor derived nor an existing CSV file with "
            f"columns {needed}"
        )
    return Roads.from_table(read_csv(file), place, source=str(file))
