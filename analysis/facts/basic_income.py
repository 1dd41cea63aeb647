"""Facts U-P1 to U-P15 of a basic income and its null arms, computed from tables.

Real figures and their sources are in the scenario's README. A run with the policy is compared with
one without it of the same seed. Both are identical until the policy is announced, a month before it
starts, so the same people are followed in both.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np
import pandas as pd

from memopolis.analysis.facts.fact import Fact, judged_rows, make_fact
from memopolis.analysis.facts.reading import NONE, Arms, published
from memopolis.analysis.metrics.livelihoods import (
    YEAR,
    count_months_without_work,
    follow_job_losses,
    read_real_amounts,
)
from memopolis.analysis.run.run import Run

BASICS = ("spent.food", "spent.housing", "spent.transport")
MONTHS = 24  # number of months after the start in which people are followed
WORKING = ("employed", "unemployed")
AGES = (21, 40)  # ages in years of the participants of the OpenResearch study at enrolment
SAVED = 0.1  # share of the payments up to which a change of net worth counts as none (illustrative)
LATER = 60  # months between two comparisons of quintiles
LONG_SEARCH = 6  # months of a long search
SAME_PRICE = 1e-6  # log change of a price up to which it is the same (choice)
QUINTILES = ("lowest", "second", "middle", "fourth", "highest")


def window(run: Run, table: str, columns: Sequence[str], money: Sequence[str] = ()) -> pd.DataFrame:
    """Return columns of a table in the months after the policy's start.

    Amounts of `money` are converted to prices of the first month of the policy, since prices differ
    between the compared runs.
    """
    start = int(run.settings["start"])
    rows = run.table(table, [*columns, *money])
    chosen = rows[rows["tick"].between(start, start + MONTHS - 1)].copy()
    level = published(run, "price_level")
    dearer = chosen["tick"].map(level / level[start])
    for name in money:
        chosen[name] = chosen[name] / dearer
    return chosen


def first_paid(frames: Sequence[pd.DataFrame], start: int) -> pd.DataFrame:
    """Return the rows of those paid in the first month who are in both runs.

    `frames` are the agents of the run with the policy, and of the other run.
    """
    treated, control = frames
    first = treated[(treated["tick"] == start) & (treated["basic_income"] > 0)]
    return first[first["agent"].isin(control.loc[control["tick"] == start, "agent"])]


def work(arms: Arms) -> list[Fact]:
    """U-P1 to U-P3: hours, participation and earned income of the recipients."""
    treated, control = arms["pilot"], arms["no policy"]
    people = [
        window(treated, "agents_citizen", ["hours", "labour", "basic_income", "age"], ["pay"]),
        window(control, "agents_citizen", ["hours", "labour"], ["pay"]),
    ]
    first = first_paid(people, int(treated.settings["start"]))
    chosen = first.loc[first["age"].between(*AGES), "agent"]
    with_it, without = (_work_of(own[own["agent"].isin(chosen)]) for own in people)
    hours, part, income = (one - other for one, other in zip(with_it, without, strict=True))
    return [
        make_fact("U-P1", {"change of hours": hours}),
        make_fact("U-P2", {"change of participation": part}),
        make_fact("U-P3", {"change of wages": income}),
    ]


def _work_of(people: pd.DataFrame) -> tuple[float, float, float]:
    """Return hours per week, share in the labour force, and wages per year."""
    part = people["labour"].astype(str).isin(WORKING).mean()
    return float(people["hours"].mean()), float(part), float(people["pay"].mean() * 12 / 100)


def spending(arms: Arms) -> list[Fact]:
    """U-P4 and U-P5: spending of recipients, by category and by quintile."""
    treated, control = arms["pilot"], arms["no policy"]
    more = _more_spent(treated, control)
    basics = sum(more[name] for name in BASICS)
    worth = "additional net worth per recipient after two years"
    saved = SAVED * float(treated.settings["amount"]) * MONTHS
    numbers = {
        "additional spending per recipient": more["consumption"],
        "share of basics in additional spending": basics / more["consumption"],
        worth: more["worth"],
    }
    response = _response_by_quintile(arms["all"], control)
    steps = np.diff([response[name] for name in QUINTILES])
    by_quintile = {f"spent per dollar received, {name}": response[name] for name in QUINTILES}
    rises = {"quintiles that spend more of it than the next lower one": float((steps > 0).sum())}
    return [
        make_fact("U-P4", numbers, low={worth: -saved}, high={worth: saved}),
        make_fact("U-P5", by_quintile | rises),
    ]


def _more_spent(treated: Run, control: Run) -> dict[str, float]:
    """Return the additional spending of recipients' households, in USD per recipient."""
    flows = ["consumption", *BASICS, "basic_income"]
    frames, first = _households(treated, control, [*flows, "deposit", "debt"])
    count = first["basic_income"].sum() / (100 * float(treated.settings["amount"]))
    sums = []
    for frame in frames:
        own = frame[frame["agent"].isin(first["agent"])]
        end = own[own["tick"] == own["tick"].max()]
        by_month = {name: own.groupby("tick")[name].sum().mean() for name in flows[:4]}
        sums.append({**by_month, "worth": (end["deposit"] - end["debt"]).sum()})
    return {name: float(sums[0][name] - sums[1][name]) / 100 / count for name in sums[0]}


