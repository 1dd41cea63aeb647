"""Fit the survey's households to marginals of counties and zones."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from memopolis.scenarios.places.zones import MARGINAL_COLUMNS, OTHER_MARGINALS
from memopolis.scenarios.synthesis.counties import STATE
from memopolis.scenarios.synthesis.households import SurveyHouseholds
from memopolis.sim.arrays import Bools, Float64
from memopolis.sim.errors import ParameterError
from memopolis.sim.statistics.raking import normal_scores, rake
from memopolis.sim.world.place import Place

OWNERS, FEMALE = 0.588, 0.517
"""Shares of homeowner households and of women where a zone has none of its own (found for Richland
County, QuickFacts 2019)."""
POVERTY_FIRST, POVERTY_FURTHER = 12_140.0, 4_320.0
"""Poverty guideline for one person and each further one, dollars of 2018 (recalled: HHS)."""
INCOME_SPREAD = 0.9
"""Standard deviation of log income within a zone, which converts the zone's wages relative to the
county's to the share of households above the county's median (illustrative)."""
POVERTY_ELASTICITY = 1.0
"""Elasticity of a zone's poverty with respect to its wages, with reversed sign (illustrative)."""
RAKED = (
    "persons_household",
    "under_18",
    "aged_65",
    "poverty",
    "workers",
    "median_income",
    "above_median",
)
"""Marginals of a zone to which weights are raked."""
POVERTY_RANGE = (0.03, 0.45)  # minimum and maximum share of poor people in a zone (illustrative)


@dataclass(frozen=True, eq=False)
class FittedWeights:
    """Weights of the survey's households in each zone."""

    place: Place  # the zones
    sample: SurveyHouseholds  # the survey's households
    # Marginals by zone, one row per zone, shares in [0, 1] (see `zone_marginals`)
    county: pd.DataFrame
    weights: Float64  # weight of each survey household within each zone, (zones, households)
    zone_share: Float64  # share of the place's households in each zone, (zones,)
    price: float = 1.0  # money of the survey per dollar of 2018

    @cached_property
    def joint(self) -> Float64:
        """Joint share of zone and survey household, (zones, households)."""
        return self.weights * self.zone_share[:, None]

    @cached_property
    def poor(self) -> Bools:
        """Whether each survey household is poor, (households,)."""
        return is_poor(self.sample, self.price)

    @cached_property
    def income_score(self) -> Float64:
        """Normal score of each survey household's income within the place, (households,)."""
        return normal_scores(self.sample.income, self.joint.sum(axis=0))

    @cached_property
    def wage_score(self) -> Float64:
        """Normal score of each survey person's wage among workers, (persons,); 0 for others."""
        worker = self.sample.worker
        weight = self.joint.sum(axis=0)[self.sample.household]
        score = np.zeros(len(worker))
        score[worker] = normal_scores(self.sample.wage[worker], weight[worker])
        return score


def zone_marginals(place: Place, counties: pd.DataFrame) -> pd.DataFrame:
    """Compute marginals by zone: its own, or those of its county, adjusted by its wages.

    Percentages are shares here. Further columns are persons_household, workers (per person),
    above_median (of households) and poverty of the zone; zones with the same `county` differ only
    in the last two.
    """
    rows = counties.loc[find_counties(place, counties)].reset_index(names="county")
    rows["owners"], rows["female"] = 100.0 * OWNERS, 100.0 * FEMALE
    own = _fill_own(rows, place.table)
    amounts = {"population", "households", "median_income", "employed", "mean_commute", "county"}
    for name in rows.columns.difference(list(amounts)):
        rows[name] = rows[name] / 100.0
    housed = rows["population"] * (1 - rows["group_quarters"])
    rows["persons_household"] = housed / rows["households"]
    rows["workers"] = rows["employed"] / (1 - rows["unemployment"]) / rows["population"]
    rows["above_median"] = 0.5
    wages = place.table["wages_usd"].to_numpy(np.float64) / place.population
    for county in rows["county"].unique():
        here = np.flatnonzero(rows["county"] == county)
        ratio = compute_relative_wages(wages[here], place.population[here])
        above, poor = tilt_shares(ratio, place.population[here], rows["poverty"].iloc[here[0]])
        # A zone's own median and poverty already follow from its incomes.
        rows.loc[here, "above_median"] = np.where(own["median_income"][here], 0.5, above)
        rows.loc[here, "poverty"] = np.where(own["poverty"][here], rows["poverty"][here], poor)
    return rows


def find_counties(place: Place, counties: pd.DataFrame) -> list[str]:
    """Return the county whose marginals apply to each zone; the state's for unknown counties."""
    names = place.table["county"].astype(str)
    return [name if name in counties.index else STATE for name in names]


