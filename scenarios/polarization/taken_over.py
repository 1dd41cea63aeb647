"""Defaults of a place's citizens that come from elsewhere, listed so that nothing is silent."""

from memopolis.scenarios.polarization.settings import PolarizationSettings, StartSettings
from memopolis.scenarios.synthesis import taken_over
from memopolis.scenarios.synthesis.taken_over import NATION
from memopolis.sim.world.place import Place


def list_taken_over(settings: PolarizationSettings, place: Place | None) -> list[str]:
    """List what a run in a place uses that was measured elsewhere; nothing without a place."""
    if place is None:
        return []
    taken = taken_over.list_taken_over(settings.place, place)
    people, usual = settings.people, StartSettings()
    if (people.democrats, people.republicans) == (usual.democrats, usual.republicans):
        taken.append(f"shares of the parties in polls of {NATION}")
    return [
        *taken,
        f"party by age, sex, race, education and urbanity in surveys of {NATION}",
        f"attitudes and gun owners by party in polls of {NATION}",
    ]
