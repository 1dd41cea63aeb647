"""Storms that the people of a place remember: from a file, or from recorded tracks nearby."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np

from memopolis.agents.remembering import remember
from memopolis.scenarios.hurricane.people import ADULT
from memopolis.scenarios.hurricane.settings import HurricaneSettings
from memopolis.scenarios.hurricane.track import STORMS, Track, nearest_approach, reference_point
from memopolis.scenarios.places.place_files import find_place
from memopolis.scenarios.synthesis.residents import Residents
from memopolis.sim.arrays import Bools, Int16
from memopolis.sim.chance import Chance
from memopolis.sim.population import Cohort, Population
from memopolis.sim.world.columns import Column, read_table
from memopolis.sim.world.place import Place

LEFT = {"ordered": 0.5, "coast": 0.2, "inland": 0.03}
"""Share of households that left for a past storm, by kind of zone, where a file does not give it
(illustrative; found: just under 60% under orders for Florence)."""
SAME_AGAIN = 0.7  # correlation of leaving between two successive storms (illustrative)
COAST_KM = 60.0  # distance to the sea within which these shares count zones as coast (illustrative)
NEAR_KM, GALE_KT = 200.0, 34.0
"""Largest distance of a recorded track, and least wind at its nearest approach, of a storm that
people remember (illustrative)."""

PAST_STORM_COLUMNS = {
    "storm": Column("text"),
    "date": Column("date"),
    **{
        f"left_{kind}": Column("number", required=False, blank=True, default=share, least=0, most=1)
        for kind, share in LEFT.items()
    },
    "government": Column("text", required=False, blank=True, default=""),
    "valence": Column("number", required=False, blank=True, default=-0.3, least=-1, most=1),
}
"""Columns of a file of past storms, one row per storm: name, local date, shares of households that
left by kind of zone, and the government's memory (text and valence)."""


@dataclass(frozen=True)
class PastStorm:
    """A storm before the run."""

    name: str
    day: datetime  # local date of nearest approach
    left: tuple[float, float, float]  # share of households that left: ordered zones, coast, inland
    government: str  # text of the government's memory
    valence: float  # valence of the government's memory, -1..1


def find_past_storms(
    settings: HurricaneSettings, place: Place, start: datetime
) -> tuple[PastStorm, ...]:
    """Find the storms before the run that the people of a place remember, in order of time.

    They are those of the file that the settings select, or the recorded tracks that came near.
    """
    if settings.past_storms == "none":
        return ()
    file = find_past_file(settings)
    storms = _find_near(place) if file is None else _read(file)
    earlier = (storm for storm in storms if storm.day < start)
    return tuple(sorted(earlier, key=lambda storm: storm.day))


def find_past_file(settings: HurricaneSettings) -> Path | None:
    """Return the file of past storms that the settings select, None for recorded tracks."""
    if settings.past_storms != "default":
        return Path(settings.past_storms)
    return find_place(settings.place).find("past_storms.csv")


def _read(path: Path) -> list[PastStorm]:
    table = read_table(path, PAST_STORM_COLUMNS)
    return [
        PastStorm(
            row["storm"],
            row["date"].to_pydatetime(),
            (row["left_ordered"], row["left_coast"], row["left_inland"]),
            row["government"] or f"Hurricane {row['storm']} came.",
            row["valence"],
        )
        for row in table.to_dict("records")
    ]


def _find_near(place: Place) -> list[PastStorm]:
    """Find recorded storms that came near a place with gales."""
    storms = []
    for name in STORMS:
        near = nearest_approach(Track.read(name), *reference_point(place))
        if near.km <= NEAR_KM and near.wind_kt >= GALE_KT:
            text = f"Hurricane {name.title()} came within {near.km:.0f} km of us."
            # Worse with its wind and the nearer it came (illustrative).
            valence = -min(near.wind_kt / 100, 1.0) * (1 - near.km / NEAR_KM)
            day = near.when.replace(hour=0, minute=0)
            left = LEFT["ordered"], LEFT["coast"], LEFT["inland"]
            storms.append(PastStorm(name.title(), day, left, text, valence))
    return storms


def draw_who_left(storms: Sequence[PastStorm], place: Place, zone: Int16, chance: Chance) -> Bools:
    """Draw which households, by zone, left for each past storm, shape (storms, households)."""
    from scipy.special import ndtri

    coast = place.table["coast_km"].to_numpy(np.float64) < COAST_KM
    kind = np.where(place.table["ordered"].to_numpy(bool), 0, np.where(coast, 1, 2))
    numbers = np.arange(len(zone))
    left = np.zeros((len(storms), len(zone)), bool)
    years = [storm.day.year for storm in storms]
    inclination = None
    for at, storm in enumerate(storms):
        again = years[:at].count(years[at])
        own = chance.normal(f"household left {years[at]}{f' {again}' * (again > 0)}", numbers)
        if inclination is not None:
            own = SAME_AGAIN * inclination + np.sqrt(1 - SAME_AGAIN**2) * own
        inclination = own
        left[at] = inclination < ndtri(np.array(storm.left)[kind])[zone]
    return left


def remember_past_storms(
    storms: Sequence[PastStorm], citizens: Population, people: Residents, chance: Chance
) -> None:
    """Add adults' memories of having left or stayed for past storms."""
    persons, memory = people.persons, citizens.memory
    adults = persons["age"] >= ADULT
    left = draw_who_left(storms, people.place, people.households["zone"], chance)
    for storm, went in zip(storms, left[:, persons["household"]], strict=True):
        memory.now = citizens.society.clock.tick_of(storm.day)
        for rows, text, valence in (
            (adults & went, f"We left {{place}} when hurricane {storm.name} came.", -0.2),
            (adults & ~went, f"We stayed in {{place}} when hurricane {storm.name} came.", 0.0),
        ):
            some = Cohort(citizens, np.flatnonzero(rows))
            remember(some, "past storm", text, 0.4, valence, at="home")
        memory.flush()
    memory.now = 0


def remember_as_government(storms: Sequence[PastStorm], government: Population) -> None:
    """Add the government's memories of past storms."""
    memory = government.memory
    for storm in storms:
        memory.now = government.society.clock.tick_of(storm.day)
        everyone = Cohort(government, np.arange(len(government)))
        remember(everyone, "past storm", storm.government, 0.6, storm.valence)
        memory.flush()
    memory.now = 0
