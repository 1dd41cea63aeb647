"""Marginals of South Carolina's counties, used where a zone has none of its own."""

from functools import cache
from pathlib import Path

import pandas as pd

from memopolis.scenarios.places.place_files import NO_PLACE, find_place
from memopolis.scenarios.places.zones import MARGINAL_COLUMNS
from memopolis.sim.world.columns import Column, read_table

DATA = Path(__file__).parent / "data"
STATE = "South Carolina"
COUNTY_COLUMNS = {
    "county": Column("text"),
    "population": Column("number", least=1),
    **MARGINAL_COLUMNS,
}
"""Columns of counties.csv."""


def list_data(place: str) -> tuple[Path, ...]:
    """Return the files from which the people of a place are synthesised; none without a place."""
    return () if place == NO_PLACE else (*find_place(place).list_files(), DATA / "counties.csv")


@cache
def read_counties() -> pd.DataFrame:
    """Read marginals by county, once per process; the row of the state is for other counties."""
    return read_table(DATA / "counties.csv", COUNTY_COLUMNS).set_index("county")
