"""Defaults of a population that come from another place, listed so that nothing is silent."""

from collections.abc import Sequence

import numpy as np

from memopolis.scenarios.places.place_files import PLACES, find_place
from memopolis.scenarios.places.zones import MARGINAL_COLUMNS, OTHER_MARGINALS
from memopolis.scenarios.synthesis.counties import STATE, read_counties
from memopolis.scenarios.synthesis.fitting import find_counties, list_own_marginals
from memopolis.sim.world.place import Place

NATION = "the United States"
MOST_NAMED = 3  # largest number of marginals that are named one by one


def list_taken_over(setting: str, place: Place, *, survey: str = "") -> list[str]:
    """List what the people of a place take over from elsewhere, one phrase for each default.

    `survey` is where the survey's households live, if not in the state of a shipped place or in the
    nation. A shipped place has marginals of its own counties.
    """
    survey = survey or (STATE if setting in PLACES else NATION)
    taken = [f"households surveyed in {survey}"]
    if setting in PLACES:
        return taken if survey != STATE else []
    return [*find_place(setting).taken_over, *taken, *_list_marginals(place)]


def _list_marginals(place: Place) -> list[str]:
    """List the marginals that zones do not have themselves."""
    own = list_own_marginals(place.table)
    of_state = np.array([name == STATE for name in find_counties(place, read_counties())])
    taken = []
    for here, source in ((of_state, STATE), (~of_state, f"the county of the same name in {STATE}")):
        missing = [name for name in MARGINAL_COLUMNS if (here & ~own[name]).any()]
        zones = int(np.any([here & ~own[name] for name in missing], axis=0).sum()) if missing else 0
        if zones:
            taken.append(f"{_name(missing)} of {source} in {zones} of {len(place)} zones")
    other = [name for name in OTHER_MARGINALS if not own[name].all()]
    if other:
        taken.append(f"{_name(other)} of Richland County, {STATE}")
    return taken


def _name(marginals: Sequence[str]) -> str:
    if len(marginals) == len(MARGINAL_COLUMNS):
        return "marginals"
    named = ", ".join(name.replace("_", " ") for name in marginals[:MOST_NAMED])
    more = len(marginals) - MOST_NAMED
    return f"shares ({named}{f' and {more} more' if more > 0 else ''})"
