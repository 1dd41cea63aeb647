"""A place of an invented user: two zones at Tampa Bay with marginals of their own."""

from pathlib import Path
from typing import Any

from memopolis.sim.society import Society

ZONES = """zone,name,county,lat,lon,population,land_km2,coast_km,ordered,households,median_income,\
employed,under_18,aged_65,poverty,unemployment,no_high_school,white,black,hispanic,professional
33606,Hyde Park,Hillsborough,27.93,-82.46,20000,9,2,1,9000,76000,11000,15,14,10,4,3,80,6,12,60
33510,Brandon,Hillsborough,27.95,-82.29,30000,25,14,0,11000,52000,15000,25,12,14,7,10,50,20,26,30
"""
PLACE = """name = "tampa-bay"
title = "Tampa Bay, Florida"
taken_over = ["surge bands by distance to the sea"]
"""
SCENARIOS: dict[str, dict[str, object]] = {
    "hurricane": {"agents": 80, "days": 9, "storm": "ian"},
    "polarization": {"agents": 60, "days": 12},
    "ubi": {"agents": 80, "days": 360, "start": 4},
}
"""Small runs that reach a storm, a day with talks and a policy."""


def write_town(folder: Path, zones: str = ZONES) -> Path:
    """Write the folder of the place."""
    folder.mkdir(parents=True)
    (folder / "zones.csv").write_text(zones, encoding="utf-8")
    (folder / "place.toml").write_text(PLACE, encoding="utf-8")
    return folder


def build(scenario: str, **changes: object) -> Society[Any]:
    """Build a small society of a scenario."""
    from memopolis.sim.scenario_names import find_scenario

    return find_scenario(scenario)(rng=1, **SCENARIOS[scenario] | changes)