def list_own_marginals(table: pd.DataFrame) -> dict[str, Bools]:
    """Return which zones have a marginal of their own, by name, each of shape (zones,).

    Households and people at work count only in zones with residents.
    """
    lived_in = table["population"].to_numpy() > 0
    own = {}
    for name in (*MARGINAL_COLUMNS, *OTHER_MARGINALS):
        known = table[name].notna().to_numpy() if name in table else np.zeros(len(table), bool)
        own[name] = known & lived_in if name in {"households", "employed"} else known
    return own


def _fill_own(rows: pd.DataFrame, table: pd.DataFrame) -> dict[str, Bools]:
    """Replace marginals of counties by those of zones; return which zones have their own."""
    own = list_own_marginals(table)
    population = rows["population"].to_numpy(np.float64).copy()
    for name, known in own.items():
        if not known.any():
            continue
        if name in {"households", "employed"}:
            # Relative to the zone's people, in numbers of the county.
            share = table[name].to_numpy(np.float64) / np.maximum(table["population"], 1e-9)
            rows[name] = np.where(known, share * population, rows[name])
        else:
            rows[name] = np.where(known, table[name], rows[name])
    if any(known.any() for known in own.values()):
        columns = [*MARGINAL_COLUMNS, *OTHER_MARGINALS]
        group = rows.groupby(["county", *columns], sort=False).ngroup()
        rows["county"] = rows["county"] + " " + group.astype(str)
    return own


def is_poor(sample: SurveyHouseholds, price: float = 1.0) -> Bools:
    """Return whether a household's income is below the guideline for its size, (households,)."""
    guideline = POVERTY_FIRST + POVERTY_FURTHER * (sample.size - 1)
    return np.asarray(sample.income < price * guideline)


def fit(
    place: Place, sample: SurveyHouseholds, counties: pd.DataFrame, *, price: float = 1.0
) -> FittedWeights:
    """Rake the survey's households to the marginals of every zone.

    Marginals are mean household size, shares of people under 18, 65 or older, poor and in the
    labour force, and the share of households above the county's median income, in dollars of 2018
    times `price`. Raises ParameterError if no weights give the marginals of a zone.
    """
    marginals = zone_marginals(place, counties)
    size = sample.size.astype(np.float64)
    young = sample.sum_persons(sample.oldest < 18)
    old = sample.sum_persons(sample.youngest >= 65)
    workers = sample.sum_persons(sample.worker)
    poor = size * is_poor(sample, price)
    weights = np.empty((len(place), len(size)))
    done: dict[tuple[float, ...], Float64] = {}
    columns: dict[str, Float64] = {name: marginals[name].to_numpy(np.float64) for name in RAKED}
    for zone in range(len(place)):
        row = {name: float(column[zone]) for name, column in columns.items()}
        features = np.column_stack(
            [
                size,
                young - row["under_18"] * size,
                old - row["aged_65"] * size,
                poor - row["poverty"] * size,
                workers - row["workers"] * size,
                sample.income > price * row["median_income"],
            ]
        )
        targets = np.array([row["persons_household"], 0.0, 0.0, 0.0, 0.0, row["above_median"]])
        key = tuple(row.values())
        if key not in done:
            done[key] = _rake_zone(place.labels[zone], row, sample, features, targets)
        weights[zone] = done[key]
    households = place.population / marginals["persons_household"].to_numpy()
    share = households / households.sum()
    return FittedWeights(place, sample, marginals, weights, share, price)


def _rake_zone(
    zone: str,
    marginals: dict[str, float],
    sample: SurveyHouseholds,
    features: Float64,
    targets: Float64,
) -> Float64:
    try:
        return rake(sample.weight, features, targets)
    except ParameterError:
        stated = ", ".join(f"{name} {value:.4g}" for name, value in marginals.items())
        raise ParameterError(
            f"zone {zone}: no weights of the survey's households give its marginals ({stated}); "
            "check that they are possible together"
        ) from None


def compute_relative_wages(wages: Float64, population: Float64) -> Float64:
    """Compute wages per person relative to the county's; 1 if unknown."""
    known = np.isfinite(wages) & (wages > 0)
    if not known.any():
        return np.ones_like(wages)
    mean = np.average(wages[known], weights=np.maximum(population[known], 1e-9))
    return np.where(known, wages / mean, 1.0)


def tilt_shares(ratio: Float64, population: Float64, poverty: float) -> tuple[Float64, Float64]:
    """Compute shares above the median and poor by zone, with means one half and `poverty`."""
    from scipy.special import ndtr

    weight = np.maximum(population, 1e-9) / np.maximum(population, 1e-9).sum()
    shift = 0.0
    for _ in range(30):
        above = ndtr((np.log(ratio) - shift) / INCOME_SPREAD)
        shift += (weight @ above - 0.5) * INCOME_SPREAD * 2
    level = poverty
    for _ in range(30):
        poor = np.clip(level * ratio**-POVERTY_ELASTICITY, *POVERTY_RANGE)
        level *= poverty / (weight @ poor)
    return above, poor
