"""Create the tables of tax units and of tax brackets from their source package.

Run by maintainers of the data, in a separate environment:

    pip install taxcalc==6.8.0
    python tools/data/make_tax_tables.py

The package is not needed to run Memopolis. The README of `scenarios/ubi/data` describes them.
"""

import json
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
import pandas as pd

SCENARIOS = Path(__file__).parents[2] / "scenarios"
BRACKETS_FILE = SCENARIOS / "ubi" / "data" / "brackets.csv"
HOUSEHOLDS_FILE = SCENARIOS / "synthesis" / "data" / "households_usa.csv"
HOUSEHOLDS = 4_000
YEARS = (2018, 2019, 2024)
PRICES = {2012: 1.1135, 2013: 1.0974, 2014: 1.0799}
"""Dollars of 2019 per dollar of the survey's year: CPI-U 255.657 over 229.594, 232.957 and 236.736
(Bureau of Labor Statistics, annual means)."""
FILING = {"single": "single", "mjoint": "joint", "headhh": "head of household"}
STATUS = {1: "single", 2: "joint", 3: "single", 4: "head of household"}
"""Filing status by the column MARS; married people who file separately count as single."""
MONEY = {
    "wage_head": "e00200p",
    "wage_spouse": "e00200s",
    "self_employed_head": "e00900p",
    "self_employed_spouse": "e00900s",
    "interest": "e00300",
    "dividends": "e00600",
    "pension": "e01500",
    "unemployment": "e02300",
    "social_security": "e02400",
    "snap": "snap_ben",
    "ssi": "ssi_ben",
    "tanf": "tanf_ben",
    "housing": "housing_ben",
    "veterans": "vet_ben",
    "other": "other_ben",
}
MONEY_INCOME = [
    "e00200", "e00900", "e00300", "e00600", "e01500", "e02300", "e02400", "snap_ben", "ssi_ben",
    "tanf_ben",
]  # fmt: skip


def sample_households(cps: pd.DataFrame, household: pd.Series) -> list[int]:
    """Draw whole households by systematic sampling, with probability proportional to weight.

    Households are sorted by money income, so the sample has the same distribution. Since a few very
    rich households change the mean, the most accurate of twenty starts is used. Returns numbers of
    the households drawn, ascending; all have the same weight. `household` is the number of each tax
    unit's household.
    """
    weight = cps["s006"].groupby(household).mean()
    income = cps[MONEY_INCOME].sum(axis=1).groupby(household).sum()
    order = np.lexsort((income.index, income))
    ordered = income.to_numpy()[order]
    total = weight.to_numpy()[order].cumsum()
    mean = np.average(ordered, weights=weight.to_numpy()[order])
    starts = (np.arange(20) + 0.5) / 20
    draws = [
        np.searchsorted(total, (np.arange(HOUSEHOLDS) + start) / HOUSEHOLDS * total[-1])
        for start in starts
    ]
    best = min(draws, key=lambda drawn: abs(ordered[drawn].mean() - mean))
    return sorted(income.index[order][best])


def make_tax_units() -> pd.DataFrame:
    """Read the tax units of the sampled households, one row each, in dollars of 2019."""
    with as_file(files("taxcalc") / "cps.csv.gz") as path:
        cps = pd.read_csv(path)
    cps = cps.sort_values(["FLPDYR", "h_seq", "ffpos", "a_lineno", "RECID"])
    cps = cps.reset_index(drop=True)
    household = cps.groupby(["FLPDYR", "h_seq"]).ngroup()
    numbers = sample_households(cps, household)
    kept = household.isin(numbers)
    cps, household = cps[kept], household[kept]
    table = pd.DataFrame(
        {
            "household": np.searchsorted(numbers, household),
            "year": cps["FLPDYR"],
            "filing": cps["MARS"].map(STATUS),
            "age_head": cps["age_head"],
            "age_spouse": cps["age_spouse"],
            "persons": cps["XTOT"],
            "under_6": cps["nu06"],
            "under_18": cps["nu18"],
            "aged_18_20": cps["n1820"],
        }
    )
    price = cps["FLPDYR"].map(PRICES)
    for name, column in MONEY.items():
        table[name] = (cps[column] * price).round().astype(int)
    return table


def make_brackets() -> pd.DataFrame:
    """Read rates, upper limits and standard deductions of the years used."""
    path = files("taxcalc") / "policy_current_law.json"
    policy = json.loads(path.read_text(encoding="utf-8"))

    def value(name: str, year: int, mars: str = "") -> float:
        """Return the latest value up to a year."""
        known = [
            entry
            for entry in policy[name]["value"]
            if entry["year"] <= year and entry.get("MARS", "") == mars
        ]
        return float(max(known, key=lambda entry: entry["year"])["value"])

    rows = [
        {
            "year": year,
            "filing_status": filing,
            "bracket": band,
            "marginal_rate": value(f"II_rt{band}", year),
            "upper_threshold_usd": value(f"II_brk{band}", year, mars) if band < 7 else "",
            "standard_deduction_usd": value("STD", year, mars),
        }
        for year in YEARS
        for mars, filing in FILING.items()
        for band in range(1, 8)
    ]
    return pd.DataFrame(rows)


def main() -> None:
    """Write the brackets and the tax units to their folders."""
    tables = {BRACKETS_FILE: make_brackets(), HOUSEHOLDS_FILE: make_tax_units()}
    for file, table in tables.items():
        table.to_csv(file, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