def _response_by_quintile(treated: Run, control: Run) -> dict[str, float]:
    """Return the additional spending per dollar of additional income, by quintile at the start.

    Payments raise other incomes too, above all dividends, which go to the highest quintile.
    """
    frames, first = _households(treated, control, ["consumption", "disposable", "basic_income"])
    measured = {}
    for name in QUINTILES:
        chosen = first.loc[first["quintile"].astype(str) == name, "agent"]
        mine, other = (frame[frame["agent"].isin(chosen)] for frame in frames)
        more = mine["consumption"].sum() - other["consumption"].sum()
        received = mine["disposable"].sum() - other["disposable"].sum()
        measured[name] = float(more / max(received, 1))
    return measured


def _households(
    treated: Run, control: Run, money: Sequence[str]
) -> tuple[list[pd.DataFrame], pd.DataFrame]:
    """Return the households of both runs, and the rows of those paid in the first month."""
    frames = [window(run, "agents_household", ["quintile"], money) for run in (treated, control)]
    return frames, first_paid(frames, int(treated.settings["start"]))


def inequality(arms: Arms) -> Fact:
    """U-P6: the Gini of disposable income falls in the run; `static_gini_table` has the anchors."""
    start = int(arms["all"].settings["start"])
    before = _after(arms["no policy"], "gini", start)
    numbers = {
        "change of the Gini, created money": _after(arms["all"], "gini", start) - before,
        "change of the Gini, funded by a tax": _after(arms["tax"], "gini", start) - before,
    }
    return make_fact("U-P6", numbers)


def _after(run: Run, column: str, start: int) -> float:
    """Return the mean of a figure from the second year on, when it covers a year of payments."""
    series = published(run, column)
    return float(series[series.index >= start + 12].mean())


def wellbeing(arms: Arms) -> Fact:
    """U-P7: fewer signs of depression after the start, and most of the gain is soon lost."""
    treated, control = arms["all"], arms["no policy"]
    start = int(treated.settings["start"])
    change = published(treated, "depression") - published(control, "depression")
    lived = published(treated, "life_satisfaction") - published(control, "life_satisfaction")

    def mean(series: pd.Series, first: int) -> float:
        return float(series[series.index.isin(range(first, first + 12))].mean())

    first = mean(change, start)
    left = mean(change, start + 12) / first if first else NONE
    numbers = {
        "change of the CES-D in the first year": first,
        "share of it in the second year": left,
        "change of life satisfaction in the first year": mean(lived, start),
    }
    return make_fact("U-P7", numbers)


