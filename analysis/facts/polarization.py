"""Facts P-P1 to P-P9 of polarization, its null arms and published models, computed from tables.

Real figures and their sources are in the scenario's README; the tolerances are those of its
table of stylised facts. An arm is compared with another of the same seed, hence with the same
citizens and random draws.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from memopolis.analysis.facts.fact import Fact, Value, judged_rows
from memopolis.analysis.facts.reading import NONE, Arms, published
from memopolis.analysis.run.run import Run

ATTITUDE = "attitude.gun_control"

NO_EFFECT = 0.3
"""Largest change of an attitude from 0 to 10 that counts as none: about an eighth of its standard
deviation, the size that field experiments can exclude (recalled)."""
STABLE = 0.05
"""Largest change of a party's share in two months: in yearly polls from 2019 to 2022 the shares of
both parties stayed within four points (found: Pew 2019, Gallup 2022)."""

RETEST = (0.7, 0.9)
"""Correlation of repeated answers of the same people: the better half of the core items of the
General Social Survey have reliabilities from 0.7 to above 0.85 (found: Hout and Hastings 2016)."""

START_SHARES = {"Democrat": 0.86, "Independent": 0.60, "Republican": 0.29}
"""Share of each party that favours stricter laws (Pew 2019, Gallup 2022)."""


def at_end(run: Run, column: str) -> float:
    """Return a figure of the statistics bureau in the last step."""
    return float(published(run, column).iloc[-1])


def gap(arms: Arms, arm: str, other: str, column: str) -> float:
    """Return the difference of two arms in a figure in the last step."""
    return at_end(arms[arm], column) - at_end(arms[other], column)


def start_shares(arms: Arms) -> Fact:
    """P-P4: initial opinions of the parties, measured in the arm without talk."""
    people = arms["none"].table("agents_citizen", ["party", ATTITUDE])
    first = people[people["tick"] == people["tick"].min()]
    above = first[ATTITUDE] > 5
    by_party = above.groupby(first["party"].astype(str)).mean()
    values = [
        Value(
            f"share of {party}s above 5",
            float(by_party.get(party, NONE)),
            share - 0.03,
            share + 0.03,
            "%",
        )
        for party, share in START_SHARES.items()
    ]
    everyone = Value("share of all above 5", float(above.mean()), 0.53, 0.60, "%")
    statement = "Initial opinions of the parties match surveys"
    return Fact("P-P4", statement, (*values, everyone), "Pew, Gallup")


def echo_chambers(arms: Arms) -> Fact:
    """P-P5: like-minded persuaders make opinions more extreme; variances are for information."""
    more = gap(arms, "echo", "control", "extreme_share")
    values = (
        Value.positive("variance, echo minus control", gap(arms, "echo", "control", "variance")),
        Value.positive("extreme share, echo minus control", more, "pp"),
        Value("variance, echo minus random", gap(arms, "echo", "random", "variance")),
        Value("variance, cross minus random", gap(arms, "cross", "random", "variance")),
        Value("variance, cross minus control", gap(arms, "cross", "control", "variance")),
        Value("party gap, cross minus control", gap(arms, "cross", "control", "party_gap")),
    )
    statement = "Echo chambers make opinions more extreme"
    return Fact("P-P5", statement, values, "known from simulations")


def other_side(arms: Arms) -> Fact:
    """P-P8: messages of the other side hardly change opinions, and make hostility no worse."""
    changes = {
        party: gap(arms, "cross", "control", f"mean_{party.lower()}")
        for party in ("Democrat", "Republican")
    }
    values = (
        *(
            Value(f"mean of {party}s, cross minus control", change, -NO_EFFECT, NO_EFFECT)
            for party, change in changes.items()
        ),
        Value("warmth, cross minus control", gap(arms, "cross", "control", "warmth"), low=0),
    )
    statement = "Contact with the other side changes feelings rather than opinions"
    return Fact("P-P8", statement, values, "Levy 2021; Bail 2018 (Democrats)")


def stability(arms: Arms) -> Fact:
    """P-P9: without persuaders and news, the opinions of the parties stay as they are."""
    people = arms["control"].table("agents_citizen", ["party", ATTITUDE])
    values = []
    for party in ("Democrat", "Republican"):
        own = people[people["party"].astype(str) == party]
        share = (own[ATTITUDE] > 5).groupby(own["tick"]).mean().to_numpy()
        change = float(share[-1] - share[0]) if len(share) else NONE
        what = f"change of the share of {party}s above 5"
        values.append(Value(what, change, -STABLE, STABLE, "pp"))
    variance = published(arms["control"], "variance")
    contraction = float(variance.iloc[-1] / variance.iloc[0] - 1)
    values.append(Value("change of the variance of all", contraction, -0.1, 0.1, "%"))
    retest = Value("correlation of attitudes, middle and end", retest_correlation(people), *RETEST)
    values.append(retest)
    statement = "Opinions are stable without an event"
    return Fact("P-P9", statement, tuple(values), "Pew 2019; Gallup 2022; tolerance illustrative")


def retest_correlation(people: pd.DataFrame) -> float:
    """Return the correlation of the attitudes of the same people at half-time and at the end.

    `people` are records of citizens, with `agent`, `tick` and the attitude.
    """
    by_tick = people.pivot_table(index="agent", columns="tick", values=ATTITUDE)
    return float(by_tick.iloc[:, by_tick.shape[1] // 2].corr(by_tick.iloc[:, -1]))


def sorting(arms: Arms) -> Fact:
    """P-P7: a feed that ranks by similarity sorts follows by party; a flat feed does not."""
    ranked, flat = (published(arms[arm], "ei_follows") for arm in ("control", "flat feed"))
    change, other = (float(series.iloc[-1] - series.iloc[0]) for series in (ranked, flat))
    values = (
        Value.negative("change of the E-I index of follows", change),
        Value("E-I index of follows at the end", float(ranked.iloc[-1])),
        Value.negative("change minus that with a feed that does not rank", change - other),
    )
    return Fact("P-P7", "A homophilic feed sorts people", values, "Adamic and Glance 2005: -.81")


def cut_exposure(arms: Arms) -> Fact:
    """Nyhan 2023: a third less like-minded content changes exposure, but hardly attitudes."""
    less = _like_minded(arms["cut"]) - _like_minded(arms["control"])
    columns = {"mean attitude": "mean", "party gap": "party_gap"}
    changes = {what: gap(arms, "cut", "control", name) for what, name in columns.items()}
    values = (
        Value.negative("like-minded share of what is read, cut minus control", less, "pp"),
        *(
            Value(f"{what}, cut minus control", change, -NO_EFFECT, NO_EFFECT)
            for what, change in changes.items()
        ),
    )
    return Fact("cut", "Less like-minded exposure changes no attitude", values, "Nyhan 2023")


def _like_minded(run: Run) -> float:
    read = run.table("agents_citizen", ["read", "read_like"])
    return float(read["read_like"].sum() / max(read["read"].sum(), 1))


def null_arms(arms: Arms) -> Fact:
    """Null arms: neutral messages, no talk, mirrored parties, a placebo attitude."""
    sides = (published(arms["symmetric"], f"mean_{side}") for side in ("democrat", "republican"))
    tilt = next(sides) + next(sides) - 10
    mean, variance = (gap(arms, "neutral", "control", name) for name in ("mean", "variance"))
    placebo = float(np.ptp(published(arms["control"], "left_right")))
    now = float(tilt.iloc[-1])
    values = (
        Value("mean, neutral minus control", mean, -0.05, 0.05),
        Value("variance, neutral minus control", variance, -0.1, 0.1),
        Value("largest change of an attitude without talk", run_change(arms["none"]), 0, 0),
        Value("sum of both parties' distance from 5, mirrored parties", now, -0.15, 0.15),
        Value("its change since the first day", now - float(tilt.iloc[0]), -0.1, 0.1),
        Value("change of the placebo attitude", placebo, 0, 0),
    )
    return Fact("null", "Null arms show nothing", values, "this project: null arms")


def run_change(run: Run) -> float:
    """Return the largest change of a citizen's attitude from the first to the last record."""
    people = run.table("agents_citizen", [ATTITUDE])
    by_tick = people.pivot_table(index="agent", columns="tick", values=ATTITUDE)
    return float((by_tick.iloc[:, -1] - by_tick.iloc[:, 0]).abs().max())


