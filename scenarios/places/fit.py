"""Compare a synthetic population with the marginals of its place."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from memopolis.scenarios.synthesis.fitting import FittedWeights
from memopolis.scenarios.synthesis.persons import EDUCATION
from memopolis.scenarios.synthesis.residents import Residents, draw_residents, fit_place
from memopolis.scenarios.synthesis.traits import HOUSING, OCCUPATIONS, RACES
from memopolis.sim.arrays import Bools, Float64
from memopolis.sim.chance import Chance
from memopolis.sim.world.place import Place

TOTALS, REST = 0.02, 0.05
"""Largest relative deviation of the people of a zone, and of any other marginal, that fits."""
LEAST = 1.0
"""Least percentage to which deviations of shares are relative; smaller shares would make them
large."""
MEMBERS = 3.0  # people who count as one independent draw: about a household
SEED = 1  # random seed of the population that is drawn for a report
WORST = 10  # number of deviations that a report lists
UNMODELLED = ("mean_commute", "work_at_home", "group_quarters")
"""Marginals to which no population is fitted: commuting times are limited to a range, no one works
at home, and people in group quarters live in households."""
OF_HOMES = ("persons_household", "no_vehicle", "owners", "mobile_homes", "large_buildings")
"""Marginals of households; all others are of people."""


@dataclass(frozen=True, eq=False)
class Fit:
    """How well a population fits a place."""

    # Marginals of the whole place. Columns marginal, target, drawn, deviation (relative), limit,
    # chance (three standard errors of the draw) and fits: whether the deviation is within the
    # limit, or within chance.
    whole: pd.DataFrame
    # Marginals of zones, in the same form, with columns zone, weighted (the value of the weighted
    # survey, from which runs draw) and drawn_deviation; deviation is that of weighted
    zones: pd.DataFrame
    agents: int  # people that were drawn

    @property
    def fits(self) -> bool:
        """Whether all marginals are within their limits."""
        return bool(self.whole["fits"].all() and self.zones["fits"].all())


def measure_fit(place: Place, agents: int) -> Fit:
    """Draw at most `agents` residents of a place and compare them with its marginals.

    Zones are compared by the weights of the survey's households: people drawn for a small zone are
    few, and vary from run to run. `place.table` has all marginals.
    """
    number = int(max(min(agents, place.population.sum()), 1))
    fitted = fit_place(place)
    people = draw_residents(place, number, Chance(SEED))
    return Fit(_compare_whole(fitted, people), _compare_zones(fitted, people), number)


def _compare_whole(fitted: FittedWeights, people: Residents) -> pd.DataFrame:
    """Compare all marginals of the whole place."""
    targets, drawn = _targets(fitted), dict(_list_drawn(people))
    people_of = fitted.place.population / fitted.place.population.sum()
    rows = []
    for name, value in drawn.items():
        target = float((fitted.zone_share if name in OF_HOMES else people_of) @ targets[name])
        rows.append((name, _percent(name, target), _percent(name, value)))
    table = _with_deviation(pd.DataFrame(rows, columns=["marginal", "target", "drawn"]), "drawn")
    table["chance"] = _compute_chance(table, len(people))
    table["fits"] |= table["deviation"].abs() <= table["chance"]
    return table


def _compute_chance(table: pd.DataFrame, agents: int) -> Float64:
    """Compute three standard errors of drawn shares, relative to their targets.

    Members of a household are alike, so that people count as no more than as many households.
    """
    share = np.clip(table["target"].to_numpy(np.float64) / 100, 1e-6, 1 - 1e-6)
    error = 3 * np.sqrt(share * (1 - share) / (agents / MEMBERS))
    chance = error / np.maximum(share, LEAST / 100)
    is_share = (table["marginal"] != "persons_household").to_numpy()
    return np.asarray(np.where(is_share, chance, 0.0))


def _targets(fitted: FittedWeights) -> dict[str, Float64]:
    """Return the marginals by zone, shares within 0 and 1."""
    columns = fitted.county.select_dtypes("number")
    return {str(name): columns[name].to_numpy(np.float64) for name in columns}


def _percent(name: str, value: float) -> float:
    return value if name == "persons_household" else 100 * value


def _list_drawn(people: Residents) -> Iterator[tuple[str, float]]:
    """Yield the marginals of drawn people."""
    persons, homes = people.persons, people.households
    age, employed = persons["age"], persons["employed"]
    force = employed | persons["unemployed"]
    yield "persons_household", len(age) / len(homes["zone"])
    yield "under_18", float((age < 18).mean())
    yield "aged_65", float((age >= 65).mean())
    yield "poverty", float(homes["poor"][persons["household"]].mean())
    yield "workers", float(force.mean())
    yield "unemployment", float(persons["unemployed"].sum() / max(force.sum(), 1))
    yield "disability", float(persons["disabled"].mean())
    yield "female", float(persons["female"].mean())
    adult = age >= 25
    low = persons["education"] <= EDUCATION.index("less than high school")
    yield "no_high_school", float(low[adult].mean())
    for name in ("white", "black", "hispanic"):
        yield name, float((persons["race"] == RACES.index(name)).mean())
    for code, name in enumerate(OCCUPATIONS):
        yield name, float((persons["occupation"][employed] == code).mean())
    yield "no_vehicle", float((homes["vehicles"] == 0).mean())
    yield "owners", float(homes["owner"].mean())
    for name, kind in (("mobile_homes", "mobile"), ("large_buildings", "multifamily")):
        yield name, float((homes["housing"] == HOUSING.index(kind)).mean())


def _compare_zones(fitted: FittedWeights, people: Residents) -> pd.DataFrame:
    """Compare people and raked marginals of each zone."""
    place, targets = fitted.place, _targets(fitted)
    targets["population"] = place.population / 100  # the only number among shares
    weighted, drawn = _weigh_zones(fitted), _count_zones(fitted, people)
    tables = []
    for name, value in weighted.items():
        factor = 1.0 if name == "persons_household" else 100.0
        columns = {"target": targets[name], "weighted": value, "drawn": drawn[name]}
        table = pd.DataFrame({of: factor * column for of, column in columns.items()})
        table.insert(0, "marginal", name)
        table.insert(0, "name", place.names)
        table.insert(0, "zone", place.zones)
        tables.append(table[place.population > 0])
    return _with_deviation(pd.concat(tables, ignore_index=True), "weighted")


def _weigh_zones(fitted: FittedWeights) -> dict[str, Float64]:
    """Return the marginals of the weighted survey by zone."""
    sample = fitted.sample
    weights = fitted.weights / fitted.weights.sum(axis=1, keepdims=True)
    size = weights @ sample.size.astype(np.float64)
    numbers = fitted.zone_share * size
    median = fitted.county["median_income"].to_numpy(np.float64)
    above = sample.income > median[:, None]

    def share(of_persons: Bools) -> Float64:
        return np.asarray(weights @ sample.sum_persons(of_persons) / size)

    return {
        "population": fitted.place.population.sum() * numbers / numbers.sum() / 100,
        "persons_household": size,
        "under_18": share(sample.oldest < 18),
        "aged_65": share(sample.youngest >= 65),
        "poverty": share(fitted.poor[sample.household]),
        "workers": share(sample.worker),
        "above_median": np.asarray((weights * above).sum(axis=1)),
    }


def _count_zones(fitted: FittedWeights, people: Residents) -> dict[str, Float64]:
    """Return the marginals of drawn people by zone; 0 where no one was drawn."""
    persons, homes = people.persons, people.households
    zones = len(fitted.place)
    count = np.bincount(persons["zone"], minlength=zones)
    number = np.bincount(homes["zone"], minlength=zones)
    median = fitted.county["median_income"].to_numpy(np.float64)

    def share(of_persons: Bools) -> Float64:
        of_zone = np.bincount(persons["zone"], of_persons, minlength=zones)
        return np.asarray(of_zone / np.maximum(count, 1))

    above = homes["income"] > median[homes["zone"]]
    return {
        "population": count * people.weight / 100,
        "persons_household": count / np.maximum(number, 1),
        "under_18": share(persons["age"] < 18),
        "aged_65": share(persons["age"] >= 65),
        "poverty": share(homes["poor"][persons["household"]]),
        "workers": share(persons["employed"] | persons["unemployed"]),
        "above_median": np.bincount(homes["zone"], above, minlength=zones) / np.maximum(number, 1),
    }


def _with_deviation(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Add relative deviations from the target, their limits, and whether they are within."""
    share = ~table["marginal"].isin(["population", "persons_household"])
    base = table["target"].where(~share, table["target"].clip(lower=LEAST))
    limit = np.where(table["marginal"] == "population", TOTALS, REST)
    deviation = (table[column] - table["target"]) / base
    compared = table.assign(deviation=deviation, limit=limit, fits=deviation.abs() <= limit)
    if column != "drawn":
        compared["drawn_deviation"] = (table["drawn"] - table["target"]) / base
    return compared