def business_cycle(arms: Arms) -> Fact:
    """U-P8: Okun and Phillips signs, and ranges, without the policy."""
    run = arms["no policy"]
    unemployment, inflation = published(run, "unemployment"), published(run, "inflation")
    gdp = published(run, "gdp")
    growth, change = np.log(gdp).diff(12).dropna(), unemployment.diff(12).dropna()
    settled = inflation.index >= 12  # a year has to pass before prices can be compared
    inflation, at = inflation[settled], unemployment[settled]
    usual, stable = unemployment.between(0.02, 0.12), inflation.between(-0.05, 0.08)
    numbers = {
        "Okun: growth of GDP and change of unemployment, r": _r(growth, change),
        "Phillips: inflation and unemployment, r": _r(inflation, at),
        "unemployment, mean": unemployment.mean(),
        "share of months with unemployment of 2 to 12 %": usual.mean(),
        "inflation, mean": inflation.mean(),
        "share of months with inflation of -5 to 8 %": stable.mean(),
    }
    return make_fact("U-P8", numbers)


def stationarity(arms: Arms) -> Fact:
    """U-P9: without the policy, incomes have the same distribution at the end as at the start."""
    run = arms["no policy"]
    gini = published(run, "gini")
    gini = gini[gini.index >= 12]  # of the incomes of twelve months
    homes = run.table("agents_household", ["quintile", "disposable"])
    lowest = homes[homes["quintile"].astype(str) == "lowest"]
    income = lowest.groupby("tick")["disposable"].mean()
    real = income / published(run, "price_level").reindex(income.index)
    first, last = (float(part.mean()) for part in (real[real.index < 12], real.iloc[-12:]))
    numbers = {
        "change of the Gini": gini.iloc[-1] - gini.iloc[0],
        "change of the real income of the lowest quintile": last / first - 1 if first else NONE,
    }
    return make_fact("U-P9", numbers)


def spillovers(arms: Arms) -> Fact:
    """U-P10: payments from new money raise output by more than they cost, and prices hardly.

    The study paid poor households 15 % of local output; `pilot` pays poor households about 6 %,
    `all` pays everybody a third of output, which no study did.
    """
    return make_fact("U-P10", _spillovers(arms, "all", "") | _spillovers(arms, "pilot", ", pilot"))


def _spillovers(arms: Arms, arm: str, which: str) -> dict[str, float]:
    """Return output per dollar and the rise of prices in an arm; `which` ends their names."""
    treated, control = arms[arm], arms["no policy"]
    start = int(treated.settings["start"])
    months = range(start, start + MONTHS)
    output, level = (
        (published(treated, name), published(control, name)) for name in ("gdp", "price_level")
    )
    more = float((output[0] - output[1]).reindex(months).sum())
    government = treated.table("agents_government", ["basic_income"])
    paid = government[government["tick"].isin(months)]["basic_income"].sum() / 100
    dearer = float((level[0] / level[1]).reindex(months).mean() - 1)
    return {
        f"output per dollar of payments{which}": more / paid if paid else NONE,
        f"rise of prices{which}": dearer,
    }


def livelihoods(arms: Arms) -> list[Fact]:
    """U-P11 and U-P12: without the policy, incomes move, and households save against it."""
    run = arms["no policy"]
    homes = run.table("agents_household", ["quintile"])
    people = run.table("agents_citizen", ["labour", "household"])
    income, spent = read_real_amounts(run, "disposable", "consumption")
    ranks = homes[homes["tick"].isin((YEAR, YEAR + LATER))]
    rank = ranks.pivot_table(
        index="agent", columns="tick", values="quintile", aggfunc="first", observed=True
    ).dropna()
    moved = (rank.iloc[:, 0].astype(str) != rank.iloc[:, -1].astype(str)).mean()
    fall, spending_fall = _falls_at_job_loss(people, income, spent)
    return [
        make_fact(
            "U-P11",
            {
                "variation of household income within a year, median": _variation(income),
                "households in another quintile after five years": float(moved),
            },
        ),
        make_fact(
            "U-P12",
            {
                "fall of household income when a job is lost": fall,
                "fall of spending when a job is lost": spending_fall,
            },
        ),
    ]


