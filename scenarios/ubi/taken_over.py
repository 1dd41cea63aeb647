"""Defaults of a place's economy that come from elsewhere, listed so that nothing is silent."""

from memopolis.scenarios.synthesis import taken_over
from memopolis.scenarios.synthesis.taken_over import NATION
from memopolis.scenarios.ubi.settings import BasicIncomeSettings
from memopolis.sim.world.place import Place


def list_taken_over(settings: BasicIncomeSettings, place: Place | None) -> list[str]:
    """List what a run in a place uses that was measured elsewhere; nothing without a place."""
    if place is None:
        return []
    return [
        *taken_over.list_taken_over(settings.place, place, survey=NATION),
        f"taxes, benefits and spending of {NATION}",
        f"births and deaths of {NATION}",
    ]