def write_fit(fit: Fit, place: Place, folder: Path) -> None:
    """Write the comparison to a folder: whole.csv, zones.csv, and fit.md with the worst misfits."""
    folder.mkdir(exist_ok=True)
    fit.whole.round(5).to_csv(folder / "whole.csv", index=False, lineterminator="\n")
    fit.zones.round(5).to_csv(folder / "zones.csv", index=False, lineterminator="\n")
    (folder / "fit.md").write_text(describe_fit(fit, place), encoding="utf-8")


def describe_fit(fit: Fit, place: Place) -> str:
    """Describe a fit in Markdown: all marginals of the whole place, and the worst of zones."""
    whole, zones = fit.whole, fit.zones
    totals = zones["marginal"] == "population"
    drawn = zones[totals]
    error = np.average(drawn["drawn_deviation"].abs(), weights=drawn["target"])
    within = int((drawn["drawn_deviation"].abs() <= TOTALS).sum())
    worst = zones.loc[zones["deviation"].abs().sort_values(ascending=False).index[:WORST]]
    far = drawn.loc[drawn["drawn_deviation"].abs().sort_values(ascending=False).index[:WORST]]
    kinds = {
        "people of zones": zones[totals],
        "other marginals of zones": zones[~totals],
        "marginals of the whole place": whole,
    }
    rows = (
        f"| {kind} | {len(table)} | {table['limit'].iloc[0]:.0%} | {table['fits'].sum()} | "
        f"{table['deviation'].abs().max():.2%} |"
        for kind, table in kinds.items()
    )
    summary = (
        f"{len(place)} zones, {place.population.sum():,.0f} people; {fit.agents:,} were drawn for "
        "this report."
    )
    explained = (
        "Zones are compared by the weighted survey, from which runs draw. Of the people drawn, "
        f"{within} of {len(drawn)} zones are within {TOTALS:.0%} of their people; the mean "
        f"deviation by people is {error:.1%}. The rest is chance, and larger with fewer people. "
        f"Not compared: {', '.join(UNMODELLED)}."
    )
    parts = (
        f"# Fit of the population of {place.name}",
        summary,
        "| marginals | number | limit | within it | largest deviation |\n"
        f"|{' --- |' * 5}\n" + "\n".join(rows),
        explained,
        "## The whole place",
        _tabulate(whole, ["marginal", "target", "drawn", "deviation", "chance", "fits"]),
        "## Zones with the largest deviations",
        _tabulate(worst, ["zone", "name", "marginal", "target", "weighted", "deviation"]),
        "## Zones whose drawn people differ most",
        _tabulate(far, ["zone", "name", "target", "drawn", "drawn_deviation"]),
    )
    return "\n\n".join(parts) + "\n"


def _tabulate(table: pd.DataFrame, columns: list[str]) -> str:
    """Return a Markdown table."""
    lines = [f"| {' | '.join(columns)} |", "|" + " --- |" * len(columns)]
    for row in table[columns].to_dict("records"):
        cells = (_format(str(name), value) for name, value in row.items())
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _format(name: str, value: object) -> str:
    if name in {"deviation", "drawn_deviation"}:
        return f"{value:+.2%}"
    if name == "chance":
        return f"{value:.2%}"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "**no**"
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 1_000 else f"{value:.2f}"
    return str(value).replace("|", "\\|").replace("\n", " ")