def _variation(income: pd.DataFrame) -> float:
    """Return the median coefficient of variation within calendar years, the first one excepted."""
    years = [part.dropna(axis=1) for year, part in income.groupby(income.index // YEAR) if year]
    shares = [part.std(ddof=0) / part.mean() for part in years if len(part) == YEAR]
    return float(pd.concat(shares).median()) if shares else NONE


def _falls_at_job_loss(
    people: pd.DataFrame, income: pd.DataFrame, spent: pd.DataFrame
) -> tuple[float, float]:
    """Return the mean falls of income and spending from three months before to three after."""
    followed = follow_job_losses(people, (income, spent), before=3, after=3)
    before, after = (part.mean(axis=2) for part in np.split(followed, 2, axis=2))
    known = np.isfinite(before).all(axis=1) & np.isfinite(after).all(axis=1) & (before > 0).all(1)
    if not known.any():
        return NONE, NONE
    fall, spending_fall = (1 - after[known] / before[known]).mean(axis=0)
    return float(fall), float(spending_fall)


def markets(arms: Arms) -> list[Fact]:
    """U-P13 to U-P15: duration of search, changes of prices, and Okun's coefficient."""
    run = arms["no policy"]
    months = count_months_without_work(run.table("agents_citizen", ["labour"]))
    firms = run.table("agents_firm", ["price"])
    price = firms.pivot_table(index="tick", columns="agent", values="price")
    change = np.diff(np.log(price.to_numpy()), axis=0)
    change = change[np.isfinite(change)]
    changed = np.abs(change) > SAME_PRICE
    growth = pd.Series(np.log(published(run, "gdp"))).diff(YEAR).dropna()
    rise = published(run, "unemployment").diff(YEAR).dropna()
    return [
        make_fact(
            "U-P13",
            {
                "unemployed for at most a month": float((months <= 1).mean()),
                "unemployed for more than six months": float((months > LONG_SEARCH).mean()),
            },
        ),
        make_fact(
            "U-P14",
            {
                "prices that change in a month": float(changed.mean()),
                "cuts among changes of prices": float((change[changed] < 0).mean()),
            },
        ),
        make_fact(
            "U-P15",
            {"points of unemployment per percent of output": float(np.polyfit(growth, rise, 1)[0])},
        ),
    ]


def _r(one: pd.Series, other: pd.Series) -> float:
    return float(np.corrcoef(one.to_numpy(), other.to_numpy())[0, 1])


def null_arms(arms: Arms) -> Fact:
    """Null arms: a policy of zero dollars changes nothing, and no cent is lost."""
    largest = max(
        float((published(arms["no policy"], name) - published(arms["zero"], name)).abs().max())
        for name in ("gdp", "income", "hours", "gini", "depression", "life_satisfaction")
    )
    banks = [run.table("agents_bank", ["deposits", "loans", "reserves"]) for run in arms.values()]
    gaps = [bank["deposits"] - bank["loans"] - bank["reserves"] for bank in banks]
    lost = max(float(gap.abs().max()) for gap in gaps)
    numbers = {
        "largest difference between zero dollars from month 48 and from month 96": largest,
        "largest gap between deposits and loans plus reserves": lost,
    }
    return make_fact("no-payments", numbers)


FACTS = (
    work, spending, inequality, wellbeing, business_cycle, stationarity, spillovers, livelihoods,
    markets, null_arms,
)  # fmt: skip
"""Functions of all facts, in order; each returns one or more.

The arms are "no policy", zero, pilot, all and tax.
"""

type _Funding = Literal["none", "tax"]

ANCHORS: Mapping[str, tuple[float, _Funding]] = {
    "no basic income": (0, "none"),
    "12,000 USD a year, unfunded": (12_000, "none"),
    "12,000 USD a year, flat tax": (12_000, "tax"),
    "6,000 USD a year, unfunded": (6_000, "none"),
    "6,000 USD a year, flat tax": (6_000, "tax"),
}
"""Payment to each adult per year, and its funding."""


def static_gini_table(gini: Callable[[float, _Funding], float]) -> pd.DataFrame:
    """Judge the Gini of households' money income without behavioural response, as `judge_facts`.

    `gini` returns it for USD per year paid to each adult and a funding. The microdata are the same
    for all seeds.
    """
    fact = make_fact("static-gini", {name: gini(*anchor) for name, anchor in ANCHORS.items()})
    numbers = ([one] for one in fact.values)  # noqa: PD011 - no DataFrame
    frame = pd.DataFrame(judged_rows(fact.id, fact.statement, numbers))
    # The anchors do not depend on a seed.
    return frame.assign(low=frame["mean"], high=frame["mean"], surely=frame["holds"])
