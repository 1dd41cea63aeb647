"""Settings that scenarios with a place share."""

from memopolis.scenarios.places.place_files import NO_PLACE, PLACES
from memopolis.sim.errors import SettingsError
from memopolis.sim.settings import Settings


class PlaceSettings(Settings):
    """Settings of a scenario with a setting `place`."""

    @classmethod
    def count_residents(cls, place: str, /) -> int:
        """Return the population of the place. Raises SettingsError if the setting names none."""
        from memopolis.scenarios.places.zones import read_place

        if place == NO_PLACE:
            raise SettingsError(
                "agents=all means one agent per resident of a place, and place=none; set a place, "
                f"such as place={PLACES[0]}, or a number of agents"
            )
        return round(float(read_place(place).population.sum()))
