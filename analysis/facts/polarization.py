"""Facts P-P4, P-P5 and P-P7 of polarization, and what must show nothing, read from tables.

Real figures and their sources are in the scenario's README; the tolerances are those of its
table of stylised facts. An arm is compared with another of the same seed, hence with the same
citizens and random draws.
"""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from memopolis.analysis.facts.arms import Arms, by_seed, published
from memopolis.analysis.facts.fact import Fact, Value
from memopolis.analysis.facts.seeds import judged

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memopolis.analysis.run.run import Run

ATTITUDE = "attitude.gun_control"

START_SHARES = {"Democrat": 0.86, "Independent": 0.60, "Republican": 0.29}
"""Share for stricter laws by party (Pew 2019, Gallup 2022)."""


def at_end(run: "Run", column: str) -> float:
    """A figure of the statistics bureau in the last step."""
    return float(published(run, column).iloc[-1])


def gap(arms: Arms, arm: str, other: str, column: str) -> float:
    """A figure in the last step of an arm, less that of another."""
    return at_end(arms[arm], column) - at_end(arms[other], column)


def start_shares(arms: Arms) -> Fact:
    """P-P4: initial opinions of the parties, read in the arm without talk."""
    people = run_start(arms["none"])
    above = people[ATTITUDE] > 5
    values = [
        Value(
            f"share of {party}s above 5",
            float(above[people["party"] == party].mean()),
            share - 0.03,
            share + 0.03,
            "%",
        )
        for party, share in START_SHARES.items()
    ]
    everyone = Value("share of all above 5", float(above.mean()), 0.53, 0.60, "%")
    return Fact("P-P4", "Parties start where surveys find them", (*values, everyone), "Pew, Gallup")


def run_start(run: "Run") -> pd.DataFrame:
    """Party and attitude of citizens when first recorded."""
    people = run.table("agents_citizen", ["party", ATTITUDE])
    first: pd.DataFrame = people[people["tick"] == people["tick"].min()]
    return first


def echo_chambers(arms: Arms) -> Fact:
    """P-P5: like-minded persuaders make opinions more extreme; opposing ones are only listed."""
    values = (
        Value(
            "variance, echo minus control", gap(arms, "echo", "control", "variance"), 0, strict=True
        ),
        Value(
            "extreme share, echo minus control",
            gap(arms, "echo", "control", "extreme_share"),
            0,
            unit="pp",
            strict=True,
        ),
        Value("variance, echo minus random", gap(arms, "echo", "random", "variance")),
        Value("variance, cross minus random", gap(arms, "cross", "random", "variance")),
        Value("variance, cross minus control", gap(arms, "cross", "control", "variance")),
        Value("party gap, cross minus control", gap(arms, "cross", "control", "party_gap")),
        Value("warmth, cross minus control", gap(arms, "cross", "control", "warmth")),
    )
    return Fact("P-P5", "An echo chamber makes more extreme", values, "known from simulations")


def sorting(arms: Arms) -> Fact:
    """P-P7: a feed that ranks by likeness sorts whom people follow; one that does not, does not."""
    change = {
        arm: at_end(arms[arm], "ei_follows") - float(published(arms[arm], "ei_follows").iloc[0])
        for arm in ("control", "flat feed")
    }
    values = (
        Value("change of the E-I index of follows", change["control"], high=0, strict=True),
        Value("E-I index of follows at the end", at_end(arms["control"], "ei_follows")),
        Value(
            "the change against a feed that does not rank",
            change["control"] - change["flat feed"],
            high=0,
            strict=True,
        ),
    )
    return Fact("P-P7", "A homophilic feed sorts people", values, "Adamic and Glance 2005: -.81")


def less_of_the_same(arms: Arms) -> Fact:
    """Nyhan 2023: a third less of like-minded sources changes what is seen, hardly attitudes."""
    share = {arm: _like_minded(arms[arm]) for arm in ("control", "cut")}
    values = (
        Value(
            "like-minded share of what is read, cut minus control",
            share["cut"] - share["control"],
            high=0,
            unit="pp",
            strict=True,
        ),
        Value("mean attitude, cut minus control", gap(arms, "cut", "control", "mean")),
        Value("party gap, cut minus control", gap(arms, "cut", "control", "party_gap")),
    )
    return Fact("cut", "Less like-minded exposure", values, "Nyhan 2023, told along")


def _like_minded(run: "Run") -> float:
    read = run.table("agents_citizen", ["read", "read_like"])
    return float(read["read_like"].sum() / max(read["read"].sum(), 1))


def nothing(arms: Arms) -> Fact:
    """What must show nothing: neutral messages, silence, mirrored parties, a placebo."""
    still = run_change(arms["none"])
    mirrored = arms["symmetric"]
    tilt = at_end(mirrored, "mean_democrat") + at_end(mirrored, "mean_republican") - 10
    at_first = published(mirrored, "mean_democrat") + published(mirrored, "mean_republican") - 10
    values = (
        Value("mean, neutral minus control", gap(arms, "neutral", "control", "mean"), -0.05, 0.05),
        Value(
            "variance, neutral minus control",
            gap(arms, "neutral", "control", "variance"),
            -0.1,
            0.1,
        ),
        Value("largest change of an attitude without talks", still, 0, 0),
        Value("sum of both parties' distance from 5, mirrored parties", tilt, -0.15, 0.15),
        Value("its change since the first day", tilt - float(at_first.iloc[0]), -0.1, 0.1),
        Value(
            "change of the placebo attitude",
            float(np.ptp(published(arms["control"], "left_right"))),
            0,
            0,
        ),
    )
    return Fact("null", "Null arms show nothing", values, "this project: null arms")


def run_change(run: "Run") -> float:
    """Largest change of any citizen's attitude between first and last record."""
    people = run.table("agents_citizen", [ATTITUDE])
    by_tick = people.pivot_table(index="agent", columns="tick", values=ATTITUDE)
    return float((by_tick.iloc[:, -1] - by_tick.iloc[:, 0]).abs().max())


FACTS = (start_shares, echo_chambers, sorting, less_of_the_same, nothing)
"""Every fact that needs the scenario, in order."""


def polarization_table(
    arms: "Mapping[str, Sequence[Run]]", *, confidence: float = 0.95
) -> pd.DataFrame:
    """Judge the facts over many seeds.

    Args:
        arms: Runs by arm, of the same seeds in the same order: control, echo, cross, random,
            neutral, none, "flat feed", cut and symmetric.
        confidence: Of the intervals, in (0, 1).

    Returns:
        As `facts_table`.
    """
    return judged([[fact(one) for fact in FACTS] for one in by_seed(arms)], confidence=confidence)
