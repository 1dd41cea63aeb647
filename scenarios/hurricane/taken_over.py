"""Data of South Carolina that a run elsewhere takes over, listed so that nothing does silently."""

from memopolis.scenarios.hurricane.settings import HurricaneSettings
from memopolis.scenarios.places.place_files import PLACES
from memopolis.scenarios.synthesis.counties import STATE, read_counties
from memopolis.sim.world.place import Place


def list_taken_over(settings: HurricaneSettings, place: Place) -> tuple[str, ...]:
    """List what a run uses that was measured or ordered for another place or storm.

    Args:
        settings: Settings of the run.
        place: The zones.

    Returns:
        One phrase for each default taken over; none in a shipped place under Dorian.
    """
    taken = []
    if settings.place not in PLACES:
        county = place.table["county"].astype(str)
        other = ~county.isin(read_counties().index) | (county == STATE)
        if other.any():
            taken.append(f"marginals of {STATE} in {int(other.sum())} of {len(place)} zones")
        taken += [
            f"households surveyed in {STATE}",
            f"religions of {STATE}",
            "local time UTC-4",
            "road capacity out of Charleston",
        ]
    if settings.storm not in ("dorian", "none") and settings.orders in ("default", "decided"):
        what = "orders and closures" if settings.orders == "default" else "closures"
        taken.append(f"{what} of Dorian in 2019, shifted to the nearest approach")
    elif settings.storm != "none" and settings.place not in PLACES and settings.orders == "default":
        taken.append(f"orders and closures of Dorian in {STATE}")
    return tuple(taken)
