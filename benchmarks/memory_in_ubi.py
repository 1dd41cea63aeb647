"""What memory changes in basic income: `python benchmarks/memory_in_ubi.py [--seeds N]`.

Runs without a policy that differ in recall alone: the best memories (`scored`), none, or random
ones. Runs of a seed share citizens and random numbers. Each outcome is a mean over months; the
differences are paired by seed, with 95 % intervals. The last columns count the differences that
exclude 0.
"""

import argparse
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from memopolis.analysis.compare.intervals import paired_difference
from memopolis.scenarios.ubi.people import ADULT, Labour
from memopolis.scenarios.ubi.scenario import BasicIncome

RECALL = ("scored", "none", "random")
FIRST_MONTH = 12
"""First month that counts: until then, there are few memories."""

type Floats = NDArray[np.float64]


def _firms(society: BasicIncome, name: str) -> Floats:
    return np.asarray(society.firms.cohort()[name], np.float64)


def _figure(name: str) -> Callable[[BasicIncome], float]:
    return lambda society: float(society.bureau[name][0])


def _stock(society: BasicIncome) -> float:
    expected = _firms(society, "expected").sum()
    return float(_firms(society, "inventory").sum() / max(expected, 1e-9))


def _wanted_hours(society: BasicIncome) -> float:
    people = society.citizens.cohort()
    able = np.isin(people["labour"], (Labour.EMPLOYED, Labour.UNEMPLOYED))
    return float(people["wanted_hours"][able & (people["age"] >= ADULT)].mean())


def _support(society: BasicIncome) -> float:
    return float(society.government["support"][0])


def _surprise(society: BasicIncome) -> float:
    """Distance of the bank's expectation, formed before prices changed, from the next figure."""
    expected = float(society.bank["expected_inflation"][0])
    return abs(expected - _figure("inflation")(society))


MONTHLY: Mapping[str, Callable[[BasicIncome], float]] = {
    "firms: target stock, months": lambda society: float(_firms(society, "target_months").mean()),
    "firms: stock relative to expected sales": _stock,
    "firms: price level": _figure("price_level"),
    "firms: unemployment": _figure("unemployment"),
    "bank: interest rate": lambda society: float(society.bank["rate"][0]),
    "bank: expected minus published inflation, absolute": _surprise,
    "government: factor on benefits": _support,
    "government: benefits, USD": lambda society: (
        float(society.government["benefits"][0]) / 100 / len(society.citizens)
    ),
    "labour: desired hours a week": _wanted_hours,
    "labour: hours a week": _figure("hours"),
    "consumption: USD a month": _figure("consumption"),
    "consumption: share of income": lambda society: (
        _figure("consumption")(society) / _figure("income")(society)
    ),
}
"""Figures of a month by name; the outcome is their mean."""
CHANGES = ("bank: interest rate", "government: factor on benefits")
"""Figures of which the mean absolute change from month to month is an outcome as well."""


def main() -> None:
    """Run all arms and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, default=500)
    parser.add_argument("--months", type=int, default=60)
    parser.add_argument("--seeds", type=int, default=10)
    options = parser.parse_args()
    seeds = range(1, options.seeds + 1)
    arms = {
        recall: [live(options.agents, options.months, recall=recall, seed=seed) for seed in seeds]
        for recall in RECALL
    }
    title = f"{options.agents} citizens, {options.months} months, {options.seeds} seeds"
    table = Table("outcome", *RECALL, "scored - none", "scored - random", "excludes 0", title=title)
    for outcome in arms["scored"][0]:
        table.add_row(outcome, *_row(arms, outcome))
    Console(width=160).print(table)


def live(agents: int, months: int, *, recall: str, seed: int) -> dict[str, float]:
    """Run one society without the policy, and return its outcomes."""
    settings: dict[str, Any] = {"agents": agents, "days": 30 * months, "amount": 0}
    society = BasicIncome(rng=seed, recall=recall, **settings)
    series: dict[str, list[float]] = {name: [] for name in MONTHLY}
    for month in range(months):
        society.step()
        if month >= FIRST_MONTH:
            for name, measure in MONTHLY.items():
                series[name].append(measure(society))
    outcomes = {name: float(np.mean(values)) for name, values in series.items()}
    for name in CHANGES:
        outcomes[f"{name}, monthly change"] = float(np.abs(np.diff(series[name])).mean())
    return outcomes


def _row(arms: Mapping[str, list[dict[str, float]]], outcome: str) -> list[str]:
    values = {recall: [run[outcome] for run in runs] for recall, runs in arms.items()}
    cells, excluded = [f"{np.mean(values[recall]):.4f}" for recall in RECALL], []
    for other in RECALL[1:]:
        difference = paired_difference(values["scored"], values[other])
        cells.append(f"{difference.mean:+.4f} [{difference.low:+.4f}, {difference.high:+.4f}]")
        if difference.excludes(0):
            excluded.append(other)
    return [*cells, ", ".join(excluded)]


if __name__ == "__main__":
    main()
