"""Defaults of a run that come from another place or storm, listed so that nothing is silent."""

from memopolis.scenarios.hurricane.roads import find_roads_file
from memopolis.scenarios.hurricane.settings import HurricaneSettings
from memopolis.scenarios.places.new_place import DERIVED_ROADS
from memopolis.scenarios.places.place_files import PLACES
from memopolis.scenarios.synthesis import taken_over
from memopolis.scenarios.synthesis.counties import STATE
from memopolis.sim.world.place import Place


def list_taken_over(settings: HurricaneSettings, place: Place) -> list[str]:
    """List what a run uses that was measured or ordered for another place or storm."""
    taken = taken_over.list_taken_over(settings.place, place)
    if settings.place not in PLACES:
        taken.append(f"religions of {STATE}")
        if find_roads_file(settings) is None:
            taken.append(DERIVED_ROADS)
        if settings.storm != "none":
            taken.append("decisions calibrated on Dorian in Charleston")
    if settings.storm not in ("dorian", "none") and settings.orders in ("default", "decided"):
        what = "orders and closures" if settings.orders == "default" else "closures"
        taken.append(f"{what} of Dorian in 2019, shifted to the nearest approach")
    elif settings.storm != "none" and settings.place not in PLACES and settings.orders == "default":
        taken.append(f"orders and closures of Dorian in {STATE}")
    return taken
