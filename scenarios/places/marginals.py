"""Marginals of zones: from tables of counties, adjusted by housing and wages, or of the nation."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.scenarios.places.us_counties import NATION, label_county, read_counties
from memopolis.scenarios.places.zones import MARGINAL_COLUMNS, OTHER_MARGINALS
from memopolis.scenarios.synthesis.fitting import (
    INCOME_SPREAD,
    compute_relative_wages,
    tilt_shares,
)

FloatArray = NDArray[np.float64]

SHARES = tuple(
    name
    for name in (*MARGINAL_COLUMNS, *OTHER_MARGINALS)
    if name not in {"households", "median_income", "employed", "mean_commute"}
)
"""Marginals in percent."""
SIZE_RANGE = (0.8, 1.25)
"""Smallest and largest mean household of a zone, relative to the county's (illustrative). Homes of
holiday guests would otherwise make the households of a beach too small."""
MEDIAN_RANGE = (0.45, 2.2)
"""Lowest and highest median income of a zone, relative to the county's (illustrative): wages of a
few very rich or retired people say little about the median."""
WORKING_AGES = 62.4
"""Percentage of people of 18 to 64 in the United States (recalled, ACS 2014-18)."""


def find_marginals(counties: pd.Series, zips: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Find the marginals of ZIP areas.

    Shares are those of the county or, where unknown, of the nation. Households follow the housing
    units within `SIZE_RANGE`, median income and poverty the wages, so that the county's are met.
    People at work follow the share of people of 18 to 64.

    Args:
        counties: FIPS code of the county of each ZIP area.
        zips: ZIP areas, as returned by `us_counties.list_zips`.

    Returns:
        One row per ZIP area, with `MARGINAL_COLUMNS` and `OTHER_MARGINALS`; and the defaults taken
        over, one phrase each.
    """
    table = read_counties()
    nation = table.loc[NATION]
    rows = table.loc[counties].reset_index(drop=True)
    taken = []
    for code in counties.unique():
        missing = [name for name in table.columns if pd.isna(table.at[code, name])]
        local = [name for name in missing if table[name].iloc[1:].notna().any()]
        if local:
            listed = ", ".join(name.replace("_", " ") for name in local)
            taken.append(f"{listed} of the United States in {label_county(code)}")
    national = [name for name in nation.index if table[name].iloc[1:].isna().all()]
    taken.append(f"{len(national)} marginals of the United States: {', '.join(national)}")
    rows = rows.fillna(nation)
    found = rows[[*SHARES, "mean_commute"]].astype(float)
    people = zips["population"].to_numpy(np.float64)
    housed = people * (1 - rows["group_quarters"].to_numpy() / 100)
    wages = zips["wages_usd"].to_numpy(np.float64) / np.maximum(people, 1.0)
    units = zips["housing_units"].to_numpy(np.float64)
    for code in counties.unique():
        here = np.flatnonzero(counties == code)
        row = rows.iloc[here[0]]
        size = find_household_sizes(housed[here], units[here], float(row["persons_household"]))
        found.loc[here, "households"] = housed[here] / size
        median, poverty = spread_incomes(
            wages[here], people[here], float(row["median_income"]), float(row["poverty"])
        )
        found.loc[here, "median_income"] = median
        found.loc[here, "poverty"] = poverty
    working_ages = 100 - rows["under_18"] - rows["aged_65"]
    found["employed"] = people * (rows["employed_share"] / 100 * working_ages / WORKING_AGES)
    return found, _shorten(taken)


def _shorten(phrases: list[str], most: int = 200) -> list[str]:
    """Limit phrases to the length that place.toml allows."""
    return [one if len(one) <= most else f"{one[: most - 3]}..." for one in phrases]