FACTS = (
    start_shares, echo_chambers, sorting, other_side, stability, cut_exposure, null_arms,
)  # fmt: skip
"""All facts that need runs of the scenario, in order.

The arms are control, echo, cross, random, neutral, none, "flat feed", cut and symmetric.
"""

MODEL_STATEMENTS: Mapping[str, str] = {
    "P-P1": "Bounded confidence ends in as many clusters as published",
    "P-P2": "Friedkin-Johnsen converges to its closed form",  # Friedkin and Johnsen 1990
    "P-P3": "Activity-driven opinions have three regimes",  # Baumann et al. 2020
    "P-P6": "More active agents are more extreme",  # Baumann et al. 2020
}
"""Statements of the facts of published models of opinion, without memory."""


def model_facts_table(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Judge the results of published models by fact, as `judge_facts`.

    Each table is one of `memopolis.agents.opinion.reference`: a row per case and seed, with the
    columns case, low, high, measured and seed.
    """
    rows: list[dict[str, object]] = []
    for fact, table in tables.items():
        for case, same in table.groupby("case", sort=False):
            first = same.iloc[0]
            values = [
                Value(str(case), float(number), float(first["low"]), float(first["high"]))
                for number in same["measured"]
            ]
            rows += judged_rows(fact, MODEL_STATEMENTS[fact], [values])
    return pd.DataFrame(rows)