def find_household_sizes(people: FloatArray, units: FloatArray, mean: float) -> FloatArray:
    """Find the mean household of zones from their housing units.

    Args:
        people: People in households, > 0, shape (zones,).
        units: Housing units, 0 if unknown, shape (zones,).
        mean: Mean household of all zones.

    Returns:
        People per household, within `SIZE_RANGE` of the mean, shape (zones,). The share of units
        that are lived in is the one at which all zones together have the mean.
    """
    known = units > 0
    if not known.any():
        return np.full(len(people), mean)
    per_unit = np.where(known, people / np.maximum(units, 1e-9), 0.0)
    least, most = SIZE_RANGE[0] * mean, SIZE_RANGE[1] * mean

    def sizes(factor: float) -> FloatArray:
        return np.where(known, np.clip(per_unit * factor, least, most), mean)

    low, high = 1e-3, 1e3
    for _ in range(80):
        middle = float(np.sqrt(low * high))
        enough = people.sum() / (people / sizes(middle)).sum() >= mean
        low, high = (low, middle) if enough else (middle, high)
    return sizes(high)


def spread_incomes(
    wages: FloatArray, people: FloatArray, median: float, poverty: float
) -> tuple[FloatArray, FloatArray]:
    """Spread a median income and a poverty rate over zones by their wages per person.

    Args:
        wages: Yearly wages per person, NaN if unknown, shape (zones,).
        people: Residents, shape (zones,).
        median: Median income of all households.
        poverty: Poor people in percent.

    Returns:
        Median income, within `MEDIAN_RANGE`, and percentage of poor people by zone. Incomes are
        lognormal, with the standard deviation `INCOME_SPREAD` of their logarithm.
    """
    from scipy.special import ndtri

    ratio = compute_relative_wages(wages, people)
    above, poor = tilt_shares(ratio, people, poverty / 100)
    relative = np.clip(np.exp(INCOME_SPREAD * ndtri(above)), *MEDIAN_RANGE)
    return median * relative, 100 * poor


def fill_marginals(table: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Fill the marginals of zones that their file does not give.

    A zone without a value gets the mean of the others by people; where no zone has one, the value
    of the United States, with incomes and poverty spread by wages.

    Args:
        table: Zones with `zones.ZONE_COLUMNS`.

    Returns:
        A copy without missing marginals, and the defaults taken over.
    """
    filled = table.copy()
    nation = read_counties().loc[NATION]
    people = np.maximum(filled["population"].to_numpy(np.float64), 1e-9)
    for name in ("households", "employed"):  # as shares of people, which have means
        filled[name] = filled[name] / people
    partly, nowhere = [], []
    for name in (*SHARES, "mean_commute", "households", "employed", "median_income"):
        known = filled[name].notna().to_numpy()
        if known.any():
            if not known.all():
                partly.append(name)
                mean = np.average(filled.loc[known, name], weights=people[known])
                filled[name] = filled[name].fillna(mean)
        else:
            nowhere.append(name)
    for name in nowhere:
        match name:
            case "households":
                housed = 1 - filled["group_quarters"] / 100 if "group_quarters" in filled else 1
                filled[name] = housed / float(nation["persons_household"])
            case "employed":
                share = 100 - filled["under_18"] - filled["aged_65"]
                filled[name] = nation["employed_share"] / 100 * share / WORKING_AGES
            case _:
                filled[name] = float(nation[name])
    if "median_income" in nowhere:
        wages = filled["wages_usd"].to_numpy(np.float64) / people
        filled["median_income"], poor = spread_incomes(
            wages, people, float(nation["median_income"]), float(filled["poverty"].mean())
        )
        if "poverty" in nowhere:
            filled["poverty"] = poor
    for name in ("households", "employed"):
        filled[name] = filled[name] * filled["population"]
    taken = []
    if nowhere:
        taken.append(f"{len(nowhere)} marginals of the United States: {', '.join(nowhere)}")
    if partly:
        taken.append(f"mean of the other zones where a zone has no {', '.join(partly)}")
    return filled, _shorten(taken)
